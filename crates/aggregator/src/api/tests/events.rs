#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use futures_util::StreamExt as _;
use quorate_core::verdict::Status;
use reqwest::Method;
use serde_json::Value;

use super::House;
use crate::engine::Event;

/// Reads a stream until `enough` of its text.
async fn read_until(house: &House, path: &str, last: Option<u64>, enough: impl Fn(&str) -> bool) -> String {
    let mut request = house.request(Method::GET, path).bearer_auth(&house.token).header("accept", "text/event-stream");
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let mut text = String::new();
    let mut bytes = response.bytes_stream();
    let reading = async {
        while !enough(&text) {
            text.push_str(&String::from_utf8_lossy(&bytes.next().await.unwrap().unwrap()));
        }
    };
    tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the events come");
    text
}

fn ids(text: &str) -> Vec<u64> {
    text.lines().filter_map(|line| line.strip_prefix("id: ")).map(|id| id.parse().unwrap()).collect()
}

#[tokio::test]
async fn a_stream_brings_what_happens_and_resumes_where_it_was_left() {
    let house = House::with_fleet().await;
    let before = house.running.store.last_event_id().await.unwrap();
    let live = read_until(&house, "/api/v1/events", None, |text| text.contains("\"to\":\"ok\""));
    let happen = async {
        house.round(1, &[], "").await;
        house.wait_for("a", Status::Ok).await;
    };
    let (live, ()) = tokio::join!(live, happen);
    assert!(ids(&live).iter().all(|id| *id > before), "{live}");

    let last = house.running.store.last_event_id().await.unwrap();
    let resumed = read_until(&house, "/api/v1/events", Some(2), |text| ids(text).last() == Some(&last)).await;
    assert_eq!(ids(&resumed), (3..=last).collect::<Vec<_>>(), "each once, in order");
    let routes = read_until(&house, "/api/v1/events?kind=route", Some(0), |text| !ids(text).is_empty()).await;
    assert!(!routes.contains("server_status"), "{routes}");
    house.close().await;
}

#[tokio::test]
async fn a_reader_is_told_what_it_missed() {
    let house = House::with_fleet().await;
    let last = house.running.store.last_event_id().await.unwrap();
    let later = Event {
        id: last + 5,
        at_ms: 1,
        kind: "aggregator".to_owned(),
        subject: "aggregator".to_owned(),
        from: None,
        to: None,
        reason: "those between were pruned".to_owned(),
    };
    house.running.store.append_events(&[later], None).await.unwrap();
    let text = read_until(&house, "/api/v1/events", Some(last), |text| !ids(text).is_empty()).await;
    let told = format!("event: missed\ndata: {{\"after\":{last},\"before\":{},\"count\":4}}\n", last + 5);
    assert!(text.contains(&told), "{text}");
    assert_eq!(ids(&text), [last + 5]);
    house.close().await;
}

#[tokio::test]
async fn pages_of_events_go_both_ways() {
    let house = House::with_fleet().await;
    let ids = |page: &Value| -> Vec<u64> {
        page["items"].as_array().unwrap().iter().map(|event| event["id"].as_u64().unwrap()).collect()
    };
    let last = house.running.store.last_event_id().await.unwrap();
    let newest = house.get("/api/v1/events?limit=3").await.json();
    assert_eq!(ids(&newest), [last, last - 1, last - 2]);
    let first = house.get("/api/v1/events?after=0&limit=3").await.json();
    assert_eq!((ids(&first), first["next"].as_str()), (vec![1, 2, 3], Some("3")));
    let rest = house.get(&format!("/api/v1/events?after={}&limit=1000", last - 1)).await.json();
    assert_eq!((ids(&rest), rest["next"].as_str()), (vec![last], None));
    let of_a = house.get("/api/v1/events?subject=a").await.json();
    assert!(of_a["items"].as_array().unwrap().iter().all(|event| event["subject"] == "a"));
    house.close().await;
}

#[tokio::test]
async fn an_end_does_not_wait_for_readers_of_events() {
    let house = House::open().await;
    let request = house.request(Method::GET, "/api/v1/events").bearer_auth(&house.token);
    let stream = request.header("accept", "text/event-stream").send().await.unwrap();
    let reading = tokio::spawn(async move { stream.bytes().await });
    house.close().await;
    assert!(reading.await.unwrap().is_ok(), "the stream ended in order");
}

#[tokio::test]
async fn an_unknown_kind_is_refused_with_the_known_ones() {
    let house = House::open().await;
    let refused = house.get("/api/v1/events?kind=sessions").await;
    assert_eq!((refused.status.as_u16(), refused.problem()), (400, "bad_request".to_owned()));
    let told = refused.json()["detail"].as_str().unwrap().to_owned();
    assert!(told.starts_with("kind 'sessions' is unknown: use server_status, "), "{told}");
    assert_eq!(house.get("/api/v1/events?kind=session").await.status, 200);
    house.close().await;
}
