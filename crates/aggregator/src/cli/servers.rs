//! `server` and `verifier`: the servers of the inventory.

use clap::{Args, Subcommand, ValueEnum};
use reqwest::Method;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print};
use crate::api::changes::Changed;
use crate::api::view::ServerRow;
use crate::inventory::allowed;
use crate::inventory::{EntryPointEntry, IntentEntry, Inventory, ServerEntry};

/// What to do with servers.
#[derive(Debug, Subcommand)]
pub enum ServerCommand {
    /// Add a server
    Add {
        /// Its name
        id: String,
        /// IP address or host name that its entry points are dialled at
        #[arg(long)]
        address: String,
        #[command(flatten)]
        fields: Fields,
    },
    /// Change a server; what is not named stays
    Set {
        /// Its name
        id: String,
        /// IP address or host name that its entry points are dialled at
        #[arg(long)]
        address: Option<String>,
        #[command(flatten)]
        fields: Fields,
        /// Even if a route is left without an active entry point
        #[arg(long)]
        force: bool,
    },
    /// Remove a server, and its entry points from all routes
    Remove {
        /// Its name
        id: String,
        /// Even if a route is left without an active entry point
        #[arg(long)]
        force: bool,
    },
    /// List the servers
    List,
}

/// What may be said of a server.
#[derive(Debug, Args)]
pub struct Fields {
    /// Two capital letters
    #[arg(long)]
    country: Option<String>,
    /// Failure domain; the address's /24 or /48 when absent
    #[arg(long)]
    site: Option<String>,
    /// Its word on a single pair is trusted
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "true|false")]
    verifier: Option<bool>,
    /// What you want of it
    #[arg(long, value_enum)]
    intent: Option<IntentArg>,
    /// An entry point, as comma-separated fields: name=tls,probe=tls,port=443,sni=example.com (repeat for more; replaces all)
    #[arg(long = "entry-point", value_name = "FIELDS", value_parser = entry_point)]
    entry_points: Vec<EntryPointEntry>,
}

/// What the operator wants of a server.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum IntentArg {
    /// Probe, vote, deliver
    Active,
    /// Probe, vote, do not deliver
    Drained,
    /// Nothing
    Disabled,
}

/// Whether a server is a verifier.
#[derive(Debug, Args)]
pub struct VerifierArgs {
    /// The server
    server: String,
    /// On or off
    switch: Switch,
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// Its word on a single pair is trusted
    On,
    /// It is a server like others
    Off,
}

pub async fn run(client: &Client, command: &ServerCommand) -> Result<End, Failure> {
    match command {
        ServerCommand::Add { id, address, fields } => {
            let (version, inventory) = inventory(client).await?;
            if inventory.servers.iter().any(|server| server.id == *id) {
                return Err(Failure::new(format!("server '{id}' exists: change it with `server set {id}`")));
            }
            let mut server = ServerEntry {
                id: id.clone(),
                address: address.clone(),
                country: None,
                site: None,
                verifier: false,
                intent: IntentEntry::Active,
                entry_points: Vec::new(),
            };
            fields.apply(&mut server);
            put(client, &server, version, false).await?;
        }
        ServerCommand::Set { id, address, fields, force } => {
            change(client, id, *force, |server| {
                if let Some(address) = address {
                    server.address.clone_from(address);
                }
                fields.apply(server);
            })
            .await?;
        }
        ServerCommand::Remove { id, force } => {
            let path = format!("/api/v1/servers/{}?force={force}", encoded(id));
            let changed: Changed = client.send(Method::DELETE, &path, None::<&Value>, None).await?;
            say(client, &changed, &format!("{id} is removed"))?;
        }
        ServerCommand::List => list(client).await?,
    }
    Ok(End::Fine)
}

pub async fn verifier(client: &Client, args: &VerifierArgs) -> Result<End, Failure> {
    change(client, &args.server, false, |server| server.verifier = args.switch == Switch::On).await?;
    Ok(End::Fine)
}

