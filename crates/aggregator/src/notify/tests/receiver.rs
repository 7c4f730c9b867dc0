//! The other side of a channel: keeps what comes, and answers as it is told to.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How to answer.
#[derive(Debug, Clone)]
pub enum Answer {
    /// With that status and body.
    With(u16, String),
    /// With a redirect.
    Elsewhere(String),
    /// Yes, and then without end.
    Endlessly,
    /// Never.
    Never,
}

/// What came.
#[derive(Debug, Clone)]
pub struct Got {
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// How it was answered.
    pub status: u16,
}

impl Got {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub struct Receiver {
    pub addr: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    answers: Mutex<VecDeque<Answer>>,
    got: Mutex<Vec<Got>>,
}

impl Receiver {
    /// Says yes to everything.
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let shared = Arc::new(Shared { answers: Mutex::default(), got: Mutex::default() });
        let router = Router::new().fallback(take).with_state(shared.clone());
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { addr, shared, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.addr)
    }

    /// The next answers; yes again after them.
    pub fn will(&self, answers: impl IntoIterator<Item = Answer>) {
        self.shared.answers.lock().unwrap().extend(answers);
    }

    /// Everything that came, also what was answered with no.
    pub fn got(&self) -> Vec<Got> {
        self.shared.got.lock().unwrap().clone()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let answer = shared.answers.lock().unwrap().pop_front().unwrap_or(Answer::With(200, String::new()));
    let status = match &answer {
        Answer::With(status, _) => *status,
        Answer::Elsewhere(_) => 302,
        Answer::Endlessly => 200,
        Answer::Never => 0,
    };
    shared.got.lock().unwrap().push(Got { path: uri.path().to_owned(), headers, body, status });
    match answer {
        Answer::With(status, body) => (StatusCode::from_u16(status).unwrap(), body).into_response(),
        Answer::Elsewhere(to) => (StatusCode::FOUND, [("location", to)]).into_response(),
        Answer::Endlessly => {
            let chunks = futures_util::stream::repeat_with(|| Ok::<_, std::convert::Infallible>("talk ".repeat(200)));
            Body::from_stream(chunks).into_response()
        }
        Answer::Never => std::future::pending().await,
    }
}
