//! The least HTTP client that a test needs: one GET, one answer, over a socket of the calling thread's network.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Everything is on this machine: longer than this is an answer too.
const PATIENCE: Duration = Duration::from_secs(5);

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its status code.
    pub status: u16,
    /// Its body.
    pub body: Vec<u8>,
}

/// Asks for `path`. The words of a failure are for people.
pub fn get(server: SocketAddr, path: &str, bearer: Option<&str>) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("GET {path}: {error}");
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(failed)?;
    // HTTP/1.0: the answer is neither chunked nor kept open, so its end is the end of the stream.
    let mut request = format!("GET {path} HTTP/1.0\r\nHost: {server}\r\nAccept: */*\r\n");
    if let Some(token) = bearer {
        request.push_str(&format!("Authorization: Bearer {token}\r\n"));
    }
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).map_err(failed)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).map_err(failed)?;

    let is_end = |window: &[u8]| window == b"\r\n\r\n";
    let head = bytes.windows(4).position(is_end).ok_or_else(|| format!("GET {path}: no HTTP answer"))?;
    let status = String::from_utf8_lossy(&bytes[..head]).split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.ok_or_else(|| format!("GET {path}: an answer without status"))?;
    Ok(Answer { status, body: bytes.split_off(head + 4) })
}
