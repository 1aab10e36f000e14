//! Counts the cases that an executor ran, passed and skipped, for each feature.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::{Case, ExecutorName};

/// The row of cases that need no feature.
const CORE: &str = "core";

/// The result of a case on an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseOutcome {
    /// Every value was right.
    Passed,
    /// Something was wrong.
    Failed,
    /// The executor does not run the case.
    LeftOut,
}

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    cases: usize,
    passed: usize,
    left_out: usize,
}

/// The counts of one executor. A case that needs several features counts in the row of each.
#[derive(Clone, Debug)]
pub struct Tally {
    executor: ExecutorName,
    rows: BTreeMap<&'static str, Row>,
}

impl Tally {
    /// An empty tally.
    pub fn new(executor: ExecutorName) -> Self {
        Self {
            executor,
            rows: BTreeMap::new(),
        }
    }

    /// Counts a case.
    pub fn add(&mut self, case: &Case, outcome: CaseOutcome) {
        let needed = case.needs().iter().map(|feature| feature.name);
        let core = case.needs().is_empty().then_some(CORE);
        for name in needed.chain(core) {
            let row = self.rows.entry(name).or_default();
            row.cases += 1;
            row.passed += usize::from(outcome == CaseOutcome::Passed);
            row.left_out += usize::from(outcome == CaseOutcome::LeftOut);
        }
    }
}

impl Tally {
    /// One Markdown table of all executors: the number of passed cases, and of all cases.
    pub fn table(tallies: &[Self]) -> String {
        let mut features: BTreeMap<&str, usize> = BTreeMap::new();
        for (feature, row) in tallies.iter().flat_map(|tally| &tally.rows) {
            let cases = features.entry(feature).or_default();
            *cases = row.cases.max(*cases);
        }
        let mut table = "| feature | cases |".to_owned();
        for tally in tallies {
            let _ = write!(table, " {} |", tally.executor);
        }
        table += "\n|---|---|";
        table += &"---|".repeat(tallies.len());
        for (feature, cases) in features {
            let _ = write!(table, "\n| {feature} | {cases} |");
            for tally in tallies {
                let row = tally.rows.get(feature).copied().unwrap_or_default();
                let _ = match row.left_out {
                    0 => write!(table, " {} |", row.passed),
                    left_out => write!(table, " {}, {left_out} left out |", row.passed),
                };
            }
        }
        table + "\n"
    }
}

impl fmt::Display for Tally {
    /// A table, a row for each feature.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.executor.to_string();
        writeln!(f, "{name:24} cases passed left out")?;
        for (feature, row) in &self.rows {
            let Row {
                cases,
                passed,
                left_out,
            } = row;
            writeln!(f, "  {feature:22} {cases:5} {passed:6} {left_out:8}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{CaseOutcome, Tally};
    use crate::{Case, ExecutorName};

    #[test]
    fn executors_stand_side_by_side() {
        let case = Case::parse("c", "// R.\n//: needs f16\n//: out 0:0 u32 1\n").unwrap();
        let mut tallies = [ExecutorName::Adapter, ExecutorName::Lavapipe].map(Tally::new);
        tallies[0].add(&case, CaseOutcome::Passed);
        tallies[1].add(&case, CaseOutcome::LeftOut);
        assert_eq!(
            Tally::table(&tallies),
            "| feature | cases | adapter | lavapipe |\n|---|---|---|---|\n\
             | f16 | 1 | 1 | 0, 1 left out |\n"
        );
    }

    #[test]
    fn a_case_counts_in_the_row_of_each_feature() {
        let case = |needs| Case::parse("c", &format!("// R.\n{needs}//: out 0:0 u32 1\n")).unwrap();
        let mut tally = Tally::new(ExecutorName::Lavapipe);
        tally.add(&case(""), CaseOutcome::Failed);
        tally.add(&case("//: needs f16 f64\n"), CaseOutcome::LeftOut);
        tally.add(&case("//: needs f16\n"), CaseOutcome::Passed);
        assert_eq!(
            tally.to_string(),
            "lavapipe                 cases passed left out\n  \
               core                       1      0        0\n  \
               f16                        2      1        1\n  \
               f64                        1      0        1\n"
        );
    }
}
