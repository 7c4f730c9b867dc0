use std::future::ready;
use std::pin::pin;

use tokio::net::TcpSocket;

use super::*;
use crate::edge_watch::Trust;

#[tokio::test]
async fn what_connecting_has_taken_is_not_there_for_the_handshake() {
    const BUDGET: Duration = Duration::from_secs(2);
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    // One connection that nobody accepts fills it: the kernel drops the SYN of the next, which comes again after a second.
    let full = socket.listen(0).unwrap();
    let at = full.local_addr().unwrap();
    let _first = TcpStream::connect(at).await.unwrap();

    let watch = Stopwatch::start();
    let name = ServerName::try_from("watch.example.org").unwrap();
    let mut knocking = pin!(knock(at, name, Trust::OnSight.handshake(), BUDGET));
    tokio::select! {
        biased;
        knocked = knocking.as_mut() => panic!("{knocked:?}"),
        () = ready(()) => {}
    }
    let (_held, _) = full.accept().await.unwrap();
    let knocked = knocking.await;
    let Knock::Nobody { connect, kind: FailureKind::Timeout } = knocked.knock else { panic!("{knocked:?}") };
    assert!(connect > BUDGET / 4, "{connect:?}");
    let took = watch.elapsed();
    assert!(took < connect + BUDGET, "{took:?}, of which {connect:?} for TCP");
}
