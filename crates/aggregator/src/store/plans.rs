//! Plans: what the outcomes of a report mean, target by target.
//!
//! A target is probed by many, so a document names each once and lists positions, and is packed: a full mesh of a thousand
//! servers is a million lines otherwise.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use quorate_core::time::Moment;
use serde::{Deserialize, Serialize};

use super::convert::{bound, ms, number, unsigned};
use super::error::{Failure, StoreError};
use super::{Store, commit_at};

/// What each server probes under one version, in the order of the outcomes in its reports.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredPlan {
    /// Targets by server.
    pub by_server: BTreeMap<String, Vec<PlannedTarget>>,
}

/// One target of a plan.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PlannedTarget {
    /// The entry point's id.
    pub entry_point: String,
    /// What is dialled and how, as text that only compares.
    pub address: String,
}

/// A plan with each target named once.
#[derive(Serialize, Deserialize)]
struct Document {
    targets: Vec<PlannedTarget>,
    by_server: BTreeMap<String, Vec<u32>>,
}

impl Store {
    /// Stores a plan under its version; the same version again replaces it.
    pub async fn save_plan(&self, version: u64, at: Moment, plan: &StoredPlan) -> Result<(), StoreError> {
        self.call(async {
            let version = number("plan version", version)?;
            let document = packed(plan).map_err(|problem| Failure::corrupt("the new plan", problem))?;
            let mut tx = self.begin().await?;
            sqlx::query(
                "INSERT INTO plans (version, at_ms, document) VALUES ($1, $2, $3) \
                 ON CONFLICT (version) DO UPDATE SET document = excluded.document",
            )
            .bind(version)
            .bind(ms(at))
            .bind(document)
            .execute(&mut *tx)
            .await?;
            commit_at(tx, at).await?;
            Ok(())
        })
        .await
    }

    /// The plan of a version, if it is still kept.
    pub async fn plan(&self, version: u64) -> Result<Option<StoredPlan>, StoreError> {
        self.call(async {
            let document: Option<Vec<u8>> = sqlx::query_scalar("SELECT document FROM plans WHERE version = $1")
                .bind(bound(version))
                .fetch_optional(&self.inner.readers)
                .await?;
            document.map(|document| read(version, &document)).transpose()
        })
        .await
    }

    /// The plan of the highest version.
    pub async fn latest_plan(&self) -> Result<Option<(u64, StoredPlan)>, StoreError> {
        self.call(async {
            let row: Option<(i64, Vec<u8>)> =
                sqlx::query_as("SELECT version, document FROM plans ORDER BY version DESC LIMIT 1")
                    .fetch_optional(&self.inner.readers)
                    .await?;
            row.map(|(version, document)| Ok((unsigned(version), read(unsigned(version), &document)?))).transpose()
        })
        .await
    }
}

fn read(version: u64, document: &[u8]) -> Result<StoredPlan, Failure> {
    unpacked(document).map_err(|problem| Failure::corrupt(format!("plan version {version}"), problem))
}

fn packed(plan: &StoredPlan) -> Result<Vec<u8>, String> {
    let mut positions: BTreeMap<&PlannedTarget, u32> =
        plan.by_server.values().flatten().map(|target| (target, 0)).collect();
    for (position, slot) in (0..).zip(positions.values_mut()) {
        *slot = position;
    }
    let by_server = plan
        .by_server
        .iter()
        .map(|(server, targets)| (server.clone(), targets.iter().map(|target| positions[target]).collect()));
    let document = Document {
        by_server: by_server.collect(),
        targets: positions.keys().map(|target| (*target).clone()).collect(),
    };
    let json = serde_json::to_vec(&document).map_err(|error| error.to_string())?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&json).map_err(|error| error.to_string())?;
    encoder.finish().map_err(|error| error.to_string())
}

fn unpacked(document: &[u8]) -> Result<StoredPlan, String> {
    let mut json = Vec::new();
    DeflateDecoder::new(document).read_to_end(&mut json).map_err(|error| error.to_string())?;
    let Document { targets, by_server } = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let named = |positions: Vec<u32>| {
        positions
            .into_iter()
            .map(|at| targets.get(at as usize).cloned().ok_or_else(|| format!("no target {at}")))
            .collect::<Result<Vec<_>, _>>()
    };
    let by_server = by_server
        .into_iter()
        .map(|(server, positions)| Ok((server, named(positions)?)))
        .collect::<Result<BTreeMap<_, _>, String>>()?;
    Ok(StoredPlan { by_server })
}
