//! `status`: the fleet at a glance.

use serde_json::{Value, json};

use super::client::{Client, parsed};
use super::{End, Failure, print};
use crate::api::fleet::{LateCertificate, Summary};
use crate::api::view::ServerRow;

pub async fn run(client: &Client) -> Result<End, Failure> {
    let fleet: Value = client.get("/api/v1/fleet").await?;
    let servers: Vec<Value> = client.list("/api/v1/servers").await?;
    let summary: Summary = parsed(fleet.clone())?;
    let end = if summary.verdicts_stand { End::VerdictsStand } else { End::Fine };
    if client.json {
        print::json(&json!({"fleet": fleet, "servers": servers}))?;
        return Ok(end);
    }
    let rows: Vec<ServerRow> = servers.into_iter().map(parsed).collect::<Result<_, _>>()?;
    let mut table = print::table(&["Server", "Country", "Status", "Text", "Why", "Last report"]);
    for row in &rows {
        let text = if row.stale { format!("{} (stale)", row.text) } else { row.text.clone() };
        let age = row.last_report_at_ms.map(|at| summary.evaluated_at_ms.saturating_sub(at));
        table.add_row([
            row.id.clone(),
            row.country.clone().unwrap_or_default(),
            print::word(&row.status),
            text,
            row.reason.clone().unwrap_or_default(),
            age.map_or_else(|| "never".to_owned(), |age| format!("{} ago", print::span(age))),
        ]);
    }
    if rows.is_empty() {
        print::line("No servers yet: add one with `quorate-aggregator server add ID --address ADDRESS`.")?;
    } else {
        print::show(&table)?;
    }
    for cut in &summary.country_cuts {
        print::line_painted(&format!(
            "▲ Country cut: {} servers in {} lost sight of {} servers on {}: {}",
            cut.witnesses.len(),
            cut.country,
            cut.targets.len(),
            cut.lane,
            cut.targets.join(", ")
        ))?;
    }
    if !summary.islands.is_empty() {
        let islands: Vec<String> = summary.islands.iter().map(|island| some(island)).collect();
        print::line_painted(&format!(
            "▲ Islands: {} see each other, and nobody of another group: `matrix`",
            islands.join(" | ")
        ))?;
    }
    if let Some(told) = disbelieved(&rows) {
        print::line_painted(&told)?;
    }
    for witness in &summary.half_blind {
        print::line_painted(&format!("◆ Half-blind: {witness} fails to see too many for it to be their fault"))?;
    }
    for late in &summary.late_certificates {
        print::line_painted(&format!("▲ {}", hint(late)))?;
    }
    for server in &summary.plan_refused {
        print::line_painted(&format!(
            "▲ Plan refused: the agent of {server} probes by an older one: `explain {server}`"
        ))?;
    }
    let counts: Vec<String> =
        summary.servers.iter().map(|(status, count)| format!("{count} {}", status.replace('_', " "))).collect();
    print::line(&format!(
        "{} servers: {} (evaluated {})",
        rows.len(),
        if counts.is_empty() { "none".to_owned() } else { counts.join(", ") },
        print::time(summary.evaluated_at_ms)
    ))?;
    Ok(end)
}

/// Witnesses whose word is discarded (R3), in one line.
fn disbelieved(rows: &[ServerRow]) -> Option<String> {
    let rows: Vec<String> = rows
        .iter()
        .filter(|row| !row.discredited.is_empty() && !row.silent && row.intent != "disabled")
        .map(|row| format!("{} on {}", row.id, row.discredited.join(" and ")))
        .collect();
    let their = match rows.len() {
        0 => return None,
        1 => "it sees too few others there, so what it fails to see is discarded",
        _ => "they see too few others there, so what they fail to see is discarded",
    };
    Some(format!("▲ Not believed: {}: {their}", some(&rows)))
}

/// Names, as many as one line takes.
fn some(names: &[String]) -> String {
    const MOST: usize = 12;
    match names.len().checked_sub(MOST) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..MOST].join(", ")),
    }
}

/// What to do about a certificate that its agent does not renew.
fn hint(LateCertificate { server, stage, not_after_ms }: &LateCertificate) -> String {
    let end = print::time(*not_after_ms);
    match stage.as_str() {
        "late" => format!(
            "The certificate of {server} ends {end} and should have been renewed by now: see the log of its agent"
        ),
        "expired" => format!(
            "The certificate of {server} ended {end}: its agent renews it when it comes back, or never if it is not running"
        ),
        _ => {
            format!("The certificate of {server} ended {end}: enrol it again with `quorate-aggregator enroll {server}`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LateCertificate, hint};

    #[test]
    fn a_certificate_that_is_not_renewed_is_told_with_what_to_do() {
        for (stage, told) in
            [("late", "see the log of its agent"), ("expired", "when it comes back"), ("lost", "enroll nl-1")]
        {
            let late = LateCertificate { server: "nl-1".to_owned(), stage: stage.to_owned(), not_after_ms: 0 };
            assert!(hint(&late).contains(told), "{}", hint(&late));
        }
    }
}
