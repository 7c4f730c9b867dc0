//! A line that counts: what goes through it both ways, as the payload of TCP.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// A relay on a port of its own; it lives as long as the program.
pub struct Relay {
    pub address: SocketAddr,
    bytes: Arc<AtomicU64>,
}

impl Relay {
    /// To `beyond`.
    pub fn to(beyond: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let bytes: Arc<AtomicU64> = Arc::default();
        let counted = Arc::clone(&bytes);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(beyond) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let counted = Arc::clone(&counted);
                    thread::spawn(move || carry(from, to, &counted));
                }
            }
        });
        Self { address, bytes }
    }

    /// So far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, counted: &AtomicU64) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        counted.fetch_add(read as u64, Ordering::Relaxed);
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
