//! The QUIC door: handshakes for those who pass, nothing at all or a refusal for those who do not.

use std::io;
use std::net::{IpAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use quinn::{Endpoint, EndpointConfig, Incoming, ServerConfig, TokioRuntime, VarInt};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::super::blocks::{Blocking, Blocks};
use super::{HELD_FOR, HELD_MAX};

/// How long closed connections may take to say so before the endpoint is given up with them.
const IDLE_WITHIN: Duration = Duration::from_secs(1);

/// Makes an endpoint of a bound socket.
pub(super) fn listen(socket: UdpSocket, config: ServerConfig) -> io::Result<Endpoint> {
    Endpoint::new(EndpointConfig::default(), Some(config), socket, Arc::new(TokioRuntime))
}

/// Serves until `stop`; the port is given back then.
pub(super) async fn serve(endpoint: Endpoint, here: IpAddr, blocks: Blocks, stop: CancellationToken) {
    let mut held = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            incoming = endpoint.accept() => {
                let Some(incoming) = incoming else { break };
                match blocks.between(incoming.remote_address().ip(), here) {
                    None if held.len() < HELD_MAX => {
                        held.spawn(answer(incoming));
                    }
                    None | Some(Blocking::Reset) => incoming.refuse(),
                    Some(Blocking::Silent) => incoming.ignore(),
                }
            }
            Some(_) = held.join_next() => {}
        }
    }
    held.shutdown().await;
    endpoint.close(VarInt::from_u32(0), b"");
    // A peer that is gone cannot keep the port.
    let _ = timeout(IDLE_WITHIN, endpoint.wait_idle()).await;
}

async fn answer(incoming: Incoming) {
    let conversation = async {
        // A handshake that fails is the client's affair.
        if let Ok(connection) = incoming.await {
            connection.closed().await;
        }
    };
    // Whoever stays longer is hung up on.
    let _ = timeout(HELD_FOR, conversation).await;
}
