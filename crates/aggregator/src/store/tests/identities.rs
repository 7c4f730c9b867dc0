//! Tokens, enrolments, certificates, sessions and the audit.

use std::time::Duration;

use quorate_core::renewal::Lifetime;
use quorate_core::time::Moment;
use serde_json::json;

use super::super::{
    AgentCertificate, CertificateState, Consumed, NewAudit, NewCertificate, NewEnrolment, NewSession, NewSignIn,
    NewToken, Replaced, Retention, SignIn, Store, StoreError, TokenScope, sha256,
};
use super::{Place, at};
use crate::limits::{AUDIT_JSON_BYTES_MAX, SIGN_INS_PER_TOKEN_MAX};

pub async fn a_token_is_found_by_its_hash_until_revoked(place: Place) {
    let store = place.open().await;
    let token = NewToken {
        id: "t1".to_owned(),
        name: "panel".to_owned(),
        scopes: vec![TokenScope::Read, TokenScope::Feed],
        hash: sha256(b"secret"),
        created_at: at(10),
        expires_at: Some(at(20)),
    };
    store.create_token(&token).await.unwrap();
    assert!(matches!(store.create_token(&token).await, Err(StoreError::Exists { .. })));
    let found = store.find_token(&sha256(b"secret")).await.unwrap().unwrap();
    assert_eq!((found.id.as_str(), found.name.as_str()), ("t1", "panel"));
    assert!(found.has(TokenScope::Feed) && !found.has(TokenScope::Admin));
    assert!(found.is_valid_at(at(19)) && !found.is_valid_at(at(20)));
    assert_eq!(store.find_token(&sha256(b"other")).await.unwrap(), None);
    let for_ever = NewToken { id: "t2".to_owned(), hash: sha256(b"second"), expires_at: None, ..token };
    store.create_token(&for_ever).await.unwrap();
    let all = store.tokens().await.unwrap();
    assert_eq!(all.iter().map(|token| token.id.as_str()).collect::<Vec<_>>(), ["t1", "t2"]);
    assert!(all[1].is_valid_at(at(u64::MAX)));
    assert_eq!(store.revoke_token("t1").await.unwrap().unwrap(), found);
    assert_eq!(store.revoke_token("t1").await.unwrap(), None);
    assert_eq!(store.find_token(&sha256(b"secret")).await.unwrap(), None);
}

fn a_token(id: &str) -> NewToken {
    NewToken {
        id: id.to_owned(),
        name: "ann".to_owned(),
        scopes: vec![TokenScope::Read],
        hash: sha256(id.as_bytes()),
        created_at: at(1),
        expires_at: None,
    }
}

async fn sign_in(store: &Store, token: &str, secret: &str, now: Moment) {
    let from = "192.0.2.1:5".to_owned();
    let new = NewSignIn { hash: sha256(secret.as_bytes()), token: token.to_owned(), from, at: now };
    store.open_sign_in(&new).await.unwrap();
}

async fn signed_in(store: &Store, secret: &str) -> Option<SignIn> {
    store.find_sign_in(&sha256(secret.as_bytes())).await.unwrap()
}

pub async fn a_sign_in_says_what_its_token_says_and_ends_with_it(place: Place) {
    let store = place.open().await;
    store.create_token(&a_token("t1")).await.unwrap();
    sign_in(&store, "t1", "desk", at(10)).await;
    sign_in(&store, "t1", "phone", at(20)).await;
    let desk = signed_in(&store, "desk").await.unwrap();
    assert_eq!((desk.token.id.as_str(), desk.opened_at, desk.used_at), ("t1", at(10), at(10)));
    assert!(desk.token.has(TokenScope::Read) && !desk.token.has(TokenScope::Admin));
    assert_eq!(signed_in(&store, "other").await, None);
    let hash = sha256(b"desk");
    assert!(store.close_sign_in(&hash).await.unwrap());
    assert!(!store.close_sign_in(&hash).await.unwrap());
    assert_eq!(signed_in(&store, "desk").await, None);
    store.revoke_token("t1").await.unwrap();
    assert_eq!(signed_in(&store, "phone").await, None);
    store.create_token(&a_token("t1")).await.unwrap();
    assert_eq!(signed_in(&store, "phone").await, None, "a token of the same id is another token");
}

