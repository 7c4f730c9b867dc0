//! Ceph's monitors: an OSD is down when peers in two failure domains report that its heartbeats have been missing for the
//! grace period, unless too few OSDs are up already.
//!
//! Built to take an OSD out of a storage cluster's map within half a minute, where every OSD can speak to every other on one
//! network. Source: "Configuring Monitor/OSD Interaction"
//! (<https://docs.ceph.com/en/latest/rados/configuration/mon-osd-interaction/>) and the code that does it
//! (<https://github.com/ceph/ceph/blob/main/src/mon/OSDMonitor.cc>: `check_failure`, `can_mark_down`, `prepare_boot`,
//! `handle_osd_timeouts`; <https://github.com/ceph/ceph/blob/main/src/osd/OSD.cc>: `heartbeat_check`, `_is_healthy`,
//! `_committed_osd_maps`), defaults from `src/common/options`.
//!
//! - An OSD reports a peer that it has not heard for `osd_heartbeat_grace`, 20 s at a heartbeat every 6 s, and takes the report
//!   back when it hears it. Everything in seconds is scaled by a round for 6 s, so the grace is 3⅓ rounds.
//! - The monitors mark it down when reporters from `mon_osd_min_down_reporters` (2) domains remain and the youngest report is
//!   as old as the grace, lengthened for OSDs that were laggy ([`laggy`]; `mon_osd_adjust_heartbeat_grace` is on). A domain is a
//!   site, as the fleet's failure domains are its sites; Ceph's default is the host.
//! - None is marked down while fewer than `mon_osd_min_up_ratio` (0.3) are up: the floor.
//! - An OSD that says that it stops is down at once; one that the monitors did not hear of for `mon_osd_report_timeout` (900 s)
//!   is too.
//! - A peer whose port refuses the connection is marked down at once (`osd_fast_fail_on_connection_refused`, on).
//! - An OSD that lives and finds itself marked down boots again as soon as it hears a third of its peers
//!   (`osd_heartbeat_min_healthy_ratio`, 0.33). After more than `osd_max_markdown_count` (5) times within
//!   `osd_max_markdown_period` (600 s) it stops for good, until it is started anew.
//!
//! An entry point is an OSD to those who probe it, its server is the OSD as a reporter. It lives when its server's report
//! says that all is well. A server that was not heard of for as long as the grace, or that said it was down, is one that was
//! started anew. Whoever looks at an entry point is its heartbeat peer: Ceph would pick ten or more.

pub(in crate::rival) mod laggy;

use std::time::Duration;

use quorate_core::fleet::{EntryIx, ServerIx, SiteIx};
use quorate_core::outcome::{FailureKind, Operation, Outcome};
use quorate_core::report::{Health, Report};
use quorate_core::time::Moment;

