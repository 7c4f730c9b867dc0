//! Mail over SMTP: encrypted unless the operator says otherwise in so many words. A server that does not offer STARTTLS, or
//! whose certificate is not trusted, gets neither password nor message.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, MessageBuilder};
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream, Certificate, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::pipe::Pipe;
use super::{CONNECT_MAX, Parcel, Refusal, one_line, tls};
use crate::notify::channel::{MailEntry, Security};
use crate::notify::text;

pub(super) async fn carry(entry: &MailEntry, parcel: Parcel<'_>) -> Result<String, Refusal> {
    let mail = mail(entry, parcel)?;
    let mut connection = connect(entry).await?;
    let sent = send(entry, &mut connection, &mail).await;
    // Politeness has a second: the message is with them, or it is not.
    let _ = tokio::time::timeout(Duration::from_secs(1), connection.quit()).await;
    sent
}

async fn send(
    entry: &MailEntry,
    connection: &mut AsyncSmtpConnection,
    mail: &lettre::Message,
) -> Result<String, Refusal> {
    if let (Some(username), Some(password)) = (&entry.username, &entry.password) {
        let credentials = Credentials::new(username.clone(), password.reveal().to_owned());
        connection.auth(DEFAULT_MECHANISMS, &credentials).await.map_err(|error| refusal("sign-in", &error))?;
    }
    let sent = connection.send(mail.envelope(), &mail.formatted()).await;
    let response = sent.map_err(|error| refusal("the message", &error))?;
    let lines: Vec<&str> = response.message().collect();
    Ok(one_line(&format!("{} {}", response.code(), lines.join(" "))))
}

async fn connect(entry: &MailEntry) -> Result<AsyncSmtpConnection, Refusal> {
    let port = entry.port.unwrap_or(match entry.security {
        Security::Starttls => 587,
        Security::Tls => 465,
        Security::None => 25,
    });
    let host = entry.host.as_str();
    let connected = tokio::time::timeout(CONNECT_MAX, TcpStream::connect((host, port))).await;
    let connected = connected.unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()));
    let unreachable = |error| Refusal::later(format!("{host}:{port} takes no connection: {error}"));
    let pipe = connected.and_then(Pipe::new).map_err(unreachable)?;
    let stream: Box<dyn AsyncTokioStream> = match entry.security {
        Security::Tls => Box::new(encrypted(entry, pipe).await?),
        Security::Starttls | Security::None => Box::new(pipe),
    };
    // The name of this machine is nobody's business.
    let hello = ClientId::Domain("localhost".to_owned());
    let greeted = AsyncSmtpConnection::connect_with_transport(stream, &hello).await;
    let mut connection = greeted.map_err(|error| refusal("the greeting", &error))?;
    if entry.security == Security::Starttls {
        if !connection.can_starttls() {
            return Err(Refusal::refused(format!("{host}:{port} offers no STARTTLS: nothing was sent")));
        }
        let started = connection.starttls(parameters(entry)?, &hello).await;
        started.map_err(|error| refusal("STARTTLS", &error))?;
    }
    Ok(connection)
}

async fn encrypted(
    entry: &MailEntry,
    pipe: Pipe<TcpStream>,
) -> Result<Pipe<tokio_rustls::client::TlsStream<Pipe<TcpStream>>>, Refusal> {
    let peer = pipe.peer();
    let name = ServerName::try_from(entry.host.clone())
        .map_err(|_| Refusal::refused(format!("'{}' is no name that a certificate can have", entry.host)))?;
    let connector = TlsConnector::from(Arc::new(tls::config(entry.ca.as_deref())?));
    let shaken = connector.connect(name, pipe).await;
    let stream = shaken.map_err(|error| Refusal::later(format!("TLS: {}", one_line(&error.to_string()))))?;
    Ok(Pipe::around(stream, peer))
}

fn parameters(entry: &MailEntry) -> Result<TlsParameters, Refusal> {
    let unusable = |error: &Error| Refusal::refused(format!("ca: {}", one_line(&error.to_string())));
    let mut parameters = TlsParameters::builder(entry.host.clone());
    if let Some(ca) = &entry.ca {
        for certificate in pem_parts(ca) {
            let certificate = Certificate::from_pem(certificate.as_bytes()).map_err(|error| unusable(&error))?;
            parameters = parameters.add_root_certificate(certificate);
        }
    }
    parameters.build_rustls().map_err(|error| unusable(&error))
}

/// Each certificate of a PEM file by itself.
fn pem_parts(pem: &str) -> impl Iterator<Item = &str> {
    const END: &str = "-----END CERTIFICATE-----";
    pem.split_inclusive(END).filter(|part| part.ends_with(END))
}

fn mail(entry: &MailEntry, parcel: Parcel<'_>) -> Result<lettre::Message, Refusal> {
    let mailbox = |text: &str| -> Result<Mailbox, Refusal> {
        text.parse().map_err(|_| Refusal::refused(format!("'{text}' is no address")))
    };
    let from = mailbox(&entry.from)?;
    let domain = from.email.domain().to_owned();
    // Mail is dated by when its message was written, and the same at each attempt.
    let date = UNIX_EPOCH + Duration::from_millis(parcel.message.at_ms);
    let mut mail: MessageBuilder = lettre::Message::builder()
        .from(from)
        .subject(text::subject(parcel.message))
        .date(date)
        .message_id(Some(format!("<{}@{domain}>", parcel.name)))
        .user_agent(concat!("Quorate ", env!("CARGO_PKG_VERSION")).to_owned());
    for reader in &entry.to {
        mail = mail.to(mailbox(reader)?);
    }
    let written = mail.header(ContentType::TEXT_PLAIN).body(text::plain(parcel.message));
    written.map_err(|error| Refusal::refused(format!("cannot be written as mail: {error}")))
}

/// 5xx is a word, all else is the weather.
fn refusal(at: &str, error: &Error) -> Refusal {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let code = error.status().map(|code| format!(" {code}")).unwrap_or_default();
    let said = format!("{at}{code}: {}", one_line(&cause.to_string()));
    if error.is_permanent() { Refusal::refused(said) } else { Refusal::later(said) }
}
