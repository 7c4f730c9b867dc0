//! Both sides of each block of addresses.

use super::AddressKind::{self, LinkLocal, Loopback, NoHost, Private, Public};

#[test]
fn an_address_is_of_the_block_it_lies_in() {
    let blocks: [(AddressKind, &[&str]); 5] = [
        (
            Private,
            &["10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "100.64.0.1", "fd00::1"],
        ),
        (Loopback, &["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"]),
        (LinkLocal, &["169.254.0.1", "fe80::1", "febf::1"]),
        (NoHost, &["0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "ff02::1"]),
        (
            Public,
            &[
                "9.255.255.255",
                "11.0.0.0",
                "172.15.0.1",
                "172.32.0.1",
                "100.63.0.1",
                "100.128.0.1",
                "2001:db8::1",
                "fec0::1",
            ],
        ),
    ];
    for (kind, addresses) in blocks {
        for address in addresses {
            assert_eq!(AddressKind::of(address.parse().expect("an address")), kind, "{address}");
        }
    }
}
