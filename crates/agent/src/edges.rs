//! Which address of the gateway's name a session goes by: a thin driver of [`Chooser`], which decides all of it.
//!
//! It resolves, dials, measures and writes down; beside a live session it looks around, and says when to leave. Whatever
//! fails here ends in "no choice": the addresses in turn, as any client would try them.

use std::net::IpAddr;
use std::pin::Pin;
use std::time::Duration;

use quorate_core::edge::{Chooser, ConnectOrder, Duty, Ended, Move, Resolution, SAMPLES, Times, Timing};
use quorate_core::time::Moment;
use quorate_proto::v1;
use tokio::time::{sleep, timeout};

use self::race::{Lost, race};
use self::scribe::Scribe;
use crate::config::AgentConfig;
use crate::gateway::{Answer, Credentials, Gateway, GatewayError, greet};
use crate::{clock, dice};

pub(crate) mod file;
mod measure;
mod race;
mod scribe;

#[cfg(test)]
pub(crate) mod testbed;
#[cfg(test)]
mod tests;

pub(crate) use self::measure::{Tried, measure};
pub(crate) use self::scribe::Faults;

/// Time for Welcome: the gateway answers from memory and one row.
const WELCOME_BUDGET: Duration = Duration::from_secs(10);
/// How long an attempt waits for the resolver where the ranking of the last time will do. An answer that comes later is
/// used if that turns out not to do.
const RESOLVER_PATIENCE: Duration = Duration::from_secs(1);

type Resolved = Result<Vec<IpAddr>, GatewayError>;
type Doing<'a, T> = Option<Pin<Box<dyn Future<Output = T> + Send + 'a>>>;

/// The edges of one gateway, for one agent.
#[derive(Debug)]
pub(crate) struct Edges {
    gateway: Gateway,
    chooser: Chooser,
    scribe: Scribe,
}

impl Edges {
    /// Begins with what an earlier run left in the data directory.
    pub(crate) fn new(gateway: Gateway, config: &AgentConfig, faults: Faults) -> Self {
        let (dir, speed) = (&config.data_dir, config.edge_speed);
        let memory = scribe::remembered(dir, gateway.written(), &faults);
        let scribe = Scribe::new(dir, gateway.written(), speed, faults);
        let timing = Timing::scaled(speed);
        let chooser = Chooser::new(&memory, timing, dice::seed(), clock::since_boot(), clock::wall());
        Self { gateway, chooser, scribe }
    }

    /// One attempt at a session.
    pub(crate) async fn open(&mut self, credentials: &Credentials, hello: &v1::Hello) -> Result<Answer, GatewayError> {
        let Self { gateway, chooser, scribe } = self;
        let mut asking = Box::pin(gateway.addresses());
        chooser.handle_tick(clock::since_boot());
        let patience = match chooser.connect_order() {
            ConnectOrder::Ranked(_) => RESOLVER_PATIENCE,
            ConnectOrder::Plain(_) => Duration::MAX,
        };
        let asked = timeout(patience, &mut asking).await.ok();
        let is_late = asked.is_none();
        let unknown = asked.and_then(|resolved| take(chooser, resolved));
        let answer = match (chooser.connect_order(), unknown) {
            (ConnectOrder::Plain(addresses), Some(problem)) if addresses.is_empty() => Err(problem),
            (ConnectOrder::Plain(addresses), _) => in_turn(gateway, credentials, hello, &addresses).await,
            (ConnectOrder::Ranked(dials), _) => race(gateway, credentials, &dials, hello)
                .await
                .map_err(|Lost(errors)| gateway.no_edge(errors.into_iter())),
        };
        match &answer {
            Ok(Answer::Welcome(opened)) => {
                chooser.handle_opened(opened.address.ip(), clock::since_boot());
                scribe.keep(chooser);
            }
            // For the next attempt: every edge may have another one in its place.
            Err(_) if is_late => drop(take(chooser, asking.await)),
            Ok(Answer::Close(_)) | Err(_) => {}
        }
        answer
    }