use self::laggy::Laggy;
use super::frame::{Found, Rule};
use super::mesh::{Grid, Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(6);
const HEARTBEAT_GRACE: Duration = Duration::from_secs(20);
const REPORT_TIMEOUT: Duration = Duration::from_secs(900);
const MAX_MARKDOWN_PERIOD: Duration = Duration::from_secs(600);
const MAX_MARKDOWN_COUNT: usize = 5;
const MIN_DOWN_REPORTERS: usize = 2;
const MIN_UP_PERCENT: usize = 30;
const MIN_HEALTHY_PERCENT: usize = 33;

/// A span of Ceph's, in rounds of the tape.
fn scaled(setting: &Setting, span: Duration) -> Duration {
    let ms = span.as_millis() * setting.interval.as_millis() / HEARTBEAT_INTERVAL.as_millis();
    Duration::from_millis(u64::try_from(ms).expect("a span of some rounds fits"))
}

/// The rule.
pub(super) struct Ceph {
    grace: Duration,
    report_timeout: Duration,
    markdown_period: Duration,
    laggy_scale: laggy::Scale,
    heartbeats: Grid<Heartbeat>,
    osds: Vec<Osd>,
    /// By server.
    hosts: Vec<Host>,
    /// Something is down, or was reported, or came back, since it was last asked.
    is_stirred: bool,
    /// When the next server will not have been heard of for too long.
    timeout_at: Moment,
}

/// What a reporter knows of a peer.
#[derive(Debug, Clone, Copy, Default)]
struct Heartbeat {
    /// When it last heard it, or began to listen.
    heard_at: Option<Moment>,
    /// Its report stands: since when the peer is missing.
    failed_since: Option<Moment>,
}

/// An entry point on the monitors' map.
#[derive(Debug, Clone, Default)]
struct Osd {
    state: State,
    /// When it was last marked down.
    down_at: Moment,
    /// When it was marked down lately.
    markdowns: Vec<Moment>,
    laggy: Laggy,
    /// Reports that stand against it.
    reports: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Up,
    /// Down, and boots again when it can.
    Down,
    /// Stopped for good: only a new start brings it back.
    Stopped,
}

/// A server as the monitors hear it.
#[derive(Debug, Clone, Copy)]
struct Host {
    /// When it was last heard, or first waited for.
    heard_at: Option<Moment>,
    health: Health,
}

const UNHEARD: Host = Host { heard_at: None, health: Health::Ok };

impl Ceph {
    /// `knob`: the round of a series of failures in which the grace is over.
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        let mesh = Mesh::new(setting.fleet.clone());
        // Half a round less, so that rounds that are not quite regular do not decide it.
        let in_rounds = |rounds: Rounds| (setting.interval * u32::from(rounds)).saturating_sub(setting.interval / 2);
        Self {
            grace: knob.map_or_else(|| scaled(setting, HEARTBEAT_GRACE), in_rounds),
            report_timeout: scaled(setting, REPORT_TIMEOUT),
            markdown_period: scaled(setting, MAX_MARKDOWN_PERIOD),
            laggy_scale: laggy::Scale::of(setting),
            heartbeats: mesh.grid(Heartbeat::default()),
            osds: mesh.column(Osd::default()),
            hosts: vec![UNHEARD; mesh.fleet.servers().len()],
            is_stirred: true,
            timeout_at: Moment::ZERO,
        }
    }

    fn is_up(&self, ix: EntryIx) -> bool {
        self.osds[ix.at()].state == State::Up
    }

    /// A server whose every entry point is marked down is no reporter.
    fn is_reporter(&self, mesh: &Mesh, server: ServerIx) -> bool {
        mesh.probes(server) && mesh.fleet.server(server).entry_points.iter().any(|ix| self.is_up(*ix))
    }

    fn may_mark_down(&self, mesh: &Mesh) -> bool {
        let (mut all, mut up) = (0, 0);
        for ix in mesh.judged() {
            all += 1;
            up += usize::from(self.is_up(ix));
        }
        100 * up >= MIN_UP_PERCENT * all
    }

    fn mark_down(&mut self, mesh: &Mesh, ix: EntryIx, at: Moment) {
        if !self.is_up(ix) || !self.may_mark_down(mesh) {
            return;
        }
        let period = self.markdown_period;
        let osd = &mut self.osds[ix.at()];
        osd.markdowns.retain(|before| at.since(*before) <= period);
        osd.markdowns.push(at);
        osd.state = if osd.markdowns.len() > MAX_MARKDOWN_COUNT { State::Stopped } else { State::Down };
        osd.down_at = at;
        self.forget_heartbeats(mesh, ix, None);
    }

    /// Who is marked down is no peer; who boots is listened to afresh.
    fn forget_heartbeats(&mut self, mesh: &Mesh, ix: EntryIx, heard_at: Option<Moment>) {
        for witness in mesh.fleet.server_ixs() {
            self.heartbeats.row_mut(witness)[ix.at()] = Heartbeat { heard_at, failed_since: None };
        }
        self.osds[ix.at()].reports = 0;
        self.is_stirred = true;
    }

    /// What the reporter tells of its peers; returns whether it hears a third of those that are up.
    fn report(&mut self, mesh: &Mesh, report: &Report) -> bool {
        let at = report.observed_at;
        let speaks = self.is_reporter(mesh, report.witness);
        let (mut peers, mut heard) = (0, 0);
        let mut refused = Vec::new();
        let row = self.heartbeats.row_mut(report.witness);
        for (ix, outcome) in &report.outcomes {
            if !mesh.is_evidence(report.witness, *ix) || self.osds[ix.at()].state != State::Up {
                continue;
            }
            let beat = &mut row[ix.at()];
            match outcome {
                Outcome::Reached { .. } => {
                    (peers, heard) = (peers + 1, heard + 1);
                    let before = std::mem::replace(beat, Heartbeat { heard_at: Some(at), failed_since: None });
                    self.osds[ix.at()].reports -= u32::from(before.failed_since.is_some());
                }
                Outcome::Failed(failure) => {
                    peers += 1;
                    let since = *beat.heard_at.get_or_insert(at);
                    if speaks && at.since(since) > self.grace {
                        self.osds[ix.at()].reports += u32::from(beat.failed_since.is_none());
                        beat.failed_since = Some(since);
                    }
                    if speaks
                        && failure.operation == Operation::Connect
                        && failure.kind == FailureKind::ConnectionRefused
                    {
                        refused.push(*ix);
                    }
                }
                Outcome::Inconclusive(_) => {}
            }
        }
        for ix in refused {
            self.mark_down(mesh, ix, at);
        }
        100 * heard >= MIN_HEALTHY_PERCENT * peers
    }

    /// A server that lives starts what is down of it; `anew` if it was started anew itself.
    fn boot(&mut self, mesh: &Mesh, server: ServerIx, at: Moment, anew: bool) {
        for ix in &mesh.fleet.server(server).entry_points {
            let osd = &mut self.osds[ix.at()];
            if anew {
                osd.markdowns.clear();
            }
            if osd.state == State::Up || osd.state == State::Stopped && !anew {
                continue;
            }
            osd.state = State::Up;
            if anew {
                osd.laggy.started_anew();
            } else {
                osd.laggy.was_wrongly_down(self.laggy_scale, at.since(osd.down_at));
            }
            self.forget_heartbeats(mesh, *ix, Some(at));
        }
    }

    /// Whether enough domains report it, for long enough.
    fn has_failed(&self, mesh: &Mesh, ix: EntryIx, at: Moment) -> bool {
        let mut domains: Vec<SiteIx> = Vec::new();
        let (mut latest, mut reporters, mut peers_grace) = (Moment::ZERO, 0_u32, Duration::ZERO);
        for server in mesh.fleet.server_ixs() {
            let Some(since) = self.heartbeats.get(server, ix).failed_since else { continue };
            // Who is no peer any more takes its report back.
            if !mesh.plan.looks(server, ix) || !self.is_reporter(mesh, server) {
                continue;
            }
            latest = latest.max(since);
            reporters += 1;
            domains.push(mesh.fleet.server(server).site);
            peers_grace += self.reporters_lag(mesh, server, at);
        }
        domains.sort_unstable();
        domains.dedup();
        if domains.len() < MIN_DOWN_REPORTERS {
            return false;
        }
        let failed_for = at.since(latest);
        let own_grace = self.osds[ix.at()].laggy.grace(self.laggy_scale, failed_for);
        failed_for >= self.grace + own_grace + peers_grace / reporters
    }

    /// How much longer the grace is for a reporter that was laggy itself: the most of its entry points.
    fn reporters_lag(&self, mesh: &Mesh, server: ServerIx, at: Moment) -> Duration {
        let own = mesh.fleet.server(server).entry_points.iter().map(|ix| &self.osds[ix.at()]);
        own.map(|osd| osd.laggy.grace(self.laggy_scale, at.since(osd.down_at))).max().unwrap_or_default()
    }
}