pub async fn a_sign_in_ends_when_it_is_not_used_and_at_last_in_any_case(place: Place) {
    const HOUR_MS: u64 = 3_600_000;
    let store = place.open().await;
    store.create_token(&a_token("t1")).await.unwrap();
    let ends_in = async |now: Moment| {
        let end = signed_in(&store, "desk").await.unwrap().expires_at();
        end.since(now).as_millis() as u64 / HOUR_MS
    };
    let opened = at(1000);
    sign_in(&store, "t1", "desk", opened).await;
    assert_eq!(ends_in(opened).await, 12);
    let hash = sha256(b"desk");
    let later = at(1000 + 160 * HOUR_MS);
    store.use_sign_in(&hash, later).await.unwrap();
    store.use_sign_in(&hash, opened).await.unwrap();
    assert_eq!(ends_in(later).await, 8, "168 h after it began");
    let retention = Retention { age: Duration::from_hours(24), bytes: 1 << 30 };
    store.prune(retention, at(1000 + 168 * HOUR_MS), 0).await.unwrap();
    assert!(signed_in(&store, "desk").await.is_some());
    store.prune(retention, at(1001 + 168 * HOUR_MS), 0).await.unwrap();
    assert_eq!(signed_in(&store, "desk").await, None);

    let until = Some(at(5000));
    store.create_token(&NewToken { expires_at: until, ..a_token("t2") }).await.unwrap();
    sign_in(&store, "t2", "phone", at(2000)).await;
    assert_eq!(Some(signed_in(&store, "phone").await.unwrap().expires_at()), until, "its token ends earlier");
}

pub async fn a_token_has_a_bounded_number_of_sign_ins_and_the_longest_unused_goes(place: Place) {
    let store = place.open().await;
    for id in ["t1", "t2"] {
        store.create_token(&a_token(id)).await.unwrap();
    }
    sign_in(&store, "t2", "another's", at(1)).await;
    let most = SIGN_INS_PER_TOKEN_MAX.unsigned_abs();
    for n in 0..most {
        sign_in(&store, "t1", &n.to_string(), at(10 + n)).await;
    }
    store.use_sign_in(&sha256(b"0"), at(500)).await.unwrap();
    sign_in(&store, "t1", "one more", at(1000)).await;
    let mut left = Vec::new();
    for secret in ["0", "1", "2", "one more", "another's"] {
        left.push(signed_in(&store, secret).await.is_some());
    }
    assert_eq!(left, [true, false, true, true, true]);
}

async fn offer(store: &Store) {
    let offered =
        NewEnrolment { id: "e1".to_owned(), server: "nl-1".to_owned(), hash: sha256(b"token"), expires_at: at(3600) };
    store.create_enrolment(&offered).await.unwrap();
}

fn first() -> Consumed {
    Consumed::First { server: "nl-1".to_owned() }
}

fn other_key() -> Consumed {
    Consumed::OtherKey { server: "nl-1".to_owned() }
}

pub async fn an_enrolment_is_spent_on_the_first_key(place: Place) {
    let store = place.open().await;
    offer(&store).await;
    let (key, other) = (sha256(b"key"), sha256(b"other"));
    assert_eq!(store.consume_enrolment("e2", &sha256(b"token"), &key, at(1)).await.unwrap(), Consumed::Unknown);
    assert_eq!(store.consume_enrolment("e1", &sha256(b"guess"), &key, at(1)).await.unwrap(), Consumed::Unknown);
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(3599)).await.unwrap(), first());
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &other, at(2)).await.unwrap(), other_key());
    store.finish_enrolment("e1", b"certificate").await.unwrap();
    store.finish_enrolment("e1", b"another").await.unwrap();
    let again = Consumed::Again { server: "nl-1".to_owned(), certificate_der: b"certificate".to_vec() };
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(4000)).await.unwrap(), again);
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &other, at(4)).await.unwrap(), other_key());
}

pub async fn of_many_keys_that_come_at_once_one_is_first(place: Place) {
    let store = place.open().await;
    offer(&store).await;
    let attempts = (0..8_u8).map(|attempt| {
        let store = store.clone();
        tokio::spawn(async move {
            store.consume_enrolment("e1", &sha256(b"token"), &sha256(&[attempt]), at(1)).await.unwrap()
        })
    });
    let mut answers = Vec::new();
    for attempt in attempts.collect::<Vec<_>>() {
        answers.push(attempt.await.unwrap());
    }
    assert_eq!(answers.iter().filter(|answer| **answer == first()).count(), 1);
    assert_eq!(answers.iter().filter(|answer| **answer == other_key()).count(), 7);
}

pub async fn an_enrolment_ends_with_its_time_or_its_server(place: Place) {
    let store = place.open().await;
    offer(&store).await;
    let key = sha256(b"key");
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(3600)).await.unwrap(), Consumed::Expired);
    store.revoke("nl-1").await.unwrap();
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(1)).await.unwrap(), Consumed::Used);
}

