//! The world: a fleet of agents, the edges, the aggregator and what is true of the network, moved by operations.
//!
//! One thread, one paused clock: when nobody has anything to do, time jumps to the next moment at which somebody has. The
//! disk and the database are real and are waited for in no time. So a run follows from its operations alone.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Duration;

use quorate_agent::simulation::{Host, Mood as DiskMood, enrol};
use quorate_aggregator::authority::{Authority, KeyRequest};
use quorate_aggregator::inventory::{IntentEntry, Inventory, PolicySettings, RouteEntry, ServerEntry};
use quorate_aggregator::simulation::{Fate, set_wall};
use quorate_aggregator::store::NewCertificate;
use quorate_core::outcome::{Failure, FailureKind, Operation as Step, Outcome};
use quorate_core::report::Health;
use quorate_core::time::Moment;
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::Summary;
use crate::aggregator::{Aggregator, Reader, declare, written};
use crate::network::{Dialler, Net};
use crate::operation::{Change, Mood, Operation, SERVERS, StoreMood, Who};
use crate::server::{COUNTRIES, Server, name};
use crate::weather::Sky;

/// One round of every agent.
const INTERVAL: Duration = Duration::from_secs(30);
/// Whoever supervises the aggregator starts it anew so long after it died by itself.
const RESTART_AFTER: Duration = Duration::from_secs(2);
/// After each operation this much time passes.
const STEP: Duration = Duration::from_millis(1_300);
/// The wall clock when everything begins, Unix milliseconds.
const WALL_BEGAN_MS: u64 = 1_760_000_000_000;

const REACHED: Outcome = Outcome::Reached { latency: Duration::from_millis(20) };
const FAILED: Outcome = Outcome::Failed(Failure {
    operation: Step::Connect,
    kind: FailureKind::Timeout,
    after: Duration::from_secs(5),
    bytes: 0,
});

pub struct World {
    dir: TempDir,
    threads: Handle,
    began: Instant,
    net: Net,
    pub servers: Vec<Server>,
    pub aggregator: Option<Aggregator>,
    /// Whether whoever supervises it starts it anew.
    is_wanted: bool,
    start_at: Option<Duration>,
    pub reader: Reader,
    declared: Inventory,
    wall_offset_ms: Arc<AtomicI64>,
    trouble: Trouble,
    next_serial: u64,
}

/// What is true of the network beside its lines.
#[derive(Default)]
struct Trouble {
    blocks: BTreeSet<(usize, Who)>,
    blind: BTreeSet<Who>,
    down: BTreeSet<Who>,
}

impl World {
    /// A fleet that has just been enrolled; everything runs.
    pub async fn begin(threads: Handle) -> Result<Self, String> {
        // A place that needs no disk, where there is one: what is simulated is no power cut.
        let dir =
            tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).map_err(|error| error.to_string())?;
        let began = Instant::now();
        let wall_offset_ms = Arc::new(AtomicI64::new(0));
        let offset = Arc::clone(&wall_offset_ms);
        set_wall(move || {
            let elapsed_ms = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
            let at = WALL_BEGAN_MS.cast_signed() + elapsed_ms + offset.load(Relaxed);
            Moment::from_ms(at.max(0).cast_unsigned())
        });
        let net = Net::default();
        let reader = Reader::new(&dir.path().join("quorate.db"), &threads)?;
        let mut servers = Vec::new();
        for who in 0..SERVERS {
            let home = dir.path().join(name(who));
            std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
            certify(dir.path(), &home, who, &reader, &net).await?;
            let dialler = Dialler { net: net.clone(), who };
            let host = Host::new(name(who), Moment::from_ms(WALL_BEGAN_MS), move || began.elapsed(), dialler);
            let first_round = INTERVAL / u32::from(SERVERS) * u32::from(who) + Duration::from_secs(5);
            servers.push(Server::new(who, home, host, first_round));
        }
        let mut world = Self {
            dir,
            threads,
            began,
            net,
            servers,
            aggregator: None,
            is_wanted: true,
            start_at: None,
            reader,
            declared: inventory(),
            wall_offset_ms,
            trouble: Trouble::default(),
            next_serial: 1,
        };
        world.start_aggregator().await;
        for who in 0..SERVERS {
            world.server(who).start().await?;
        }
        Ok(world)
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn server(&mut self, who: Who) -> &mut Server {
        &mut self.servers[usize::from(who)]
    }

