//! `events`: what happened, and with `--follow` what happens.

use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use reqwest::Response;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print, sse};
use crate::engine::Event;
use crate::event::Kind;

/// A restart takes a second or two.
const RETRY_MIN: Duration = Duration::from_millis(500);
/// After this long nobody looks at the terminal.
const RETRY_MAX: Duration = Duration::from_secs(10);

/// Which events.
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Go on as they happen, until interrupted; an aggregator that restarts is waited for
    #[arg(long, short)]
    follow: bool,
    /// Only this kind
    #[arg(long, value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::as_str)))]
    kind: Option<String>,
    /// Only about this server, entry point, route or country
    #[arg(long, value_name = "ID")]
    subject: Option<String>,
    /// How many of the newest
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
}

pub async fn run(client: &Client, args: &EventsArgs) -> Result<End, Failure> {
    let mut filter = String::new();
    for (name, value) in [("kind", &args.kind), ("subject", &args.subject)] {
        if let Some(value) = value {
            filter.extend(["&", name, "=", &encoded(value)]);
        }
    }
    let page: Value = client.get(&format!("/api/v1/events?limit={}{filter}", args.limit)).await?;
    let mut items: Vec<Event> = parsed(page.get("items").cloned().unwrap_or_default())?;
    items.reverse();
    for event in &items {
        show(client, event)?;
    }
    if args.follow {
        let newest = match items.last() {
            Some(event) => event.id,
            // Nothing that fits yet: from the newest of all, so that none falls between two requests.
            None => newest_of_all(client).await?,
        };
        follow(client, &format!("/api/v1/events?{}", filter.trim_start_matches('&')), newest).await?;
    }
    Ok(End::Fine)
}

async fn newest_of_all(client: &Client) -> Result<u64, Failure> {
    let page: Value = client.get("/api/v1/events?limit=1").await?;
    let items: Vec<Event> = parsed(page.get("items").cloned().unwrap_or_default())?;
    Ok(items.first().map_or(0, |event| event.id))
}

/// Shows what happens after `newest`, for as long as it takes: an aggregator that is gone is waited for, and asked for what
/// happened meanwhile.
async fn follow(client: &Client, path: &str, mut newest: u64) -> Result<(), Failure> {
    let mut connected = client.follow(path, Some(newest)).await?;
    loop {
        let read = sse::read(connected, |message| match message.event.as_str() {
            "event" => {
                let event = serde_json::from_str::<Event>(&message.data);
                let event = event.map_err(|error| Failure::new(format!("an event cannot be read: {error}")))?;
                newest = event.id;
                show(client, &event)
            }
            "missed" => {
                print::note(&format!("some events are gone: {}", message.data));
                Ok(())
            }
            _ => Ok(()),
        });
        if let Err(failure) = read.await
            && !failure.passes
        {
            return Err(failure);
        }
        print::note("the aggregator is gone: waiting for it to come back");
        connected = again(client, path, newest).await?;
        print::note("it is back: going on behind the last event shown");
    }
}

/// A stream behind `newest`, as soon as there is one.
async fn again(client: &Client, path: &str, newest: u64) -> Result<Response, Failure> {
    let mut wait = RETRY_MIN;
    loop {
        tokio::time::sleep(wait).await;
        match client.renewed()?.follow(path, Some(newest)).await {
            Ok(connected) => return Ok(connected),
            Err(failure) if failure.passes => wait = (wait * 2).min(RETRY_MAX),
            Err(failure) => return Err(failure),
        }
    }
}

fn show(client: &Client, event: &Event) -> Result<(), Failure> {
    if client.json {
        return print::json(event);
    }
    let change = match (&event.from, &event.to) {
        (Some(from), Some(to)) => format!("{} → {}", print::word(from), print::word(to)),
        (None, Some(to)) => print::word(to),
        (Some(from), None) => format!("{} → –", print::word(from)),
        (None, None) => event.kind.replace('_', " "),
    };
    print::line_painted(&format!("{}  {}  {change}  {}", print::time(event.at_ms), event.subject, event.reason))
}
