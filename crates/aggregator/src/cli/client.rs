//! The way from the command line to a running aggregator.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Failure;
use super::progress::Progress;
use crate::api::problem::Problem;
use crate::serve::{ADMIN_TOKEN_FILE, API_URL_FILE};
pub use crate::text::encoded;

/// Which aggregator to ask, as whom, and how to print.
#[derive(Debug, Clone, Args)]
pub struct Reach {
    /// Where the aggregator's API is; when absent, the one that runs on --data-dir, else on port 8440 of this machine
    #[arg(long, global = true, env = "QUORATE_URL", value_name = "URL")]
    pub url: Option<String>,
    /// Token of the API; when absent, the admin token in --data-dir
    #[arg(long, global = true, env = "QUORATE_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub token: Option<String>,
    /// The aggregator's data
    #[arg(long, global = true, env = "QUORATE_DATA_DIR", default_value = "/var/lib/quorate", value_name = "DIR")]
    pub data_dir: PathBuf,
    /// Print JSON, for programs
    #[arg(long, global = true)]
    pub json: bool,
}

/// Where the API is when nothing says otherwise.
const URL: &str = "http://127.0.0.1:8440";
/// Longest that an answer may take; a little more than the aggregator gives itself.
const ANSWER_MAX: Duration = Duration::from_secs(35);
/// Longest that a connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// A way to ask.
pub struct Client {
    http: reqwest::Client,
    reach: Reach,
    url: String,
    token: String,
    /// Print JSON.
    pub json: bool,
}

impl Client {
    /// The aggregator that is meant, with the token that is meant.
    pub fn new(reach: &Reach) -> Result<Self, Failure> {
        let url = match &reach.url {
            Some(url) => url.clone(),
            None => fs::read_to_string(reach.data_dir.join(API_URL_FILE)).unwrap_or_else(|_| URL.to_owned()),
        };
        let url = url.trim().trim_end_matches('/').to_owned();
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Err(Failure::new(format!("--url '{url}': start it with http:// or https://")));
        }
        let token = match &reach.token {
            Some(token) => token.clone(),
            None => file_token(reach)?,
        };
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls())
            .connect_timeout(CONNECT_MAX)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| Failure::new(format!("cannot make a client: {error}")))?;
        Ok(Self { http, reach: reach.clone(), url, token: token.trim().to_owned(), json: reach.json })
    }

    /// The same once more, for an aggregator that came back: its port may be another one.
    pub fn renewed(&self) -> Result<Self, Failure> {
        Self::new(&self.reach)
    }

    /// Asks and reads the answer.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.read(self.request(Method::GET, path).timeout(ANSWER_MAX)).await
    }

    /// Asks and takes the answer as it is.
    pub async fn text(&self, path: &str) -> Result<String, Failure> {
        let response = self.answered(self.request(Method::GET, path).timeout(ANSWER_MAX)).await?;
        response.text().await.map_err(|error| self.unreachable(&error))
    }

    /// All rows of a paged list.
    pub async fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>, Failure> {
        let mut rows = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mark = if path.contains('?') { '&' } else { '?' };
            let after_part = after.map(|after| format!("&after={}", encoded(&after))).unwrap_or_default();
            let page: Value = self.get(&format!("{path}{mark}limit=1000{after_part}")).await?;
            let items = page.get("items").cloned().unwrap_or_default();
            rows.extend(parsed::<Vec<T>>(items)?);
            match page.get("next").and_then(Value::as_str) {
                Some(next) => after = Some(next.to_owned()),
                None => return Ok(rows),
            }
        }
    }

    /// Sends a change; `if_match` is the version that it was made from.
    pub async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&impl Serialize>,
        if_match: Option<u64>,
    ) -> Result<T, Failure> {
        let mut request = self.request(method, path).timeout(ANSWER_MAX);
        if let Some(body) = body {
            request = request.json(body);
        }
        if let Some(version) = if_match {
            request = request.header("if-match", crate::api::etag::of_inventory(version));
        }
        self.read(request).await
    }

    /// Opens a stream of events after `after`.
    pub async fn follow(&self, path: &str, after: Option<u64>) -> Result<Response, Failure> {
        let mut request = self.request(Method::GET, path).header("accept", "text/event-stream");
        if let Some(after) = after {
            request = request.header("last-event-id", after);
        }
        self.answered(request).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    async fn read<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, Failure> {
        let response = self.answered(request).await?;
        let body = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        let body = if body.is_empty() { b"null".as_slice() } else { &body };
        serde_json::from_slice(body).map_err(|error| {
            Failure::new(format!(
                "{} answered what this version cannot read ({error}): is it the aggregator?",
                self.url
            ))
        })
    }

    async fn answered(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let progress = Progress::of(format!("waiting for {}", self.url));
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        drop(progress);
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status();
        let problem = response.bytes().await.ok().and_then(|body| serde_json::from_slice::<Problem>(&body).ok());
        let told = match problem {
            Some(problem) => refusal(&problem),
            None if status == StatusCode::NOT_FOUND => {
                format!("{} does not know this request: is it the aggregator's URL?", self.url)
            }
            None => format!("{} answered {status}", self.url),
        };
        // A proxy says these while there is nobody behind it, the aggregator while it begins or ends.
        let passes = [StatusCode::BAD_GATEWAY, StatusCode::SERVICE_UNAVAILABLE, StatusCode::GATEWAY_TIMEOUT];
        Err(if passes.contains(&status) { Failure::passing(told) } else { Failure::new(told) })
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        Failure::passing(format!(
            "{} cannot be reached ({cause}): is the aggregator running? Give --url if it is elsewhere",
            self.url
        ))
    }
}

fn refusal(problem: &Problem) -> String {
    match (&problem.owner, &problem.field) {
        // Most texts say whose field it is already.
        (Some(owner), Some(field)) if !problem.detail.contains(&**owner) => {
            format!("{owner}: {field}: {}", problem.detail)
        }
        _ if problem.kind.ends_with(":route_would_be_empty") => format!("{} (--force)", problem.detail),
        _ => problem.detail.clone(),
    }
}

fn file_token(reach: &Reach) -> Result<String, Failure> {
    let path = reach.data_dir.join(ADMIN_TOKEN_FILE);
    fs::read_to_string(&path).map_err(|error| {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "is not there".to_owned(),
            io::ErrorKind::PermissionDenied => "may not be read by you".to_owned(),
            _ => format!("cannot be read: {error}"),
        };
        Failure::new(format!("no token: {} {why}; give --token, or --data-dir of the aggregator", path.display()))
    })
}

/// A value as the type that this version knows.
pub fn parsed<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value)
        .map_err(|error| Failure::new(format!("the aggregator answered what this version cannot read: {error}")))
}

fn tls() -> rustls::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring has the suites of TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth()
}
