//! `quorate-agent enroll`: takes the token alone or the whole command that was printed.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use super::print;
use crate::config::{AgentConfig, DEFAULT_DATA_DIR};
use crate::{EnrollRequest, files};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The token (q1.…), or the whole command that 'quorate-aggregator enroll' printed, pasted as it is.
    #[arg(required = true, num_args = 1.., value_name = "TOKEN")]
    words: Vec<String>,
    /// The gateway, host:port; the file's when not given.
    #[arg(long)]
    gateway: Option<String>,
    /// Where identity and outbox are kept; the file's when not given.
    #[arg(long)]
    data_dir: Option<PathBuf>,
}

impl Arguments {
    pub(super) async fn run(self, config_path: &Path) -> anyhow::Result<ExitCode> {
        let words: Vec<&str> = self.words.iter().flat_map(|word| word.split_whitespace()).collect();
        let pasted = Pasted::of(&words);
        let Some(token) = pasted.token else { bail!(crate::EnrollError::Token) };
        let config = if config_path.exists() { Some(AgentConfig::load(config_path)?) } else { None };
        let given = self.gateway.or(pasted.gateway.map(str::to_owned));
        let Some(gateway) = given.clone().or_else(|| config.as_ref().map(|config| config.gateway.clone())) else {
            bail!("no gateway: give --gateway host:port, as in the command that 'quorate-aggregator enroll' printed");
        };
        let data_dir = self
            .data_dir
            .or_else(|| config.as_ref().map(|config| config.data_dir.clone()))
            .unwrap_or_else(|| PathBuf::from(DEFAULT_DATA_DIR));
        let request = EnrollRequest {
            gateway: gateway.clone(),
            token: token.to_owned(),
            data_dir: data_dir.clone(),
            source_addresses: config.as_ref().map(|config| config.source_addresses.clone()).unwrap_or_default(),
        };
        let enrolled = crate::enroll(request).await?;
        // The token is used up: what is left to do comes before what may not be read.
        if config.is_none() {
            write_config(config_path, &gateway, &data_dir)?;
        }
        let (server, identity) = (enrolled.server, data_dir.display());
        if enrolled.before {
            print::line(format_args!("enrolled as {server} already, by this very token: identity in {identity}"))?;
            print::line(format_args!(
                "nothing to do but to start the agent; 'quorate-aggregator enroll {server}' prints a new command to enrol anew"
            ))?;
        } else {
            print::line(format_args!("enrolled as {server}: identity in {identity}"))?;
        }
        match config {
            None => print::line(format_args!("wrote {}", config_path.display()))?,
            Some(config) if config.gateway != gateway => {
                let (file, named) = (config_path.display(), config.gateway);
                print::line(format_args!("note: {file} names the gateway {named}, not {gateway}"))?;
            }
            Some(_) => {}
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What a pasted command says.
#[derive(Debug, PartialEq, Eq)]
struct Pasted<'a> {
    token: Option<&'a str>,
    gateway: Option<&'a str>,
}

impl<'a> Pasted<'a> {
    fn of(words: &[&'a str]) -> Self {
        let token = words.iter().copied().find(|word| word.starts_with("q1."));
        let after = words.iter().position(|word| *word == "--gateway").and_then(|at| words.get(at + 1)).copied();
        let gateway = after.or_else(|| words.iter().find_map(|word| word.strip_prefix("--gateway=")));
        Self { token, gateway }
    }
}

/// A file that says just enough for `run`.
fn write_config(path: &Path, gateway: &str, data_dir: &Path) -> anyhow::Result<()> {
    let mut table = toml::Table::new();
    table.insert("gateway".to_owned(), gateway.into());
    table.insert("data_dir".to_owned(), data_dir.display().to_string().into());
    let text = table.to_string();
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)
        .and_then(|()| files::write_whole_public(path, text.as_bytes()))
        .with_context(|| format!("enrolled, but cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::Pasted;

    #[test]
    fn a_whole_command_may_be_pasted_in_place_of_the_token() {
        let words = ["quorate-agent", "enroll", "--gateway", "watch.example.org:9443", "q1.a.b.c"];
        assert_eq!(Pasted::of(&words), Pasted { token: Some("q1.a.b.c"), gateway: Some("watch.example.org:9443") });
        assert_eq!(Pasted::of(&["q1.a.b.c"]), Pasted { token: Some("q1.a.b.c"), gateway: None });
        let joined = ["--gateway=g:1", "q1.x"];
        assert_eq!(Pasted::of(&joined), Pasted { token: Some("q1.x"), gateway: Some("g:1") });
    }
}
