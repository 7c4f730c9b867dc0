//! `events`: what happened, and with `--follow` what happens.

use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print, sse};
use crate::engine::Event;
use crate::event::Kind;

/// Which events.
#[derive(Debug, Args)]
pub struct EventsArgs {
    /// Go on as they happen, until interrupted
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
        // Those after the newest shown, so that none falls between the two requests.
        let newest = items.last().map(|event| event.id);
        let stream = client.follow(&format!("/api/v1/events?{}", filter.trim_start_matches('&')), newest).await?;
        sse::read(stream, |message| match message.event.as_str() {
            "event" => {
                let event = serde_json::from_str::<Event>(&message.data);
                show(client, &event.map_err(|error| Failure::new(format!("an event cannot be read: {error}")))?)
            }
            "missed" => {
                print::note(&format!("some events are gone: {}", message.data));
                Ok(())
            }
            _ => Ok(()),
        })
        .await?;
    }
    Ok(End::Fine)
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
