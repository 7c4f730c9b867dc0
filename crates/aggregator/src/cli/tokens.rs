//! `token`: tokens of the API.

use clap::{Subcommand, ValueEnum};
use reqwest::Method;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print};
use crate::api::tokens::{MadeToken, TokenRequest, TokenView};

/// What to do with tokens.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token; it is shown this once
    Create {
        /// What to call it: who or what will have it
        name: String,
        /// What it may do
        #[arg(long, value_enum, default_value_t = ScopeArg::Read)]
        scope: ScopeArg,
        /// For how many days it holds; for ever when absent
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
    },
    /// List the tokens
    List,
    /// Revoke a token
    Revoke {
        /// Its id, as listed
        id: String,
    },
}

/// What a token may do.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ScopeArg {
    /// The feeds of routes alone
    Feed,
    /// See everything
    Read,
    /// Change things too
    Admin,
}

const DAY_S: u64 = 86_400;

pub async fn run(client: &Client, command: &TokenCommand) -> Result<End, Failure> {
    match command {
        TokenCommand::Create { name, scope, days } => {
            let scope = match scope {
                ScopeArg::Feed => "feed",
                ScopeArg::Read => "read",
                ScopeArg::Admin => "admin",
            };
            let valid_for_s = days.map(|days| u64::from(days) * DAY_S);
            let request = TokenRequest { name: name.clone(), scope: scope.to_owned(), valid_for_s };
            let made: MadeToken = client.send(Method::POST, "/api/v1/tokens", Some(&request), None).await?;
            if client.json {
                print::json(&made)?;
            } else {
                print::line(&made.token)?;
                print::note(&format!("'{}' ({scope}, id {}); it is not shown again", made.name, made.id));
            }
        }
        TokenCommand::List => list(client).await?,
        TokenCommand::Revoke { id } => {
            let path = format!("/api/v1/tokens/{}", encoded(id));
            client.send::<Value>(Method::DELETE, &path, None::<&Value>, None).await?;
            if !client.json {
                print::line(&format!("{id} is revoked"))?;
            }
        }
    }
    Ok(End::Fine)
}

async fn list(client: &Client) -> Result<(), Failure> {
    let found: Value = client.get("/api/v1/tokens").await?;
    if client.json {
        return print::json(&found);
    }
    let tokens: Vec<TokenView> = parsed(found.get("items").cloned().unwrap_or_default())?;
    let mut table = print::table(&["Id", "Name", "Scopes", "Made", "Until"]);
    for token in tokens {
        table.add_row([
            token.id,
            token.name,
            token.scopes.join(" "),
            print::time(token.created_at_ms),
            token.expires_at_ms.map_or_else(|| "it is revoked".to_owned(), print::time),
        ]);
    }
    print::show(&table)
}
