#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use reqwest::Method;
use serde_json::json;

use super::receiver::{Answer, Receiver};
use crate::api::tests::House;

const AT: &str = "/api/v1/notifications";

#[tokio::test]
async fn a_secret_goes_in_and_never_out() {
    let house = House::with_fleet().await;
    let channels = [
        json!({"id": "hook", "kind": "webhook", "url": "http://127.0.0.1:9/", "secret": "sesame-sesame-sesame"}),
        json!({"id": "mail", "kind": "mail", "host": "127.0.0.1", "from": "q@example.org", "to": ["o@example.org"],
            "username": "q", "password": "sesame-sesame-sesame"}),
        json!({"id": "chat", "kind": "telegram", "token": "sesame-sesame-sesame", "chat": "-1"}),
        json!({"id": "am", "kind": "alertmanager", "url": "http://127.0.0.1:9/", "username": "q",
            "password": "sesame-sesame-sesame"}),
    ];
    for channel in &channels {
        let path = format!("{AT}/channels/{}", channel["id"].as_str().unwrap());
        let set = house.send(Method::PUT, &path, channel).await;
        assert_eq!(set.status, 200, "{}", set.text);
        assert!(!set.text.contains("sesame"), "{}", set.text);
    }
    let listed = house.get(&format!("{AT}/channels")).await;
    assert!(!listed.text.contains("sesame"), "{}", listed.text);
    assert_eq!(listed.json()["items"][1]["secrets_set"], json!(["token"]));
    let audit = house.get("/api/v1/audit").await;
    assert!(audit.text.contains("channel.set") && !audit.text.contains("sesame"), "{}", audit.text);
    let read = house.token("read").await;
    let refused = house.request(Method::GET, &format!("{AT}/channels")).bearer_auth(read);
    assert_eq!(house.answer(refused).await.status, 403, "where channels lead is for admins");
    house.close().await;
}

#[tokio::test]
async fn a_secret_is_kept_over_a_change_unless_it_would_go_elsewhere() {
    let receiver = Receiver::open().await;
    let house = House::with_fleet().await;
    let path = format!("{AT}/channels/chat");
    let api = format!("http://{}", receiver.addr);
    let chat = json!({"id": "chat", "kind": "telegram", "token": "123:abc", "chat": "-1", "api": api});
    assert_eq!(house.send(Method::PUT, &path, &chat).await.status, 200);
    let moved = json!({"id": "chat", "kind": "telegram", "chat": "-2", "api": api});
    assert_eq!(house.send(Method::PUT, &path, &moved).await.json()["secrets_set"], json!(["token"]));
    let tested = house.act(Method::POST, &format!("{path}/test")).await.json();
    assert_eq!(tested["ok"], true, "{tested}");
    assert_eq!(receiver.got()[0].path, "/bot123:abc/sendMessage");
    let stolen = json!({"id": "chat", "kind": "telegram", "chat": "-2", "api": "http://127.0.0.1:9"});
    let refused = house.send(Method::PUT, &path, &stolen).await;
    assert_eq!((refused.problem().as_str(), &refused.json()["field"]), ("unprocessable", &json!("token")));
    house.close().await;
}

