//! `notify add`: channels by kind. Secrets are not arguments, because every user of a machine can read those.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use reqwest::Method;

use super::{AT, read, say};
use crate::api::notifications::channels::ChannelView;
use crate::cli::Failure;
use crate::cli::client::{Client, encoded};
use crate::notify::channel::{
    AlertmanagerEntry, ChannelEntry, MailEntry, Security, Settings, TelegramEntry, WebhookEntry,
};
use crate::notify::secret::Secret;

/// What kind of channel.
#[derive(Debug, Subcommand)]
pub enum AddCommand {
    /// A POST of JSON, signed with HMAC-SHA256
    Webhook {
        /// Its name
        id: String,
        /// Where to POST
        #[arg(value_name = "URL")]
        to: String,
        #[command(flatten)]
        secret: SecretArgs,
        #[command(flatten)]
        ca: CaArgs,
    },
    /// Mail over SMTP
    Mail {
        /// Its name
        id: String,
        /// The SMTP server
        #[arg(long)]
        host: String,
        /// Its port; 587, 465 or 25 by --security when absent
        #[arg(long)]
        port: Option<u16>,
        /// How the connection is kept secret
        #[arg(long, value_enum, default_value = "starttls")]
        security: SecurityArg,
        /// Who writes
        #[arg(long)]
        from: String,
        /// Who reads (repeat for more)
        #[arg(long, required = true)]
        to: Vec<String>,
        /// Who signs in; the password is the secret
        #[arg(long)]
        username: Option<String>,
        #[command(flatten)]
        secret: SecretArgs,
        #[command(flatten)]
        ca: CaArgs,
    },
    /// A Telegram chat; the bot's token is the secret
    Telegram {
        /// Its name
        id: String,
        /// The chat's number, or @name of a channel
        #[arg(long, allow_hyphen_values = true)]
        chat: String,
        /// A topic of the chat
        #[arg(long)]
        thread: Option<i64>,
        /// The Bot API, if it is another one than Telegram's own
        #[arg(long, value_name = "URL")]
        api: Option<String>,
        #[command(flatten)]
        secret: SecretArgs,
        #[command(flatten)]
        ca: CaArgs,
    },
    /// Prometheus' Alertmanager
    Alertmanager {
        /// Its name
        id: String,
        /// Its address, without /api/v2
        #[arg(value_name = "URL")]
        to: String,
        /// A label of all alerts (repeat for more)
        #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
        labels: Vec<(String, String)>,
        /// Who signs in; the password is the secret
        #[arg(long)]
        username: Option<String>,
        #[command(flatten)]
        secret: SecretArgs,
        #[command(flatten)]
        ca: CaArgs,
    },
}

/// Where the secret comes from.
#[derive(Debug, Args)]
pub struct SecretArgs {
    /// File with the secret, `-` for standard input; one that is known already is kept when absent
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// The secret
    #[arg(long, env = "QUORATE_NOTIFY_SECRET", hide_env_values = true, hide = true, conflicts_with = "secret_file")]
    secret: Option<String>,
}

/// Whom to trust.
#[derive(Debug, Args)]
pub struct CaArgs {
    /// PEM file with certificates to trust beside the public ones
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// How a connection to an SMTP server is kept secret.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SecurityArg {
    /// By STARTTLS; a server that does not offer it gets nothing
    Starttls,
    /// By TLS from the first byte
    Tls,
    /// Not at all: for a relay on this machine
    None,
}

impl From<SecurityArg> for Security {
    fn from(arg: SecurityArg) -> Self {
        match arg {
            SecurityArg::Starttls => Self::Starttls,
            SecurityArg::Tls => Self::Tls,
            SecurityArg::None => Self::None,
        }
    }
}

fn label(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

pub async fn run(client: &Client, command: &AddCommand) -> Result<(), Failure> {
    let entry = entry(command)?;
    let path = format!("{AT}/channels/{}", encoded(&entry.id));
    let set: ChannelView = client.send(Method::PUT, &path, Some(&entry), None).await?;
    say(client, &format!("{} is set: try it with `notify test {}`", set.id, set.id))
}

fn entry(command: &AddCommand) -> Result<ChannelEntry, Failure> {
    let (id, settings) = match command {
        AddCommand::Webhook { id, to, secret, ca } => {
            let entry = WebhookEntry { url: to.clone(), secret: secret.read()?, ca: ca.read()? };
            (id, Settings::Webhook(entry))
        }
        AddCommand::Mail { id, host, port, security, from, to, username, secret, ca } => {
            let entry = MailEntry {
                host: host.clone(),
                port: *port,
                security: (*security).into(),
                from: from.clone(),
                to: to.clone(),
                username: username.clone(),
                password: secret.read()?,
                ca: ca.read()?,
            };
            (id, Settings::Mail(entry))
        }
        AddCommand::Telegram { id, chat, thread, api, secret, ca } => {
            let entry = TelegramEntry {
                token: secret.read()?,
                chat: chat.clone(),
                thread: *thread,
                api: api.clone(),
                ca: ca.read()?,
            };
            (id, Settings::Telegram(entry))
        }
        AddCommand::Alertmanager { id, to, labels, username, secret, ca } => {
            let entry = AlertmanagerEntry {
                url: to.clone(),
                labels: labels.iter().cloned().collect(),
                username: username.clone(),
                password: secret.read()?,
                ca: ca.read()?,
            };
            (id, Settings::Alertmanager(entry))
        }
    };
    Ok(ChannelEntry { id: id.clone(), settings })
}

impl SecretArgs {
    fn read(&self) -> Result<Option<Secret>, Failure> {
        let text = match (&self.secret, &self.secret_file) {
            (Some(secret), _) => secret.clone(),
            (None, Some(file)) => {
                if file.as_os_str() == "-" && std::io::stdin().is_terminal() {
                    // It echoes: whoever minds takes a file.
                    let _ = write!(std::io::stderr(), "secret: ");
                    return Ok(Some(Secret::new(line()?)));
                }
                read(file)?
            }
            (None, None) => return Ok(None),
        };
        Ok(Some(Secret::new(text.trim())))
    }
}

fn line() -> Result<String, Failure> {
    let mut text = String::new();
    let read = std::io::stdin().read_line(&mut text);
    read.map_err(|error| Failure::new(format!("standard input cannot be read: {error}")))?;
    Ok(text.trim().to_owned())
}

impl CaArgs {
    fn read(&self) -> Result<Option<String>, Failure> {
        self.ca.as_deref().map(|file: &Path| read(file)).transpose()
    }
}