async fn change(client: &Client, id: &str, force: bool, edit: impl FnOnce(&mut ServerEntry)) -> Result<(), Failure> {
    let (version, inventory) = inventory(client).await?;
    let found = inventory.servers.into_iter().find(|server| server.id == id);
    let mut server = found.ok_or_else(|| Failure::new(format!("no server is called '{id}'")))?;
    edit(&mut server);
    put(client, &server, version, force).await
}

async fn put(client: &Client, server: &ServerEntry, version: u64, force: bool) -> Result<(), Failure> {
    let path = format!("/api/v1/servers/{}?force={force}", encoded(&server.id));
    let changed: Changed = client.send(Method::PUT, &path, Some(server), Some(version)).await?;
    say(client, &changed, &format!("{} is set", server.id))?;
    if let Some(needed) = allowed::needed(server).filter(|_| changed.changed) {
        print::note(&format!("note: {needed}"));
    }
    Ok(())
}

/// Tells of a change.
pub fn say(client: &Client, changed: &Changed, told: &str) -> Result<(), Failure> {
    if client.json {
        print::json(changed)
    } else if changed.changed {
        print::line(&format!("{told} (inventory {})", changed.inventory_version))
    } else {
        print::line("nothing to change")
    }
}

/// The inventory and its version.
pub async fn inventory(client: &Client) -> Result<(u64, Inventory), Failure> {
    let fleet: Value = client.get("/api/v1/fleet").await?;
    let version = fleet.get("inventory_version").and_then(Value::as_u64).unwrap_or_default();
    Ok((version, client.get("/api/v1/inventory").await?))
}

async fn list(client: &Client) -> Result<(), Failure> {
    let found: Vec<Value> = client.list("/api/v1/servers").await?;
    if client.json {
        return print::json(&found);
    }
    let rows: Vec<ServerRow> = found.into_iter().map(parsed).collect::<Result<_, _>>()?;
    let mut table = print::table(&["Server", "Country", "Site", "Intent", "Verifier", "Status", "Entry points"]);
    for row in rows {
        let points: Vec<String> = row
            .entry_points
            .iter()
            .map(|point| format!("{} ({})", point.id, point.address.as_deref().unwrap_or("-")))
            .collect();
        table.add_row([
            row.id,
            row.country.unwrap_or_default(),
            row.site,
            row.intent,
            if row.verifier { "yes".to_owned() } else { String::new() },
            print::word(&row.status),
            points.join(", "),
        ]);
    }
    print::show(&table)
}

impl Fields {
    fn apply(&self, server: &mut ServerEntry) {
        if self.country.is_some() {
            server.country.clone_from(&self.country);
        }
        if self.site.is_some() {
            server.site.clone_from(&self.site);
        }
        if let Some(verifier) = self.verifier {
            server.verifier = verifier;
        }
        if let Some(intent) = self.intent {
            server.intent = match intent {
                IntentArg::Active => IntentEntry::Active,
                IntentArg::Drained => IntentEntry::Drained,
                IntentArg::Disabled => IntentEntry::Disabled,
            };
        }
        if !self.entry_points.is_empty() {
            server.entry_points.clone_from(&self.entry_points);
        }
    }
}

/// `name=tls,port=443,…`: the same names as in the inventory; lists have `+` between their parts.
fn entry_point(text: &str) -> Result<EntryPointEntry, String> {
    let mut fields = serde_json::Map::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').ok_or_else(|| format!("'{part}': write NAME=VALUE"))?;
        let value = match name {
            "port" | "expect_status" | "min_bytes" | "every" | "weight" => {
                let number: u64 = value.parse().map_err(|_| format!("{name}: '{value}' is no number"))?;
                Value::from(number)
            }
            "alpn" | "pins" | "upstreams" => value.split('+').map(Value::from).collect(),
            _ => Value::from(value),
        };
        fields.insert(name.to_owned(), value);
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| error.to_string())
}
