//! `badge`: links that show a badge to whoever has them.

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::Value;

use super::client::Client;
use super::{End, Failure, print};
use crate::api::badges::links::{BadgeLink, BadgeLinkRequest};

/// What to do with badges.
#[derive(Debug, Subcommand)]
pub enum BadgeCommand {
    /// Make a link that shows one badge, or those of a route, to whoever has it; prints the HTML to paste
    Link(LinkArgs),
    /// End every link that was ever made
    EndLinks,
}

/// What a link shows, and for how long.
#[derive(Debug, Args)]
pub struct LinkArgs {
    /// The server
    #[arg(required_unless_present = "route", conflicts_with = "route")]
    server: Option<String>,
    /// The servers of this route
    #[arg(long, value_name = "ROUTE")]
    route: Option<String>,
    /// Of the route, the servers of this subscriber
    #[arg(long, requires = "route", value_name = "NAME")]
    subscriber: Option<String>,
    /// Of the route, the servers for this country
    #[arg(long, requires = "route", value_name = "COUNTRY")]
    country: Option<String>,
    /// Of the route, the servers of so many entry points
    #[arg(long, requires = "route", value_name = "N")]
    count: Option<usize>,
    /// For how many days it holds
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=3660))]
    days: u32,
}

const DAY_S: u64 = 86_400;
const LINKS: &str = "/api/v1/badge-links";

pub async fn run(client: &Client, command: &BadgeCommand) -> Result<End, Failure> {
    match command {
        BadgeCommand::Link(args) => link(client, args).await?,
        BadgeCommand::EndLinks => {
            client.send::<Value>(Method::DELETE, LINKS, None::<&Value>, None).await?;
            if !client.json {
                print::line("no link that was made until now shows anything any more")?;
            }
        }
    }
    Ok(End::Fine)
}

async fn link(client: &Client, args: &LinkArgs) -> Result<(), Failure> {
    let request = BadgeLinkRequest {
        server: args.server.clone(),
        route: args.route.clone(),
        subscriber: args.subscriber.clone(),
        country: args.country.clone(),
        count: args.count,
        valid_for_s: u64::from(args.days) * DAY_S,
    };
    let link: BadgeLink = client.send(Method::POST, LINKS, Some(&request), None).await?;
    if client.json {
        return print::json(&link);
    }
    print::line(&link.element)?;
    let images = [("image", &link.svg), ("shields.io", &link.shield)];
    for (name, address) in images.into_iter().filter_map(|(name, address)| Some((name, address.as_ref()?))) {
        print::line(&format!("{name}: {address}"))?;
    }
    print::line(&format!("JSON: {}", link.api))?;
    print::note(&format!("it shows this to whoever has it, until {}", print::time(link.until_s * 1000)));
    Ok(())
}
