//! `edge`: the forwarders before the gateway.

use clap::{Subcommand, ValueEnum};
use reqwest::Method;
use serde_json::Value;

use super::client::{Client, encoded};
use super::servers::{inventory, say};
use super::{End, Failure};
use crate::api::changes::Changed;
use crate::inventory::{EdgeEntry, ProxyEntry};

mod check;
mod list;

pub use check::run as check;

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
    /// List the edges: what the aggregator finds when it knocks on them, and how many agents come through each
    List,
    /// One edge: its addresses, what stands, and which agents come through it since when
    Show {
        /// Its name
        id: String,
    },
    /// Run on a third host: prove that only edges reach the gateway, and find what public names it
    ///
    /// Resolves the name that agents dial, and knocks on each edge: TCP to the edge itself, TLS through it to the gateway.
    /// Then knocks on the gateway's own address, which must not answer. Then looks at what the public sees: where names
    /// lead, certificates, reverse DNS, pages, feeds and badges. Neither an edge nor the gateway's host can tell: they may
    /// be let in.
    ///
    /// Ends with 0 if all is as it should be, 1 if something stands, 2 if it could not look.
    Check(check::CheckArgs),
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
        EdgeCommand::List => return list::list(client).await,
        EdgeCommand::Show { id } => return list::show(client, id).await,
        EdgeCommand::Check(_) => unreachable!("it needs no aggregator, and was taken before one was sought"),
    }
    Ok(End::Fine)
}

async fn put(client: &Client, edge: &EdgeEntry, version: u64) -> Result<(), Failure> {
    let path = format!("/api/v1/edges/{}", encoded(&edge.id));
    let changed: Changed = client.send(Method::PUT, &path, Some(edge), Some(version)).await?;
    say(client, &changed, &format!("{} is set", edge.id))
}
