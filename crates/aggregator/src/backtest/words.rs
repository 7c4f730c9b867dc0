//! Differences in plain words.

use std::time::Duration;

use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::compare::{Difference, Differences, ServerDifference};
use super::findings::{BacktestResult, BacktestRoute, BacktestServer, BacktestSpan, BacktestVerdict, Change, WasWould};
use super::timeline::Stay;
use crate::when;

/// Sentences about single verdicts: more are read by nobody.
const SENTENCES_MAX: usize = 40;
/// The same about words for which nothing is removed; more are counted.
const WEAK_SENTENCES_MAX: usize = 5;
/// Servers, and routes, in one result.
const ROWS_MAX: usize = 500;
/// Verdicts of one server.
const VERDICTS_MAX: usize = 100;

/// What the words are about.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// `quorum 3`.
    pub title: &'a str,
    /// First moment compared.
    pub from: Moment,
    /// Last moment compared.
    pub to: Moment,
    /// Reports that were folded.
    pub reports: u64,
}

/// All that differs, in numbers and words.
pub fn told(about: About<'_>, found: &Differences) -> BacktestResult {
    let mut weighty: Vec<(&str, &Difference)> = found
        .servers
        .iter()
        .flat_map(|server| server.verdicts.iter().map(|verdict| (server.server.as_str(), verdict)))
        .collect();
    let count = |change| weighty.iter().filter(|(_, verdict)| verdict.change == change).count();
    let (verdicts_gone, verdicts_new) = (count(Change::Gone), count(Change::New));
    let differing = weighty.len();
    weighty.sort_by_key(|(server, verdict)| {
        (is_weak(verdict.status), std::cmp::Reverse(verdict.weight()), verdict.begin(), *server)
    });
    // A weak word in the place of a strong one is told with the strong one.
    weighty.retain(|(_, verdict)| !(is_weak(verdict.status) && verdict.instead.is_some_and(|other| !is_weak(other))));
    let weak = weighty.iter().filter(|(_, verdict)| is_weak(verdict.status)).count();
    if weak > WEAK_SENTENCES_MAX {
        weighty.retain(|(_, verdict)| !is_weak(verdict.status));
    }
    let mut sentences = vec![summary(about, found)];
    let of_one =
        |(server, verdict): &(&str, &Difference)| format!("With {}, {}", about.title, sentence(about, server, verdict));
    sentences.extend(weighty.iter().take(SENTENCES_MAX).map(of_one));
    if weak > WEAK_SENTENCES_MAX {
        sentences.push(format!("{weak} marks and other words for which nothing is removed would have differed, too."));
    }
    let mut left_out = Vec::new();
    if weighty.len() > SENTENCES_MAX {
        left_out.push(format!("{} of {differing} verdicts are not told in a sentence", weighty.len() - SENTENCES_MAX));
    }
    let mut servers: Vec<&ServerDifference> = found.servers.iter().collect();
    servers.sort_by_key(|server| {
        let weight: Duration = server.verdicts.iter().map(Difference::weight).sum();
        (std::cmp::Reverse(server.withheld.0.abs_diff(server.withheld.1)), std::cmp::Reverse(weight))
    });
    for (what, all) in [("servers", found.servers.len()), ("routes", found.routes.len())] {
        if all > ROWS_MAX {
            left_out.push(format!("{} of {all} {what} are not listed", all - ROWS_MAX));
        }
    }
    if found.left_out > 0 {
        left_out.push(format!("{} changes of status were too many to be compared", found.left_out));
    }
    BacktestResult {
        sentences,
        from_ms: about.from.as_ms(),
        to_ms: about.to.as_ms(),
        reports: about.reports,
        withheld_minutes: minutes(found.withheld),
        verdicts_gone,
        verdicts_new,
        servers: servers.into_iter().take(ROWS_MAX).map(|server| row(about, server)).collect(),
        routes: found
            .routes
            .iter()
            .take(ROWS_MAX)
            .map(|route| BacktestRoute {
                route: route.route.clone(),
                withheld_minutes: minutes(route.withheld),
                last_resort_minutes: minutes(route.last_resort),
            })
            .collect(),
        left_out: (!left_out.is_empty()).then(|| left_out.join("; ")),
    }
}

fn row(about: About<'_>, server: &ServerDifference) -> BacktestServer {
    let mut longest: Vec<&Difference> = server.verdicts.iter().collect();
    longest.sort_by_key(|verdict| std::cmp::Reverse(verdict.weight()));
    longest.truncate(VERDICTS_MAX);
    longest.sort_by_key(|verdict| verdict.begin());
    let span = |stay: Stay| BacktestSpan { from_ms: stay.from.as_ms(), to_ms: stay.to.as_ms() };
    let verdict = |verdict: &Difference| BacktestVerdict {
        status: verdict.status.as_str().to_owned(),
        change: verdict.change,
        from_ms: verdict.begin().as_ms(),
        to_ms: verdict.end().as_ms(),
        was: verdict.was.map(span),
        would: verdict.would.map(span),
        text: format!("With {}, {}", about.title, sentence(about, &server.server, verdict)),
    };
    BacktestServer {
        server: server.server.clone(),
        withheld_minutes: minutes(server.withheld),
        verdicts: longest.into_iter().map(verdict).collect(),
    }
}

