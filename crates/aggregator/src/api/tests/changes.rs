#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use reqwest::Method;
use serde_json::json;

use super::House;
use crate::serve::ServeError;

#[tokio::test]
async fn a_change_that_empties_a_route_is_refused_unless_forced() {
    let house = House::with_fleet().await;
    let route = json!({"id": "one", "entry_points": ["a/tls"]});
    assert_eq!(house.send(Method::PUT, "/api/v1/routes/one", &route).await.status, 200);

    let drained = json!({"id": "a", "address": "198.51.0.7", "country": "NL", "intent": "drained"});
    let refused = house.send(Method::PUT, "/api/v1/servers/a", &drained).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (409, "route_would_be_empty"));
    assert_eq!(refused.json()["owner"], "route 'one'");
    assert_eq!(house.act(Method::DELETE, "/api/v1/servers/a").await.problem(), "route_would_be_empty");
    assert_eq!(house.get("/api/v1/servers/a").await.json()["intent"], "active", "a refused change changes nothing");

    assert_eq!(house.send(Method::PUT, "/api/v1/servers/a?force=true", &drained).await.status, 200);
    let feed = house.get("/api/v1/routes/one/feed").await.json();
    assert_eq!((&feed["deliver"][0]["entry_point"], &feed["last_resort"]), (&json!("a/tls"), &json!(true)));
    assert_eq!(
        house.act(Method::DELETE, "/api/v1/servers/a").await.problem(),
        "route_would_be_empty",
        "from little to nothing"
    );
    assert_eq!(house.act(Method::DELETE, "/api/v1/servers/a?force=true").await.status, 200);
    assert_eq!(house.get("/api/v1/servers/a").await.problem(), "not_found");
    assert_eq!(house.get("/api/v1/routes/one/feed").await.json()["deliver"], json!([]));
    house.close().await;
}

#[tokio::test]
async fn a_wrong_inventory_is_refused_with_owner_and_field() {
    let house = House::with_fleet().await;
    let put = async |path: &str, body| {
        let answer = house.send(Method::PUT, path, &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        let problem = answer.json();
        (problem["owner"].as_str().unwrap_or("").to_owned(), problem["field"].as_str().unwrap_or("").to_owned())
    };
    let is = |owner: &str, field: &str| (owner.to_owned(), field.to_owned());
    let x = |extra: serde_json::Value| {
        let mut server = json!({"id": "x", "address": "192.0.2.1"});
        server.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        server
    };
    assert_eq!(put("/api/v1/servers/x", x(json!({"country": "nl"}))).await, is("server 'x'", "country"));
    assert_eq!(put("/api/v1/servers/x", x(json!({"address": ""}))).await, is("server 'x'", "address"));
    assert_eq!(put("/api/v1/servers/y", x(json!({}))).await, is("server 'x'", "id"));
    let upstream = json!({"entry_points": [{"upstreams": ["zz"]}]});
    assert_eq!(put("/api/v1/servers/x", x(upstream)).await, is("entry point 'x/tls'", "upstreams"));
    let route = json!({"id": "r", "entry_points": ["a/http"]});
    assert_eq!(put("/api/v1/routes/r", route).await, is("route 'r'", "entry_points"));
    assert_eq!(put("/api/v1/policy", json!({"quorum": 1})).await, is("policy", "quorum"));
    assert_eq!(put("/api/v1/policy", json!({"quroum": 3})).await, is("", ""), "an unknown key");
    house.close().await;
}

#[tokio::test]
async fn a_change_made_from_an_older_inventory_is_refused() {
    let house = House::with_fleet().await;
    let tag = house.get("/api/v1/inventory").await.header("etag").to_owned();
    let policy = |quorum: u32| json!({"sustain_for_ms": 0, "quorum": quorum});
    let put = async |quorum: u32, tag: &str| {
        let request = house.request(Method::PUT, "/api/v1/policy").bearer_auth(&house.token);
        house.answer(request.header("if-match", tag).json(&policy(quorum))).await
    };
    let changed = put(3, &tag).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), tag);
    assert_eq!(put(4, &tag).await.problem(), "changed_meanwhile");
    let same = put(3, changed.header("etag")).await.json();
    assert_eq!(same["changed"], false, "what is so already makes no version");
    house.close().await;
}

#[tokio::test]
async fn a_server_that_others_forward_to_is_not_removed() {
    let house = House::with_fleet().await;
    let relay = json!({"id": "a", "address": "198.51.0.7", "country": "NL", "entry_points": [{"upstreams": ["b"]}]});
    assert_eq!(house.send(Method::PUT, "/api/v1/servers/a", &relay).await.status, 200);
    assert_eq!(house.act(Method::DELETE, "/api/v1/servers/b?force=true").await.problem(), "is_upstream");
    house.close().await;
}

const FLEET: &str = "[[servers]]\nid = \"nl-1\"\naddress = \"198.51.100.7\"\n";

#[tokio::test]
async fn a_declared_fleet_is_changed_in_its_file_alone() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("fleet.toml");
    std::fs::write(&file, FLEET).unwrap();
    let house = House::open_with(|config| config.fleet = Some(file.clone())).await.unwrap();
    assert_eq!(house.get("/api/v1/servers/nl-1").await.status, 200);
    let server = json!({"id": "de-1", "address": "203.0.113.1"});
    let refused = house.send(Method::PUT, "/api/v1/servers/de-1", &server).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (409, "declared_in_file"));

    std::fs::write(&file, format!("{FLEET}\n[[servers]]\nid = \"de-1\"\naddress = \"203.0.113.1\"\n")).unwrap();
    assert!(house.running.reload().await.unwrap());
    assert_eq!(house.get("/api/v1/servers/de-1").await.status, 200);

    std::fs::write(&file, format!("{FLEET}country = \"Nederland\"\n")).unwrap();
    let told = house.running.reload().await.unwrap_err().to_string();
    assert!(told.starts_with(&format!("{}:4: server 'nl-1': country: ", file.display())), "{told}");
    assert_eq!(house.get("/api/v1/servers/de-1").await.status, 200, "a bad file changes nothing");
    house.close().await;
}

#[tokio::test]
async fn a_start_that_cannot_be_is_refused_before_anything_is_made() {
    let place = tempfile::tempdir().unwrap();
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let data_dir = place.path().join("data");
    let addr = taken.local_addr().unwrap();
    let refused = |edit: fn(&mut crate::serve::ServeConfig, std::net::SocketAddr)| {
        let data_dir = data_dir.clone();
        House::open_with(move |config| {
            config.data_dir = data_dir;
            edit(config, addr);
        })
    };
    let api = refused(|config, addr| config.listen_api = addr).await.err().unwrap();
    assert!(matches!(api, ServeError::Listen { flag: "--listen-api", .. }), "{api}");
    let gateway = refused(|config, addr| config.listen_gateway = addr).await.err().unwrap();
    assert!(matches!(gateway, ServeError::Listen { flag: "--listen-gateway", .. }), "{gateway}");
    let fleet = refused(|config, _| config.fleet = Some("/nowhere/fleet.toml".into())).await.err().unwrap();
    assert!(fleet.to_string().starts_with("/nowhere/fleet.toml: cannot be read"), "{fleet}");
    assert!(!data_dir.exists(), "nothing was made");
}
