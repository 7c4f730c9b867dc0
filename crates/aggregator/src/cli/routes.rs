//! `route`: the routes of the inventory, and what each delivers.

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::servers::{inventory, say};
use super::{End, Failure, print};
use crate::api::changes::Changed;
use crate::api::feed::Feed;
use crate::api::routes::RoutePage;
use crate::inventory::RouteEntry;

/// What to do with routes.
#[derive(Debug, Subcommand)]
pub enum RouteCommand {
    /// Add a route
    Add {
        /// Its name
        id: String,
        /// Ids of entry points, in the order in which they are offered
        #[arg(required = true, value_name = "ENTRY_POINT")]
        entry_points: Vec<String>,
        /// Country whose users it serves (repeat for more)
        #[arg(long, value_name = "COUNTRY")]
        audience: Vec<String>,
        /// Even if it has no entry point of an active server
        #[arg(long)]
        force: bool,
    },
    /// Change a route; what is not named stays
    Set {
        /// Its name
        id: String,
        /// Ids of entry points, in the order in which they are offered
        #[arg(value_name = "ENTRY_POINT")]
        entry_points: Vec<String>,
        /// Country whose users it serves (repeat for more)
        #[arg(long, value_name = "COUNTRY", conflicts_with = "everybody")]
        audience: Vec<String>,
        /// It serves users of all countries
        #[arg(long)]
        everybody: bool,
        /// Even if it is left without an active entry point
        #[arg(long)]
        force: bool,
    },
    /// Remove a route
    Remove {
        /// Its name
        id: String,
    },
    /// List the routes and what each delivers
    List,
}

pub async fn run(client: &Client, command: &RouteCommand) -> Result<End, Failure> {
    match command {
        RouteCommand::Add { id, entry_points, audience, force } => {
            let (version, inventory) = inventory(client).await?;
            if inventory.routes.iter().any(|route| route.id == *id) {
                return Err(Failure::new(format!("route '{id}' exists: change it with `route set {id}`")));
            }
            let route = RouteEntry { id: id.clone(), entry_points: entry_points.clone(), audience: audience.clone() };
            put(client, &route, version, *force).await?;
        }
        RouteCommand::Set { id, entry_points, audience, everybody, force } => {
            let (version, inventory) = inventory(client).await?;
            let found = inventory.routes.into_iter().find(|route| route.id == *id);
            let mut route = found.ok_or_else(|| Failure::new(format!("no route is called '{id}'")))?;
            if !entry_points.is_empty() {
                route.entry_points.clone_from(entry_points);
            }
            if *everybody || !audience.is_empty() {
                route.audience.clone_from(audience);
            }
            put(client, &route, version, *force).await?;
        }
        RouteCommand::Remove { id } => {
            let path = format!("/api/v1/routes/{}", encoded(id));
            let changed: Changed = client.send(Method::DELETE, &path, None::<&Value>, None).await?;
            say(client, &changed, &format!("{id} is removed"))?;
        }
        RouteCommand::List => return list(client).await,
    }
    Ok(End::Fine)
}

async fn put(client: &Client, route: &RouteEntry, version: u64, force: bool) -> Result<(), Failure> {
    let path = format!("/api/v1/routes/{}?force={force}", encoded(&route.id));
    let changed: Changed = client.send(Method::PUT, &path, Some(route), Some(version)).await?;
    say(client, &changed, &format!("{} is set", route.id))
}

/// All routes.
pub async fn list(client: &Client) -> Result<End, Failure> {
    let found: Vec<Value> = client.list("/api/v1/routes").await?;
    let routes: Vec<RoutePage> = found.iter().cloned().map(parsed).collect::<Result<_, _>>()?;
    let end = if routes.iter().any(|route| route.feed.last_resort) { End::VerdictsStand } else { End::Fine };
    if client.json {
        print::json(&found)?;
        return Ok(end);
    }
    if routes.is_empty() {
        print::line("No routes yet: add one with `quorate-aggregator route add ID ENTRY_POINT...`.")?;
    }
    for route in &routes {
        show(route)?;
    }
    Ok(end)
}

/// One route, for `explain`.
pub fn explain(client: &Client, found: &Value) -> Result<End, Failure> {
    let route: RoutePage = parsed(found.clone())?;
    let end = if route.feed.last_resort { End::VerdictsStand } else { End::Fine };
    if client.json {
        print::json(found)?;
    } else {
        show(&route)?;
    }
    Ok(end)
}

fn show(route: &RoutePage) -> Result<(), Failure> {
    let audience =
        if route.audience.is_empty() { String::new() } else { format!(" for {}", route.audience.join(", ")) };
    let Feed { deliver, withheld, last_resort, .. } = &route.feed;
    let resort = if *last_resort { ": \x1b[1;31mLAST RESORT\x1b[0m, nothing good is left" } else { "" };
    print::line(&format!("{}{audience} delivers {} of {}{resort}", route.id, deliver.len(), route.entry_points.len()))?;
    let mut table = print::table(&["", "Entry point", "Tier", "State", "Why"]);
    for offered in deliver {
        let why = offered.reason.clone().unwrap_or_default();
        table.add_row([
            "+".to_owned(),
            offered.entry_point.clone(),
            offered.tier.to_string(),
            print::word(&offered.state),
            why,
        ]);
    }
    for held in withheld {
        let since = held.failing_since_ms.map(|since| format!(", failing since {}", print::time(since)));
        let since = since.unwrap_or_default();
        table.add_row([
            "-".to_owned(),
            held.entry_point.clone(),
            held.tier.to_string(),
            print::word(&held.state),
            format!("withheld: {}{since}", held.reason),
        ]);
    }
    for id in &route.disabled {
        let why = "its server is disabled: not probed, and not delivered".to_owned();
        table.add_row(["-".to_owned(), id.clone(), "–".to_owned(), print::word("disabled"), why]);
    }
    print::show(&table)
}
