//! One POST of JSON and the beginning of its answer. A client is made for each attempt: a few messages a minute at most gain
//! nothing from connections that are kept, and stale ones would cost attempts.

use std::time::Duration;

use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::{Client, RequestBuilder, Response, StatusCode};

use super::{CONNECT_MAX, Refusal, one_line, tls};

/// Read of an answer; what comes after it tells nobody anything.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// Longest wait that the other side may ask for.
const RETRY_AFTER_MAX: Duration = Duration::from_hours(1);

/// What the other side answered.
pub(super) struct Answer {
    pub status: StatusCode,
    /// The beginning of its body.
    pub body: String,
    location: Option<String>,
    retry_after: Option<Duration>,
}

/// Who asks. Proxies are those of the environment (`HTTPS_PROXY`, `NO_PROXY`).
pub(super) fn client(ca: Option<&str>) -> Result<Client, Refusal> {
    Client::builder()
        .tls_backend_preconfigured(tls::config(ca)?)
        .connect_timeout(CONNECT_MAX)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("quorate/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Refusal::later(format!("cannot make a client: {error}")))
}

/// Sends, and reads the beginning of the answer.
pub(super) async fn send(request: RequestBuilder) -> Result<Answer, Refusal> {
    let response = request.send().await.map_err(unreachable)?;
    let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let retry_after = header(RETRY_AFTER).and_then(|s| s.parse().ok()).map(Duration::from_secs);
    let (status, location) = (response.status(), header(LOCATION));
    Ok(Answer { status, location, retry_after, body: beginning(response).await })
}

/// The status alone tells what became of the message, so a body that breaks off is as good as one that ends.
async fn beginning(mut response: Response) -> String {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = ANSWER_BYTES_MAX - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() >= room {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// The URL may hold a token, so it is left out.
fn unreachable(error: reqwest::Error) -> Refusal {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    Refusal::later(one_line(&cause.to_string()))
}

impl Answer {
    /// What it said, or why that is no yes. `after` is when the body asks to come again.
    pub fn settled(self, after: Option<Duration>) -> Result<String, Refusal> {
        let Self { status, body, location, retry_after } = self;
        let said = match one_line(&body) {
            body if body.is_empty() => format!("HTTP {status}"),
            body => format!("HTTP {status}: {body}"),
        };
        if status.is_success() {
            return Ok(said);
        }
        if let Some(to) = location.filter(|_| status.is_redirection()) {
            let told = format!("HTTP {status}: redirects are not followed; if {} is right, write that", one_line(&to));
            return Err(Refusal::refused(told));
        }
        let again = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_EARLY, StatusCode::TOO_MANY_REQUESTS];
        if status.is_server_error() || again.contains(&status) {
            let after = after.or(retry_after).map(|after| after.min(RETRY_AFTER_MAX));
            return Err(Refusal::Later { said, after });
        }
        Err(Refusal::refused(said))
    }
}
