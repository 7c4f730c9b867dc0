//! `enroll` and `revoke`: a server's agent.

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use super::client::{Client, encoded};
use super::{End, Failure, print};
use crate::api::enrolment::Enrolment;

/// Whose agent.
#[derive(Debug, Args)]
pub struct EnrollArgs {
    /// The server, as in the inventory
    server: String,
}

/// Whose agent.
#[derive(Debug, Args)]
pub struct RevokeArgs {
    /// The server; it may have left the inventory
    server: String,
}

pub async fn run(client: &Client, args: &EnrollArgs) -> Result<End, Failure> {
    let path = format!("/api/v1/servers/{}/enrolment", encoded(&args.server));
    let enrolment: Enrolment = client.send(Method::POST, &path, None::<&Value>, None).await?;
    if client.json {
        print::json(&enrolment)?;
    } else {
        print::line(&enrolment.command)?;
        print::note(&format!("run it on {} within the hour; it works once", enrolment.server));
    }
    Ok(End::Fine)
}

pub async fn revoke(client: &Client, args: &RevokeArgs) -> Result<End, Failure> {
    let path = format!("/api/v1/servers/{}/revoke", encoded(&args.server));
    client.send::<Value>(Method::POST, &path, None::<&Value>, None).await?;
    if !client.json {
        print::line(&format!("{}: its certificates, enrolments and sessions are ended", args.server))?;
    }
    Ok(End::Fine)
}
