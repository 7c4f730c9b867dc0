//! `edge`: the forwarders before the gateway.

use clap::{Subcommand, ValueEnum};
use reqwest::Method;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::servers::{inventory, say};
use super::{End, Failure, print};
use crate::api::changes::Changed;
use crate::api::edges::EdgeView;
use crate::inventory::{EdgeEntry, ProxyEntry};

/// What to do with edges.
#[derive(Debug, Subcommand)]
pub enum EdgeCommand {
    /// Add an edge
    Add {
        /// Its name
        id: String,
        /// Address or CIDR block that its connections come from (repeat for more)
        #[arg(long = "network", required = true, value_name = "NETWORK")]
        networks: Vec<String>,
        /// Whether its connections must begin with a PROXY protocol header
        #[arg(long, value_enum, default_value = "optional")]
        proxy: ProxyArg,
    },
    /// Change an edge; what is not named stays
    Set {
        /// Its name
        id: String,
        /// Address or CIDR block that its connections come from (repeat for more; replaces all)
        #[arg(long = "network", value_name = "NETWORK")]
        networks: Vec<String>,
        /// Whether its connections must begin with a PROXY protocol header
        #[arg(long, value_enum)]
        proxy: Option<ProxyArg>,
    },
    /// Remove an edge: its connections are then those of any other address
    Remove {
        /// Its name
        id: String,
    },
    /// List the edges
    List,
}

/// Whether connections of an edge begin with a header.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ProxyArg {
    /// With or without, while forwarders are changed one by one
    Optional,
    /// Always: one without is closed
    Require,
}

impl From<ProxyArg> for ProxyEntry {
    fn from(arg: ProxyArg) -> Self {
        match arg {
            ProxyArg::Optional => Self::Optional,
            ProxyArg::Require => Self::Require,
        }
    }
}

pub async fn run(client: &Client, command: &EdgeCommand) -> Result<End, Failure> {
    match command {
        EdgeCommand::Add { id, networks, proxy } => {
            let (version, inventory) = inventory(client).await?;
            if inventory.edges.iter().any(|edge| edge.id == *id) {
                return Err(Failure::new(format!("edge '{id}' exists: change it with `edge set {id}`")));
            }
            let (networks, proxy) = (networks.clone(), (*proxy).into());
            put(client, &EdgeEntry { id: id.clone(), networks, proxy, optional_since_ms: None }, version).await?;
        }
        EdgeCommand::Set { id, networks, proxy } => {
            let (version, inventory) = inventory(client).await?;
            let found = inventory.edges.into_iter().find(|edge| edge.id == *id);
            let mut edge = found.ok_or_else(|| Failure::new(format!("no edge is called '{id}'")))?;
            if !networks.is_empty() {
                edge.networks.clone_from(networks);
            }
            if let Some(proxy) = *proxy {
                edge.proxy = proxy.into();
            }
            put(client, &edge, version).await?;
        }
        EdgeCommand::Remove { id } => {
            let path = format!("/api/v1/edges/{}", encoded(id));
            let changed: Changed = client.send(Method::DELETE, &path, None::<&Value>, None).await?;
            say(client, &changed, &format!("{id} is removed"))?;
        }
        EdgeCommand::List => list(client).await?,
    }
    Ok(End::Fine)
}

async fn put(client: &Client, edge: &EdgeEntry, version: u64) -> Result<(), Failure> {
    let path = format!("/api/v1/edges/{}", encoded(&edge.id));
    let changed: Changed = client.send(Method::PUT, &path, Some(edge), Some(version)).await?;
    say(client, &changed, &format!("{} is set", edge.id))
}

async fn list(client: &Client) -> Result<(), Failure> {
    let found: Vec<Value> = client.list("/api/v1/edges").await?;
    if client.json {
        return print::json(&found);
    }
    let edges: Vec<EdgeView> = found.into_iter().map(parsed).collect::<Result<_, _>>()?;
    if edges.is_empty() {
        return print::line("No edges yet: add one with `quorate-aggregator edge add ID --network ADDRESS`.");
    }
    let mut table = print::table(&["Edge", "Networks", "PROXY header", "Sessions"]);
    for EdgeView { declared, sessions, .. } in &edges {
        let since = declared.optional_since_ms.map(|since| format!(" since {}", print::time(since)));
        table.add_row([
            declared.id.clone(),
            declared.networks.join(", "),
            format!("{}{}", declared.proxy.as_str(), since.unwrap_or_default()),
            sessions.to_string(),
        ]);
    }
    print::show(&table)?;
    for EdgeView { declared, warning, .. } in &edges {
        if let Some(warning) = warning {
            print::line_painted(&format!("▲ {}: {warning}", declared.id))?;
        }
    }
    Ok(())
}
