//! What a single word of the inventory may be: names, hosts, paths, neutral endpoints.
//!
//! An agent refuses a plan whole, so one host that cannot be dialled would stop the plans of the whole fleet. Whatever an
//! agent would refuse is therefore refused here, where a person still sees it, with what to write instead.

use std::net::IpAddr;

use quorate_proto::plan::target::{ALPN_BYTES_MAX, ALPN_MAX, HOST_BYTES_MAX, PATH_BYTES_MAX, PINS_MAX};
use rustls_pki_types::ServerName;

/// Longest name of a server, entry point, route or site, in bytes: an entry point's id is two of them and a slash, and has
/// to fit [`quorate_proto::plan::ID_BYTES_MAX`].
const NAME_BYTES_MAX: usize = 120;

/// A name that stands in addresses, tables and badges as it is.
pub(super) fn name(word: &str) -> Result<(), String> {
    let told = match word {
        "" => "is empty: give it a name".to_owned(),
        "." | ".." => format!("'{word}' means a folder in an address: use another name"),
        _ if word.contains(|c: char| c.is_whitespace() || c == '/') => "use a name without blanks or '/'".to_owned(),
        _ if word.contains(is_unseen) => "use a name whose characters can all be seen".to_owned(),
        _ if word.len() > NAME_BYTES_MAX => {
            format!("has {} bytes: use at most {NAME_BYTES_MAX}", word.len())
        }
        _ => return Ok(()),
    };
    Err(told)
}

/// Control characters would reach terminals, and what turns or hides text makes two names look like one.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// What is dialled: an address of a host, or a name for the resolver.
pub(super) fn host(word: &str) -> Result<(), String> {
    if word.is_empty() {
        return Err("is empty: give an IP address or a host name".to_owned());
    }
    if let Ok(ip) = word.parse::<IpAddr>() {
        return address(ip);
    }
    if word.len() <= HOST_BYTES_MAX && ServerName::try_from(word).is_ok() {
        return Ok(());
    }
    let bare = word.rsplit_once(':').map(|(host, _)| host.trim_matches(['[', ']']));
    Err(match bare {
        Some(bare) if host(bare).is_ok() => format!("{word:?} has a port: write {bare}, and the port as `port`"),
        _ => format!("{:?} is no IP address and no host name", clipped(word)),
    })
}

/// An address of one host.
pub(super) fn address(ip: IpAddr) -> Result<(), String> {
    match ip {
        IpAddr::V4(v4) if matches!(v4.octets()[0], 0 | 224..) => Err(format!("{ip} is no address of a host")),
        IpAddr::V6(v6) if v6.is_unspecified() || v6.is_multicast() => Err(format!("{ip} is no address of a host")),
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => Err(format!("{ip} is an IPv4 address: write {v4}")),
            None => Ok(()),
        },
        IpAddr::V4(_) => Ok(()),
    }
}

/// The name in a handshake.
pub(super) fn sni(word: &str) -> Result<(), String> {
    if word.is_empty() {
        return Err("is empty: leave it out to send the host's own name".to_owned());
    }
    if word.len() <= HOST_BYTES_MAX && ServerName::try_from(word).is_ok() {
        return Ok(());
    }
    Err(format!("{:?} is no host name", clipped(word)))
}

/// ALPN protocols.
pub(super) fn alpn(words: &[String]) -> Result<(), String> {
    if words.len() > ALPN_MAX {
        return Err(format!("names {} protocols: use at most {ALPN_MAX}", words.len()));
    }
    match words.iter().find(|word| word.is_empty() || word.len() > ALPN_BYTES_MAX) {
        Some(word) => Err(format!("a protocol has {} bytes: use 1 to {ALPN_BYTES_MAX}", word.len())),
        None => Ok(()),
    }
}

/// The path of a request.
pub(super) fn path(word: &str) -> Result<(), String> {
    if !word.starts_with('/') {
        return Err(format!("{:?}: start it with '/'", clipped(word)));
    }
    if word.len() > PATH_BYTES_MAX {
        return Err(format!("has {} bytes: use at most {PATH_BYTES_MAX}", word.len()));
    }
    if word.parse::<http::uri::PathAndQuery>().is_err() || word.contains('#') {
        return Err(format!("{:?} is no path of a request: encode what is special as in %20", clipped(word)));
    }
    Ok(())
}

/// The status that a response must have.
pub(super) fn status(code: u16) -> Result<(), String> {
    if (100..=599).contains(&code) { Ok(()) } else { Err(format!("is {code}: use 100 to 599")) }
}

/// As many pins as a plan may carry.
pub(super) fn pin_count(count: usize) -> Result<(), String> {
    if count <= PINS_MAX { Ok(()) } else { Err(format!("are {count}: use at most {PINS_MAX}")) }
}

/// A neutral endpoint, `host:port`; an IPv6 address stands in brackets.
pub(super) fn control(word: &str) -> Result<(), String> {
    let wrong = || format!("{:?} is no host:port, like 192.0.2.1:443", clipped(word));
    let (named, port) = word.rsplit_once(':').ok_or_else(wrong)?;
    if !port.parse::<u16>().is_ok_and(|port| port > 0) {
        return Err(wrong());
    }
    let bracketed = named.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let named = match bracketed {
        Some(inner) if inner.contains(':') => inner,
        None if !named.contains(':') => named,
        _ => return Err(wrong()),
    };
    host(named).map_err(|_| wrong())
}

/// Enough of a word to find it by: a refusal is one line.
pub(super) fn clipped(word: &str) -> String {
    const CHARACTERS: usize = 64;
    match word.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", word.get(..end).unwrap_or_default()),
        None => word.to_owned(),
    }
}
