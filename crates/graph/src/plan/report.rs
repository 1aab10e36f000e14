//! Formats a plan as a table.

use std::fmt;

use super::{Plan, Queue};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows: Vec<_> = self.queues.iter().map(|queue| self.row(queue)).collect();
        let head = [
            "level", "node", "launch", "record", "least", "room", "bytes",
        ];
        let head = head.map(str::to_owned);
        let mut widths = head.each_ref().map(String::len);
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.len());
            }
        }
        writeln!(f, "graph {}: {} levels", self.name, self.levels())?;
        for row in [&head].into_iter().chain(&rows) {
            write_row(f, row, &widths)?;
        }
        writeln!(
            f,
            "{} bytes; {} is the least that completes, {} is enough for one sweep",
            self.given, self.minimum, self.recommended
        )
    }
}

impl Plan {
    fn row(&self, queue: &Queue) -> [String; 7] {
        let readers = queue.readers.iter().map(|&reader| {
            let stage = &self.stages[reader].stage;
            let name = &self.nodes[stage.node].name;
            match stage.step {
                0 => name.clone(),
                step => format!("{name} +{step}"),
            }
        });
        let modes = queue.readers.iter().map(|&reader| {
            let node = self.stages[reader].stage.node;
            self.nodes[node].mode.clone()
        });
        let bytes = u64::from(queue.bytes_per_record());
        [
            queue.level.to_string(),
            readers.collect::<Vec<_>>().join(", "),
            modes.collect::<Vec<_>>().join(", "),
            (4 * queue.stride).to_string(),
            queue.minimum.to_string(),
            queue.capacity.to_string(),
            (bytes * u64::from(queue.capacity)).to_string(),
        ]
    }
}

/// Writes a row with names left-aligned and numbers right-aligned.
fn write_row(f: &mut fmt::Formatter<'_>, row: &[String; 7], widths: &[usize; 7]) -> fmt::Result {
    for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
        let gap = if column == 0 { "" } else { "  " };
        match column {
            1 | 2 => write!(f, "{gap}{cell:<width$}")?,
            _ => write!(f, "{gap}{cell:>width$}")?,
        }
    }
    writeln!(f)
}
