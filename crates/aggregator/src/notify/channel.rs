//! Channels: where messages go, as an operator writes them down.
//!
//! The operator decides where messages go, so private and loopback addresses are allowed: an SMTP relay or an Alertmanager
//! beside the aggregator is the usual case. Whoever may write channels can make the aggregator's host send requests; that
//! takes the scope `admin`.
//!
//! Always true: a secret goes in and never out again, neither by the API nor in the audit or a log; and a secret that is
//! kept while a channel is changed is sent to nobody else than before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::secret::Secret;

mod check;

pub use check::{CHANNELS_MAX, ChannelError};

/// A channel with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChannelEntry {
    /// Its name: lower-case letters, digits, `-`, `_` and `.`, at most 64.
    pub id: String,
    /// What it is, and where it leads.
    #[serde(flatten)]
    pub settings: Settings,
}

/// What a channel is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Settings {
    /// A POST of JSON in the panels' habit, signed.
    Webhook(WebhookEntry),
    /// Mail over SMTP.
    Mail(MailEntry),
    /// A chat, by a bot.
    Telegram(TelegramEntry),
    /// Prometheus' Alertmanager, API v2.
    Alertmanager(AlertmanagerEntry),
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookEntry {
    /// Where to POST: `https://…` or `http://…`.
    pub url: String,
    /// Key of the signature, at least 16 characters. Written, never read; without it messages are not signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, write_only)]
    pub secret: Option<Secret>,
    /// PEM certificates to trust beside the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
}

/// Mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MailEntry {
    /// The SMTP server: a name or an address.
    pub host: String,
    /// Its port; 587 with `starttls`, 465 with `tls`, 25 with `none` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// How the connection is kept secret.
    #[serde(default)]
    pub security: Security,
    /// Who writes, like `Quorate <quorate@example.org>`.
    pub from: String,
    /// Who reads.
    pub to: Vec<String>,
    /// Who signs in; nobody when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// With what. Written, never read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, write_only)]
    pub password: Option<Secret>,
    /// PEM certificates to trust beside the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
}

/// How a connection to an SMTP server is kept secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Security {
    /// By STARTTLS; a server that does not offer it gets nothing.
    #[default]
    Starttls,
    /// By TLS from the first byte.
    Tls,
    /// Not at all: for a relay on this machine. Nobody signs in over it.
    None,
}

/// A Telegram chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TelegramEntry {
    /// The bot's token, as `@BotFather` gives it. Written, never read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, write_only)]
    pub token: Option<Secret>,
    /// The chat's number, or `@name` of a channel.
    pub chat: String,
    /// A topic of the chat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<i64>,
    /// The Bot API, if it is another one than Telegram's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// PEM certificates to trust beside the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
}

/// An Alertmanager.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertmanagerEntry {
    /// Its address, without `/api/v2`.
    pub url: String,
    /// Labels of all alerts, beside their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Who signs in, by basic authentication; nobody when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// With what. Written, never read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, write_only)]
    pub password: Option<Secret>,
    /// PEM certificates to trust beside the public ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
}

impl Settings {
    /// The word for what it is.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Webhook(_) => "webhook",
            Self::Mail(_) => "mail",
            Self::Telegram(_) => "telegram",
            Self::Alertmanager(_) => "alertmanager",
        }
    }

    /// Its one secret and that field's name.
    pub fn secret(&self) -> (&'static str, &Option<Secret>) {
        match self {
            Self::Webhook(entry) => ("secret", &entry.secret),
            Self::Mail(entry) => ("password", &entry.password),
            Self::Telegram(entry) => ("token", &entry.token),
            Self::Alertmanager(entry) => ("password", &entry.password),
        }
    }

    fn secret_mut(&mut self) -> &mut Option<Secret> {
        match self {
            Self::Webhook(entry) => &mut entry.secret,
            Self::Mail(entry) => &mut entry.password,
            Self::Telegram(entry) => &mut entry.token,
            Self::Alertmanager(entry) => &mut entry.password,
        }
    }

    /// The same with nothing in it that must not be shown.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let mut shown = self.clone();
        *shown.secret_mut() = None;
        shown
    }

    /// To whom the secret is shown: it is kept over a change only if that stays.
    fn confidant(&self) -> (String, Option<&str>) {
        match self {
            // A key of signatures is shown to nobody.
            Self::Webhook(_) => (String::new(), None),
            Self::Mail(entry) => {
                let at = format!("{}:{:?}:{:?}", entry.host, entry.port, entry.security);
                (at, entry.ca.as_deref())
            }
            Self::Telegram(entry) => (entry.api.clone().unwrap_or_default(), entry.ca.as_deref()),
            Self::Alertmanager(entry) => (entry.url.clone(), entry.ca.as_deref()),
        }
    }

    /// Takes the secret of what was before, if none is given and it would be shown to the same side.
    pub fn keep_secret_of(&mut self, before: &Self) {
        if self.kind() == before.kind() && self.secret().1.is_none() && self.confidant() == before.confidant() {
            self.secret_mut().clone_from(before.secret().1);
        }
    }
}

#[cfg(test)]
mod tests;
