//! What a measuring program prints: a JSON line for each figure, `{"name", "value"}`, with `"n"` for the size at which it was
//! measured and `"version"` of what was measured, where there are such. A name may come again, once for each repetition.

use anyhow::{Context as _, Result};
use serde_json::Value;

/// All that one program printed.
pub struct Figures(Vec<Figure>);

struct Figure {
    name: String,
    n: Option<u64>,
    value: f64,
    version: Option<String>,
}

impl Figures {
    /// Every line must be a figure.
    pub fn read(printed: &str) -> Result<Self> {
        let figure = |line: &str| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(Figure {
                name: line["name"].as_str()?.to_owned(),
                n: line["n"].as_u64(),
                value: line["value"].as_f64()?,
                version: line["version"].as_str().map(str::to_owned),
            })
        };
        let lines = printed.lines().filter(|line| !line.trim().is_empty());
        let read = lines.map(|line| figure(line).with_context(|| format!("this is no figure: {line}")));
        Ok(Self(read.collect::<Result<_>>()?))
    }

    /// The median of its repetitions.
    pub fn median(&self, name: &str) -> Result<f64> {
        median(self.named(name, None)).with_context(|| format!("there is no figure `{name}`"))
    }

    /// The median of its repetitions at one size.
    pub fn median_at(&self, name: &str, n: u64) -> Result<f64> {
        median(self.named(name, Some(n))).with_context(|| format!("there is no figure `{name}` at {n}"))
    }

    /// The version told with it, or nothing.
    pub fn version(&self, name: &str) -> &str {
        self.0
            .iter()
            .filter(|figure| figure.name == name)
            .find_map(|figure| figure.version.as_deref())
            .unwrap_or_default()
    }

    fn named(&self, name: &str, n: Option<u64>) -> Vec<f64> {
        self.0.iter().filter(|figure| figure.name == name && figure.n == n).map(|figure| figure.value).collect()
    }
}

/// The middle one, or the lower of two; nothing of nothing.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().checked_sub(1)? / 2).copied()
}
