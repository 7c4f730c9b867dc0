//! Where a link's subject is found, and the HTML that shows it.

use super::link::{Seal, Subject};
use super::links::BadgeLink;
use crate::api::feed::FeedQuery;
use crate::text::{encoded, escaped};

impl Subject {
    /// Everything that a person may want of a link, at the aggregator whose addresses begin with `base`.
    pub fn shown_at(&self, base: &str, seal: &Seal) -> BadgeLink {
        let mut query = self.parameters();
        query.push(seal.query());
        let query = query.join("&");
        let image = |kind: &str| match self {
            Self::Server(server) => Some(format!("{base}/badge/{}.{kind}?{query}", encoded(server))),
            Self::Route { .. } => None,
        };
        BadgeLink {
            svg: image("svg"),
            shield: image("json"),
            api: format!("{base}/api/v1/badges/{}?{query}", self.path()),
            element: format!(
                "<script type=\"module\" src=\"{}/badge.js\"></script>\n{}",
                escaped(base),
                self.element(&seal.query())
            ),
            until_s: seal.until_s,
            query,
        }
    }

    /// The feed's parameters of a route; none for a server.
    pub fn query(&self) -> FeedQuery {
        match self {
            Self::Server(_) => FeedQuery::default(),
            Self::Route { route: _, subscriber, country, count } => {
                FeedQuery { country: country.clone(), subscriber: subscriber.clone(), count: *count }
            }
        }
    }

    fn path(&self) -> String {
        match self {
            Self::Server(server) => format!("servers/{}", encoded(server)),
            Self::Route { route, .. } => format!("routes/{}", encoded(route)),
        }
    }

    /// Names and values, each ready for an address.
    fn parameters(&self) -> Vec<String> {
        self.choices().into_iter().map(|(name, value)| format!("{name}={}", encoded(&value))).collect()
    }

    fn element(&self, link: &str) -> String {
        let (tag, name, id) = match self {
            Self::Server(server) => ("quorate-badge", "server", server),
            Self::Route { route, .. } => ("quorate-servers", "route", route),
        };
        let mut attributes = vec![(name, id.clone())];
        attributes.extend(self.choices());
        attributes.push(("link", link.to_owned()));
        let attributes: String =
            attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
        format!("<{tag}{attributes}></{tag}>")
    }

    /// What of a route is shown, beside its name.
    fn choices(&self) -> Vec<(&'static str, String)> {
        let FeedQuery { country, subscriber, count } = self.query();
        let count = count.map(|count| count.to_string());
        let all = [("subscriber", subscriber), ("country", country), ("count", count)];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}
