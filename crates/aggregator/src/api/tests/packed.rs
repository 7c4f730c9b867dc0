#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Read as _;

use flate2::read::GzDecoder;
use quorate_core::verdict::Status;
use reqwest::{Method, Response};
use serde_json::Value;

use super::House;
use crate::api::matrix::packed::{Header, MEDIA_TYPE};

/// d and e (RU) fail on a/tls until it is unreachable.
async fn blocked() -> House {
    let house = House::with_fleet().await;
    for sequence in 1..=3 {
        house.round(sequence, &["d", "e"], "a/tls").await;
    }
    house.wait_for("a", Status::Unreachable).await;
    house
}

async fn ask(house: &House, query: &str, headers: &[(&str, &str)]) -> Response {
    get(house, &format!("/api/v1/matrix/packed{query}"), headers).await
}

async fn get(house: &House, path: &str, headers: &[(&str, &str)]) -> Response {
    let request = house.request(Method::GET, path).bearer_auth(&house.token);
    headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send().await.unwrap()
}

fn unpacked(bytes: &[u8]) -> (Header, Vec<u8>) {
    assert_eq!(&bytes[..4], b"QMX1");
    let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    let header = serde_json::from_slice(&bytes[8..8 + length]).unwrap();
    (header, bytes[8 + length..].to_vec())
}

#[tokio::test]
async fn a_byte_says_what_a_cell_of_the_long_matrix_says() {
    let house = blocked().await;
    let answer = ask(&house, "", &[]).await;
    assert_eq!(answer.headers()["content-type"], MEDIA_TYPE);
    let (header, cells) = unpacked(&answer.bytes().await.unwrap());
    assert_eq!(header.next, None);
    let long = house.get("/api/v1/matrix").await.json();
    let points: Vec<&str> = header.columns.iter().map(|column| column.entry_point.as_str()).collect();
    assert_eq!(points, ["a/tls", "b/tls", "c/tls", "d/tls", "e/tls", "f/tls"]);
    let words = ["not_probed", "unknown", "sees", "failing", "held", "sustained"];
    let told: Vec<(&str, u64)> =
        cells.iter().map(|cell| (words[usize::from(cell & 7)], u64::from(cell >> 3))).collect();
    let rows = long["rows"].as_array().unwrap();
    let said: Vec<(&str, u64)> = rows
        .iter()
        .flat_map(|row| row["cells"].as_array().unwrap())
        .map(|cell| (cell["state"].as_str().unwrap(), cell["streak"].as_u64().unwrap_or_default()))
        .collect();
    assert_eq!(told, said);
    assert_eq!((told[0], told[1], told[18]), (("not_probed", 0), ("sees", 0), ("sustained", 3)));
    let column = &header.columns[0];
    assert_eq!((column.server.as_str(), column.lane.as_str(), column.state.as_str()), ("a", "tcp4", "unreachable"));
    assert_eq!((header.rows[3].country.as_deref(), header.rows[3].silent), (Some("RU"), false));
    house.close().await;
}

#[tokio::test]
async fn pages_of_it_are_the_whole_in_pieces() {
    let house = blocked().await;
    let (_, whole) = unpacked(&ask(&house, "", &[]).await.bytes().await.unwrap());
    let (first, mut cells) = unpacked(&ask(&house, "?limit=4", &[]).await.bytes().await.unwrap());
    assert_eq!((first.rows.len(), first.next.as_deref()), (4, Some("d")));
    let (rest, more) = unpacked(&ask(&house, "?limit=4&after=d", &[]).await.bytes().await.unwrap());
    assert_eq!((rest.rows.len(), rest.next), (2, None));
    cells.extend(more);
    assert_eq!(cells, whole);
    assert_eq!(ask(&house, "?limit=0", &[]).await.status(), 400);
    house.close().await;
}

#[tokio::test]
async fn it_comes_compressed_to_who_reads_that_and_not_at_all_to_who_has_it() {
    let house = blocked().await;
    let plain = ask(&house, "", &[("accept-encoding", "gzip;q=0, br")]).await;
    assert!(!plain.headers().contains_key("content-encoding"));
    let tag = plain.headers()["etag"].to_str().unwrap().to_owned();
    let plain = plain.bytes().await.unwrap();
    let zipped = ask(&house, "", &[("accept-encoding", "br, gzip")]).await;
    assert_eq!(zipped.headers()["content-encoding"], "gzip");
    assert_eq!(zipped.headers()["etag"], tag);
    let mut unzipped = Vec::new();
    GzDecoder::new(zipped.bytes().await.unwrap().as_ref()).read_to_end(&mut unzipped).unwrap();
    assert_eq!(unpacked(&unzipped).1, unpacked(&plain).1);

    let again = ask(&house, "", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status().as_u16(), again.bytes().await.unwrap().len()), (304, 0));
    house.round(4, &["d", "e"], "b/tls").await;
    let changed = ask(&house, "", &[("if-none-match", &tag)]).await;
    assert_eq!(changed.status(), 200);
    house.close().await;
}

#[tokio::test]
async fn an_earlier_mesh_packed_says_what_its_long_form_says() {
    let house = blocked().await;
    let at = house.get("/api/v1/history").await.json()["to_ms"].as_u64().unwrap();
    let (header, cells) =
        unpacked(&get(&house, &format!("/api/v1/history/matrix/packed?at_ms={at}"), &[]).await.bytes().await.unwrap());
    let long = house.get(&format!("/api/v1/history/matrix?at_ms={at}")).await.json();
    let said: Vec<&str> = long["rows"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row["cells"].as_array().unwrap())
        .map(|cell| cell["state"].as_str().unwrap())
        .collect();
    let words = ["not_probed", "unknown", "sees", "failing", "held", "sustained"];
    assert_eq!(cells.iter().map(|cell| words[usize::from(cell & 7)]).collect::<Vec<_>>(), said);
    assert!(said.contains(&"sustained"), "{said:?}");
    assert_eq!((header.rows.len(), header.columns[0].state.as_str()), (6, "unreachable"));
    let ahead = get(&house, &format!("/api/v1/history/matrix/packed?at_ms={}", at + 3_600_000), &[]).await;
    assert_eq!(ahead.status(), 400);
    house.close().await;
}

#[tokio::test]
async fn what_nobody_plans_to_knock_on_is_told_from_what_is_not_known_yet() {
    let house = House::with_fleet().await;
    let mut plans = house.running.engine.plans();
    plans.wait_for(|plans| plans.by_server.len() == 6).await.unwrap();
    let (_, cells) = unpacked(&ask(&house, "", &[]).await.bytes().await.unwrap());
    let diagonal = |at: usize| at.is_multiple_of(7);
    let words: Vec<(bool, u8)> = cells.iter().enumerate().map(|(at, cell)| (diagonal(at), *cell)).collect();
    assert!(words.iter().all(|(own, cell)| *cell == u8::from(!own)), "{words:?}");
    let described: Value = house.get("/api/v1/openapi.json").await.json();
    assert!(described["paths"]["/api/v1/matrix/packed"].is_object());
    house.close().await;
}
