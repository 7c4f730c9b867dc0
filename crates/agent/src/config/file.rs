//! Reads the text of the agent's file and collects everything that is wrong with it.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::{AgentConfig, DEFAULT_DATA_DIR, Fault, ServiceCheck, ServiceHow};
use crate::limits::{AddressLimits, Limits, Ports, host_port};

/// Largest `lab.edge_speed`: looks around every 60 ms, less than a handshake takes.
const EDGE_SPEED_MAX: u32 = 5_000;

/// Checks the text of a file; `file` is its name in faults.
pub(super) fn parse(file: &str, text: &str) -> Result<AgentConfig, Vec<Fault>> {
    let parsed: FileForm = toml::from_str(text).map_err(|error| vec![syntax_fault(file, text, &error)])?;
    let mut check = Check { file, text, faults: Vec::new() };
    let config = check.config(parsed);
    if check.faults.is_empty() {
        return Ok(config);
    }
    check.faults.sort_by_key(|fault| fault.line);
    Err(check.faults)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileForm {
    gateway: Spanned<String>,
    data_dir: Option<PathBuf>,
    #[serde(default)]
    source_addresses: Vec<Spanned<String>>,
    #[serde(default)]
    services: Vec<Spanned<ServiceForm>>,
    #[serde(default)]
    controls: Vec<Spanned<String>>,
    #[serde(default)]
    limits: LimitsForm,
    #[serde(default)]
    lab: LabForm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServiceForm {
    name: Option<String>,
    unit: Option<String>,
    process: Option<String>,
    command: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct LimitsForm {
    ports: Option<Spanned<PortsForm>>,
    probes_per_minute: Option<Spanned<u32>>,
    min_spacing_ms: Option<Spanned<u64>>,
    #[serde(default)]
    allow_private: bool,
    #[serde(default)]
    allow_loopback: bool,
    #[serde(default)]
    allow_link_local: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct LabForm {
    edge_speed: Option<Spanned<u32>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PortsForm {
    Word(String),
    List(Vec<i64>),
}

struct Check<'a> {
    file: &'a str,
    text: &'a str,
    faults: Vec<Fault>,
}

impl Check<'_> {
    fn fault(&mut self, at: usize, field: impl Into<String>, problem: impl Into<String>) {
        let line = line_of(self.text, at);
        self.faults.push(Fault { file: self.file.to_owned(), line, field: field.into(), problem: problem.into() });
    }

    fn config(&mut self, form: FileForm) -> AgentConfig {
        if host_port(form.gateway.as_ref()).is_none() {
            let problem = format!("'{}' is no host:port, like watch.example.org:9443", form.gateway.as_ref());
            self.fault(form.gateway.span().start, "gateway", problem);
        }
        AgentConfig {
            data_dir: form.data_dir.unwrap_or_else(|| PathBuf::from(DEFAULT_DATA_DIR)),
            source_addresses: form.source_addresses.iter().filter_map(|text| self.source(text)).collect(),
            services: form.services.into_iter().filter_map(|form| self.service(form)).collect(),
            controls: form.controls.into_iter().filter_map(|text| self.control(text)).collect(),
            limits: self.limits(&form.limits),
            edge_speed: self.edge_speed(&form.lab),
            gateway: form.gateway.into_inner(),
        }
    }

    fn source(&mut self, text: &Spanned<String>) -> Option<IpAddr> {
        let parsed = text.as_ref().parse();
        if parsed.is_err() {
            let problem = format!("'{}' is no IP address", text.as_ref());
            self.fault(text.span().start, "source_addresses", problem);
        }
        parsed.ok()
    }

    fn control(&mut self, text: Spanned<String>) -> Option<String> {
        if host_port(text.as_ref()).is_some() {
            return Some(text.into_inner());
        }
        let problem = format!("'{}' is no host:port, like 192.0.2.1:443", text.as_ref());
        self.fault(text.span().start, "controls", problem);
        None
    }

    fn service(&mut self, form: Spanned<ServiceForm>) -> Option<ServiceCheck> {
        let at = form.span().start;
        let form = form.into_inner();
        let how = match (form.unit, form.process, form.command) {
            (Some(unit), None, None) => ServiceHow::Unit(unit),
            (None, Some(process), None) => ServiceHow::Process(process),
            (None, None, Some(command)) => ServiceHow::Command(command),
            _ => {
                self.fault(at, "services", "give exactly one of unit, process and command");
                return None;
            }
        };
        let (ServiceHow::Unit(word) | ServiceHow::Process(word) | ServiceHow::Command(word)) = &how;
        if word.is_empty() {
            self.fault(at, "services", "is empty");
            return None;
        }
        Some(ServiceCheck { name: form.name.unwrap_or_else(|| word.clone()), how })
    }

    fn limits(&mut self, form: &LimitsForm) -> Limits {
        let defaults = Limits::default();
        let ports = form.ports.as_ref().map_or(defaults.ports, |ports| self.ports(ports));
        let probes_per_minute = match &form.probes_per_minute {
            None => defaults.probes_per_minute,
            Some(given) => {
                if *given.as_ref() == 0 {
                    self.fault(given.span().start, "limits.probes_per_minute", "is 0: use at least 1");
                }
                *given.as_ref()
            }
        };
        let min_spacing = match &form.min_spacing_ms {
            None => defaults.min_spacing,
            Some(given) => {
                if *given.as_ref() == 0 || *given.as_ref() > 3_600_000 {
                    self.fault(given.span().start, "limits.min_spacing_ms", "use 1 to 3600000");
                }
                Duration::from_millis(*given.as_ref())
            }
        };
        let addresses = AddressLimits {
            private: form.allow_private,
            loopback: form.allow_loopback,
            link_local: form.allow_link_local,
        };
        Limits { ports, probes_per_minute, min_spacing, addresses }
    }

    fn edge_speed(&mut self, form: &LabForm) -> u32 {
        let Some(given) = &form.edge_speed else { return 1 };
        if !(1..=EDGE_SPEED_MAX).contains(given.as_ref()) {
            let problem = format!("{} is not in 1 to {EDGE_SPEED_MAX}", given.as_ref());
            self.fault(given.span().start, "lab.edge_speed", problem);
        }
        *given.as_ref()
    }

    fn ports(&mut self, form: &Spanned<PortsForm>) -> Ports {
        let at = form.span().start;
        match form.as_ref() {
            PortsForm::Word(word) if word == "any" => Ports::Any,
            PortsForm::Word(word) => {
                self.fault(at, "limits.ports", format!("'{word}' is no list of ports: use [443] or \"any\""));
                Ports::Any
            }
            PortsForm::List(list) => {
                let ports = list.iter().filter_map(|port| match u16::try_from(*port) {
                    Ok(port) if port > 0 => Some(port),
                    _ => {
                        self.fault(at, "limits.ports", format!("{port} is not in 1 to 65535"));
                        None
                    }
                });
                Ports::Only(ports.collect::<BTreeSet<u16>>())
            }
        }
    }
}

fn syntax_fault(file: &str, text: &str, error: &toml::de::Error) -> Fault {
    let at = error.span().map_or(0, |span| span.start);
    let line = line_of(text, at);
    let problem = error.message().lines().next().unwrap_or("cannot be read").to_owned();
    let written = text.lines().nth(line - 1).unwrap_or_default();
    let field = match problem.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        Some(missing) => missing,
        None => written.split_once('=').map_or("file", |(field, _)| field.trim()),
    };
    Fault { file: file.to_owned(), line, field: field.to_owned(), problem }
}

fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
