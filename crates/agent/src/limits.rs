//! What this agent does not do, whoever asks: its own ports, pace and addresses.
//!
//! A doorman who knows the house rules better than the guests: a plan beyond them is refused whole, so that a stolen
//! aggregator cannot turn the fleet into a scanner. The limits come from the agent's own file alone.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use quorate_core::address::{self, AddressKind};
use quorate_core::one_line::OneLine;
use quorate_core::plan::{ProbePlan, Target};
use rustls_pki_types::ServerName;

#[cfg(test)]
mod tests;

/// The agent's own limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Ports that may be dialled.
    pub ports: Ports,
    /// Most probes started in a minute.
    pub probes_per_minute: u32,
    /// Least time between the starts of two probes.
    pub min_spacing: Duration,
    /// Which addresses may be dialled.
    pub addresses: AddressLimits,
}

/// Ports that may be dialled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ports {
    /// Every port: for tests on one machine.
    Any,
    /// These.
    Only(BTreeSet<u16>),
}

/// Which kinds of addresses may be dialled beside public ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AddressLimits {
    /// 10/8, 172.16/12, 192.168/16, 100.64/10, `fc00::/7`.
    pub private: bool,
    /// 127/8 and `::1`.
    pub loopback: bool,
    /// 169.254/16 and `fe80::/10`.
    pub link_local: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            ports: Ports::Only(BTreeSet::from(address::PORTS)),
            // One round a minute over 30 entry points, two seconds apart.
            probes_per_minute: 30,
            min_spacing: Duration::from_secs(2),
            addresses: AddressLimits::default(),
        }
    }
}

/// Why a plan was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A target outside.
    #[error("entry point '{}': {}", OneLine(.entry_point), OneLine(.why))]
    Target {
        /// Which.
        entry_point: String,
        /// What is not allowed, and which limit says so.
        why: String,
    },
    /// A neutral endpoint outside.
    #[error("control '{}': {}", OneLine(.control), OneLine(.why))]
    Control {
        /// Which.
        control: String,
        /// What is not allowed, and which limit says so.
        why: String,
    },
    /// Knocks too close together.
    #[error("min_spacing is {planned_ms} ms, but limits.min_spacing_ms is {limit_ms}")]
    Spacing {
        /// Of the plan.
        planned_ms: u128,
        /// Of the agent.
        limit_ms: u128,
    },
    /// Rounds too short: each makes a report and a self-check, however few its targets.
    #[error("interval is {planned_ms} ms, shorter than limits.min_spacing_ms, {limit_ms}")]
    Interval {
        /// Of the plan.
        planned_ms: u128,
        /// Of the agent.
        limit_ms: u128,
    },
    /// Too many knocks.
    #[error("{planned} probes a minute, but limits.probes_per_minute is {limit}")]
    Rate {
        /// Of the plan.
        planned: u128,
        /// Of the agent.
        limit: u32,
    },
}

impl Limits {
    /// Whether the whole plan is within the limits. Names are checked again when they are resolved.
    pub fn check(&self, plan: &ProbePlan) -> Result<(), Refusal> {
        if plan.min_spacing < self.min_spacing {
            return Err(Refusal::Spacing {
                planned_ms: plan.min_spacing.as_millis(),
                limit_ms: self.min_spacing.as_millis(),
            });
        }
        if plan.interval < self.min_spacing {
            return Err(Refusal::Interval {
                planned_ms: plan.interval.as_millis(),
                limit_ms: self.min_spacing.as_millis(),
            });
        }
        let planned = (plan.targets.len() as u128 * 60_000).div_ceil(plan.interval.as_millis().max(1));
        if planned > u128::from(self.probes_per_minute) {
            return Err(Refusal::Rate { planned, limit: self.probes_per_minute });
        }
        for target in &plan.targets {
            self.check_target(target)
                .map_err(|why| Refusal::Target { entry_point: target.entry_point.clone(), why })?;
        }
        for own in &plan.own {
            // The self-check dials own addresses alone; which of their ports answer is nobody else's business either.
            self.check_port(own.probe.port)
                .map_err(|why| Refusal::Target { entry_point: own.entry_point.clone(), why })?;
        }
        for control in &plan.controls {
            self.check_control(control).map_err(|why| Refusal::Control { control: control.clone(), why })?;
        }
        Ok(())
    }

    fn check_target(&self, target: &Target) -> Result<(), String> {
        let probe = &target.probe;
        self.check_address(&probe.host, probe.port)?;
        let name = probe.sni.as_deref().unwrap_or(&probe.host);
        match ServerName::try_from(name) {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("'{name}' is no server name")),
        }
    }

    fn check_control(&self, control: &str) -> Result<(), String> {
        let (host, port) = host_port(control).ok_or("is no host:port")?;
        self.check_address(host, port)
    }

    fn check_port(&self, port: u16) -> Result<(), String> {
        match &self.ports {
            Ports::Only(ports) if !ports.contains(&port) => Err(format!("port {port} is not in limits.ports")),
            Ports::Only(_) | Ports::Any => Ok(()),
        }
    }

    fn check_address(&self, host: &str, port: u16) -> Result<(), String> {
        self.check_port(port)?;
        match host.parse::<IpAddr>().ok().and_then(|ip| self.addresses.forbids(ip)) {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }
}

impl AddressLimits {
    /// Everything is allowed: for a person at the command line.
    pub const NONE: Self = Self { private: true, loopback: true, link_local: true };

    /// Why `ip` may not be dialled, if so.
    pub fn forbids(&self, ip: IpAddr) -> Option<String> {
        let ip = ip.to_canonical();
        let kind = AddressKind::of(ip);
        let is_allowed = match kind {
            AddressKind::Public => true,
            AddressKind::Private => self.private,
            AddressKind::Loopback => self.loopback,
            AddressKind::LinkLocal => self.link_local,
            AddressKind::NoHost => false,
        };
        match kind.allowed_by() {
            _ if is_allowed => None,
            Some((what, limit)) => Some(format!("{ip} is a {what} address, and {limit} is false")),
            None => Some(format!("{ip} is no address of a host")),
        }
    }
}

/// Splits `host:port`; an IPv6 address stands in brackets.
pub(crate) fn host_port(text: &str) -> Option<(&str, u16)> {
    let (host, port) = text.rsplit_once(':')?;
    let port = port.parse().ok().filter(|port| *port > 0)?;
    let host = match host.strip_prefix('[') {
        Some(inner) => inner.strip_suffix(']')?,
        None if host.contains(':') => return None,
        None => host,
    };
    if host.is_empty() { None } else { Some((host, port)) }
}
