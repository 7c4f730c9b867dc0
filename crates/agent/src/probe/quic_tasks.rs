//! The tasks of one QUIC probe: they end with it, and their socket with them.
//!
//! A QUIC endpoint that was closed listens on for a while, so that it can answer a late packet with the same goodbye: three
//! times what it waits for an answer, which is seconds where none has come. An agent owes that to nobody whom it knocked
//! at in vain, and would have several sockets open where it is to have one.

use std::io;
use std::net::UdpSocket;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use quinn::{AsyncTimer, AsyncUdpSocket, Runtime, TokioRuntime};
use tokio_util::task::AbortOnDropHandle;

#[cfg(test)]
mod tests;

/// Ends the tasks when dropped.
#[derive(Debug, Default)]
pub(super) struct Tasks(Arc<Spawned>);

/// Where a QUIC library spawns.
#[derive(Debug, Default)]
struct Spawned(Mutex<Vec<AbortOnDropHandle<()>>>);

impl Tasks {
    /// What a library is handed. It holds itself by its own tasks, so that it is for [`Drop`] to end them.
    pub(super) fn runtime(&self) -> Arc<dyn Runtime> {
        Arc::clone(&self.0) as _
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        // Taken out first: what ends with a task must not find the lock held.
        let tasks = std::mem::take(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        drop(tasks);
    }
}

impl Runtime for Spawned {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        TokioRuntime.new_timer(at)
    }

    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let task = AbortOnDropHandle::new(tokio::spawn(task));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(task);
    }

    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        TokioRuntime.wrap_udp_socket(socket)
    }
}