/// What is not removed for it (R15: tier 1, or no change of tier).
const fn is_weak(status: Status) -> bool {
    match status {
        Status::Down | Status::Unreachable | Status::Blocked | Status::Degraded => false,
        Status::NoData | Status::Contested | Status::Marked | Status::Disabled | Status::Pending | Status::Ok => true,
    }
}

fn summary(about: About<'_>, found: &Differences) -> String {
    let (was, would) = found.withheld;
    let said = counted(found.said, "verdict");
    if found.servers.is_empty() && found.routes.is_empty() {
        let withheld = if was.is_zero() { "nothing withheld".to_owned() } else { format!("{} withheld", span(was)) };
        return format!("With {}, everything would have been said just the same: {said}, {withheld}.", about.title);
    }
    let judged = format!(
        "With {}, {} of {} would have been judged otherwise",
        about.title,
        found.servers.iter().filter(|server| !server.verdicts.is_empty()).count(),
        counted(found.of_servers, "server")
    );
    let withheld = if was == would {
        format!("as much would have been withheld: {}", span(was))
    } else {
        format!("servers would have been withheld for {} and not for {}", total(would), total(was))
    };
    format!("{judged}, and {withheld}.")
}

/// What follows `With quorum 3, `.
fn sentence(about: About<'_>, server: &str, verdict: &Difference) -> String {
    let word = state(verdict.status);
    let Difference { change, was, would, .. } = verdict;
    match (change, was, would) {
        (Change::Gone, Some(was), _) => {
            let said = format!("{server} would not have been {word} {}", time(about, was));
            format!("{said}: {}.{}", rested_on(was), instead(verdict, "would have been"))
        }
        (Change::New, _, Some(would)) => {
            let said = format!("{server} would have been {word} {}", time(about, would));
            format!("{said}: {}.{}", rested_on(would), instead(verdict, "was"))
        }
        (Change::Later | Change::Earlier, Some(was), Some(would)) => {
            let (by, how) = if would.from > was.from {
                (would.from.since(was.from), "later")
            } else {
                (was.from.since(would.from), "earlier")
            };
            format!(
                "{server} would have been {word} {} {how}: from {} and not from {}.",
                span(by),
                clock(about, would.from),
                clock(about, was.from)
            )
        }
        (_, Some(was), Some(would)) => {
            let (by, how) = if would.to > was.to {
                (would.to.since(was.to), "longer")
            } else {
                (was.to.since(would.to), "less long")
            };
            format!(
                "{server} would have been {word} {} {how}: until {} and not until {}.",
                span(by),
                clock(about, would.to),
                clock(about, was.to)
            )
        }
        // A difference has at least the side that its change names.
        _ => format!("{server} would have differed in being {word}."),
    }
}

/// The evidence in a few words.
fn rested_on(stay: &Stay) -> String {
    match (stay.status, stay.sites) {
        (Status::Down, _) => "its own report said so".to_owned(),
        (Status::NoData, _) => "no report of it came".to_owned(),
        (Status::Blocked, _) => "a verifier could not reach it".to_owned(),
        (_, 0) => "earlier accusations still held".to_owned(),
        (_, sites) => format!("{} accused it", counted(sites, "site")),
    }
}

fn instead(verdict: &Difference, verb: &str) -> String {
    match verdict.instead {
        Some(Status::Ok) | None => String::new(),
        Some(other) => format!(" It {verb} {} meanwhile.", state(other)),
    }
}

/// A status after "would have been".
const fn state(status: Status) -> &'static str {
    match status {
        Status::Disabled => "disabled",
        Status::Down => "down",
        Status::Unreachable => "unreachable",
        Status::Blocked => "blocked",
        Status::Degraded => "partly unreachable",
        Status::NoData => "without data",
        Status::Pending => "waited for",
        Status::Contested => "contested",
        Status::Marked => "marked with a broken pair",
        Status::Ok => "OK",
    }
}

/// `from 14:02 to 14:31 UTC (29 min)`; what touches an end of the time is said so.
fn time(about: About<'_>, stay: &Stay) -> String {
    let took = span(stay.to.since(stay.from));
    match (stay.from <= about.from, stay.to >= about.to) {
        (true, true) => format!("all the time ({took})"),
        (true, false) => format!("from before {} until {} ({took})", clock(about, about.from), clock(about, stay.to)),
        (false, true) => format!("from {} to the end ({took})", clock(about, stay.from)),
        (false, false) => format!("from {} to {} ({took})", clock(about, stay.from), clock(about, stay.to)),
    }
}

/// With the day where there is more than one, with seconds where they matter.
fn clock(about: About<'_>, at: Moment) -> String {
    const HOUR: Duration = Duration::from_secs(3600);
    match about.to.since(about.from) {
        short if short <= HOUR => when::time_of_day(at),
        _ if when::day(about.from) == when::day(about.to) => when::hour_and_minute(at),
        _ => format!("{} {}", when::day(at), when::hour_and_minute(at)),
    }
}

/// `29 min`, `3 h 5 min`, `40 s`.
fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..10 => format!("{:.1} s", span.as_secs_f64()),
        10..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A span, or that there is none.
fn total(all: Duration) -> String {
    if all.is_zero() { "no time at all".to_owned() } else { span(all) }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

fn minutes((was, would): (Duration, Duration)) -> WasWould {
    let minutes = |span: Duration| (span.as_secs_f64() / 6.0).round() / 10.0;
    WasWould { was: minutes(was), would: minutes(would) }
}

#[cfg(test)]
mod tests;
