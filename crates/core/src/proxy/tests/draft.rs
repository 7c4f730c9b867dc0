//! Headers as a forwarder writes them, and as none should.

use core::net::{IpAddr, SocketAddr};
use std::vec;
use std::vec::Vec;

use proptest::collection;
use proptest::prelude::*;

use crate::proxy::{FIXED, LONGEST, SIGNATURE, crc32c};

pub const LOCAL: u8 = 0x20;
pub const PROXY: u8 = 0x21;

pub const UNSPEC: u8 = 0x00;
pub const TCP4: u8 = 0x11;
pub const UDP4: u8 = 0x12;
pub const TCP6: u8 = 0x21;
pub const UDP6: u8 = 0x22;
pub const UNIX: u8 = 0x31;
pub const UNIX_DATAGRAM: u8 = 0x32;

pub const ALPN: u8 = 0x01;
pub const CRC32C: u8 = 0x03;
pub const NOOP: u8 = 0x04;
pub const UNIQUE_ID: u8 = 0x05;
pub const SSL: u8 = 0x20;

/// A header to be written.
#[derive(Debug, Clone)]
pub struct Draft {
    command: u8,
    family: u8,
    addresses: Vec<u8>,
    tlvs: Vec<(u8, Vec<u8>)>,
    /// Which of the TLVs is the checksum.
    seal: Option<usize>,
}

impl Draft {
    pub fn new(command: u8, family: u8, addresses: &[u8]) -> Self {
        Self { command, family, addresses: addresses.to_vec(), tlvs: vec![], seal: None }
    }

    /// A TCP connection between two addresses of one family.
    pub fn tcp(source: SocketAddr, destination: SocketAddr) -> Self {
        let octets = |addr: SocketAddr| match addr.ip() {
            IpAddr::V4(ip) => ip.octets().to_vec(),
            IpAddr::V6(ip) => ip.octets().to_vec(),
        };
        let ports = [source.port().to_be_bytes(), destination.port().to_be_bytes()].concat();
        let family = if source.is_ipv4() { TCP4 } else { TCP6 };
        Self::new(PROXY, family, &[octets(source), octets(destination), ports].concat())
    }

    pub fn with(mut self, kind: u8, value: &[u8]) -> Self {
        self.tlvs.push((kind, value.to_vec()));
        self
    }

    /// With the right checksum, behind the TLVs so far.
    pub fn sealed(mut self) -> Self {
        self.seal = Some(self.tlvs.len());
        self.with(CRC32C, &[0; 4])
    }

    /// With the right checksum, unless it has one.
    pub fn sealed_once(self) -> Self {
        if self.seal.is_some() { self } else { self.sealed() }
    }

    /// Filled up with padding to `length` bytes.
    pub fn padded_to(self, length: usize) -> Self {
        let padding = length - self.bytes().len() - 3;
        self.with(NOOP, &vec![0; padding])
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut content = self.addresses.clone();
        let mut checksum_at = None;
        for (ix, (kind, value)) in self.tlvs.iter().enumerate() {
            content.push(*kind);
            content.extend((value.len() as u16).to_be_bytes());
            if self.seal == Some(ix) {
                checksum_at = Some(FIXED + content.len());
            }
            content.extend(value);
        }
        let mut bytes = SIGNATURE.to_vec();
        bytes.extend([self.command, self.family]);
        bytes.extend((content.len() as u16).to_be_bytes());
        bytes.extend(content);
        if let Some(at) = checksum_at {
            let checksum = crc32c::of(bytes.iter().copied());
            bytes[at..at + 4].copy_from_slice(&checksum.to_be_bytes());
        }
        bytes
    }
}

/// Two addresses of one family, with ports.
pub fn ends() -> impl Strategy<Value = (SocketAddr, SocketAddr)> {
    let pair = |v4: bool| {
        let end = move || {
            let ip = if v4 {
                any::<[u8; 4]>().prop_map(IpAddr::from).boxed()
            } else {
                any::<[u8; 16]>().prop_map(IpAddr::from).boxed()
            };
            (ip, any::<u16>()).prop_map(SocketAddr::from)
        };
        (end(), end())
    };
    any::<bool>().prop_flat_map(pair)
}

/// TLVs in the form of their kinds, none a checksum.
fn tlvs() -> impl Strategy<Value = Vec<(u8, Vec<u8>)>> {
    let kind = prop_oneof![Just(ALPN), Just(NOOP), Just(UNIQUE_ID), Just(SSL), any::<u8>()];
    let tlv = (kind.prop_filter("no checksum", |kind| *kind != CRC32C), collection::vec(any::<u8>(), 0..=128));
    collection::vec(tlv, 0..4)
}

/// A claim, and a valid header of it with TLVs, with and without checksum.
pub fn claims() -> impl Strategy<Value = ((SocketAddr, SocketAddr), Draft)> {
    let seal = proptest::option::of(0..4_usize);
    (ends(), tlvs(), seal).prop_map(|(ends, tlvs, seal)| {
        let mut draft = Draft::tcp(ends.0, ends.1);
        for (ix, (kind, value)) in tlvs.into_iter().enumerate() {
            draft = if seal == Some(ix) { draft.sealed() } else { draft }.with(kind, &value);
        }
        (ends, draft)
    })
}

/// Valid headers of every kind.
pub fn valid() -> impl Strategy<Value = Vec<u8>> {
    let content = |longest: usize| collection::vec(any::<u8>(), 0..=longest);
    let unread = content(LONGEST - FIXED);
    prop_oneof![
        4 => claims().prop_map(|(_, draft)| draft.bytes()),
        1 => (any::<u8>(), unread.clone()).prop_map(|(family, unread)| Draft::new(LOCAL, family, &unread).bytes()),
        1 => unread.prop_map(|unread| Draft::new(PROXY, UNSPEC, &unread).bytes()),
        1 => Just(Draft::new(PROXY, UDP4, &[7; 12]).sealed().bytes()),
        1 => Just(Draft::new(PROXY, UDP6, &[7; 36]).with(ALPN, b"h2").bytes()),
        1 => Just(Draft::new(PROXY, UNIX, &[7; 216]).bytes()),
        1 => Just(Draft::new(PROXY, UNIX_DATAGRAM, &[7; 216]).with(NOOP, &[]).bytes()),
    ]
}