pub async fn a_key_whose_certificate_was_never_made_is_first_again(place: Place) {
    let store = place.open().await;
    offer(&store).await;
    let key = sha256(b"key");
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(1)).await.unwrap(), first());
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(2)).await.unwrap(), first());
    assert_eq!(store.consume_enrolment("e1", &sha256(b"token"), &key, at(3600)).await.unwrap(), Consumed::Expired);
}

fn certificate(server: &str, n: u8) -> AgentCertificate {
    AgentCertificate {
        fingerprint: sha256(&[n]),
        server: server.to_owned(),
        der: vec![n],
        lifetime: Lifetime { not_before: at(u64::from(n)), not_after: at(1000) },
        state: CertificateState::Pending,
    }
}

fn new(certificate: &AgentCertificate) -> NewCertificate<'_> {
    let AgentCertificate { fingerprint, server, der, lifetime, state: _ } = certificate;
    NewCertificate { fingerprint: *fingerprint, server, der, lifetime: *lifetime }
}

async fn add(store: &Store, server: &str, n: u8) -> Replaced {
    store.add_certificate(&new(&certificate(server, n))).await.unwrap()
}

async fn renew(store: &Store, by: u8, n: u8) -> Option<Replaced> {
    store.renew_certificate(&sha256(&[by]), &new(&certificate("nl-1", n))).await.unwrap()
}

async fn states(store: &Store, server: &str) -> Vec<CertificateState> {
    store.certificates(server).await.unwrap().into_iter().map(|certificate| certificate.state).collect()
}

pub async fn a_certificate_in_use_retires_the_others(place: Place) {
    use CertificateState::{Active, Pending, Retired};
    let store = place.open().await;
    add(&store, "nl-1", 1).await;
    add(&store, "de-1", 9).await;
    assert_eq!(store.certificate(&sha256(&[1])).await.unwrap(), Some(certificate("nl-1", 1)));
    assert_eq!(store.certificate(&sha256(&[7])).await.unwrap(), None);
    assert!(store.activate_certificate(&sha256(&[1])).await.unwrap());
    add(&store, "nl-1", 3).await;
    assert_eq!(states(&store, "nl-1").await, [Active, Pending]);
    assert!(store.activate_certificate(&sha256(&[3])).await.unwrap());
    assert!(store.activate_certificate(&sha256(&[3])).await.unwrap());
    assert!(!store.activate_certificate(&sha256(&[1])).await.unwrap());
    assert!(!store.activate_certificate(&sha256(&[7])).await.unwrap());
    assert_eq!(states(&store, "nl-1").await, [Retired, Active]);
    assert_eq!(states(&store, "de-1").await, [Pending]);
    let pinned = store.pinned_certificates().await.unwrap();
    let mut pinned: Vec<_> = pinned.iter().map(|pin| (pin.server.as_str(), pin.state)).collect();
    pinned.sort_by_key(|(server, _)| *server);
    assert_eq!(pinned, [("de-1", Pending), ("nl-1", Active)]);
}

pub async fn a_server_has_one_pending_certificate_at_most(place: Place) {
    use CertificateState::{Active, Pending, Retired};
    let store = place.open().await;
    assert_eq!(add(&store, "nl-1", 1).await, Replaced::new());
    assert_eq!(add(&store, "nl-1", 2).await, [sha256(&[1])]);
    assert!(store.activate_certificate(&sha256(&[2])).await.unwrap());
    assert_eq!(renew(&store, 2, 3).await, Some(Replaced::new()));
    assert_eq!(renew(&store, 2, 4).await, Some(vec![sha256(&[3])]));
    assert_eq!(states(&store, "nl-1").await, [Retired, Active, Retired, Pending]);
    assert_eq!(store.pending_certificate("nl-1").await.unwrap(), Some(certificate("nl-1", 4)));
    assert_eq!(store.pending_certificate("de-1").await.unwrap(), None);
}

pub async fn only_the_certificate_in_use_can_be_renewed(place: Place) {
    use CertificateState::{Active, Pending, Retired};
    let store = place.open().await;
    add(&store, "nl-1", 1).await;
    assert_eq!(renew(&store, 1, 2).await, None, "not used yet");
    assert_eq!(states(&store, "nl-1").await, [Pending]);
    store.activate_certificate(&sha256(&[1])).await.unwrap();
    add(&store, "de-1", 9).await;
    store.activate_certificate(&sha256(&[9])).await.unwrap();
    assert_eq!(renew(&store, 9, 2).await, None, "another server's");
    assert_eq!(renew(&store, 7, 2).await, None, "nobody's");
    renew(&store, 1, 2).await.unwrap();
    store.activate_certificate(&sha256(&[2])).await.unwrap();
    assert_eq!(renew(&store, 1, 3).await, None, "retired");
    assert_eq!(states(&store, "nl-1").await, [Retired, Active]);
    store.revoke("nl-1").await.unwrap();
    assert_eq!(renew(&store, 2, 3).await, None, "revoked");
}

