//! What channels are told, and what is on its way to them.

use std::time::Duration;

use quorate_core::notify::{Key, Severity, Told, Topic};

use super::super::{Attempt, ChannelNews, DeliveryState, Mute, NewDelivery, Retention, Store, ToldRow};
use super::{Place, at};
use crate::limits::{DELIVERIES_KEPT, ENDED_MUTES_KEPT};

fn row(subject: &str, word: &str) -> ToldRow {
    ToldRow {
        key: Key { topic: Topic::ServerStatus, subject: subject.into() },
        told: Told { word: word.into(), severity: Severity::Warning, silent: false, at: at(20) },
        since: at(10),
        item: "{}".to_owned(),
    }
}

fn delivery(name: &str) -> NewDelivery {
    NewDelivery { name: name.to_owned(), channel: "ops".to_owned(), made_at: at(20), message: "{}".to_owned() }
}

async fn news(store: &Store) -> ChannelNews {
    let number = store.channels().await.unwrap()[0].number;
    ChannelNews { channel: "ops".to_owned(), number, at: at(20), settled: true, ..ChannelNews::default() }
}

async fn open(place: &Place) -> Store {
    let store = place.open().await;
    store.put_channel("ops", "{\"kind\":\"webhook\"}", at(1)).await.unwrap();
    store
}

pub async fn what_a_channel_is_told_comes_back_as_it_was(place: Place) {
    let store = open(&place).await;
    let told = vec![row("a", "down"), row("b", "unreachable")];
    let first = ChannelNews { told, through_event: 7, delivery: Some(delivery("one")), ..news(&store).await };
    assert!(store.tell_channel(&first).await.unwrap());
    store.close().await;

    let store = place.open().await;
    let channel = store.channels().await.unwrap().remove(0);
    assert_eq!((channel.settled, channel.through_event), (true, 7));
    assert_eq!(store.told("ops").await.unwrap(), [row("a", "down"), row("b", "unreachable")]);
    let second =
        ChannelNews { told: vec![row("a", "blocked")], forgotten: vec![row("b", "").key], ..news(&store).await };
    assert!(store.tell_channel(&second).await.unwrap());
    assert_eq!(store.told("ops").await.unwrap(), [row("a", "blocked")]);
    assert_eq!(store.deliveries(None, None, None, 9).await.unwrap().len(), 1);
}

pub async fn a_message_and_what_it_tells_are_written_together_or_not_at_all(place: Place) {
    let store = open(&place).await;
    let first = ChannelNews { delivery: Some(delivery("one")), ..news(&store).await };
    assert!(store.tell_channel(&first).await.unwrap());
    let again = ChannelNews { told: vec![row("a", "down")], delivery: Some(delivery("one")), ..news(&store).await };
    assert!(store.tell_channel(&again).await.is_err(), "its name was given before");
    assert_eq!(store.told("ops").await.unwrap(), []);
}

pub async fn a_channel_that_takes_the_name_of_another_is_another(place: Place) {
    let store = open(&place).await;
    let first = ChannelNews { told: vec![row("a", "down")], delivery: Some(delivery("one")), ..news(&store).await };
    assert!(store.tell_channel(&first).await.unwrap());
    store.put_channel("ops", "{\"kind\":\"mail\"}", at(2)).await.unwrap();
    assert_eq!(store.told("ops").await.unwrap().len(), 1, "other settings make no other channel");
    assert!(store.delete_channel("ops").await.unwrap());
    assert!(!store.delete_channel("ops").await.unwrap());
    store.put_channel("ops", "{\"kind\":\"webhook\"}", at(3)).await.unwrap();
    assert_eq!(store.told("ops").await.unwrap(), []);
    assert_eq!(store.next_delivery("ops").await.unwrap(), None);
    assert!(!store.tell_channel(&first).await.unwrap(), "what the first was told is not for the second");
    assert!(!store.channels().await.unwrap()[0].settled);
}

