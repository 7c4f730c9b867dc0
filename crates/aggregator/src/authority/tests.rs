#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::PermissionsExt as _;

use quorate_core::time::Moment;
use rcgen::{CertificateParams, DnType, KeyPair, PKCS_ECDSA_P384_SHA384};

use super::*;

const NOW: Moment = Moment::from_ms(1_800_000_000_000);

fn request(key: &KeyPair, name: &str) -> Vec<u8> {
    let mut params = CertificateParams::new(vec![format!("{name}.example")]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.serialize_request(key).unwrap().der().to_vec()
}

#[test]
fn the_first_start_makes_it_and_the_second_finds_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let first = Authority::open(&dir.path().join("data")).unwrap();
    let second = Authority::open(&dir.path().join("data")).unwrap();
    assert_eq!(first.spki_pin(), second.spki_pin());
    assert_eq!(first.certificate(), second.certificate());
    let files: Vec<_> = std::fs::read_dir(dir.path().join("data")).unwrap().map(Result::unwrap).collect();
    assert_eq!(files.len(), 1, "nothing half-written stays behind");
    assert_eq!(files[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn two_first_starts_at_once_agree() {
    let dir = tempfile::tempdir().unwrap();
    let pins: Vec<_> = std::thread::scope(|scope| {
        let open = || Authority::open(dir.path()).unwrap().spki_pin();
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(open)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(pins.iter().all(|pin| *pin == pins[0]));
}

#[test]
fn a_damaged_file_is_refused_in_one_line_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(FILE);
    Authority::open(dir.path()).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    let half = &whole[..whole.len() / 2];
    for damaged in ["", "garbage", half] {
        std::fs::write(&path, damaged).unwrap();
        let error = Authority::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains("ca.pem") && error.contains("restore it from a backup"), "{error}");
        assert!(!error.contains('\n'), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), damaged);
    }
}

#[test]
fn names_in_a_request_are_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::open(dir.path()).unwrap();
    let key = KeyPair::generate().unwrap();
    let request = KeyRequest::from_der(&request(&key, "impostor")).unwrap();
    let issued = authority.issue_agent("nl-1", &request, NOW).unwrap();
    let (_, certificate) = x509_parser::parse_x509_certificate(&issued.der).unwrap();
    assert_eq!(certificate.subject().to_string(), "CN=nl-1");
    assert!(!String::from_utf8_lossy(&issued.der).contains("impostor"));
    assert_eq!(certificate.validity().not_after.timestamp(), 1_800_000_000 + 30 * 86_400);
    assert_eq!(certificate.validity().not_before.timestamp(), 1_800_000_000);
    assert_eq!(certificate.public_key().raw, key.subject_public_key_info());
    assert!(request.is_of(&issued.der) && !request.is_of(authority.certificate()));
    assert!(!certificate.is_ca());
    let (_, ca) = x509_parser::parse_x509_certificate(authority.certificate()).unwrap();
    certificate.verify_signature(Some(ca.public_key())).unwrap();
}

#[test]
fn a_request_must_be_whole_signed_and_for_a_small_key() {
    let key = KeyPair::generate().unwrap();
    let good = request(&key, "nl-1");
    assert!(KeyRequest::from_der(&good).is_ok());
    for end in 0..good.len() {
        assert!(KeyRequest::from_der(&good[..end]).is_err(), "cut at {end}");
    }
    let mut forged = good.clone();
    *forged.last_mut().unwrap() ^= 1;
    assert_eq!(KeyRequest::from_der(&forged).unwrap_err(), RequestError::NotSigned);
    let trailing = [&good[..], b"x"].concat();
    assert_eq!(KeyRequest::from_der(&trailing).unwrap_err(), RequestError::Unreadable);
    let other = KeyPair::generate_for(&PKCS_ECDSA_P384_SHA384).unwrap();
    assert_eq!(KeyRequest::from_der(&request(&other, "nl-1")).unwrap_err(), RequestError::OtherKey);
}

#[test]
fn a_token_reads_back_and_nothing_else_does() {
    let token = Token::mint([7; 32]).unwrap();
    let text = token.to_string();
    assert_eq!(Token::parse(&text), Ok(token.clone()));
    assert_eq!(Token::parse(&format!(" {text}\n")), Ok(token), "pasted with blanks");
    for wrong in
        ["", "q1", "q1...", &text[1..], &text[..text.len() - 1], &text.replace("q1", "q2"), &format!("{text}.x")]
    {
        assert_eq!(Token::parse(wrong), Err(TokenError), "{wrong}");
    }
}

#[test]
fn a_token_in_a_log_line_shows_its_id_alone() {
    let token = Token::mint([7; 32]).unwrap();
    assert_eq!(format!("{token:?}"), format!("Token({})", token.id()));
}

#[test]
fn a_gateway_has_a_certificate_for_its_names_and_one_that_is_none_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::open(dir.path()).unwrap();
    let made = authority.issue_gateway(&["watch.example.org".to_owned(), "127.0.0.1".to_owned()], NOW).unwrap();
    let (_, certificate) = x509_parser::parse_x509_certificate(&made.chain[0]).unwrap();
    assert_eq!(certificate.validity().not_before.timestamp(), 0, "for clocks that begin anew");
    assert_eq!(certificate.validity().not_after.timestamp(), 1_800_000_000 + 90 * 86_400);
    let error = authority.issue_gateway(&["gw.exämple".to_owned()], NOW).unwrap_err().to_string();
    assert!(error.contains("gw.exämple"), "{error}");
}
