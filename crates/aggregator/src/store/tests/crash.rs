//! SIGKILL in the middle of storing, again and again: what was acknowledged is there.
//!
//! The writer is this test binary once more, told by an environment variable to write; each acknowledgement is a line on
//! its standard output, and the parent kills it at a line of its choice.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::super::{Store, Stored};
use super::{Place, at, postgres, report};

const URL: &str = "QUORATE_TEST_STORE_URL";

/// The test that writes when it is told to.
const WRITER: &str = "store::tests::crash::sqlite_loses_nothing_acknowledged_to_sigkill";

/// What the writer was told by the store, as the parent read it.
#[derive(Debug, Default)]
struct Acknowledged {
    highest: BTreeMap<String, u64>,
    count: u64,
}

impl Acknowledged {
    fn note(&mut self, line: &str) {
        let Some((server, sequence)) = line.strip_prefix("acknowledged ").and_then(|rest| rest.split_once(' ')) else {
            return;
        };
        self.highest.insert(server.to_owned(), sequence.parse().unwrap());
        self.count += 1;
    }

    /// Nothing acknowledged is missing, and each server's archive has no gap and no repeat.
    async fn is_all_there(&self, store: &Store) {
        let mut archived: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for stored in store.reports_after(0, usize::MAX).await.unwrap() {
            assert_eq!(stored.payload, payload(&stored.server, stored.sequence));
            archived.entry(stored.server).or_default().push(stored.sequence);
        }
        for (server, highest) in &self.highest {
            let stored = &archived[server];
            assert!(stored.len() as u64 >= *highest, "{server}: acknowledged {highest}, stored {}", stored.len());
            assert_eq!(*stored, (1..=stored.len() as u64).collect::<Vec<_>>());
            assert_eq!(store.stored_sequence(server, b"box").await.unwrap(), stored.len() as u64);
        }
    }
}

fn payload(server: &str, sequence: u64) -> Vec<u8> {
    format!("{server}/{sequence};").repeat(100).into_bytes()
}

fn writer(url: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", WRITER])
        .env(URL, url)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Four servers' reports, one after the other for each, until the store refuses; each goes on where it was.
async fn write_until_refused(url: &str) {
    let store = Store::open(url).await.unwrap();
    let writers = (0..4).map(|n| {
        let store = store.clone();
        tokio::spawn(async move {
            let server = format!("s-{n}");
            let mut sequence = store.stored_sequence(&server, b"box").await.unwrap();
            loop {
                sequence += 1;
                let bytes = payload(&server, sequence);
                match store.store_report(report(&server, sequence, &bytes)).await {
                    Ok(Stored::New(_)) => tell(&format!("acknowledged {server} {sequence}\n")),
                    Ok(Stored::Repeated) => panic!("{server} {sequence} was never sent before"),
                    Err(error) => return tell(&format!("refused {error}\n")),
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

/// Past the test harness, which would keep it until the end; in one write, so that a line is whole.
fn tell(line: &str) {
    std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
}

/// Kills the writer after 50, 57, 64 … more acknowledgements, then looks.
async fn killed_again_and_again(url: &str) {
    let mut acknowledged = Acknowledged::default();
    for round in 0..6 {
        let until = acknowledged.count + 50 + 7 * round;
        let mut writer = writer(url);
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        while acknowledged.count < until {
            acknowledged.note(&lines.next().expect("the writer goes on").unwrap());
        }
        writer.kill().unwrap();
        // What it had told before it died counts too, but for a line that was cut.
        for line in lines.map_while(Result::ok) {
            acknowledged.note(&line);
        }
        writer.wait().unwrap();
        let store = Store::open(url).await.unwrap();
        acknowledged.is_all_there(&store).await;
        assert!(store.latest_moment().await.unwrap() > at(1_000_000));
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_loses_nothing_acknowledged_to_sigkill() {
    if let Ok(url) = std::env::var(URL) {
        return write_until_refused(&url).await;
    }
    let place = Place::sqlite();
    killed_again_and_again(&place.url).await;
    let store = place.open().await;
    let checked: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&store.inner.readers).await.unwrap();
    assert_eq!(checked, "ok");
}

#[test]
fn postgresql_loses_nothing_acknowledged_to_sigkill_of_the_writer() {
    let name = "postgresql_loses_nothing_acknowledged_to_sigkill_of_the_writer";
    let Some(server) = postgres::start_or_skip(name) else { return };
    let url = server.new_database();
    postgres::told(name, async move { killed_again_and_again(&url).await });
}

/// The limit on the size of files stands in for a full disk: SQLite's writes fail half-way, as they do then.
#[tokio::test]
async fn a_full_disk_is_told_and_loses_nothing_acknowledged() {
    let place = Place::sqlite();
    place.open().await.close().await;
    let mut acknowledged = Acknowledged::default();
    let output = Command::new("/bin/sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", WRITER])
        .env(URL, &place.url)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "it ends by itself: {told}");
    told.lines().for_each(|line| acknowledged.note(line));
    assert!(acknowledged.count > 50, "{told}");
    let refusals: Vec<&str> = told.lines().filter(|line| line.starts_with("refused ")).collect();
    assert_eq!(refusals.len(), 4);
    assert!(refusals.iter().all(|line| line.contains(&place.url) && line.contains("disk")), "{refusals:?}");
    // With room again it goes on.
    let store = place.open().await;
    acknowledged.is_all_there(&store).await;
    let next = acknowledged.highest["s-0"].max(store.stored_sequence("s-0", b"box").await.unwrap()) + 1;
    assert!(matches!(store.store_report(report("s-0", next, b"x")).await.unwrap(), Stored::New(_)));
}
