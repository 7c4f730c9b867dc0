//! An SMTP server that keeps what it gets: with STARTTLS, TLS from the first byte, or neither, on a real socket.

use std::net::SocketAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// How it keeps connections secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offers {
    Starttls,
    Tls,
    Nothing,
    /// It talks, and never ends its line.
    AnEndlessLine,
}

/// What it heard in one connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heard {
    /// The commands' first words, in order, `TLS` where that began.
    pub commands: Vec<String>,
    pub user: Option<String>,
    pub password: Option<String>,
    pub readers: Vec<String>,
    pub mail: Option<String>,
}

pub struct Sink {
    pub addr: SocketAddr,
    /// What to trust to trust it.
    pub ca: String,
    heard: watch::Sender<Vec<Heard>>,
    task: JoinHandle<()>,
}

trait Both: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Both for S {}

impl Sink {
    /// Its certificate is for that name.
    pub async fn open(offers: Offers, name: &str) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let heard = watch::Sender::new(Vec::new());
        let keep = heard.clone();
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                let (acceptor, keep) = (acceptor.clone(), keep.clone());
                tokio::spawn(async move {
                    let mut heard = Heard::default();
                    // A client that goes away in the middle has said what it said.
                    let _ = converse(Box::new(stream), offers, &acceptor, &mut heard).await;
                    keep.send_modify(|all| all.push(heard));
                });
            }
        });
        Self { addr, ca: made.cert.pem(), heard, task }
    }

    /// What was heard in the connection that ended first.
    pub async fn first(&self) -> Heard {
        let mut heard = self.heard.subscribe();
        let one = heard.wait_for(|heard| !heard.is_empty());
        tokio::time::timeout(std::time::Duration::from_secs(20), one).await.expect("a connection ends").unwrap()[0]
            .clone()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(
    stream: Box<dyn Both>,
    offers: Offers,
    acceptor: &TlsAcceptor,
    heard: &mut Heard,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    if offers == Offers::Tls {
        stream = encrypted(stream, acceptor, heard).await?;
    }
    if offers == Offers::AnEndlessLine {
        loop {
            stream.write_all(&[b'x'; 4096]).await?;
        }
    }
    stream.write_all(b"220 sink ESMTP\r\n").await?;
    loop {
        let line = line(&mut stream).await?;
        let (command, rest) = line.split_once([' ', ':']).unwrap_or((&line, ""));
        let command = command.to_ascii_uppercase();
        heard.commands.push(command.clone());
        let answer = match command.as_str() {
            "EHLO" if offers == Offers::Starttls && !is_encrypted(heard) => {
                "250-sink\r\n250-STARTTLS\r\n250 8BITMIME\r\n"
            }
            "EHLO" => "250-sink\r\n250-AUTH PLAIN\r\n250 8BITMIME\r\n",
            "STARTTLS" => {
                stream.write_all(b"220 go ahead\r\n").await?;
                stream = encrypted(stream, acceptor, heard).await?;
                continue;
            }
            "AUTH" => {
                let plain = STANDARD.decode(rest.trim_start_matches("PLAIN ")).unwrap();
                let parts: Vec<String> =
                    plain.split(|byte| *byte == 0).map(|part| String::from_utf8(part.to_vec()).unwrap()).collect();
                (heard.user, heard.password) = (parts.get(1).cloned(), parts.get(2).cloned());
                if heard.password.as_deref() == Some("wrong") { "535 no\r\n" } else { "235 welcome\r\n" }
            }
            "RCPT" => {
                heard.readers.push(rest.to_owned());
                "250 ok\r\n"
            }
            "DATA" => {
                stream.write_all(b"354 go ahead\r\n").await?;
                let mut mail = String::new();
                loop {
                    match self::line(&mut stream).await?.as_str() {
                        "." => break,
                        line => mail.extend([line, "\n"]),
                    }
                }
                heard.mail = Some(mail);
                "250 kept as number 1\r\n"
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n").await?;
                return Ok(());
            }
            _ => "250 ok\r\n",
        };
        stream.write_all(answer.as_bytes()).await?;
    }
}

fn is_encrypted(heard: &Heard) -> bool {
    heard.commands.iter().any(|command| command == "TLS")
}

async fn encrypted(
    stream: BufReader<Box<dyn Both>>,
    acceptor: &TlsAcceptor,
    heard: &mut Heard,
) -> std::io::Result<BufReader<Box<dyn Both>>> {
    let stream = acceptor.accept(stream.into_inner()).await?;
    heard.commands.push("TLS".to_owned());
    Ok(BufReader::new(Box::new(stream)))
}

async fn line(stream: &mut BufReader<Box<dyn Both>>) -> std::io::Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}