impl Rule for Ceph {
    fn hear(&mut self, mesh: &Mesh, report: &Report) {
        let (server, at) = (report.witness, report.observed_at);
        let before =
            std::mem::replace(&mut self.hosts[server.at()], Host { heard_at: Some(at), health: report.health });
        let hears_peers = self.report(mesh, report);
        match report.health {
            Health::Down => {
                for ix in &mesh.fleet.server(server).entry_points {
                    self.mark_down(mesh, *ix, at);
                }
            }
            Health::Ok => {
                let was_gone = before.heard_at.is_some_and(|heard_at| at.since(heard_at) > self.grace);
                if hears_peers {
                    self.boot(mesh, server, at, was_gone || before.health == Health::Down);
                }
            }
        }
    }

    fn follow(&mut self, new: &Mesh, moves: &Moves, _at: Moment) {
        self.heartbeats = self.heartbeats.over(new.size(), moves, Heartbeat::default());
        self.osds = moves.move_column(&self.osds, new.column(Osd::default()));
        self.hosts = moves.move_servers(&self.hosts, vec![UNHEARD; new.fleet.servers().len()]);
        // Reporters that are gone take their reports with them.
        for ix in new.fleet.entry_ixs() {
            let stands = |server: &ServerIx| self.heartbeats.get(*server, ix).failed_since.is_some();
            self.osds[ix.at()].reports = new.fleet.server_ixs().filter(stands).count() as u32;
        }
    }

    /// A monitor that begins anew waits for everybody's report from then on.
    fn resume(&mut self, at: Moment) {
        for host in &mut self.hosts {
            host.heard_at = Some(at);
        }
    }

    fn is_settled(&self, _mesh: &Mesh, at: Moment) -> bool {
        !self.is_stirred && at <= self.timeout_at && self.osds.iter().all(|osd| osd.reports == 0)
    }

    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found) {
        self.is_stirred = false;
        self.timeout_at = Moment::MAX;
        for server in mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)) {
            let heard_at = *self.hosts[server.at()].heard_at.get_or_insert(at);
            if at.since(heard_at) > self.report_timeout {
                for ix in &mesh.fleet.server(server).entry_points {
                    self.mark_down(mesh, *ix, at);
                }
            } else {
                self.timeout_at = self.timeout_at.min(heard_at.after(self.report_timeout));
            }
        }
        for ix in mesh.judged() {
            let is_reported = self.osds[ix.at()].reports as usize >= MIN_DOWN_REPORTERS;
            if is_reported && self.is_up(ix) && self.has_failed(mesh, ix, at) {
                self.mark_down(mesh, ix, at);
            }
            found.removed[ix.at()] = !self.is_up(ix);
        }
    }
}
