//! Reads a stream of server-sent events, as much of it as the aggregator sends.

use std::time::Duration;

use futures_util::StreamExt as _;
use reqwest::Response;
use tokio::time::timeout;

use super::Failure;

/// One message.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Its kind.
    pub event: String,
    /// Its content.
    pub data: String,
}

/// Most bytes of an unfinished line: an event is a few hundred.
const LINE_BYTES_MAX: usize = 1 << 20;
/// Longest silence of a stream that lives: the aggregator says each 15 s that it does.
const SILENCE_MAX: Duration = Duration::from_secs(45);

/// Hands each message of `response` to `take`, until the stream ends.
pub async fn read(response: Response, mut take: impl FnMut(Message) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut parser = Parser::default();
    let mut bytes = response.bytes_stream();
    loop {
        let chunk = match timeout(SILENCE_MAX, bytes.next()).await {
            Ok(Some(Ok(chunk))) => chunk,
            Ok(Some(Err(error))) => return Err(Failure::passing(format!("the stream of events broke: {error}"))),
            Ok(None) => return Ok(()),
            Err(_) => return Err(Failure::passing("the stream of events fell silent")),
        };
        for message in parser.feed(&chunk)? {
            take(message)?;
        }
    }
}

#[derive(Default)]
struct Parser {
    line: Vec<u8>,
    message: Message,
}

impl Parser {
    fn feed(&mut self, chunk: &[u8]) -> Result<Vec<Message>, Failure> {
        let mut done = Vec::new();
        for byte in chunk {
            if *byte != b'\n' {
                if self.line.len() >= LINE_BYTES_MAX {
                    return Err(Failure::new("the stream of events has an endless line: is it the aggregator?"));
                }
                self.line.push(*byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches('\r');
            if line.is_empty() {
                let message = std::mem::take(&mut self.message);
                if !message.data.is_empty() {
                    done.push(message);
                }
            } else if let Some(data) = line.strip_prefix("data:") {
                self.message.data.push_str(data.trim_start());
            } else if let Some(event) = line.strip_prefix("event:") {
                event.trim().clone_into(&mut self.message.event);
            }
        }
        Ok(done)
    }
}