    /// Does one operation, and lets a moment pass.
    pub async fn apply(&mut self, operation: Operation) -> Result<(), String> {
        match operation {
            Operation::Pass { s } => self.pass(Duration::from_secs(s.into())).await,
            Operation::KillAgent { who } => self.server(who).kill(),
            Operation::KillAgentWriting { who } => {
                self.server(who).kill();
                self.server(who).leave_half_written();
            }
            Operation::TearLetter { who } => {
                self.server(who).kill();
                self.server(who).tear_letter();
            }
            Operation::StopAgent { who } => self.server(who).stop().await,
            Operation::StartAgent { who } => self.server(who).start().await?,
            Operation::Reboot { who } => {
                let server = self.server(who);
                server.kill();
                server.host.reboot();
                server.start().await?;
            }
            Operation::Disk { who, mood } => self.server(who).host.set_disk(match mood {
                Mood::Well => DiskMood::Well,
                Mood::Full => DiskMood::Full,
                Mood::Unsure => DiskMood::Unsure,
            }),
            Operation::AgentWall { who, by_s } => self.server(who).host.step_wall(i64::from(by_s) * 1000),
            Operation::Cut { who } => self.net.cut(who),
            Operation::CutUp { who, bytes } => self.net.cut_up(who, bytes.into()),
            Operation::CutDown { who, bytes } => self.net.cut_down(who, bytes.into()),
            Operation::Stick { who, s } => self.net.stick(who, Duration::from_secs(s.into())),
            Operation::Swallow { who } => self.net.swallow(who),
            Operation::Edge { edge, manner } => self.net.set_edge(edge, manner),
            Operation::KillAggregator => {
                self.is_wanted = false;
                self.kill_aggregator().await?;
            }
            Operation::StopAggregator => {
                self.is_wanted = false;
                self.stop_aggregator().await?;
            }
            Operation::StartAggregator => {
                self.is_wanted = true;
                if self.aggregator.is_none() {
                    self.start_aggregator().await;
                }
            }
            Operation::DieAt { call, done } => self.with_sky(|sky| sky.dies_at(call.into(), done)),
            Operation::Store { calls, mood } => self.with_sky(|sky| {
                let fate = match mood {
                    StoreMood::Refuses => Fate::Refused,
                    StoreMood::Unheard => Fate::Unheard,
                    StoreMood::Slow { s } => Fate::Slow(Duration::from_secs(s.into())),
                };
                sky.spell(calls.into(), fate);
            }),
            Operation::AggregatorWall { by_s } => {
                self.wall_offset_ms.fetch_add(i64::from(by_s) * 1000, Relaxed);
            }
            Operation::Block { country, target } => {
                self.trouble.blocks.insert((usize::from(country), target));
            }
            Operation::Blind { who } => {
                self.trouble.blind.insert(who);
            }
            Operation::Down { who } => {
                self.trouble.down.insert(who);
            }
            Operation::Clear => self.trouble = Trouble::default(),
            Operation::Inventory { who, change } => self.change_inventory(who, change).await?,
        }
        self.pass(STEP).await;
        self.audit().await
    }

    fn with_sky(&self, act: impl FnOnce(&Sky)) {
        if let Some(aggregator) = &self.aggregator {
            act(&aggregator.sky);
        }
    }

    /// Time passes, and whoever has a round to end ends it.
    pub async fn pass(&mut self, span: Duration) {
        let until = self.elapsed() + span;
        loop {
            let round_at = self.servers.iter().map(|server| server.round_at).min().unwrap_or(until);
            let next = self.start_at.into_iter().fold(round_at, Duration::min).min(until);
            let died = async {
                match &self.aggregator {
                    Some(aggregator) => aggregator.sky.died().await,
                    None => std::future::pending().await,
                }
            };
            let died = tokio::select! {
                biased;
                () = died => true,
                () = sleep_until(self.began + next) => false,
            };
            if died {
                self.buried().await;
                continue;
            }
            if self.start_at.is_some_and(|at| at <= self.elapsed()) {
                self.start_aggregator().await;
            }
            let now = self.elapsed();
            for who in 0..SERVERS {
                if self.server(who).round_at <= now {
                    self.server(who).round_at += INTERVAL;
                    self.end_round(who).await;
                }
            }
            if self.elapsed() >= until {
                return;
            }
        }
    }

    async fn end_round(&mut self, who: Who) {
        let Some(plan) = self.server(who).plan() else { return self.report(who, &[]).await };
        let country = usize::from(who) % COUNTRIES.len();
        let found: Vec<Outcome> = plan
            .targets
            .iter()
            .map(|target| {
                let target = (0..SERVERS).find(|other| name(*other) == target.server).unwrap_or(SERVERS);
                let lost = self.trouble.blind.contains(&who) || self.trouble.blocks.contains(&(country, target));
                if lost { FAILED } else { REACHED }
            })
            .collect();
        self.report(who, &found).await;
    }

