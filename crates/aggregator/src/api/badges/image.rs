//! Badges for where only an image or a number fits: a small flat SVG, and the endpoint that shields.io reads.
//!
//! State is a shape and a word; colour only repeats them.

use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use quorate_core::verdict::Status;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entry::Entry;
use super::link::Subject;
use super::words::Language;
use crate::api::extract::{Named, Params};
use crate::api::label::Badge;
use crate::api::problem::Problem;
use crate::api::{Api, etag, servers};
use crate::text::escaped;

/// Seconds that a badge may be kept: a page full of them asks once in a while, and a verdict shows soon.
const CACHE: &str = "private, max-age=10, must-revalidate";

/// shields.io's endpoint schema.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Shield {
    /// 1.
    schema_version: u8,
    /// The server.
    label: String,
    /// The badge's text.
    message: String,
    /// Of its right half, in hex.
    color: &'static str,
    /// Whether the status is one that somebody should look at.
    is_error: bool,
}

/// In which language.
#[derive(Debug, Deserialize)]
pub struct ImageQuery {
    lang: Option<String>,
}

/// `/badge/{server}.svg` or `/badge/{server}.json`.
pub async fn get_badge(
    State(api): State<Api>,
    parts: Parts,
    Named(file): Named<String>,
    Params(query): Params<ImageQuery>,
) -> Result<Response, Problem> {
    let Some((id, kind)) = file.rsplit_once('.').filter(|(_, kind)| matches!(*kind, "svg" | "json")) else {
        return Err(Problem::bad_request(format!("'{file}' is no badge: ask for ‹server›.svg or ‹server›.json")));
    };
    let language = Language::asked_for(query.lang.as_deref())?;
    let entry = Entry::of(&api, &parts, Subject::Server(id.to_owned())).await?;
    let (snapshot, ix) = servers::find(&api, id)?;
    let badge = entry.audience().badge(&snapshot, ix, api.clock.now());
    let headers = &parts.headers;
    let mut response = if kind == "svg" {
        etag::answer_text(headers, "image/svg+xml", svg(id, &badge, language))
    } else {
        let shield = Shield {
            schema_version: 1,
            label: id.to_owned(),
            message: language.shown(&badge),
            color: look(&badge).1,
            is_error: badge.label.status().stands(),
        };
        etag::answer(headers, &shield, &shield)?
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(CACHE));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// The dot's shape and the colour of the right half; white text on each has a contrast of at least 4.5.
fn look(badge: &Badge) -> (Shape, &'static str) {
    if badge.stale {
        return (Shape::Ring, "57606a");
    }
    match badge.label.status() {
        Status::Ok => (Shape::Disc, "1a7f37"),
        Status::Down => (Shape::BoxedCross, "b42318"),
        Status::Unreachable => (Shape::Cross, "b42318"),
        Status::Blocked => (Shape::Barred, "8a3ffc"),
        Status::Degraded => (Shape::Triangle, "9a5b00"),
        Status::Contested => (Shape::HollowDiamond, "0a5fb4"),
        Status::Marked => (Shape::Diamond, "0a5fb4"),
        Status::NoData => (Shape::Ring, "57606a"),
        Status::Pending => (Shape::DashedRing, "57606a"),
        Status::Disabled => (Shape::Dash, "57606a"),
    }
}

#[derive(Clone, Copy)]
enum Shape {
    Disc,
    Ring,
    DashedRing,
    Cross,
    BoxedCross,
    Barred,
    Triangle,
    Diamond,
    HollowDiamond,
    Dash,
}

impl Shape {
    /// Within 10 by 10.
    const fn path(self) -> &'static str {
        match self {
            Self::Disc => r#"<circle cx="5" cy="5" r="4.5" fill="currentColor"/>"#,
            Self::Ring => r#"<circle cx="5" cy="5" r="3.7" fill="none" stroke="currentColor" stroke-width="1.6"/>"#,
            Self::DashedRing => {
                r#"<circle cx="5" cy="5" r="3.7" fill="none" stroke="currentColor" stroke-width="1.6" stroke-dasharray="2.3 1.6"/>"#
            }
            Self::BoxedCross => {
                r#"<path d="M.7 .7h8.6v8.6H.7zM3.2 3.2l3.6 3.6m0-3.6l-3.6 3.6" fill="none" stroke="currentColor" stroke-width="1.4"/>"#
            }
            Self::Cross => r#"<path d="M1.5 1.5l7 7m0-7l-7 7" stroke="currentColor" stroke-width="2.2"/>"#,
            Self::Barred => {
                r#"<circle cx="5" cy="5" r="3.9" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M2.2 7.8l5.6-5.6" stroke="currentColor" stroke-width="1.6"/>"#
            }
            Self::Triangle => r#"<path d="M5 .8l4.6 8.4H.4z" fill="currentColor"/>"#,
            Self::Diamond => r#"<path d="M5 .2L9.8 5 5 9.8.2 5z" fill="currentColor"/>"#,
            Self::HollowDiamond => {
                r#"<path d="M5 1.2L8.8 5 5 8.8 1.2 5z" fill="none" stroke="currentColor" stroke-width="1.6"/>"#
            }
            Self::Dash => r#"<path d="M1 5h8" stroke="currentColor" stroke-width="2.2"/>"#,
        }
    }
}

/// Pixels of a character of 11 px sans serif, on average; `textLength` makes every font fit.
const CHARACTER_PX: usize = 6;

/// The badge of a server as an image.
pub fn svg(id: &str, badge: &Badge, language: Language) -> String {
    let text = language.shown(badge);
    let (shape, colour) = look(badge);
    let (id_px, text_px) = (id.chars().count() * CHARACTER_PX + 2, text.chars().count() * CHARACTER_PX + 2);
    let left = id_px + 12;
    let right = text_px + 30;
    let width = left + right;
    let (id, text) = (escaped(id), escaped(&text));
    // Reasons are in English alone.
    let title = match &badge.reason {
        Some(reason) if language == Language::En => format!("{id}: {text}. {}", escaped(reason)),
        _ => format!("{id}: {text}"),
    };
    let shape = shape.path();
    let (id_at, dot_at, text_at) = (6, left + 8, left + 23);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{title}"><title>{title}</title><clipPath id="c"><rect width="{width}" height="20" rx="4"/></clipPath><g clip-path="url(#c)"><rect width="{left}" height="20" fill="#32383f"/><rect x="{left}" width="{right}" height="20" fill="#{colour}"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11"><text x="{id_at}" y="14" textLength="{id_px}" lengthAdjust="spacingAndGlyphs">{id}</text><text x="{text_at}" y="14" textLength="{text_px}" lengthAdjust="spacingAndGlyphs">{text}</text></g><g transform="translate({dot_at} 5)" color="#fff">{shape}</g></svg>"##
    )
}
