//! Alertmanager, API v2: each alarm is an alert with labels of its own. An alert that is not sent again ends by itself, so
//! those that stand are sent again and again; one that is over is sent once more with its end.

use std::collections::BTreeMap;
use std::time::Duration;

use quorate_core::time::Moment;
use serde::Serialize;

use super::http::{client, send};
use super::webhook::timestamp;
use super::{ATTEMPT_MAX, Parcel, Refusal};
use crate::notify::channel::AlertmanagerEntry;
use crate::notify::message::{Item, Message, News};

/// What stands is sent again this often, as Prometheus does.
pub const STANDING_EVERY: Duration = Duration::from_secs(60);
/// Without hearing of it again an alert ends after this: an aggregator that is restarted has that long.
const ENDS_AFTER: Duration = Duration::from_secs(600);
/// How long a test and a thing that is over at once are shown.
const NOTE_LASTS: Duration = Duration::from_secs(300);
/// Alerts in one request: about half a megabyte.
const ALERTS_MAX: usize = 500;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Alert {
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<&'static str, String>,
    starts_at: String,
    ends_at: String,
    #[serde(rename = "generatorURL", skip_serializing_if = "Option::is_none")]
    generator_url: Option<String>,
}

pub(super) async fn carry(entry: &AlertmanagerEntry, parcel: Parcel<'_>) -> Result<String, Refusal> {
    let Message { items, at_ms, .. } = parcel.message;
    let at = Moment::from_ms(*at_ms);
    let alerts: Vec<Alert> = match items.as_slice() {
        [] => vec![test(entry, parcel.message, parcel.now)],
        items => items.iter().flat_map(|item| of_news(entry, item, at, parcel.now)).collect(),
    };
    let mut said = String::new();
    for alerts in alerts.chunks(ALERTS_MAX) {
        said = post(entry, alerts).await?;
    }
    Ok(said)
}

/// Sends again what stands.
pub async fn keep(entry: &AlertmanagerEntry, standing: &[Item], now: Moment) -> Result<(), Refusal> {
    let alerts: Vec<Alert> =
        standing.iter().map(|item| alert(entry, item, &item.word, now.after(ENDS_AFTER))).collect();
    for alerts in alerts.chunks(ALERTS_MAX) {
        let posted = tokio::time::timeout(ATTEMPT_MAX, post(entry, alerts)).await;
        posted.unwrap_or_else(|_| Err(Refusal::later(format!("no answer within {} s", ATTEMPT_MAX.as_secs()))))?;
    }
    Ok(())
}

async fn post(entry: &AlertmanagerEntry, alerts: &[Alert]) -> Result<String, Refusal> {
    let url = format!("{}/api/v2/alerts", entry.url.trim_end_matches('/'));
    let mut request = client(entry.ca.as_deref())?.post(url);
    if let (Some(username), Some(password)) = (&entry.username, &entry.password) {
        request = request.basic_auth(username, Some(password.reveal()));
    }
    send(request.json(alerts)).await?.settled(None)
}

/// An alert's labels name it. So one that has another word is another alert, and what it was is over.
fn of_news(entry: &AlertmanagerEntry, item: &Item, at: Moment, now: Moment) -> Vec<Alert> {
    let over = |word: &str| {
        let severity = item.was_severity.clone().unwrap_or_else(|| item.severity.clone());
        alert(entry, &Item { severity, ..item.clone() }, word, at)
    };
    match (item.news, &item.was) {
        (News::Alarm, _) | (News::Change, None) => vec![alert(entry, item, &item.word, now.after(ENDS_AFTER))],
        (News::Change, Some(was)) => vec![over(was), alert(entry, item, &item.word, now.after(ENDS_AFTER))],
        (News::Recovery, was) => vec![over(was.as_deref().unwrap_or(&item.word))],
        (News::Note, _) => vec![alert(entry, item, &item.word, now.after(NOTE_LASTS))],
    }
}

fn alert(entry: &AlertmanagerEntry, item: &Item, word: &str, ends_at: Moment) -> Alert {
    let mut labels = entry.labels.clone();
    let name = format!("Quorate{}", camel(&item.event));
    let own = [("alertname", name.as_str()), ("event", &item.event), ("subject", &item.subject), ("state", word)];
    labels.extend(own.map(|(label, value)| (label.to_owned(), value.to_owned())));
    labels.insert("severity".to_owned(), item.severity.clone());
    if let [server] = item.servers.as_slice() {
        labels.insert("server".to_owned(), server.clone());
    }
    let mut annotations = BTreeMap::from([("summary", item.title.clone())]);
    let description: Vec<&str> = item.facts.iter().chain(&item.advice).map(String::as_str).collect();
    if !description.is_empty() {
        annotations.insert("description", description.join(" "));
    }
    let starts_at = timestamp(item.since_ms.min(ends_at.as_ms()));
    Alert { labels, annotations, starts_at, ends_at: timestamp(ends_at.as_ms()), generator_url: item.link.clone() }
}

fn test(entry: &AlertmanagerEntry, message: &Message, now: Moment) -> Alert {
    let mut labels = entry.labels.clone();
    labels.insert("alertname".to_owned(), "QuorateTest".to_owned());
    labels.insert("severity".to_owned(), message.severity.clone());
    Alert {
        labels,
        annotations: BTreeMap::from([("summary", message.title.clone())]),
        starts_at: timestamp(now.as_ms()),
        ends_at: timestamp(now.after(NOTE_LASTS).as_ms()),
        generator_url: message.link.clone(),
    }
}

/// `server_status` as `ServerStatus`.
fn camel(words: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    words.split('_').map(word).collect()
}
