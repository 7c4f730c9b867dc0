#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use quorate_core::time::Moment;

use super::sink::{Offers, Sink};
use super::{carried, message};
use crate::notify::carrier::{Parcel, Refusal, carry_within};
use crate::notify::channel::{MailEntry, Security, Settings};
use crate::notify::secret::Secret;

fn mail(sink: &Sink, security: Security) -> MailEntry {
    MailEntry {
        host: "127.0.0.1".to_owned(),
        port: Some(sink.addr.port()),
        security,
        from: "Quorate <quorate@example.org>".to_owned(),
        to: vec!["ops@example.org".to_owned(), "night@example.org".to_owned()],
        username: None,
        password: None,
        ca: Some(sink.ca.clone()),
    }
}

#[tokio::test]
async fn mail_goes_over_starttls_and_signs_in_behind_it() {
    let sink = Sink::open(Offers::Starttls, "127.0.0.1").await;
    let mut entry = mail(&sink, Security::Starttls);
    (entry.username, entry.password) = (Some("quorate".to_owned()), Some(Secret::new("open sesame")));
    assert_eq!(carried(&Settings::Mail(entry)).await.unwrap(), "250 kept as number 1");
    let heard = sink.first().await;
    assert_eq!(heard.commands, ["EHLO", "STARTTLS", "TLS", "EHLO", "AUTH", "MAIL", "RCPT", "RCPT", "DATA", "QUIT"]);
    assert_eq!((heard.user.as_deref(), heard.password.as_deref()), (Some("quorate"), Some("open sesame")));
    let mail = heard.mail.unwrap();
    assert!(mail.contains("Subject: [Quorate warning] nl-1 (NL): Address blocked, as seen from ru-1\n"), "{mail}");
    assert!(mail.contains("Message-ID: <0badcafe@example.org>\n"), "{mail}");
    assert!(mail.contains("To: ops@example.org, night@example.org\n"), "{mail}");
    assert!(mail.contains("\nThe address is 198.51.100.7:443.\n"), "{mail}");
    assert!(mail.contains("\nWhat to do: change its address.\n"), "{mail}");
}

#[tokio::test]
async fn mail_goes_over_tls_from_the_first_byte() {
    let sink = Sink::open(Offers::Tls, "127.0.0.1").await;
    carried(&Settings::Mail(mail(&sink, Security::Tls))).await.unwrap();
    assert_eq!(sink.first().await.commands[..2], ["TLS", "EHLO"]);
}

#[tokio::test]
async fn mail_goes_in_the_clear_only_where_somebody_says_so() {
    let sink = Sink::open(Offers::Nothing, "127.0.0.1").await;
    carried(&Settings::Mail(mail(&sink, Security::None))).await.unwrap();
    assert!(sink.first().await.mail.is_some());
}

#[tokio::test]
async fn a_server_without_starttls_gets_neither_password_nor_mail() {
    let sink = Sink::open(Offers::Nothing, "127.0.0.1").await;
    let mut entry = mail(&sink, Security::Starttls);
    (entry.username, entry.password) = (Some("quorate".to_owned()), Some(Secret::new("open sesame")));
    let refusal = carried(&Settings::Mail(entry)).await.unwrap_err();
    assert!(matches!(&refusal, Refusal::Refused { said } if said.contains("offers no STARTTLS")), "{refusal:?}");
    assert_eq!(sink.first().await.commands, ["EHLO"]);
}

#[tokio::test]
async fn a_certificate_of_nobody_known_gets_nothing() {
    for (offers, security) in [(Offers::Starttls, Security::Starttls), (Offers::Tls, Security::Tls)] {
        let sink = Sink::open(offers, "127.0.0.1").await;
        let refusal = carried(&Settings::Mail(MailEntry { ca: None, ..mail(&sink, security) })).await.unwrap_err();
        assert!(refusal.to_string().contains("certificate"), "{refusal}");
        let heard = sink.first().await;
        assert!(
            !heard.commands.iter().any(|command| ["AUTH", "MAIL", "DATA"].contains(&command.as_str())),
            "{heard:?}"
        );
    }
}

#[tokio::test]
async fn a_certificate_of_another_name_gets_nothing() {
    for (offers, security) in [(Offers::Starttls, Security::Starttls), (Offers::Tls, Security::Tls)] {
        let sink = Sink::open(offers, "mail.example.org").await;
        let refusal = carried(&Settings::Mail(mail(&sink, security))).await.unwrap_err();
        assert!(refusal.to_string().contains("certificate"), "{refusal}");
        assert_eq!(sink.first().await.mail, None);
    }
}

#[tokio::test]
async fn a_password_that_is_refused_is_told_and_no_mail_is_sent() {
    let sink = Sink::open(Offers::Starttls, "127.0.0.1").await;
    let mut entry = mail(&sink, Security::Starttls);
    (entry.username, entry.password) = (Some("quorate".to_owned()), Some(Secret::new("wrong")));
    let refusal = carried(&Settings::Mail(entry)).await.unwrap_err();
    assert!(matches!(&refusal, Refusal::Refused { said } if said.starts_with("sign-in 535")), "{refusal:?}");
    assert_eq!(sink.first().await.mail, None);
}

#[tokio::test]
async fn a_server_that_talks_without_end_is_cut_off() {
    let sink = Sink::open(Offers::AnEndlessLine, "127.0.0.1").await;
    let refusal = carried(&Settings::Mail(mail(&sink, Security::None))).await.unwrap_err();
    assert!(refusal.to_string().contains("more than 262144 bytes"), "{refusal}");
}

#[tokio::test]
async fn a_server_that_says_nothing_is_left_in_time() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let sink = Sink::open(Offers::Nothing, "127.0.0.1").await;
    let port = Some(silent.local_addr().unwrap().port());
    let settings = Settings::Mail(MailEntry { port, ..mail(&sink, Security::None) });
    let message = message();
    let parcel = Parcel { name: "0badcafe", message: &message, now: Moment::from_ms(message.at_ms) };
    let refusal = carry_within(Duration::from_millis(200), &settings, parcel).await.unwrap_err();
    assert!(matches!(&refusal, Refusal::Later { .. }), "{refusal:?}");
}