    async fn report(&mut self, who: Who, found: &[Outcome]) {
        let serial = self.next_serial;
        let health = if self.trouble.down.contains(&who) { Health::Down } else { Health::Ok };
        if let Some(said) = self.server(who).report(serial, found, health).await {
            self.reader.lock().said.insert(serial, said);
            self.next_serial += 1;
        }
    }

    async fn start_aggregator(&mut self) {
        self.start_at = None;
        let sky = Sky::default();
        let starting = Aggregator::start(self.dir.path(), &self.declared, sky.clone(), &self.reader, &self.threads);
        let started = tokio::select! {
            biased;
            () = sky.died() => Err("it died while it started".to_owned()),
            started = starting => started,
        };
        match started {
            Ok(aggregator) => {
                self.net.set_gateway(Some(aggregator.gateway.clone()));
                self.aggregator = Some(aggregator);
            }
            Err(problem) => {
                self.reader.wrong(format!("the aggregator does not start: {problem}"));
                sky.dies();
            }
        }
    }

    /// It died at one of its calls.
    async fn buried(&mut self) {
        // What it said before it died, it said.
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
        // There is nobody who could be asked.
        let _ = self.kill_aggregator().await;
        if self.is_wanted {
            self.start_at = Some(self.elapsed() + RESTART_AFTER);
        }
    }

    async fn kill_aggregator(&mut self) -> Result<(), String> {
        self.start_at = None;
        if let Some(aggregator) = self.aggregator.take() {
            self.net.set_gateway(None);
            aggregator.kill();
            self.take_over_what_stands().await?;
        }
        Ok(())
    }

    async fn stop_aggregator(&mut self) -> Result<(), String> {
        self.start_at = None;
        if let Some(aggregator) = self.aggregator.take() {
            let sky = aggregator.sky.clone();
            tokio::select! {
                biased;
                () = sky.died() => {}
                () = aggregator.stop() => {}
            }
            sky.dies();
            self.net.set_gateway(None);
            self.take_over_what_stands().await?;
        }
        Ok(())
    }

    /// It may have written down a verdict and died before it was published.
    async fn take_over_what_stands(&self) -> Result<(), String> {
        let written = written(&self.reader.book()).await?;
        self.reader.lock().twin.stands(&written);
        Ok(())
    }

    /// As the API does it; while nobody runs, the fleet file says it at the next start.
    async fn change_inventory(&mut self, who: Who, change: Change) -> Result<(), String> {
        let id = name(who);
        let declared = &mut self.declared;
        if change == Change::Remove {
            // The last two stay, so that there is a fleet.
            if declared.servers.len() > 2 {
                declared.servers.retain(|server| server.id != id);
            }
        } else {
            if !declared.servers.iter().any(|server| server.id == id) {
                declared.servers.push(entry(who));
                declared.servers.sort_by(|a, b| a.id.cmp(&b.id));
            }
            let server = declared.servers.iter_mut().find(|server| server.id == id).ok_or("it was just added")?;
            match change {
                Change::Readdress => {
                    let last: u8 = server.address.rsplit('.').next().and_then(|it| it.parse().ok()).unwrap_or(0);
                    server.address = format!("198.51.{}.{}", 100 + who, last % 250 + 1);
                }
                Change::Activate => server.intent = IntentEntry::Active,
                Change::Drain => server.intent = IntentEntry::Drained,
                Change::Disable => server.intent = IntentEntry::Disabled,
                Change::Remove => {}
            }
        }
        declared.routes = vec![route(&declared.servers)];
        let Some(aggregator) = &self.aggregator else { return Ok(()) };
        let changing = async {
            // What the store refuses is told to whoever asked, who asks again.
            for _ in 0..40 {
                match declare(&aggregator.store, declared, &aggregator.clock).await {
                    Ok(None) => return,
                    Ok(Some(version)) => {
                        let _ = aggregator.engine.replace_inventory(version, declared.clone()).await;
                        return;
                    }
                    Err(_) => {
                        if let Ok(Some(stored)) = self.reader.book().inventory().await
                            && stored.inventory == *declared
                        {
                            let _ = aggregator.engine.replace_inventory(stored.version, declared.clone()).await;
                            return;
                        }
                    }
                }
            }
        };
        let sky = aggregator.sky.clone();
        tokio::select! {
            biased;
            () = sky.died() => {}
            _ = timeout(Duration::from_secs(120), changing) => {}
        }
        Ok(())
    }