    /// Looks around beside the live session, until there is a reason to leave it.
    pub(crate) async fn watch(&mut self, credentials: &Credentials) -> Move {
        let Self { gateway, chooser, scribe } = self;
        let (mut asking, mut looking): (Doing<'_, Resolved>, Doing<'_, Looked>) = (None, None);
        loop {
            while let Some(duty) = chooser.poll_duty() {
                match duty {
                    Duty::Resolve => asking = Some(Box::pin(gateway.addresses())),
                    Duty::Measure { addresses } => {
                        looking = Some(Box::pin(look(gateway, credentials, addresses, Round::Full)));
                    }
                    Duty::Probe { addresses } => {
                        looking = Some(Box::pin(look(gateway, credentials, addresses, Round::Watch)));
                    }
                    Duty::Move(wanted) => {
                        scribe.keep(chooser);
                        return wanted;
                    }
                }
            }
            scribe.keep(chooser);
            let tick_at = chooser.poll_timeout();
            tokio::select! {
                biased;
                resolved = done(&mut asking) => drop(take(chooser, resolved)),
                looked = done(&mut looking) => match looked.round {
                    Round::Full => chooser.handle_measured(&looked.results, clock::since_boot()),
                    Round::Watch => chooser.handle_probed(&looked.results, clock::since_boot()),
                },
                () = until(tick_at) => chooser.handle_tick(clock::since_boot()),
            }
        }
    }

    /// The session that was open has ended.
    pub(crate) fn ended(&mut self, how: Ended) {
        self.chooser.handle_ended(how, clock::since_boot());
        self.scribe.keep(&mut self.chooser);
    }

    /// Nothing more will come: waits a moment for the last note to be written.
    pub(crate) async fn close(self) {
        self.scribe.close().await;
    }
}

/// As any client does it.
async fn in_turn(
    gateway: &Gateway,
    credentials: &Credentials,
    hello: &v1::Hello,
    addresses: &[IpAddr],
) -> Result<Answer, GatewayError> {
    let greeted = |dialled| async {
        let answer = timeout(WELCOME_BUDGET, greet(dialled, hello.clone())).await;
        answer
            .unwrap_or_else(|_| Err(format!("no Welcome within {WELCOME_BUDGET:?}")))
            .map_err(|problem| GatewayError::Hello { gateway: gateway.written().to_owned(), problem })
    };
    gateway.in_turn(addresses, credentials, greeted).await
}

/// Hands the resolver's answer on; what it said if it has none.
fn take(chooser: &mut Chooser, resolved: Resolved) -> Option<GatewayError> {
    let (resolution, problem) = match resolved {
        Ok(addresses) => (Resolution::Addresses(addresses), None),
        Err(problem) => (Resolution::Failed, Some(problem)),
    };
    chooser.handle_resolved(resolution, clock::since_boot());
    problem
}

/// Which of the two kinds of looking around.
#[derive(Debug, Clone, Copy)]
enum Round {
    Full,
    Watch,
}

/// What came of it.
struct Looked {
    round: Round,
    results: Vec<(IpAddr, Option<Times>)>,
}

async fn look(gateway: &Gateway, credentials: &Credentials, addresses: Vec<IpAddr>, round: Round) -> Looked {
    let samples = match round {
        Round::Full => SAMPLES,
        Round::Watch => 1,
    };
    let tried = measure(gateway, credentials, &addresses, samples).await;
    tracing::debug!(?round, ?tried, "looked at edges");
    Looked { round, results: tried.into_iter().map(|(address, times)| (address, times.ok())).collect() }
}

/// Waits for what is being done, if anything is.
async fn done<T>(doing: &mut Doing<'_, T>) -> T {
    match doing {
        Some(future) => {
            let result = future.await;
            *doing = None;
            result
        }
        None => std::future::pending().await,
    }
}

async fn until(moment: Option<Moment>) {
    match moment {
        // A timer may fire a moment early; a moment later is as good.
        Some(moment) => sleep(moment.since(clock::since_boot()).max(Duration::from_millis(1))).await,
        None => std::future::pending().await,
    }
}
