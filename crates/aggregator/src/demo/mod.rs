//! The demo: a fleet that watches itself in one process, with real agents, a real aggregator and real sockets, and a script
//! of troubles that it must find out and see healed.
//!
//! A fire drill in a doll's house: the house is small, the fire is real. Nothing is faked between a packet that does not
//! pass and the badge that says so; only time runs faster. It refuses to end well unless every promised status was seen
//! and healed, no bystander was condemned, and no route was ever delivered empty.

mod agents;
mod args;
mod audit;
mod blocks;
mod cast;
mod director;
mod ending;
mod house;
mod order;
mod play;
mod scene;
mod screen;
mod script;
mod stage;
mod table;
mod tale;
mod targets;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use quorate_core::policy::Policy;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;

use self::agents::Home;
pub use self::args::DemoArgs;
use self::play::Play;
use self::screen::Screen;
use self::stage::Stage;

/// The longest that closing everything may take: an agent and the aggregator promise to end within ten seconds each.
const CLOSE_WITHIN: Duration = Duration::from_secs(20);

/// Runs the demo to its end: by `--for`, by a signal, or by something that broke. With `json`, events are printed as JSON
/// lines and nothing else on stdout. Must be called within a tokio runtime.
pub async fn main(args: DemoArgs, json: bool) -> anyhow::Result<ExitCode> {
    log();
    let mut signals = Signals::new().context("cannot listen to signals")?;
    let directory = tempfile::Builder::new().prefix("quorate-demo-").tempdir();
    let directory = directory.context("the demo needs a temporary directory (TMPDIR)")?;
    let mut stage = Stage::set().await?;
    let inventory = cast::inventory(stage.port, &stage.pins(), args.speed);
    let shutdown = CancellationToken::new();
    let running = house::open(directory.path(), &inventory, args.port, shutdown.clone()).await?;
    let home = Home {
        directory: directory.path().to_owned(),
        gateway: running.gateway_addr.to_string(),
        port: stage.port,
        speed: args.speed,
    };

    let round = Policy::default().sped_up(args.speed).interval;
    let orders = args.by_hand.then(orders);
    let mut play = Play::new(Screen::new(json), round, &args, orders);
    let curtain = CancellationToken::new();
    let played = {
        let mut playing = std::pin::pin!(play.through(&mut stage, &running, &home, &curtain));
        tokio::select! {
            played = &mut playing => played,
            () = signals.next() => {
                curtain.cancel();
                playing.await
            }
        }
    };
    let closing = async {
        stage.clear().await;
        shutdown.cancel();
        running.ended().await
    };
    tokio::select! {
        closed = timeout(CLOSE_WITHIN, closing) => if let Ok(ended) = closed {
            ended?;
        } else {
            tracing::warn!("something did not end in time and is cut off");
        },
        // Whoever asks twice does not want to wait.
        () = signals.next() => {}
    }
    played?;
    Ok(play.end().code())
}

/// Lines of standard input, until it ends. Nobody can be woken who reads it, so the thread is left where it is at the end.
fn orders() -> mpsc::UnboundedReceiver<String> {
    let (tell, orders) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let lines = std::io::stdin().lines().map_while(Result::ok);
        for line in lines {
            if tell.send(line).is_err() {
                return;
            }
        }
    });
    orders
}

/// SIGINT and SIGTERM.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Log lines on standard error, where they spoil the table: errors alone, unless `RUST_LOG` asks for more.
fn log() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("error"));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(false);
    // A second call in one process keeps the first one's choice.
    let _ = subscriber.try_init();
}
