//! `notify`: where messages go, a test of that, and what became of them.

use std::io::Read as _;
use std::path::PathBuf;

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value, json};

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print};
use crate::api::notifications::channels::ChannelView;
use crate::api::notifications::deliveries::DeliveryView;
use crate::api::notifications::mutes::{MuteRequest, MuteView};
use crate::notify::channel::Settings;
use crate::notify::rules::{RuleEntry, RulesEntry};
use crate::notify::test_message::Tested;

mod add;

pub use add::AddCommand;

/// Everything that this asks is under here.
const AT: &str = "/api/v1/notifications";

/// What to do with messages.
#[derive(Debug, Subcommand)]
pub enum NotifyCommand {
    /// Add a channel, or replace it
    #[command(subcommand)]
    Add(AddCommand),
    /// List the channels
    List,
    /// Remove a channel, with what is on its way to it
    Remove {
        /// Its name
        id: String,
    },
    /// Send a test message, and print what the other side said; ends with 1 if it was not taken
    Test {
        /// The channel; all of them when absent
        id: Option<String>,
    },
    /// Tell nobody of a server for a while; what still stands then is told then
    Mute {
        /// The server
        server: String,
        /// For how many hours
        #[arg(long = "for", value_name = "HOURS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..))]
        hours: u32,
        /// Why, for those who wonder
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Tell of a server again
    Unmute {
        /// The server
        server: String,
    },
    /// List muted servers
    Mutes,
    /// List what is on its way
    Waiting,
    /// List what arrived
    Sent,
    /// List what was given up; ends with 1 if there is any
    Dead,
    /// Send a message again, under the name that it had
    Redeliver {
        /// Its number, as listed
        id: u64,
    },
    /// Print the rules, or replace them by a file
    Rules {
        /// JSON with all rules, as `--json` prints them; `-` is standard input
        #[arg(long, value_name = "FILE")]
        set: Option<PathBuf>,
    },
}

pub async fn run(client: &Client, command: &NotifyCommand) -> Result<End, Failure> {
    match command {
        NotifyCommand::Add(command) => add::run(client, command).await?,
        NotifyCommand::List => list(client).await?,
        NotifyCommand::Remove { id } => {
            remove(client, &format!("{AT}/channels/{}", encoded(id))).await?;
            say(client, &format!("{id} is removed"))?;
        }
        NotifyCommand::Test { id } => return test(client, id.as_deref()).await,
        NotifyCommand::Mute { server, hours, reason } => {
            let request = MuteRequest { for_s: u64::from(*hours) * 3600, reason: reason.clone() };
            let path = format!("{AT}/mutes/{}", encoded(server));
            let mute: MuteView = client.send(Method::PUT, &path, Some(&request), None).await?;
            if client.json {
                print::json(&mute)?;
            } else {
                print::line(&format!("nobody is told of {server} until {}", print::time(mute.until_ms)))?;
            }
        }
        NotifyCommand::Unmute { server } => {
            remove(client, &format!("{AT}/mutes/{}", encoded(server))).await?;
            say(client, &format!("{server} is told of again"))?;
        }
        NotifyCommand::Mutes => mutes(client).await?,
        NotifyCommand::Waiting => drop(deliveries(client, "waiting").await?),
        NotifyCommand::Sent => drop(deliveries(client, "sent").await?),
        NotifyCommand::Dead if deliveries(client, "dead").await? > 0 => return Ok(End::VerdictsStand),
        NotifyCommand::Dead => {}
        NotifyCommand::Redeliver { id } => {
            let path = format!("{AT}/deliveries/{id}/redeliver");
            let again: DeliveryView = client.send(Method::POST, &path, None::<&Value>, None).await?;
            if client.json {
                print::json(&again)?;
            } else {
                print::line(&format!("{id} is on its way to {} again", again.channel))?;
            }
        }
        NotifyCommand::Rules { set: None } => rules(client).await?,
        NotifyCommand::Rules { set: Some(file) } => {
            let rules: RulesEntry = serde_json::from_str(&read(file)?)
                .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?;
            let set: RulesEntry = client.send(Method::PUT, &format!("{AT}/rules"), Some(&rules), None).await?;
            say(client, &format!("{} rules are in force", set.rules.len()))?;
        }
    }
    Ok(End::Fine)
}

async fn remove(client: &Client, path: &str) -> Result<(), Failure> {
    client.send::<Value>(Method::DELETE, path, None::<&Value>, None).await.map(drop)
}

fn say(client: &Client, text: &str) -> Result<(), Failure> {
    if client.json { Ok(()) } else { print::line(text) }
}

async fn list(client: &Client) -> Result<(), Failure> {
    let found: Value = client.get(&format!("{AT}/channels")).await?;
    if client.json {
        return print::json(&found);
    }
    let channels: Vec<ChannelView> = parsed(found.get("items").cloned().unwrap_or_default())?;
    let mut table = print::table(&["Channel", "Kind", "Leads to", "Waiting", "Given up"]);
    for channel in channels {
        let kind = channel.settings.kind();
        let to = leads_to(&channel.settings);
        table.add_row([channel.id, kind.to_owned(), to, channel.waiting.to_string(), channel.dead.to_string()]);
    }
    print::show(&table)
}

fn leads_to(settings: &Settings) -> String {
    match settings {
        Settings::Webhook(entry) => entry.url.clone(),
        Settings::Mail(entry) => format!("{} by {}", entry.to.join(", "), entry.host),
        Settings::Telegram(entry) => format!("chat {}", entry.chat),
        Settings::Alertmanager(entry) => entry.url.clone(),
    }
}

async fn test(client: &Client, id: Option<&str>) -> Result<End, Failure> {
    let ids = if let Some(id) = id {
        vec![id.to_owned()]
    } else {
        let channels: Vec<ChannelView> = client.list(&format!("{AT}/channels")).await?;
        channels.into_iter().map(|channel| channel.id).collect()
    };
    if ids.is_empty() {
        return Err(Failure::new("there is no channel to test: add one with `notify add`"));
    }
    let mut end = End::Fine;
    let mut all = serde_json::Map::new();
    for id in ids {
        let path = format!("{AT}/channels/{}/test", encoded(&id));
        let tested: Tested = client.send(Method::POST, &path, None::<&Value>, None).await?;
        if !tested.ok {
            end = End::VerdictsStand;
        }
        let word = if tested.ok { "● sent" } else { "✕ not sent" };
        if !client.json {
            print::line_painted(&format!("{word} to {id} in {} ms: {}", tested.took_ms, tested.said))?;
        }
        all.insert(id, json!(tested));
    }
    if client.json {
        print::json(&all)?;
    }
    Ok(end)
}

async fn mutes(client: &Client) -> Result<(), Failure> {
    let found: Value = client.get(&format!("{AT}/mutes")).await?;
    if client.json {
        return print::json(&found);
    }
    let mutes: Vec<MuteView> = parsed(found.get("items").cloned().unwrap_or_default())?;
    let mut table = print::table(&["Server", "Until", "By", "Why"]);
    for mute in mutes {
        table.add_row([mute.server, print::time(mute.until_ms), mute.by, mute.reason]);
    }
    print::show(&table)
}

/// Prints those of a state, and how many there are.
async fn deliveries(client: &Client, state: &str) -> Result<usize, Failure> {
    let found: Value = client.get(&format!("{AT}/deliveries?state={state}")).await?;
    let deliveries: Vec<DeliveryView> = parsed(found.get("items").cloned().unwrap_or_default())?;
    let count = deliveries.len();
    if client.json {
        print::json(&found)?;
        return Ok(count);
    }
    let mut table = print::table(&["Number", "Channel", "Written", "Tries", "Said", "Message"]);
    for delivery in deliveries {
        table.add_row([
            delivery.id.to_string(),
            delivery.channel,
            print::time(delivery.made_at_ms),
            delivery.attempts.to_string(),
            delivery.said.unwrap_or_default(),
            delivery.title,
        ]);
    }
    print::show(&table)?;
    Ok(count)
}

async fn rules(client: &Client) -> Result<(), Failure> {
    let rules: RulesEntry = client.get(&format!("{AT}/rules")).await?;
    if client.json {
        return print::json(&rules);
    }
    print::line(&format!("What changes within {} s is one message.", rules.grouping_s))?;
    if rules.rules.is_empty() {
        return print::line("There are no rules: everything goes to every channel.");
    }
    let mut table = print::table(&["Rule", "Events", "At least", "About", "To", "Quiet"]);
    for (n, rule) in (1..).zip(&rules.rules) {
        let or_all = |words: &[String]| if words.is_empty() { "all".to_owned() } else { words.join(" ") };
        let quiet = rule.quiet.as_ref().map(|quiet| format!("{} to {} {}", quiet.from, quiet.to, quiet.zone));
        table.add_row([
            format!("{n}"),
            or_all(&rule.events),
            rule.at_least.clone().unwrap_or_else(|| "info".to_owned()),
            or_all(&about(rule)),
            or_all(&rule.channels),
            quiet.unwrap_or_default(),
        ]);
    }
    print::show(&table)
}

fn about(rule: &RuleEntry) -> Vec<String> {
    [&rule.servers, &rule.countries, &rule.routes].into_iter().flatten().cloned().collect()
}

/// A file, or standard input.
fn read(path: &std::path::Path) -> Result<String, Failure> {
    let mut text = String::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text).map(drop)
    } else {
        std::fs::read_to_string(path).map(|found| text = found)
    };
    read.map_err(|error| Failure::new(format!("{}: cannot be read: {error}", path.display())))?;
    Ok(text)
}
