//! The command line of `demo`.

use std::time::Duration;

use clap::Args;

/// How to play.
#[derive(Debug, Clone, Args)]
pub struct DemoArgs {
    /// End by itself after this long (60s, 2m); without it the script repeats until Ctrl-C
    #[arg(long = "for", value_name = "SPAN", value_parser = span)]
    pub span: Option<Duration>,
    /// End as soon as the whole script was seen and is healed
    #[arg(long)]
    pub once: bool,
    /// No script: troubles begin and end by lines on standard input like `raise border` and `end border`; its end ends the demo
    #[arg(long, conflicts_with = "once")]
    pub by_hand: bool,
    /// Divide every span of the policy by this: at 60 a round takes a second
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=SPEED_MAX))]
    pub speed: u32,
    /// Where page and API listen; a free port when 0
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

/// Beyond that, eight agents on one machine cannot keep the pace: a round of fourteen handshakes would take half a second.
const SPEED_MAX: i64 = 120;

/// Longest `--for`.
const SPAN_MAX: Duration = Duration::from_hours(24 * 365);

/// `90s`, `2m`, `1h` or `1500ms`.
fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("'{text}' is no span of time: use a number with ms, s, m or h, like 60s");
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit_ms: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    let span = number.checked_mul(unit_ms).map(Duration::from_millis).ok_or_else(wrong)?;
    match span {
        Duration::ZERO => Err("0 is too short to show anything: use 60s to see the whole script".to_owned()),
        span if span > SPAN_MAX => Err("that is longer than a year: leave --for out and end it with Ctrl-C".to_owned()),
        span => Ok(span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_people_write_them() {
        for (text, ms) in [("60s", 60_000), ("2m", 120_000), ("1h", 3_600_000), ("1500ms", 1_500)] {
            assert_eq!(span(text), Ok(Duration::from_millis(ms)), "{text}");
        }
    }

    #[test]
    fn what_is_no_span_is_refused_with_an_example() {
        for text in ["", "60", "s", "-1s", "1.5s", "60 s", "99999999999999999999s", "18446744073709551615h"] {
            assert!(span(text).is_err_and(|told| told.contains("like 60s")), "{text}");
        }
        assert!(span("0s").is_err());
        assert!(span("9000h").is_err());
    }
}
