//! What was told of the edges, kept in the store, so that a restart tells nothing twice and forgets no end.

use quorate_core::edge_watch::{About, Standing, Trouble};
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};

use crate::store::Store;

/// Where the store keeps it.
const STANDING: &str = "edge_watch";

/// What the store has.
#[derive(Debug, Default)]
pub(super) struct Memory {
    kept: Vec<Kept>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    trouble: String,
    about: KeptAbout,
    since_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KeptAbout {
    Gateway,
    Address(std::net::SocketAddr),
    Edge(String),
    Agent(String),
}

impl Memory {
    /// What stood when the last process ended. What cannot be read is forgotten: it is told once more, no worse.
    pub async fn read(store: &Store) -> Self {
        let kept = match store.meta(STANDING).await {
            Ok(kept) => kept,
            Err(error) => {
                tracing::warn!("what was told of the edges is not known, and may be told again: {error}");
                None
            }
        };
        Self { kept: kept.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default() }
    }

    pub fn standing(&self) -> Vec<Standing> {
        self.kept.iter().filter_map(Kept::standing).collect()
    }

    /// Writes down what stands, if it is news.
    pub async fn keep(&mut self, store: &Store, standing: &[Standing]) {
        let kept: Vec<Kept> = standing.iter().map(Kept::of).collect();
        if kept == self.kept {
            return;
        }
        let text = serde_json::to_string(&kept).unwrap_or_default();
        match store.set_meta(STANDING, &text).await {
            Ok(()) => self.kept = kept,
            Err(error) => tracing::warn!("what was told of the edges waits for the database: {error}"),
        }
    }
}

impl Kept {
    fn of(standing: &Standing) -> Self {
        let about = match &standing.about {
            About::Gateway => KeptAbout::Gateway,
            About::Address(at) => KeptAbout::Address(*at),
            About::Edge(id) => KeptAbout::Edge(id.to_string()),
            About::Agent(server) => KeptAbout::Agent(server.to_string()),
        };
        Self { trouble: standing.trouble.as_str().to_owned(), about, since_ms: standing.since.as_ms() }
    }

    fn standing(&self) -> Option<Standing> {
        let about = match &self.about {
            KeptAbout::Gateway => About::Gateway,
            KeptAbout::Address(at) => About::Address(*at),
            KeptAbout::Edge(id) => About::Edge(id.as_str().into()),
            KeptAbout::Agent(server) => About::Agent(server.as_str().into()),
        };
        let trouble = Trouble::ALL.into_iter().find(|trouble| trouble.as_str() == self.trouble)?;
        Some(Standing { trouble, about, since: Moment::from_ms(self.since_ms) })
    }
}
