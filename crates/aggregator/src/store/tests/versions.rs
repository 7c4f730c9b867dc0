//! Inventories and plans, version by version.

use std::collections::BTreeMap;

use super::super::{PlannedTarget, ReplaceError, StoredPlan};
use super::{Place, at};
use crate::inventory::{Inventory, PolicySettings};

fn inventory(quorum: u32) -> Inventory {
    Inventory { policy: PolicySettings { quorum: Some(quorum), ..PolicySettings::default() }, ..Inventory::default() }
}

pub async fn an_inventory_is_replaced_only_by_who_has_read_it(place: Place) {
    let store = place.open().await;
    assert_eq!(store.inventory().await.unwrap(), None);
    assert_eq!(store.replace_inventory(0, &inventory(3), at(10), "file").await.unwrap(), 1);
    let late = store.replace_inventory(0, &inventory(4), at(20), "ann").await.unwrap_err();
    assert!(matches!(late, ReplaceError::Conflict { current: 1 }));
    assert_eq!(late.to_string(), "the inventory has changed meanwhile: it is at version 1");
    let early = store.replace_inventory(2, &inventory(4), at(20), "ann").await;
    assert!(matches!(early, Err(ReplaceError::Conflict { current: 1 })));
    assert_eq!(store.replace_inventory(1, &inventory(4), at(20), "ann").await.unwrap(), 2);
    let newest = store.inventory().await.unwrap().unwrap();
    assert_eq!((newest.version, newest.at, newest.by.as_str()), (2, at(20), "ann"));
    assert_eq!(newest.inventory, inventory(4));
    assert_eq!(store.inventory_version(1).await.unwrap().unwrap().inventory, inventory(3));
}

pub async fn of_many_who_replace_at_once_one_wins(place: Place) {
    let store = place.open().await;
    let attempts = (0..8).map(|attempt| {
        let store = store.clone();
        tokio::spawn(async move { store.replace_inventory(0, &inventory(2 + attempt), at(10), "x").await })
    });
    let mut won = 0;
    for attempt in attempts.collect::<Vec<_>>() {
        match attempt.await.unwrap() {
            Ok(version) => {
                assert_eq!(version, 1);
                won += 1;
            }
            Err(error) => assert!(matches!(error, ReplaceError::Conflict { current: 1 }), "{error}"),
        }
    }
    assert_eq!(won, 1);
}

pub async fn the_inventories_of_a_time_begin_with_the_one_in_force(place: Place) {
    let store = place.open().await;
    for version in 0..4 {
        let at = at(10 * (version + 1));
        store.replace_inventory(version, &inventory(2 + version as u32), at, "x").await.unwrap();
    }
    let versions = async |from, to| {
        let found = store.inventories_between(at(from), at(to)).await.unwrap();
        found.into_iter().map(|stored| stored.version).collect::<Vec<_>>()
    };
    assert_eq!(versions(20, 30).await, [2, 3]);
    assert_eq!(versions(29, 29).await, [2]);
    assert_eq!(versions(0, 10).await, [1]);
    assert_eq!(versions(0, 9).await, [0; 0]);
    assert_eq!(versions(99, 100).await, [4]);
}

pub async fn a_plan_comes_back_as_it_was(place: Place) {
    let store = place.open().await;
    assert_eq!(store.latest_plan().await.unwrap(), None);
    let target = |entry_point: &str, address: &str| PlannedTarget {
        entry_point: entry_point.to_owned(),
        address: address.to_owned(),
    };
    let (nl, de) = (target("nl-1/tls", "192.0.2.1:443"), target("de-1/tls", "192.0.2.2:443"));
    let plan = StoredPlan {
        by_server: BTreeMap::from([
            ("nl-1".to_owned(), vec![de.clone()]),
            ("de-1".to_owned(), vec![nl.clone()]),
            ("fr-1".to_owned(), vec![nl.clone(), de.clone()]),
            ("se-1".to_owned(), vec![]),
        ]),
    };
    store.save_plan(3, at(10), &plan).await.unwrap();
    store.save_plan(2, at(11), &StoredPlan::default()).await.unwrap();
    assert_eq!(store.plan(3).await.unwrap().as_ref(), Some(&plan));
    assert_eq!(store.plan(4).await.unwrap(), None);
    assert_eq!(store.latest_plan().await.unwrap(), Some((3, plan)));
    store.save_plan(3, at(12), &StoredPlan::default()).await.unwrap();
    assert_eq!(store.plan(3).await.unwrap(), Some(StoredPlan::default()));
}
