//! A session by the best edge that works: candidates are dialled in ranked order, staggered.
//!
//! Like ringing several doors of one house: the next bell is tried when the door stays shut for longer than it should, at
//! once when it is locked, and whoever has come to a door speaks first. An edge that is dead costs its stagger, whatever its
//! way of being dead.
//!
//! Always true: one Hello at a time is under way, so that the gateway never sees two sessions of one race. The winner is
//! the first whose TLS and Hello are done; the others are closed in good order.
//!
//! What the gateway says ends the race, also if it is No: it is the same gateway behind every door.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use quorate_core::edge::Dial;
use quorate_proto::v1;
use tokio::time::{Sleep, sleep, timeout};

use super::WELCOME_BUDGET;
use crate::gateway::{Answer, CONNECT_BUDGET, Credentials, Dialled, Gateway, greet};

#[cfg(test)]
mod tests;

/// How long a Hello may go unanswered while another candidate stands ready: as long as a measurement would wait. With
/// nobody else ready it has the whole of [`WELCOME_BUDGET`].
const PATIENCE: Duration = Duration::from_secs(3);

/// Nobody was let in: what went wrong with each, in the order in which it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lost(pub(super) Vec<(IpAddr, String)>);

type Greeting = Pin<Box<dyn Future<Output = Result<Answer, String>> + Send>>;

/// Runs the race, with the same `hello` by every way; the address dialled is filled in.
pub(super) async fn race(
    gateway: &Gateway,
    credentials: &Credentials,
    dials: &[Dial],
    hello: &v1::Hello,
) -> Result<Answer, Lost> {
    let mut waiting: VecDeque<Dial> = dials.iter().copied().collect();
    let mut dialling = FuturesUnordered::new();
    let mut ready: VecDeque<Dialled> = VecDeque::new();
    let mut greeting: Option<(IpAddr, Greeting)> = None;
    let mut failures = Vec::new();
    let mut next = Box::pin(sleep(Duration::ZERO));
    let mut patience = Box::pin(sleep(Duration::ZERO));
    loop {
        if greeting.is_none() {
            if let Some(dialled) = ready.pop_front() {
                greeting = Some((dialled.address.ip(), Box::pin(greeted(dialled, hello.clone()))));
                patience = Box::pin(sleep(PATIENCE));
            } else if dialling.is_empty() && waiting.is_empty() {
                return Err(Lost(failures));
            }
        }
        tokio::select! {
            biased;
            () = next.as_mut(), if !waiting.is_empty() => {
                let Some(Dial { address, stagger }) = waiting.pop_front() else { continue };
                dialling.push(async move { (address, gateway.dial(address, CONNECT_BUDGET, credentials).await) });
                next = Box::pin(sleep(stagger));
            }
            Some((address, dialled)) = dialling.next(), if !dialling.is_empty() => match dialled {
                Ok(dialled) => ready.push_back(dialled),
                Err(problem) => {
                    failures.push((address, problem.to_string()));
                    at_once(&mut next);
                }
            },
            (address, answer) = answered(&mut greeting) => match answer {
                Ok(answer) => return Ok(answer),
                Err(problem) => {
                    failures.push((address, problem));
                    greeting = None;
                    at_once(&mut next);
                }
            },
            () = patience.as_mut(), if !ready.is_empty() && greeting.is_some() => {
                if let Some((address, _)) = greeting.take() {
                    failures.push((address, format!("no Welcome within {PATIENCE:?}")));
                }
            }
        }
    }
}

/// The one before has failed: no use in waiting for it.
fn at_once(next: &mut Pin<Box<Sleep>>) {
    *next = Box::pin(sleep(Duration::ZERO));
}

async fn greeted(dialled: Dialled, hello: v1::Hello) -> Result<Answer, String> {
    match timeout(WELCOME_BUDGET, greet(dialled, hello)).await {
        Ok(answer) => answer,
        Err(_) => Err(format!("no Welcome within {WELCOME_BUDGET:?}")),
    }
}

async fn answered(greeting: &mut Option<(IpAddr, Greeting)>) -> (IpAddr, Result<Answer, String>) {
    match greeting {
        Some((address, greeting)) => (*address, greeting.as_mut().await),
        None => std::future::pending().await,
    }
}