    /// Everything is good again, and stays so.
    pub async fn heal(&mut self) -> Result<(), String> {
        self.with_sky(Sky::clears);
        self.net.heal();
        self.trouble = Trouble::default();
        self.is_wanted = true;
        for who in 0..SERVERS {
            self.server(who).host.set_disk(DiskMood::Well);
            self.server(who).start().await?;
        }
        if self.aggregator.is_none() {
            self.start_aggregator().await;
        }
        // A session may take as long as a dead line is believed in, and the longest pause before the next attempt.
        self.pass(Duration::from_secs(200)).await;
        self.audit().await
    }

    /// Whether everything holds that must hold at any time.
    async fn audit(&self) -> Result<(), String> {
        let rows = self.reader.book().reports_after(0, usize::MAX).await.map_err(|error| error.to_string())?;
        crate::invariant::archive(&rows, &self.reader.lock().said)?;
        let stored = crate::invariant::serials(&rows)?;
        for server in &self.servers {
            server.audit(&stored)?;
        }
        match self.reader.lock().wrong.take() {
            Some(wrong) => Err(wrong),
            None => Ok(()),
        }
    }

    /// Whether no report waits anywhere.
    pub fn is_drained(&self) -> Result<(), String> {
        for server in &self.servers {
            if !server.is_drained() {
                return Err(format!("all is well again, and reports of {} still wait", server.id));
            }
        }
        Ok(())
    }

    /// What it came to.
    pub async fn summary(&self) -> Result<Summary, String> {
        let rows = self.reader.book().reports_after(0, usize::MAX).await.map_err(|error| error.to_string())?;
        let reading = self.reader.lock();
        let mut hasher = DefaultHasher::new();
        for row in &rows {
            (&row.server, &row.outbox, row.sequence, row.received_at, row.observed_at).hash(&mut hasher);
        }
        format!("{:?}", reading.heard).hash(&mut hasher);
        Ok(Summary { compared: reading.compared, stored: rows.len() as u64, history: hasher.finish() })
    }

    pub fn declared(&self) -> &Inventory {
        &self.declared
    }
}

/// Gives a server its key and certificate.
async fn certify(dir: &Path, home: &Path, who: Who, reader: &Reader, net: &Net) -> Result<(), String> {
    let text = |error: &dyn std::error::Error| error.to_string();
    let authority = Authority::open(dir).map_err(|error| text(&error))?;
    let key = rcgen::KeyPair::generate().map_err(|error| text(&error))?;
    let request = rcgen::CertificateParams::default().serialize_request(&key).map_err(|error| text(&error))?;
    let request = KeyRequest::from_der(request.der()).map_err(|error| text(&error))?;
    let server = name(who);
    let issued =
        authority.issue_agent(&server, &request, Moment::from_ms(WALL_BEGAN_MS)).map_err(|error| text(&error))?;
    let new = NewCertificate {
        fingerprint: issued.fingerprint,
        server: &server,
        der: &issued.der,
        lifetime: issued.lifetime,
    };
    reader.book().add_certificate(&new).await.map_err(|error| text(&error))?;
    net.knows(who, issued.fingerprint);
    let ca = authority.certificate().to_vec();
    enrol(home, &key.serialize_pem(), &issued.der, &ca).map_err(|error| text(&error))
}

fn inventory() -> Inventory {
    let mut servers: Vec<ServerEntry> = (0..SERVERS).map(entry).collect();
    servers.sort_by(|a, b| a.id.cmp(&b.id));
    let routes = vec![route(&servers)];
    let ms = |span: Duration| Some(span.as_millis() as u64);
    let policy = PolicySettings {
        interval_ms: ms(INTERVAL),
        stale_after_ms: ms(3 * INTERVAL),
        sustain_for_ms: ms(INTERVAL * 3 / 2),
        hold_for_ms: ms(8 * INTERVAL),
        min_spacing_ms: Some(2_000),
        ..PolicySettings::default()
    };
    Inventory { policy, servers, routes, edges: Vec::new() }
}

fn entry(who: Who) -> ServerEntry {
    ServerEntry {
        id: name(who),
        address: format!("198.51.{}.1", 100 + who),
        country: Some(COUNTRIES[usize::from(who) % COUNTRIES.len()].to_owned()),
        site: None,
        verifier: who == 1,
        intent: IntentEntry::Active,
        entry_points: Vec::new(),
    }
}

fn route(servers: &[ServerEntry]) -> RouteEntry {
    let entry_points = servers.iter().map(|server| format!("{}/tls", server.id)).collect();
    RouteEntry { id: "all".to_owned(), entry_points, audience: Vec::new() }
}
