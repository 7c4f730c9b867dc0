//! Which channels are accepted: each refusal names the field and what to write there.

use lettre::message::Mailbox;
use reqwest::Url;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::{AlertmanagerEntry, ChannelEntry, MailEntry, Security, Settings, TelegramEntry, WebhookEntry};

/// Most channels: each has a task and a slate of its own.
pub const CHANNELS_MAX: usize = 32;
/// Longest id.
const ID_BYTES_MAX: usize = 64;
/// Shortest key of signatures: shorter ones are guessed.
const KEY_BYTES_MIN: usize = 16;
/// Longest text in a field; addresses and tokens are far shorter.
const FIELD_BYTES_MAX: usize = 2048;
/// Longest list of certificates.
const CA_BYTES_MAX: usize = 64 * 1024;
/// Most readers of a mail: more is a mailing list's work.
const READERS_MAX: usize = 50;
/// Most labels of an alert.
const LABELS_MAX: usize = 32;

/// Why a channel is refused, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("channel '{channel}': {field}: {problem}")]
pub struct ChannelError {
    /// Whose.
    pub channel: String,
    /// Where.
    pub field: &'static str,
    /// What was wrong, and what to do.
    pub problem: String,
}

type Checked = Result<(), (&'static str, String)>;

impl ChannelEntry {
    /// Refuses what cannot work.
    pub fn check(&self) -> Result<(), ChannelError> {
        let checked = id(&self.id).and_then(|()| match &self.settings {
            Settings::Webhook(entry) => webhook(entry),
            Settings::Mail(entry) => mail(entry),
            Settings::Telegram(entry) => telegram(entry),
            Settings::Alertmanager(entry) => alertmanager(entry),
        });
        checked.map_err(|(field, problem)| ChannelError { channel: self.id.clone(), field, problem })
    }
}

fn refused(field: &'static str, problem: impl Into<String>) -> Checked {
    Err((field, problem.into()))
}

fn id(id: &str) -> Checked {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
    if id.is_empty() || id.len() > ID_BYTES_MAX || !id.chars().all(fits) {
        return refused("id", format!("use 1 to {ID_BYTES_MAX} of a to z, 0 to 9, '-', '_' and '.'"));
    }
    Ok(())
}

fn webhook(entry: &WebhookEntry) -> Checked {
    url("url", &entry.url)?;
    if let Some(secret) = &entry.secret
        && !(KEY_BYTES_MIN..=FIELD_BYTES_MAX).contains(&secret.reveal().len())
    {
        return refused("secret", format!("use {KEY_BYTES_MIN} to {FIELD_BYTES_MAX} characters"));
    }
    ca(entry.ca.as_deref())
}

fn mail(entry: &MailEntry) -> Checked {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    if entry.host.is_empty() || entry.host.len() > 253 || !entry.host.chars().all(is_name) {
        return refused("host", "give the SMTP server's name or address, without a port");
    }
    if entry.port == Some(0) {
        return refused("port", "use 1 to 65535, or leave it out");
    }
    mailbox("from", &entry.from)?;
    if entry.to.is_empty() || entry.to.len() > READERS_MAX {
        return refused("to", format!("give 1 to {READERS_MAX} addresses"));
    }
    entry.to.iter().try_for_each(|reader| mailbox("to", reader))?;
    match (&entry.username, &entry.password) {
        (None, None) => {}
        (Some(_), Some(_)) if entry.security == Security::None => {
            return refused("security", "nobody signs in over an open connection: use starttls or tls");
        }
        (Some(username), Some(password)) => {
            short("username", username)?;
            short("password", password.reveal())?;
        }
        (Some(_), None) => {
            return refused("password", "give it with the username; it is asked for again where the server changes");
        }
        (None, Some(_)) => return refused("username", "give it with the password"),
    }
    ca(entry.ca.as_deref())
}

fn telegram(entry: &TelegramEntry) -> Checked {
    let Some(token) = &entry.token else {
        return refused("token", "give the bot's token; it is asked for again where the api changes");
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
    if token.reveal().is_empty() || token.reveal().len() > 256 || !token.reveal().chars().all(fits) {
        return refused("token", "this is no bot's token: it looks like 123456:ABC-DEF…");
    }
    let number = entry.chat.parse::<i64>().is_ok();
    let name = entry.chat.strip_prefix('@').is_some_and(|name| {
        !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if !number && !name {
        return refused("chat", "give the chat's number, like -1001234567890, or @name of a channel");
    }
    if let Some(api) = &entry.api {
        url("api", api)?;
    }
    ca(entry.ca.as_deref())
}

fn alertmanager(entry: &AlertmanagerEntry) -> Checked {
    url("url", &entry.url)?;
    if entry.labels.len() > LABELS_MAX {
        return refused("labels", format!("use at most {LABELS_MAX}"));
    }
    for (name, value) in &entry.labels {
        let first = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if !first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return refused("labels", format!("'{name}' is no label's name: use letters, digits and '_'"));
        }
        short("labels", value)?;
    }
    match (&entry.username, &entry.password) {
        (Some(username), Some(password)) => {
            short("username", username)?;
            short("password", password.reveal())?;
        }
        (None, None) => {}
        (Some(_), None) => {
            return refused("password", "give it with the username; it is asked for again where the url changes");
        }
        (None, Some(_)) => return refused("username", "give it with the password"),
    }
    ca(entry.ca.as_deref())
}

fn url(field: &'static str, text: &str) -> Checked {
    let fits = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty();
    match Url::parse(text) {
        Ok(url) if fits(&url) && url.password().is_none() && text.len() <= FIELD_BYTES_MAX => Ok(()),
        Ok(_) => refused(field, "use http:// or https:// and a host, without a name or password in it"),
        Err(error) => refused(field, format!("this is no URL ({error}): use https://host/path")),
    }
}

fn mailbox(field: &'static str, text: &str) -> Checked {
    short(field, text)?;
    match text.parse::<Mailbox>() {
        Ok(_) => Ok(()),
        Err(_) => refused(field, format!("'{text}' is no address: use name@example.org or Name <name@example.org>")),
    }
}

fn short(field: &'static str, text: &str) -> Checked {
    if text.is_empty() || text.len() > FIELD_BYTES_MAX || text.chars().any(char::is_control) {
        return refused(field, format!("use 1 to {FIELD_BYTES_MAX} characters that can be printed"));
    }
    Ok(())
}

fn ca(pem: Option<&str>) -> Checked {
    let Some(pem) = pem else { return Ok(()) };
    let found: Result<Vec<CertificateDer<'_>>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
    match found {
        Ok(found) if !found.is_empty() && pem.len() <= CA_BYTES_MAX => Ok(()),
        Ok(_) | Err(_) => refused("ca", "give certificates in PEM, each from BEGIN CERTIFICATE to END CERTIFICATE"),
    }
}
