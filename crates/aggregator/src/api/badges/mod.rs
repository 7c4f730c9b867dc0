//! Badges for other people's pages: what stands beside a server's name, as JSON, as a stream, as an image.
//!
//! A badge is read with a cookie, a token, or a signed link that shows what it names and nothing else. What came by a link
//! or by a token in the address may be read by scripts of any page; what a cookie opened may not.

mod cross_origin;
mod entry;
mod html;
pub mod image;
mod key;
pub mod link;
pub mod links;
mod of_route;
pub mod read;
mod stream;
pub mod view;
pub mod words;

pub use cross_origin::allow;
pub use key::LinkKey;
pub use stream::BADGE_STREAMS_MAX;
