//! What holds for any request to the API, asked of a whole aggregator on a port of loopback: it is answered, never by a fault of
//! our own, and every refusal is a problem document. Read by the fuzz target, and by the test of `quorate-aggregator` that
//! replays its corpus.
//!
//! An input is a request as a person would write it: the method and the address in the first line, a line for each header, an
//! empty line, the body. `{token}` stands for a token that may do everything. The rest of the protocol is put around it, so
//! that an input cannot wait for its own end.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quorate_aggregator::clock::Clock;
use quorate_aggregator::edge_watch::Resolver;
use quorate_aggregator::inventory::Inventory;
use quorate_aggregator::notify::channel::ChannelEntry;
use quorate_aggregator::serve::{Running, ServeConfig, serve};
use quorate_aggregator::store::{Retention, Store};
use quorate_core::time::Moment;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Longer than any answer takes on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);
/// More than the largest answer over this fleet.
const ANSWER_BYTES_MAX: u64 = 8 << 20;

const INVENTORY: &str = r#"{
    "servers": [
        {"id": "nl-1", "address": "198.51.100.7", "country": "NL"},
        {"id": "nl-2", "address": "203.0.113.7", "country": "NL", "verifier": true},
        {"id": "de-1", "address": "192.0.2.7", "country": "DE", "entry_points": [{}, {"probe": "quic"}]}
    ],
    "routes": [{"id": "eu", "entry_points": ["nl-1/tls", "de-1/quic"], "audience": ["RU"]}],
    "edges": [{"id": "fra", "networks": ["203.0.113.20/32"]}]
}"#;

/// A thread of the aggregator's ended in a panic.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// An aggregator to ask.
pub struct Bench {
    runtime: Runtime,
    running: Option<Running>,
    token: String,
    shutdown: CancellationToken,
    _folder: TempDir,
}

impl Bench {
    /// A new one with a small fleet.
    pub fn new() -> Self {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICKED.store(true, Ordering::SeqCst);
            told(panic);
        }));
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let folder = tempfile::tempdir().expect("a folder");
        let shutdown = CancellationToken::new();
        let running = runtime.block_on(open(&folder, shutdown.clone()));
        let token = running.admin_token.clone().expect("the first start makes a token");
        Self { runtime, running: Some(running), token, shutdown, _folder: folder }
    }

    /// Panics where something does not hold; returns the status, or 0 if there was nothing to send.
    pub fn holds(&self, bytes: &[u8]) -> u16 {
        let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
        let text = text.replace("{token}", &self.token);
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let (first, headers) = head.split_once('\n').unwrap_or((head, ""));
        if first.contains("/channels") {
            // A channel leads to where an input says. It is looked at and not used.
            channel(body);
            return 0;
        }
        let own = ["host:", "content-length:", "transfer-encoding:", "connection:", "expect:", "upgrade:"];
        let is_own = |line: &&str| own.iter().any(|name| line.trim().to_ascii_lowercase().starts_with(name));
        let headers: String = headers.lines().filter(|line| !is_own(line)).map(|line| format!("{line}\r\n")).collect();
        let request = format!(
            "{first} HTTP/1.1\r\n{headers}host: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len(),
        );
        let address = self.running.as_ref().expect("it runs until it is dropped").api_addr;
        let asked = async { tokio::time::timeout(PATIENCE, ask(address, request.as_bytes())).await };
        let answer = self.runtime.block_on(asked).expect("a request is answered");
        assert!(!PANICKED.load(Ordering::SeqCst), "nothing panics");
        judge(first, &answer)
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        self.shutdown.cancel();
        if let Some(running) = self.running.take() {
            let ended = self.runtime.block_on(running.ended());
            assert!(ended.is_ok() || std::thread::panicking(), "{ended:?}");
        }
    }
}

async fn open(folder: &TempDir, shutdown: CancellationToken) -> Running {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let data_dir = folder.path().join("data");
    let store = Store::open(&format!("sqlite:{}", data_dir.join("quorate.db").display())).await.expect("a store");
    let inventory: Inventory = serde_json::from_str(INVENTORY).expect("the inventory is written above");
    let clock = Clock::start(Moment::ZERO);
    store.replace_inventory(0, &inventory, clock.now(), "test").await.expect("an inventory");
    store.close().await;
    let config = ServeConfig {
        data_dir,
        database: None,
        listen_api: any,
        listen_gateway: any,
        gateway_names: vec!["watch.example.org".to_owned()],
        public_url: Some("https://watch.example.org/quorate".parse().expect("an address")),
        trusted_proxies: vec!["127.0.0.0/8".parse().expect("a network")],
        fleet: None,
        retention: Retention { age: Duration::from_hours(1), bytes: 1 << 24 },
        // No name leads anywhere.
        resolver: Resolver::new(|_, _| async { Ok(Vec::new()) }),
    };
    serve(config, shutdown).await.expect("an aggregator")
}

/// Asks, and reads the answer to its end; of events, which have none, the head.
async fn ask(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).await.expect("the API listens");
    // A request that is refused early may not be read to its end.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let mut part = [0; 16_384];
    while let Ok(read @ 1..) = stream.read(&mut part).await {
        answer.extend_from_slice(&part[..read]);
        assert!(answer.len() as u64 <= ANSWER_BYTES_MAX, "an answer has an end");
        if head(&answer).is_some_and(|head| head.contains("text/event-stream")) {
            break;
        }
    }
    answer
}

fn head(answer: &[u8]) -> Option<String> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase())
}

fn judge(first: &str, answer: &[u8]) -> u16 {
    let head = head(answer).unwrap_or_else(|| panic!("no answer to {first:?}: {}", answer.escape_ascii()));
    let status: u16 = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("an answer has a status");
    assert!(!matches!(status, 500 | 504), "{first:?}: {}", answer.escape_ascii());
    let body = &answer[head.len() + 4..];
    let content_type = head.lines().find_map(|line| line.strip_prefix("content-type: ")).unwrap_or_default();
    if status >= 400 && first.contains(" /api/") && !(body.is_empty() && status == 400) {
        assert_eq!(content_type, "application/problem+json", "{first:?}: {head}");
        problem(status, first, body);
    } else if content_type.ends_with("json") && head.contains("content-length") && !first.starts_with("HEAD") {
        serde_json::from_slice::<Value>(body)
            .unwrap_or_else(|error| panic!("{first:?}: {error}: {}", body.escape_ascii()));
    }
    status
}

/// RFC 9457, and a detail that a person can read.
fn problem(status: u16, first: &str, body: &[u8]) {
    if first.starts_with("HEAD") {
        return;
    }
    let problem: Value = serde_json::from_slice(body).expect("a problem is JSON");
    assert_eq!(problem["status"], status);
    assert!(problem["type"].as_str().is_some_and(|kind| kind.starts_with("urn:quorate:problem:")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
}

fn channel(body: &str) {
    if let Ok(entry) = serde_json::from_str::<ChannelEntry>(body)
        && let Err(refusal) = entry.check()
    {
        assert!(!refusal.to_string().is_empty());
    }
}