#[tokio::test]
async fn what_cannot_work_is_refused_with_its_field() {
    let house = House::with_fleet().await;
    let refused = async |path: &str, body: serde_json::Value| {
        let answer = house.send(Method::PUT, &format!("{AT}/{path}"), &body).await;
        assert_eq!(answer.status, 422, "{}", answer.text);
        answer.json()["field"].as_str().unwrap_or_default().to_owned()
    };
    let hook = |url: &str| json!({"id": "h", "kind": "webhook", "url": url});
    assert_eq!(refused("channels/h", hook("ftp://example.org/")).await, "url");
    assert_eq!(refused("channels/h", hook("https://user:pass@example.org/")).await, "url");
    assert_eq!(refused("channels/H", json!({"id": "H", "kind": "webhook", "url": "http://h/"})).await, "id");
    let short = json!({"id": "h", "kind": "webhook", "url": "http://h/", "secret": "short"});
    assert_eq!(refused("channels/h", short).await, "secret");
    let unknown = json!({"id": "h", "kind": "webhook", "url": "http://h/", "follow": true});
    assert_eq!(refused("channels/h", unknown).await, "", "an unknown key");
    let mail = |extra: serde_json::Value| {
        let mut mail =
            json!({"id": "m", "kind": "mail", "host": "h", "from": "q@example.org", "to": ["o@example.org"]});
        mail.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        mail
    };
    assert_eq!(refused("channels/m", mail(json!({"to": []}))).await, "to");
    assert_eq!(refused("channels/m", mail(json!({"from": "nobody"}))).await, "from");
    let open = json!({"security": "none", "username": "q", "password": "p"});
    assert_eq!(refused("channels/m", mail(open)).await, "security", "no password in the clear");
    assert_eq!(refused("channels/m", mail(json!({"ca": "no pem"}))).await, "ca");
    assert_eq!(refused("rules", json!({"rules": [{"events": ["weather"]}]})).await, "events");
    assert_eq!(refused("rules", json!({"rules": [{"channels": ["nobody"]}]})).await, "channels");
    let quiet = |zone: &str| json!({"rules": [{"quiet": {"from": "22:00", "to": "07:00", "zone": zone}}]});
    assert_eq!(refused("rules", quiet("Europe/Atlantis")).await, "quiet.zone");
    let set = house.send(Method::PUT, &format!("{AT}/rules"), &quiet("Europe/Bucharest")).await;
    assert_eq!(set.status, 200, "{}", set.text);
    let unknown = house.send(Method::PUT, &format!("{AT}/mutes/zz"), &json!({"for_s": 60})).await;
    assert_eq!(unknown.problem(), "not_found");
    assert_eq!(refused("mutes/a", json!({"for_s": 0})).await, "for_s");
    house.close().await;
}

#[tokio::test]
async fn a_test_answers_with_what_the_other_side_said() {
    let receiver = Receiver::open().await;
    receiver.will([Answer::With(200, "thanks".to_owned()), Answer::With(403, "not you".to_owned())]);
    let house = House::with_fleet().await;
    let path = format!("{AT}/channels/hook");
    let hook = json!({"id": "hook", "kind": "webhook", "url": receiver.url()});
    assert_eq!(house.send(Method::PUT, &path, &hook).await.status, 200);
    let tested = house.act(Method::POST, &format!("{path}/test")).await.json();
    assert_eq!((&tested["ok"], &tested["said"]), (&json!(true), &json!("HTTP 200 OK: thanks")));
    let tested = house.act(Method::POST, &format!("{path}/test")).await.json();
    assert_eq!((&tested["ok"], &tested["said"]), (&json!(false), &json!("HTTP 403 Forbidden: not you")));
    assert_eq!(receiver.got()[0].json()["event"], "aggregator.test");
    assert_eq!(house.act(Method::POST, &format!("{AT}/channels/none/test")).await.problem(), "not_found");
    assert_eq!(house.act(Method::DELETE, &path).await.status, 204);
    assert_eq!(house.act(Method::DELETE, &path).await.problem(), "not_found");
    house.close().await;
}

#[tokio::test]
async fn a_mute_has_an_end_and_can_be_ended() {
    let house = House::with_fleet().await;
    let path = format!("{AT}/mutes/a");
    let set = house.send(Method::PUT, &path, &json!({"for_s": 3600, "reason": "moving"})).await;
    assert_eq!(set.status, 200, "{}", set.text);
    let mutes = house.get(&format!("{AT}/mutes")).await.json();
    assert_eq!((&mutes["items"][0]["server"], &mutes["items"][0]["reason"]), (&json!("a"), &json!("moving")));
    assert_eq!(house.act(Method::DELETE, &path).await.status, 204);
    assert_eq!(house.get(&format!("{AT}/mutes")).await.json()["items"], json!([]));
    house.close().await;
}