pub async fn revoking_ends_all_certificates_at_once(place: Place) {
    use CertificateState::{Pending, Revoked};
    let store = place.open().await;
    add(&store, "nl-1", 1).await;
    store.activate_certificate(&sha256(&[1])).await.unwrap();
    add(&store, "nl-1", 2).await;
    add(&store, "de-1", 9).await;
    assert_eq!(store.revoke("nl-1").await.unwrap(), 2);
    assert_eq!(store.revoke("nl-1").await.unwrap(), 0);
    assert_eq!(states(&store, "nl-1").await, [Revoked, Revoked]);
    assert!(!store.activate_certificate(&sha256(&[1])).await.unwrap());
    assert_eq!(states(&store, "de-1").await, [Pending]);
}

pub async fn a_token_is_known_by_its_secret_spent_or_not(place: Place) {
    let store = place.open().await;
    offer(&store).await;
    assert!(store.knows_enrolment("e1", &sha256(b"token")).await.unwrap());
    assert!(!store.knows_enrolment("e1", &sha256(b"guess")).await.unwrap());
    assert!(!store.knows_enrolment("e2", &sha256(b"token")).await.unwrap());
    store.consume_enrolment("e1", &sha256(b"token"), &sha256(b"key"), at(1)).await.unwrap();
    assert!(store.knows_enrolment("e1", &sha256(b"token")).await.unwrap());
}

pub async fn sessions_are_opened_and_closed(place: Place) {
    let store = place.open().await;
    let session = |opened_at| NewSession {
        server: "nl-1".to_owned(),
        peer_addr: "[::1]:5".to_owned(),
        edge: (opened_at == 20).then(|| "fra".to_owned()),
        claimed_addr: (opened_at == 20).then(|| "192.0.2.7:41074".to_owned()),
        agent_version: "0.1.0".to_owned(),
        opened_at: at(opened_at),
    };
    let one = store.open_session(&session(10)).await.unwrap();
    let two = store.open_session(&session(20)).await.unwrap();
    assert!(one < two);
    store.close_session(one, at(15), "shutdown").await.unwrap();
    store.close_session(one, at(16), "error").await.unwrap();
    let sessions = store.sessions("nl-1", 9).await.unwrap();
    assert_eq!(sessions.iter().map(|session| session.id).collect::<Vec<_>>(), [two, one]);
    let way = |at: usize| (sessions[at].edge.as_deref(), sessions[at].claimed_addr.as_deref());
    assert_eq!((way(0), way(1)), ((Some("fra"), Some("192.0.2.7:41074")), (None, None)));
    assert_eq!((sessions[0].closed_at, sessions[0].reason.as_deref()), (None, None));
    assert_eq!((sessions[1].closed_at, sessions[1].reason.as_deref()), (Some(at(15)), Some("shutdown")));
    assert_eq!(store.sessions("nl-1", 1).await.unwrap().len(), 1);
    assert_eq!(store.close_left_sessions(at(30), "aggregator_died").await.unwrap(), 1);
    assert_eq!(store.sessions("nl-1", 1).await.unwrap()[0].reason.as_deref(), Some("aggregator_died"));
}

pub async fn changes_are_audited(place: Place) {
    let store = place.open().await;
    for subject in ["t1", "t2", "t3"] {
        let row = NewAudit {
            at: at(5),
            by: "ann".to_owned(),
            action: "token.create".to_owned(),
            subject: subject.to_owned(),
            detail: String::new(),
            before: (subject == "t3").then(|| json!({"name": "x\0", "n": 1})),
            after: (subject == "t2").then(|| json!("x".repeat(AUDIT_JSON_BYTES_MAX))),
        };
        store.append_audit(&row).await.unwrap();
    }
    let rows = store.audit(None, 2).await.unwrap();
    assert_eq!(rows.iter().map(|row| (row.id, row.subject.as_str())).collect::<Vec<_>>(), [(3, "t3"), (2, "t2")]);
    assert_eq!((rows[0].by.as_str(), rows[0].at), ("ann", at(5)));
    let changes: Vec<_> = rows.iter().map(|row| (row.before.clone(), row.after.clone())).collect();
    let too_long = json!({"left_out_bytes": AUDIT_JSON_BYTES_MAX + 2});
    assert_eq!(changes, [(Some(json!({"name": "x\0", "n": 1})), None), (None, Some(too_long))]);
    let older = store.audit(Some(2), 9).await.unwrap();
    assert_eq!(older.iter().map(|row| row.id).collect::<Vec<_>>(), [1]);
}
