//! Formats the measurements as a text table.

use std::collections::BTreeMap;

use super::compile::CompileRow;
use super::contender::BARE;
use super::measure::{Measured, Row};
use super::report::Report;
use super::set::{Group, Kind};

/// The relative difference between the times with and without wgpu that is worth a note.
const NOISE: f64 = 0.1;

/// The whole report as text.
pub(super) fn text(report: &Report) -> String {
    let mut parts = vec![legend(report)];
    if !report.rows.is_empty() {
        parts.push(rows(report));
        parts.push(remarks(report));
    }
    if !report.compile.is_empty() {
        parts.push(compile(report));
        parts.extend(phases(report));
    }
    parts.extend(obstacles(report));
    if report.profile == "debug" {
        parts.push("this is a debug build: its figures mean nothing".to_owned());
    }
    parts.join("\n\n")
}

fn legend(report: &Report) -> String {
    let mut lines = vec![format!("{}, {} threads", report.cpu, report.threads)];
    for contender in &report.contenders {
        lines.push(format!(
            "  {:<12} {}",
            contender.label, contender.description
        ));
    }
    lines.join("\n")
}

/// The contenders that have a column, and the one that speed-ups refer to.
fn columns(report: &Report) -> (Vec<usize>, Option<usize>) {
    let columns = report
        .contenders
        .iter()
        .enumerate()
        .filter(|(_, it)| it.has_column);
    let first = report
        .contenders
        .iter()
        .position(|contender| contender.is_driver);
    (columns.map(|(place, _)| place).collect(), first)
}

fn header(report: &Report, first_cells: &[&str]) -> Vec<String> {
    let (columns, standard) = columns(report);
    let mut cells: Vec<String> = first_cells
        .iter()
        .map(|first_cell| (*first_cell).to_owned())
        .collect();
    for place in columns {
        cells.push(report.contenders[place].label.clone());
        if standard.is_some_and(|standard| standard != place) {
            cells.push(String::new());
        }
    }
    cells
}

/// Every group of rows, each followed by its geometric mean.
fn rows(report: &Report) -> String {
    let mut lines = vec![header(report, &["ms"])];
    for group in Group::ALL {
        let rows = report.rows.iter().filter(|row| row.group == group);
        let before = lines.len();
        lines.extend(rows.map(|row| row_line(report, row)));
        if lines.len() > before {
            lines.extend(mean_line(report, group));
        }
    }
    aligned(&lines)
}

fn row_line(report: &Report, row: &Row) -> Vec<String> {
    let (columns, standard) = columns(report);
    let mut line = vec![row.name.to_owned()];
    for place in columns {
        let result = &row.results[place];
        line.push(milliseconds(result));
        if standard.is_some_and(|standard| standard != place) {
            line.push(ratio(result.ratio));
        }
    }
    line
}

/// The line of a group's geometric means, if there is a driver to compare with.
fn mean_line(report: &Report, group: Group) -> Option<Vec<String>> {
    let (columns, standard) = columns(report);
    let standard = standard?;
    let mut line = vec![format!("geometric mean, {}", group.name())];
    for place in columns {
        line.push(String::new());
        if place != standard {
            line.push(ratio(geometric_mean(&report.rows, group, place)));
        }
    }
    Some(line)
}

/// The geometric mean of the speed-ups over all throughput rows of a group; `None` if one is missing.
fn geometric_mean(rows: &[Row], group: Group, place: usize) -> Option<f64> {
    let is_counted = |row: &&Row| row.group == group && row.kind == Kind::Throughput;
    let logs: Option<Vec<f64>> = rows
        .iter()
        .filter(is_counted)
        .map(|row| row.results[place].ratio.map(f64::ln))
        .collect();
    let logs = logs.filter(|logs| !logs.is_empty())?;
    Some((logs.iter().sum::<f64>() / logs.len() as f64).exp())
}

fn remarks(report: &Report) -> String {
    let runs = match report.runs {
        1 => "single runs".to_owned(),
        runs => format!("medians of {runs} runs"),
    };
    let mut lines = vec![format!(
        "{runs} in turns, through wgpu, from the submission until it is done; all checksums are right"
    )];
    let (_, standard) = columns(report);
    lines.push(match standard {
        Some(place) => format!("x: times as fast as {}", report.contenders[place].label),
        None => "no adapter of a driver is there to compare with".to_owned(),
    });
    let is_scaled = |row: &Row| row.results.iter().any(|result| result.scale != 1.0);
    if report.rows.iter().any(is_scaled) {
        lines.push("~: the time of a smaller task, scaled by its work".to_owned());
    }
    lines.extend(bare(report));
    lines.join("\n")
}

