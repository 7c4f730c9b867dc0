//! A copy has everything, wherever it goes.

use super::super::{Checkpoint, CopyError, NewReport, NewToken, OpenError, Store, Stored, TokenScope, sha256};
use super::{Place, at, postgres, report};
use crate::inventory::Inventory;

async fn fill(store: &Store) {
    let payloads: Vec<Vec<u8>> = (0..250).map(|n| vec![n; usize::from(n)]).collect();
    let batch: Vec<NewReport<'_>> =
        (1..).zip(&payloads).map(|(sequence, payload)| report("nl-1", sequence, payload)).collect();
    store.store_reports(&batch).await.unwrap();
    store.replace_inventory(0, &Inventory::default(), at(5), "file").await.unwrap();
    store.set_meta("ca", "one").await.unwrap();
    let token = NewToken {
        id: "t1".to_owned(),
        name: "panel".to_owned(),
        scopes: vec![TokenScope::Read],
        hash: sha256(b"secret"),
        created_at: at(10),
        expires_at: None,
    };
    store.create_token(&token).await.unwrap();
    let checkpoint = Checkpoint { through: 7, at: at(10), inventory_version: 1, ledger: vec![0, 255] };
    store.save_checkpoint(&checkpoint).await.unwrap();
}

async fn is_the_same(copy: &Store, source: &Store) {
    assert_eq!(copy.reports_after(0, 1000).await.unwrap(), source.reports_after(0, 1000).await.unwrap());
    assert_eq!(copy.inventory().await.unwrap(), source.inventory().await.unwrap());
    assert_eq!(copy.tokens().await.unwrap(), source.tokens().await.unwrap());
    assert_eq!(copy.find_token(&sha256(b"secret")).await.unwrap().unwrap().id, "t1");
    assert_eq!(copy.checkpoint().await.unwrap(), source.checkpoint().await.unwrap());
    assert_eq!(copy.meta("ca").await.unwrap().as_deref(), Some("one"));
    assert_eq!(copy.latest_moment().await.unwrap(), source.latest_moment().await.unwrap());
    assert_eq!(copy.archive_bytes().await.unwrap(), source.archive_bytes().await.unwrap());
    // It goes on where the source was.
    assert_eq!(copy.store_report(report("nl-1", 250, b"x")).await.unwrap(), Stored::Repeated);
    assert_eq!(copy.store_report(report("nl-1", 251, b"x")).await.unwrap(), Stored::New(251));
}

#[tokio::test]
async fn sqlite_is_copied_into_a_new_file_and_no_other() {
    let (source, target) = (Place::sqlite(), Place::sqlite());
    let (source, copy) = (source.open().await, target.open().await);
    fill(&source).await;
    // 250 reports; 9 counters, the outbox, the inventory, the fact, the token and the checkpoint.
    assert_eq!(source.copy_to(&copy).await.unwrap(), 250 + 14);
    is_the_same(&copy, &source).await;
    let refused = source.copy_to(&copy).await.unwrap_err();
    assert!(matches!(refused, CopyError::Used { .. }));
    assert_eq!(refused.to_string(), format!("store {} is in use already: copy into a new database", target.url));
}

#[tokio::test]
async fn a_copy_knows_every_table() {
    let place = Place::sqlite();
    let store = place.open().await;
    let mut tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'quorate_schema' ORDER BY name",
    )
    .fetch_all(&store.inner.readers)
    .await
    .unwrap();
    tables.sort();
    let mut known: Vec<&str> = super::super::copy::TABLES.iter().map(|(table, _)| *table).collect();
    known.sort_unstable();
    assert_eq!(tables, known);
}

#[test]
fn sqlite_is_left_for_postgresql_and_back() {
    let Some(server) = postgres::start_or_skip("sqlite_is_left_for_postgresql_and_back") else { return };
    let url = server.new_database();
    postgres::told("there and back", async move {
        let (first, last) = (Place::sqlite(), Place::sqlite());
        let (first, last) = (first.open().await, last.open().await);
        let between = Store::open(&url).await.unwrap();
        fill(&first).await;
        first.copy_to(&between).await.unwrap();
        between.copy_to(&last).await.unwrap();
        is_the_same(&between, &first).await;
        is_the_same(&last, &first).await;
    });
}

#[tokio::test]
async fn who_only_looks_makes_no_database() {
    let place = Place::sqlite();
    let refused = Store::open_existing(&place.url).await.unwrap_err();
    assert!(matches!(refused, OpenError::Missing { .. }));
    assert_eq!(refused.to_string(), format!("store {}: there is no database: check the path or name", place.url));
    assert!(!std::path::Path::new(place.url.strip_prefix("sqlite:").unwrap()).exists());
    place.open().await.close().await;
    Store::open_existing(&place.url).await.unwrap();
}
