//! From bytes on a stream to one message of an agent.
//!
//! gRPC frames are taken as they are and decoded here, so that a report can be kept byte for byte: fields that a newer
//! agent put in survive in the archive, though this aggregator passes over them.

use bytes::{Buf as _, BufMut as _, Bytes};
use prost::Message as _;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use quorate_proto::v1::{self, from_agent::Kind};
use tonic::Status;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};

/// Field number of `report` in `FromAgent`.
const REPORT_FIELD: u32 = 2;

/// A message of an agent.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    /// The first of a session.
    Hello(v1::Hello),
    /// With the report's own bytes as they came.
    Report(Box<v1::Report>, Bytes),
    /// A key that asks for a certificate.
    Renew(v1::Renew),
    /// The last of a session.
    Goodbye(v1::Goodbye),
    /// A kind that this version does not know.
    Unknown,
}

impl Incoming {
    /// One message of a session.
    pub fn decode(bytes: &Bytes) -> Result<Self, prost::DecodeError> {
        Ok(match v1::FromAgent::decode(bytes.clone())?.kind {
            Some(Kind::Hello(hello)) => Self::Hello(hello),
            Some(Kind::Report(report)) => {
                let payload = only_report(bytes.clone()).unwrap_or_else(|| report.encode_to_vec().into());
                Self::Report(Box::new(report), payload)
            }
            Some(Kind::Renew(renew)) => Self::Renew(renew),
            Some(Kind::Goodbye(goodbye)) => Self::Goodbye(goodbye),
            None => Self::Unknown,
        })
    }
}

/// The bytes of the one report in a `FromAgent`; none if it comes in several pieces, which protobuf allows and merges.
fn only_report(mut rest: Bytes) -> Option<Bytes> {
    let mut found = None;
    while rest.has_remaining() {
        let (field, wire_type) = decode_key(&mut rest).ok()?;
        if field == REPORT_FIELD && wire_type == WireType::LengthDelimited {
            let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
            if length > rest.remaining() || found.is_some() {
                return None;
            }
            // A copy of its own: a slice would keep the whole receive buffer alive.
            found = Some(Bytes::copy_from_slice(&rest.split_to(length)));
        } else {
            skip_field(wire_type, field, &mut rest, DecodeContext::default()).ok()?;
        }
    }
    found
}

/// Frames in, messages out.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SessionCodec;

impl Codec for SessionCodec {
    type Encode = v1::ToAgent;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        *self
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Encoder for SessionCodec {
    type Item = v1::ToAgent;
    type Error = Status;

    fn encode(&mut self, item: v1::ToAgent, to: &mut EncodeBuf<'_>) -> Result<(), Status> {
        debug_assert!(to.has_remaining_mut(), "tonic's buffer grows");
        item.encode(to).map_err(|error| Status::internal(error.to_string()))
    }
}

impl Decoder for SessionCodec {
    type Item = Bytes;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, Status> {
        Ok(Some(from.copy_to_bytes(from.remaining())))
    }
}