/// Which contenders did not take part in which rows, and why.
fn obstacles(report: &Report) -> Option<String> {
    let rows = report.rows.iter().flat_map(|row| {
        row.results
            .iter()
            .map(|result| (row.name, &result.contender, &result.obstacle))
    });
    let rungs = report.compile.iter().flat_map(|row| {
        row.results
            .iter()
            .map(|result| (row.name, &result.contender, &result.obstacle))
    });
    // The rows that each contender skips, by reason.
    let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for (name, contender, obstacle) in rows.chain(rungs) {
        if let (Some(obstacle), true) = (obstacle, contender != BARE) {
            let names = reasons.entry((contender, obstacle)).or_default();
            names.push(name);
        }
    }
    let line = |((contender, reason), names): (&(&str, &str), &Vec<&str>)| {
        format!("not on {contender}: {} ({reason})", names.join(", "))
    };
    let lines: Vec<String> = reasons.iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The rows where wgpu makes a difference.
fn bare(report: &Report) -> Option<String> {
    let contenders = &report.contenders;
    let place = contenders
        .iter()
        .position(|contender| contender.label == BARE)?;
    let code = contenders
        .iter()
        .position(|contender| contender.is_best_code)?;
    let differs = |row: &Row| {
        // The shortest times are compared, because other load on the machine affects those least.
        let (through, bare) = (row.minimum_ms(code)?, row.minimum_ms(place)?);
        let is_noise = (through - bare).abs() <= NOISE * through;
        (!is_noise).then(|| format!("{} {} and {}", row.name, number(through), number(bare)))
    };
    let different: Vec<String> = report.rows.iter().filter_map(differs).collect();
    let label = &contenders[code].label;
    Some(match different.as_slice() {
        [] => format!("bare dispatches, without wgpu, take as long as {label} at best"),
        some => format!(
            "bare dispatches, without wgpu, differ by more than a tenth from {label} at best: {} ms",
            some.join(", ")
        ),
    })
}

fn compile(report: &Report) -> String {
    let (columns, standard) = columns(report);
    let mut lines = vec![header(report, &["ms from text to result", "lines"])];
    for row in &report.compile {
        let mut line = vec![row.name.to_owned(), row.lines.to_string()];
        for place in &columns {
            let result = &row.results[*place];
            line.push(result.ms.map_or("-".to_owned(), number));
            if standard.is_some_and(|standard| standard != *place) {
                line.push(ratio(result.ratio));
            }
        }
        lines.push(line);
    }
    aligned(&lines)
}

fn phases(report: &Report) -> Option<String> {
    let head = [
        "ms without wgpu",
        "lines",
        "parse",
        "lower",
        "passes",
        "bounds",
        "select",
        "allocate",
        "emit",
        "scan",
        "us a line",
    ];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for row in &report.compile {
        lines.extend(phase_lines(row));
    }
    (lines.len() > 1).then(|| aligned(&lines))
}

fn phase_lines(row: &CompileRow) -> impl Iterator<Item = Vec<String>> {
    row.phases.iter().map(|phase| {
        let steps = [
            phase.parse,
            phase.lower,
            phase.passes,
            phase.bounds,
            phase.select,
            phase.allocate,
            phase.emit,
            phase.scan,
        ];
        let all: f64 = steps.iter().sum();
        let mut line = vec![format!("{} {}", row.name, phase.contender)];
        line.push(row.lines.to_string());
        line.extend(steps.map(number));
        line.push(number(all * 1e3 / row.lines as f64));
        line
    })
}

fn milliseconds(result: &Measured) -> String {
    let mark = if result.scale == 1.0 { "" } else { "~" };
    match result.ms {
        Some(ms) => format!("{mark}{}", number(ms)),
        None => "-".to_owned(),
    }
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), |ratio| format!("{}x", number(ratio)))
}

/// Three significant digits, or more if there are more before the decimal point.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Pads columns to equal width: the first is left-aligned, the others right-aligned.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |cells: &Vec<String>| {
        let mut text = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            text += &match column {
                0 => format!("{cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            };
        }
        text.trim_end().to_owned()
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let texts = [0.0123, 1.0, 12.345, 99.96, 1234.5].map(number);
        assert_eq!(texts, ["0.012", "1.00", "12.3", "100", "1234"]);
    }

    #[test]
    fn cells_stand_below_each_other() {
        let lines = [vec!["a", "b"], vec!["long", "1.5"], vec!["c", ""]];
        let lines = lines.map(|line| line.into_iter().map(str::to_owned).collect());
        assert_eq!(aligned(&lines), "a       b\nlong  1.5\nc");
    }
}
