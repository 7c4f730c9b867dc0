//! Pages of long lists: at most [`LIMIT_MAX`] rows, in the order of their ids, each page naming where the next one begins.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::problem::Problem;

/// Most rows of one page.
pub const LIMIT_MAX: usize = 1000;
/// Rows of a page when nobody says: what a person reads at a time, and a panel shows without scrolling far.
pub const LIMIT: usize = 100;

/// Which page.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Rows, 1 to 1,000; 100 when absent.
    pub limit: Option<usize>,
    /// `next` of the page before; the first page when absent.
    pub after: Option<String>,
}

impl PageQuery {
    /// Rows asked for, if within bounds.
    pub fn rows(&self) -> Result<usize, Problem> {
        match self.limit.unwrap_or(LIMIT) {
            limit if (1..=LIMIT_MAX).contains(&limit) => Ok(limit),
            limit => Err(Problem::bad_request(format!("limit is {limit}: use 1 to {LIMIT_MAX}"))),
        }
    }

    /// The page of `rows`, which come sorted by the id that `id` gives.
    pub fn of<'a, T>(
        &self,
        rows: impl IntoIterator<Item = T>,
        id: impl Fn(&T) -> &'a str,
    ) -> Result<(Vec<T>, Option<String>), Problem> {
        let limit = self.rows()?;
        let after = self.after.as_deref();
        let mut rest = rows.into_iter().skip_while(|row| after.is_some_and(|after| id(row) <= after));
        let page: Vec<T> = rest.by_ref().take(limit).collect();
        let next = rest.next().and(page.last()).map(|last| id(last).to_owned());
        Ok((page, next))
    }
}

/// A page of a list, as of one evaluation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Listing<T> {
    /// The evaluation that it is of.
    pub generation: u64,
    /// When that was, Unix milliseconds.
    pub evaluated_at_ms: u64,
    /// The rows.
    pub items: Vec<T>,
    /// `after` of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// A page of a list that hangs on no evaluation.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rows<T> {
    /// The rows.
    pub items: Vec<T>,
    /// `after` of the next page; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
