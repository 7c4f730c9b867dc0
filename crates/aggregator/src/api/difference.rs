//! What is different between two inventories, for the audit: the rows that were changed and no others.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::inventory::Inventory;

/// How the changed rows were and how they are, by section and id; a row that was added or removed is on one side alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// As it was.
    pub before: Value,
    /// As it is.
    pub after: Value,
}

impl Difference {
    /// What `after` has that `before` has not, and the other way round.
    pub fn of(before: &Inventory, after: &Inventory) -> Self {
        Self { before: beside(before, after), after: beside(after, before) }
    }
}

/// The rows of `one` that are not in `other` as they are.
fn beside(one: &Inventory, other: &Inventory) -> Value {
    let mut sections = Map::new();
    let mut section = |name: &str, rows: Map<String, Value>| {
        if !rows.is_empty() {
            sections.insert(name.to_owned(), Value::Object(rows));
        }
    };
    section("servers", rows(&one.servers, &other.servers, |row| &row.id));
    section("routes", rows(&one.routes, &other.routes, |row| &row.id));
    section("edges", rows(&one.edges, &other.edges, |row| &row.id));
    if one.policy != other.policy {
        sections.insert("policy".to_owned(), written(&one.policy));
    }
    Value::Object(sections)
}

fn rows<T: Serialize + PartialEq>(one: &[T], other: &[T], id: impl Fn(&T) -> &String) -> Map<String, Value> {
    let known: BTreeMap<&String, &T> = other.iter().map(|row| (id(row), row)).collect();
    let changed = one.iter().filter(|row| known.get(id(row)) != Some(row));
    changed.map(|row| (id(row).clone(), written(row))).collect()
}

/// Rows of an inventory can be written as JSON: they were read from it.
fn written(row: &impl Serialize) -> Value {
    serde_json::to_value(row).unwrap_or_default()
}
