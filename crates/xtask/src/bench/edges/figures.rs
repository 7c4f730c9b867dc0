//! The figures of the bench of edges: read from the program that measures, shown, and judged.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

#[cfg(test)]
mod tests;

/// A way of being bad, in its order in the table: as the measuring program calls it, and for people.
const FAULTS: [(&str, &str); 3] =
    [("refused", "refuses"), ("black_hole", "black hole"), ("forwards_nothing", "forwards nothing")];

/// All that was found.
pub struct Figures {
    /// From each kill to the next report, in ascending order.
    took_ms: Vec<u64>,
    lost: u64,
    doubled: u64,
    free: Vec<Cell>,
}

/// A name with so many addresses, of which the one that is dialled first is bad.
struct Cell {
    addresses: u64,
    fault: String,
    selection: bool,
    connect_ms: Option<u64>,
}

impl Figures {
    /// What the measuring program printed last.
    pub fn read(printed: &str) -> Result<Self> {
        let line = printed.lines().next_back().context("the measuring program printed nothing")?;
        let found: Value = serde_json::from_str(line).context("what the measuring program printed is no JSON")?;
        Self::from_json(&found).with_context(|| format!("the measuring program printed something else: {line}"))
    }

    fn from_json(found: &Value) -> Option<Self> {
        let took_ms: Option<Vec<u64>> = found["took_ms"].as_array()?.iter().map(Value::as_u64).collect();
        let mut took_ms = took_ms.filter(|took_ms| !took_ms.is_empty())?;
        took_ms.sort_unstable();
        let cell = |cell: &Value| {
            Some(Cell {
                addresses: cell["addresses"].as_u64()?,
                fault: cell["fault"].as_str()?.to_owned(),
                selection: cell["selection"].as_bool()?,
                connect_ms: cell["connect_ms"].as_u64(),
            })
        };
        let free: Option<Vec<Cell>> = found["free"].as_array()?.iter().map(cell).collect();
        Some(Self { took_ms, lost: found["lost"].as_u64()?, doubled: found["doubled"].as_u64()?, free: free? })
    }

    /// Half of the runs took no longer.
    fn median_ms(&self) -> u64 {
        let runs = self.took_ms.len();
        u64::midpoint(self.took_ms[(runs - 1) / 2], self.took_ms[runs / 2])
    }

    fn worst_ms(&self) -> u64 {
        self.took_ms.last().copied().unwrap_or_default()
    }

    /// One line for programs.
    pub fn to_json(&self) -> Value {
        let cell = |cell: &Cell| {
            let Cell { addresses, fault, selection, connect_ms } = cell;
            json!({ "addresses": addresses, "fault": fault, "selection": selection, "connect_ms": connect_ms })
        };
        let free: Vec<Value> = self.free.iter().map(cell).collect();
        json!({
            "runs": self.took_ms.len(),
            "median_ms": self.median_ms(),
            "worst_ms": self.worst_ms(),
            "lost": self.lost,
            "doubled": self.doubled,
            "free": free,
        })
    }

    /// Fails unless all was measured and every report came, once.
    pub fn judge(&self, runs: u32) -> Result<()> {
        if self.took_ms.len() != runs as usize {
            bail!("{} of {runs} kills have an answer", self.took_ms.len());
        }
        if self.lost + self.doubled > 0 {
            bail!("{} reports lost and {} doubled", self.lost, self.doubled);
        }
        let missing = self.free.iter().filter(|cell| cell.connect_ms.is_none()).count();
        if missing > 0 {
            bail!("{missing} cells of the table could not be measured: see above");
        }
        Ok(())
    }

    /// For people.
    pub fn shown(&self) -> String {
        let text = format!(
            "An edge killed under a session, {} times. From the kill to the next report: median {} ms, worst {} ms.\n\
             Reports lost: {}, doubled: {}.\n\n\
             From the start of connecting to the Welcome, in ms, when the address that is dialled first is bad:\n\n\
             addresses  selection",
            self.took_ms.len(),
            self.median_ms(),
            self.worst_ms(),
            self.lost,
            self.doubled,
        );
        let mut lines = vec![text + &FAULTS.map(|(_, shown)| format!("{shown:>18}")).concat()];
        let mut rows: Vec<(u64, bool)> = self.free.iter().map(|cell| (cell.addresses, cell.selection)).collect();
        rows.sort_unstable();
        rows.dedup();
        lines.extend(rows.into_iter().map(|(addresses, selection)| {
            let cells = FAULTS.map(|(fault, _)| format!("{:>18}", self.cell(addresses, fault, selection))).concat();
            format!("{addresses:>9}  {:<9}{cells}", if selection { "with" } else { "without" })
        }));
        lines.join("\n") + "\n"
    }

    fn cell(&self, addresses: u64, fault: &str, selection: bool) -> String {
        let of = |cell: &&Cell| (cell.addresses, &*cell.fault, cell.selection) == (addresses, fault, selection);
        let connect_ms = self.free.iter().find(of).and_then(|cell| cell.connect_ms);
        connect_ms.map_or_else(|| "not measured".to_owned(), |connect_ms| connect_ms.to_string())
    }
}
