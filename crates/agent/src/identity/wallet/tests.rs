//! Renewal on files: whatever was written last, an identity that the gateway knows is shown.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::os::unix::fs::PermissionsExt as _;

use rcgen::{BasicConstraints, IsCa, Issuer, KeyPair, SubjectPublicKeyInfo};
use x509_parser::certification_request::X509CertificationRequest;

use super::*;

const DAY: Duration = Duration::from_hours(24);
/// 2026-01-01.
const BEGIN: Moment = Moment::from_ms(1_767_225_600_000);
/// A clock that never goes back; nothing here hangs on it but pauses.
const NOW: Moment = Moment::from_ms(1_000_000_000);

struct Bench {
    dir: tempfile::TempDir,
    issuer: Issuer<'static, KeyPair>,
    authority: Vec<u8>,
}

impl Bench {
    /// A server that was enrolled at [`BEGIN`]; its certificate has 30 days of life.
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        let authority = params.self_signed(&key).unwrap().der().to_vec();
        let bench = Self { dir: tempfile::tempdir().unwrap(), issuer: Issuer::new(params, key), authority };
        bench.enrol(BEGIN);
        bench
    }

    fn enrol(&self, from: Moment) {
        let key = KeyPair::generate().unwrap();
        let certificate = self.certify(&rcgen::PublicKeyData::subject_public_key_info(&key), from);
        Identity::store(self.dir.path(), &key.serialize_pem(), &certificate, &self.authority).unwrap();
        pending::discard(self.dir.path());
    }

    fn certify(&self, spki: &[u8], from: Moment) -> Vec<u8> {
        let epoch = rcgen::date_time_ymd(1970, 1, 1);
        let mut params = CertificateParams::default();
        params.not_before = epoch + Duration::from_millis(from.as_ms());
        params.not_after = epoch + Duration::from_millis(from.after(DAY * 30).as_ms());
        let key = SubjectPublicKeyInfo::from_der(spki).unwrap();
        params.signed_by(&key, &self.issuer).unwrap().der().to_vec()
    }

    /// What the gateway answers.
    fn answer(&self, asked: &v1::Renew, from: Moment) -> v1::Renewed {
        let (_, csr) = X509CertificationRequest::from_der(&asked.csr_der).unwrap();
        let certificate_der = self.certify(csr.certification_request_info.subject_pki.raw, from);
        v1::Renewed { certificate_der, refused: String::new() }
    }

    fn open(&self) -> Wallet {
        Wallet::open(self.dir.path()).unwrap()
    }

    /// A wallet with a pending identity, and the hashes of the one in use and of the pending one.
    fn renewed(&self) -> (Wallet, [u8; 32], [u8; 32]) {
        let mut wallet = self.open();
        let old = shown(&mut wallet);
        let asked = wallet.ask(NOW).unwrap();
        let answer = self.answer(&asked, BEGIN.after(DAY * 21));
        wallet.receive(&answer, None).unwrap();
        (wallet, old, crate::files::sha256(&answer.certificate_der))
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.dir.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The hash of the certificate that is shown next.
fn shown(wallet: &mut Wallet) -> [u8; 32] {
    wallet.show(None);
    wallet.identity(wallet.showing.next().0).fingerprint()
}

#[test]
fn a_new_certificate_is_shown_next_and_in_its_place_after_the_first_welcome() {
    let bench = Bench::new();
    let (mut wallet, old, new) = bench.renewed();
    assert_ne!(old, new);
    assert_eq!(shown(&mut wallet), new);
    assert_eq!(bench.files(), ["identity.pem", "identity.pending.pem"]);
    for name in bench.files() {
        let mode = std::fs::metadata(bench.dir.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    wallet.welcomed(NOW);
    assert_eq!(bench.files(), ["identity.pem"]);
    assert_eq!(shown(&mut wallet), new);
    assert_eq!(shown(&mut bench.open()), new);
}

#[test]
fn after_a_crash_before_the_answer_the_old_identity_is_shown_and_the_same_key_asks() {
    let bench = Bench::new();
    let mut wallet = bench.open();
    let old = shown(&mut wallet);
    let first = wallet.ask(NOW).unwrap();
    drop(wallet);
    let mut wallet = bench.open();
    assert_eq!(shown(&mut wallet), old);
    let day_one = BEGIN.after(DAY);
    assert_eq!(wallet.asks_in(day_one, NOW), Duration::ZERO, "an answer may wait");
    let again = wallet.ask(NOW).unwrap();
    let key = |asked: &v1::Renew| {
        let (_, csr) = X509CertificationRequest::from_der(&asked.csr_der).unwrap();
        csr.certification_request_info.subject_pki.raw.to_vec()
    };
    assert_eq!(key(&first), key(&again));
}

#[test]
fn after_a_crash_before_the_first_use_the_new_identity_is_tried_first_and_the_old_one_next() {
    let bench = Bench::new();
    let (wallet, old, new) = bench.renewed();
    drop(wallet);
    let mut wallet = bench.open();
    for expected in [new, old, new] {
        assert_eq!(shown(&mut wallet), expected);
        assert_eq!(wallet.turned_away(None), None);
    }
    assert_eq!(wallet.turned_away(Some(Refused::Unknown)), None, "the other one is left");
    assert_eq!(shown(&mut wallet), new);
    assert_eq!(wallet.turned_away(Some(Refused::Unknown)), Some(Refused::Unknown));
}

#[test]
fn a_pending_identity_that_met_a_broken_line_is_given_again_and_tried_again() {
    let bench = Bench::new();
    let mut wallet = bench.open();
    let old = shown(&mut wallet);
    let answer = bench.answer(&wallet.ask(NOW).unwrap(), BEGIN.after(DAY * 21));
    wallet.receive(&answer, None).unwrap();
    let new = shown(&mut wallet);
    wallet.turned_away(None);
    assert_eq!(shown(&mut wallet), old);
    wallet.welcomed(NOW);
    wallet.ask(NOW.after(Duration::from_secs(5))).unwrap();
    wallet.receive(&answer, None).unwrap();
    assert_eq!(shown(&mut wallet), new);
}

#[test]
fn a_pending_identity_that_the_gateway_does_not_know_is_asked_for_again() {
    let bench = Bench::new();
    let (mut wallet, old, new) = bench.renewed();
    assert_eq!(shown(&mut wallet), new);
    wallet.turned_away(Some(Refused::Unknown));
    assert_eq!(shown(&mut wallet), old);
    wallet.welcomed(NOW);
    assert_eq!(bench.files(), ["identity.pem", "identity.pending.pem"], "the old one was welcomed, not the new one");
    let pause = wallet.asks_in(BEGIN.after(DAY), NOW);
    assert!(pause > Duration::ZERO && pause <= Duration::from_secs(5), "{pause:?}");
    let later = NOW.after(pause);
    assert_eq!(wallet.asks_in(BEGIN.after(DAY), later), Duration::ZERO);
    let asked = wallet.ask(later).unwrap();
    let answer = bench.answer(&asked, BEGIN.after(DAY * 22));
    wallet.receive(&answer, None).unwrap();
    assert_eq!(shown(&mut wallet), crate::files::sha256(&answer.certificate_der));
}

#[test]
fn a_new_identity_that_cannot_be_put_in_its_place_is_never_written_over() {
    let bench = Bench::new();
    let (mut wallet, _, new) = bench.renewed();
    assert_eq!(shown(&mut wallet), new);
    // Nothing can be renamed over a directory.
    let (place, aside) = (bench.dir.path().join("identity.pem"), bench.dir.path().join("aside"));
    std::fs::rename(&place, &aside).unwrap();
    std::fs::create_dir(&place).unwrap();
    wallet.welcomed(NOW);
    assert!(wallet.ask(NOW).is_err(), "its file is where the next key would go");
    assert_eq!(shown(&mut wallet), new);
    std::fs::remove_dir(&place).unwrap();
    std::fs::rename(&aside, &place).unwrap();
    wallet.welcomed(NOW);
    assert_eq!(bench.files(), ["identity.pem"]);
    assert_eq!(shown(&mut bench.open()), new);
}

#[test]
fn a_certificate_is_asked_for_when_two_thirds_of_its_life_are_over_by_the_aggregators_clock() {
    let bench = Bench::new();
    let mut wallet = bench.open();
    wallet.show(None);
    let begin = BEGIN;
    let wait = wallet.asks_in(begin, NOW);
    assert!(wait >= DAY * 20 && wait < DAY * 22, "{wait:?}");
    assert_eq!(wallet.asks_in(begin.after(wait), NOW), Duration::ZERO);
    assert_eq!(bench.open().asks_in(begin, NOW), wait, "a restart does not throw the die again");
}

#[test]
fn whoever_gets_a_certificate_that_is_due_at_once_asks_again_in_an_hour() {
    let bench = Bench::new();
    let (mut wallet, _, _) = bench.renewed();
    wallet.show(None);
    wallet.welcomed(NOW);
    let far_ahead = BEGIN.after(DAY * 1000);
    assert_eq!(wallet.asks_in(far_ahead, NOW), Duration::from_hours(1));
}

#[test]
fn an_identity_past_its_end_comes_to_be_renewed_once_the_aggregators_clock_is_known() {
    let bench = Bench::new();
    let mut wallet = bench.open();
    assert_eq!(wallet.show(None).errand, Errand::Session, "the own clock is not asked");
    assert_eq!(wallet.show(Some(BEGIN.after(DAY * 30))).errand, Errand::Session);
    assert_eq!(wallet.show(Some(BEGIN.after(DAY * 31))).errand, Errand::Renewal);
    wallet.expired();
    assert_eq!(wallet.show(None).errand, Errand::Renewal, "or when the gateway says so");
}

#[test]
fn an_answer_that_is_none_changes_nothing() {
    let bench = Bench::new();
    let mut wallet = bench.open();
    let old = shown(&mut wallet);
    let asked = wallet.ask(NOW).unwrap();
    let refused = v1::Renewed { certificate_der: Vec::new(), refused: "too many renewals".to_owned() };
    assert_eq!(wallet.receive(&refused, None), Err("too many renewals".to_owned()));
    let good = bench.answer(&asked, BEGIN);
    let stranger = KeyPair::generate().unwrap();
    let for_another = bench.certify(&rcgen::PublicKeyData::subject_public_key_info(&stranger), BEGIN);
    let by_another = Bench::new().answer(&asked, BEGIN);
    for (certificate_der, told) in [
        (b"garbage".to_vec(), "no certificate"),
        (for_another, "for another key"),
        (by_another.certificate_der, "not signed by the authority"),
    ] {
        let problem = wallet.receive(&v1::Renewed { certificate_der, refused: String::new() }, None).unwrap_err();
        assert!(problem.contains(told), "{told}: {problem}");
    }
    let problem = wallet.receive(&good, Some(BEGIN.after(DAY * 31))).unwrap_err();
    assert!(problem.contains("ended already"), "{problem}");
    assert_eq!(shown(&mut wallet), old);
    wallet.receive(&good, Some(BEGIN)).unwrap();
    assert_ne!(shown(&mut wallet), old);
}

#[test]
fn a_pending_file_that_is_garbage_is_passed_over_and_written_over() {
    let bench = Bench::new();
    std::fs::write(bench.dir.path().join("identity.pending.pem"), "-----BEGIN NONSENSE-----").unwrap();
    let mut wallet = bench.open();
    assert_eq!(wallet.showing.next().0, Held::Active);
    let asked = wallet.ask(NOW).unwrap();
    wallet.receive(&bench.answer(&asked, BEGIN), None).unwrap();
    wallet.show(None);
    assert_eq!(wallet.showing.next().0, Held::Pending);
}

#[test]
fn a_new_enrolment_wins_over_what_was_pending() {
    let bench = Bench::new();
    let (mut wallet, old, new) = bench.renewed();
    assert_eq!(shown(&mut wallet), new);
    wallet.turned_away(Some(Refused::Unknown));
    wallet.turned_away(Some(Refused::Unknown));
    bench.enrol(BEGIN);
    let enrolled = shown(&mut wallet);
    assert!(enrolled != old && enrolled != new);
    assert_eq!(bench.files(), ["identity.pem"]);
}

#[test]
fn an_identity_that_was_read_is_good_while_its_file_is_not() {
    let bench = Bench::new();
    let mut wallet = bench.open();
    let before = shown(&mut wallet);
    std::fs::write(bench.dir.path().join("identity.pem"), "half a fi").unwrap();
    assert_eq!(shown(&mut wallet), before);
    let problem = Wallet::open(bench.dir.path()).unwrap_err().to_string();
    assert!(problem.contains("identity.pem") && problem.contains("enrol this server again"), "{problem}");
}