pub async fn deliveries_wait_arrive_and_are_given_up(place: Place) {
    let store = open(&place).await;
    for name in ["one", "two", "three"] {
        let told = ChannelNews { delivery: Some(delivery(name)), ..news(&store).await };
        assert!(store.tell_channel(&told).await.unwrap());
    }
    let attempt = |id, state, said: &str| Attempt { id, at: at(30), state, due_at: at(35), said: said.to_owned() };
    let next = async || store.next_delivery("ops").await.unwrap().map(|delivery| delivery.name);
    assert_eq!(next().await.as_deref(), Some("one"));
    store.note_attempt(&attempt(1, DeliveryState::Waiting, "HTTP 503")).await.unwrap();
    let waiting = store.next_delivery("ops").await.unwrap().unwrap();
    assert_eq!((waiting.attempts, waiting.due_at, waiting.said.as_deref()), (1, at(35), Some("HTTP 503")));
    store.note_attempt(&attempt(1, DeliveryState::Sent, "HTTP 200")).await.unwrap();
    assert_eq!(next().await.as_deref(), Some("two"));
    store.note_attempt(&attempt(2, DeliveryState::Dead, "HTTP 404")).await.unwrap();
    assert_eq!(next().await.as_deref(), Some("three"));

    let dead = store.deliveries(Some(DeliveryState::Dead), Some("ops"), None, 9).await.unwrap();
    assert_eq!((dead.len(), dead[0].id, dead[0].ended_at), (1, 2, Some(at(30))));
    assert!(store.redeliver(2, at(40)).await.unwrap());
    assert!(!store.redeliver(2, at(40)).await.unwrap(), "it is on its way");
    assert!(!store.redeliver(99, at(40)).await.unwrap());
    let again = store.delivery(2).await.unwrap().unwrap();
    assert_eq!((again.name.as_str(), again.attempts, again.ended_at), ("two", 0, None));
    let newest: Vec<u64> =
        store.deliveries(None, None, Some(3), 1).await.unwrap().into_iter().map(|delivery| delivery.id).collect();
    assert_eq!(newest, [2]);
    let counts = store.count_deliveries().await.unwrap();
    let count = |state| counts.iter().find(|(_, found, _)| *found == state).map(|(_, _, count)| *count);
    assert_eq!((count(DeliveryState::Waiting), count(DeliveryState::Sent)), (Some(2), Some(1)));
}

pub async fn of_too_many_that_wait_the_oldest_are_given_up(place: Place) {
    let store = open(&place).await;
    for n in 0..5 {
        let told = ChannelNews { delivery: Some(delivery(&format!("n{n}"))), ..news(&store).await };
        assert!(store.tell_channel(&told).await.unwrap());
    }
    assert_eq!(store.shed_deliveries("ops", 5, at(50)).await.unwrap(), 0);
    assert_eq!(store.shed_deliveries("ops", 3, at(50)).await.unwrap(), 2);
    assert_eq!(store.next_delivery("ops").await.unwrap().unwrap().name, "n2");
    assert_eq!(store.shed_deliveries("others", 0, at(50)).await.unwrap(), 0);
}

pub async fn mutes_are_kept_for_a_while_after_their_end(place: Place) {
    let store = open(&place).await;
    let mute = |until| Mute { server: "a".to_owned(), until: at(until), by: "me".to_owned(), reason: String::new() };
    store.put_mute(&mute(50)).await.unwrap();
    store.put_mute(&mute(100)).await.unwrap();
    assert_eq!(store.mutes().await.unwrap(), [mute(100)]);
    let retention = Retention { age: Duration::from_secs(1), bytes: 0 };
    store.prune(retention, at(100).after(ENDED_MUTES_KEPT), 0).await.unwrap();
    assert_eq!(store.mutes().await.unwrap().len(), 1);
    store.prune(retention, at(101).after(ENDED_MUTES_KEPT), 0).await.unwrap();
    assert_eq!(store.mutes().await.unwrap(), []);
    assert!(!store.delete_mute("a").await.unwrap());
}

pub async fn the_newest_messages_are_kept(place: Place) {
    let store = open(&place).await;
    for name in ["one", "two"] {
        let told = ChannelNews { delivery: Some(delivery(name)), ..news(&store).await };
        assert!(store.tell_channel(&told).await.unwrap());
    }
    let later = format!("UPDATE counters SET value = {} WHERE name = 'delivery'", DELIVERIES_KEPT + 1);
    sqlx::query(sqlx::AssertSqlSafe(later)).execute(&store.inner.writers).await.unwrap();
    store.prune(Retention { age: Duration::from_secs(1), bytes: 0 }, at(100), 0).await.unwrap();
    let kept: Vec<String> =
        store.deliveries(None, None, None, 9).await.unwrap().into_iter().map(|delivery| delivery.name).collect();
    assert_eq!(kept, ["two"]);
}
