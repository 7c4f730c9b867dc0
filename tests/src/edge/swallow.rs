//! What stands in an edge's place when it hangs: it takes every connection and every byte, and says nothing.

use std::net::{Ipv6Addr, SocketAddr};
use std::thread::JoinHandle;

use tokio::io;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use super::PORT;
use crate::network::{Host, Lab};

/// It ends with its handle; its connections are reset then.
pub struct Swallow {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Swallow {
    /// Takes the edge's port on a host; returns when it has it.
    pub fn start(lab: &Lab, host: Host) -> Self {
        let (end, ended) = oneshot::channel();
        let (listens, listening) = std::sync::mpsc::channel();
        let thread = lab.namespace(host).beside(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime can be built");
            runtime.block_on(async {
                let any = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), PORT);
                let listener = TcpListener::bind(any).await.expect("the edge has left its port");
                listens.send(()).expect("whoever starts it waits");
                tokio::select! { () = take(listener) => {}, _ = ended => {} }
            });
        });
        listening.recv().expect("it listens");
        Self { end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Swallow {
    fn drop(&mut self) {
        drop(self.end.take());
        // As a delay's relay.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn take(listener: TcpListener) {
    while let Ok((mut client, _)) = listener.accept().await {
        // How a client gives up does not matter.
        tokio::spawn(async move { io::copy(&mut client, &mut io::sink()).await });
    }
}
