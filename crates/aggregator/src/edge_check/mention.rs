//! Whether a text names an address.

use std::net::IpAddr;

/// Whether `text` has `ip` in it, as a whole: 203.0.113.5 is not in 203.0.113.50. An IPv6 address is found as it is usually
/// written; who writes it in another way hides it from this.
pub fn mentions(text: &str, ip: IpAddr) -> bool {
    let (text, ip) = (text.to_ascii_lowercase(), ip.to_string());
    let is_part = |c: char| c.is_ascii_hexdigit() || (ip.contains(':') && c == ':');
    text.match_indices(&ip).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + ip.len()..].chars();
        let (next, second) = (after.next(), after.next());
        // A full stop ends a sentence; with a digit behind it, it goes on as a longer number.
        let goes_on = next.is_some_and(is_part) || (next == Some('.') && second.is_some_and(|c| c.is_ascii_digit()));
        !goes_on && !before.is_some_and(|c| is_part(c) || c == '.')
    })
}
