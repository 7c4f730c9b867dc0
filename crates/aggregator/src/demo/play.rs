//! The play itself: lets the agents in and turns the director with what the engine publishes, until the curtain falls.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use quorate_core::time::Moment;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::agents::Home;
use super::args::DemoArgs;
use super::audit::Audit;
use super::cast::PLAYERS;
use super::director::{Cue, Director, Lead};
use super::ending::Ending;
use super::order::Order;
use super::scene::Scene;
use super::screen::Screen;
use super::script::{SCRIPT, Trouble};
use super::stage::Stage;
use super::table::{self, Caption};
use super::tale;
use crate::clock::Clock;
use crate::engine::{Event, Snapshot};
use crate::serve::Running;

/// How often in a round the director is turned and the table drawn at least.
const TURNS_A_ROUND: u32 = 4;

/// A play under way.
pub struct Play {
    screen: Screen,
    clock: Clock,
    began_at: Moment,
    round: Duration,
    /// When it ends by itself.
    span: Option<Duration>,
    /// Whether one pass is enough.
    once: bool,
    /// Whether its time was up.
    ran_out: bool,
    director: Director,
    /// Lines of whoever leads by hand.
    orders: Option<UnboundedReceiver<String>>,
    audit: Audit,
    url: String,
}

impl Play {
    /// Ready to begin; moments count from here. With `orders` it is led by hand.
    pub fn new(screen: Screen, round: Duration, args: &DemoArgs, orders: Option<UnboundedReceiver<String>>) -> Self {
        let lead = if orders.is_some() { Lead::Hand } else { Lead::Script };
        let clock = Clock::start(Moment::ZERO);
        Self {
            screen,
            began_at: clock.now(),
            clock,
            round,
            span: args.span,
            once: args.once,
            ran_out: false,
            director: Director::new(&SCRIPT, round, lead),
            orders,
            audit: Audit::default(),
            url: String::new(),
        }
    }

    /// Plays until its time is up, one pass was enough, or the `curtain` falls. An error is something that broke, not something that was missed.
    pub async fn through(
        &mut self,
        stage: &mut Stage,
        running: &Running,
        home: &Home,
        curtain: &CancellationToken,
    ) -> anyhow::Result<()> {
        self.greet(running);
        let mut events = running.engine.events();
        let mut snapshots = running.engine.watch();
        for player in PLAYERS {
            let token = running.gateway.mint_enrolment(player.id).await;
            let token = token.with_context(|| format!("no enrolment token for {}", player.id))?;
            stage.enter(player, home.clone(), token).await?;
        }
        self.say("eight agents have enrolled and knock on each other's doors");
        let mut turns = tokio::time::interval(self.round / TURNS_A_ROUND);
        turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut turned_at = None;
        loop {
            tokio::select! {
                () = curtain.cancelled() => return Ok(()),
                event = events.recv() => self.hear(event)?,
                changed = snapshots.changed() => changed.context("the engine has stopped")?,
                _ = turns.tick() => stage.check().await?,
                line = next_order(&mut self.orders) => match line {
                    Some(line) => self.obey(&line, stage).await?,
                    None => return Ok(()),
                },
            }
            self.ran_out = self.span.is_some_and(|span| self.running() >= span);
            if self.ran_out || self.once && self.director.last_pass().is_some() {
                return Ok(());
            }
            let snapshot = snapshots.borrow_and_update().clone();
            // Events tell nothing that the snapshot does not show; one look at each is enough, but time passes too.
            let seen_at = (snapshot.generation, self.running().as_millis() / (self.round / TURNS_A_ROUND).as_millis());
            if turned_at.replace(seen_at) != Some(seen_at) {
                self.turn(&snapshot, stage).await?;
            }
        }
    }

    /// How it went. The last word to people is said here.
    pub fn end(mut self) -> Ending {
        let ran_to = self.span.filter(|_| self.ran_out);
        let ending = Ending::of(&self.director, &self.audit, self.round, ran_to);
        match ending.failure() {
            Some(line) => Screen::complain(&line),
            None => self.screen.say(&ending.line()),
        }
        ending
    }

    fn greet(&mut self, running: &Running) {
        self.url = format!("http://{}/", running.api_addr);
        self.screen.say(&format!("page and API: {}", self.url));
        if let Some(token) = &running.admin_token {
            self.screen.say(&format!("token:        {token}"));
        }
        if self.orders.is_some() {
            self.screen.say(&format!("by hand:      {}, a line each; Ctrl-D ends", Order::known()));
        }
    }

    async fn turn(&mut self, snapshot: &Arc<Snapshot>, stage: &mut Stage) -> anyhow::Result<()> {
        let (scene, now) = (Scene::of(snapshot), self.running());
        self.audit.handle_scene(&scene, &self.troubles(), now);
        let cues = self.director.handle_scene(&scene, now);
        self.act(cues, stage).await?;
        if self.has_time_for_another_pass(now) {
            self.director.repeat(now);
        }
        if let Some(paint) = self.screen.wants_table() {
            let caption = Caption { running: now, round: self.round, url: &self.url };
            self.screen.draw(&table::lines(&scene, &self.troubles(), caption, paint));
        }
        Ok(())
    }

    async fn obey(&mut self, line: &str, stage: &mut Stage) -> anyhow::Result<()> {
        match Order::read(line) {
            Ok(order) => {
                let cues = self.director.handle_order(order, self.running());
                self.act(cues, stage).await?;
            }
            Err(told) => self.say(&told),
        }
        Ok(())
    }

    async fn act(&mut self, cues: Vec<Cue>, stage: &mut Stage) -> anyhow::Result<()> {
        for cue in cues {
            match cue {
                Cue::Say(line) => self.say(&line),
                Cue::Do(deed) => stage.act(deed).await?,
            }
        }
        Ok(())
    }

    fn hear(&mut self, event: Result<Arc<Event>, RecvError>) -> anyhow::Result<()> {
        match event {
            Ok(event) => {
                if tale::is_an_empty_route(&event) {
                    self.audit.handle_empty_route(&event.subject, self.running());
                }
                self.screen.tell(&event, tale::line(&event, self.running()).as_deref());
            }
            Err(RecvError::Lagged(missed)) => self.say(&format!("{missed} changes came too fast to be shown")),
            Err(RecvError::Closed) => anyhow::bail!("the engine has stopped"),
        }
        Ok(())
    }

    fn say(&mut self, line: &str) {
        let line = tale::stamped(self.running(), &format!("* {line}"));
        self.screen.say(&line);
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.director.troubles().collect()
    }

    fn running(&self) -> Duration {
        self.clock.now().since(self.began_at)
    }

    /// A pass that would be cut off is not begun.
    fn has_time_for_another_pass(&self, now: Duration) -> bool {
        match (self.span, self.director.last_pass()) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(span), Some(last)) => now + last + last / 2 < span,
        }
    }
}

/// The next line of whoever leads by hand, none at their end; never, if nobody does.
async fn next_order(orders: &mut Option<UnboundedReceiver<String>>) -> Option<String> {
    match orders {
        Some(orders) => orders.recv().await,
        None => std::future::pending().await,
    }
}
