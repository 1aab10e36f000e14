//! How many cases an executor ran, passed and left out, feature by feature.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Case, ExecutorName};

/// The row of cases that need no feature.
const CORE: &str = "core";

/// What became of a case on an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
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

/// The rows of one executor. A case that needs several features counts in the row of each.
#[derive(Clone, Debug)]
pub struct Tally {
    executor: ExecutorName,
    rows: BTreeMap<&'static str, Row>,
}

impl Tally {
    pub(crate) fn new(executor: ExecutorName) -> Self {
        Self {
            executor,
            rows: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, case: &Case, outcome: Outcome) {
        let needed = case.needs().iter().map(|feature| feature.name);
        let core = case.needs().is_empty().then_some(CORE);
        for name in needed.chain(core) {
            let row = self.rows.entry(name).or_default();
            row.cases += 1;
            row.passed += usize::from(outcome == Outcome::Passed);
            row.left_out += usize::from(outcome == Outcome::LeftOut);
        }
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
    use super::{Outcome, Tally};
    use crate::{Case, ExecutorName};

    #[test]
    fn a_case_counts_in_the_row_of_each_feature() {
        let case = |needs| Case::parse("c", &format!("// R.\n{needs}//: out 0:0 u32 1\n")).unwrap();
        let mut tally = Tally::new(ExecutorName::Lavapipe);
        tally.add(&case(""), Outcome::Failed);
        tally.add(&case("//: needs f16 f64\n"), Outcome::LeftOut);
        tally.add(&case("//: needs f16\n"), Outcome::Passed);
        assert_eq!(
            tally.to_string(),
            "lavapipe                 cases passed left out\n  \
               core                       1      0        0\n  \
               f16                        2      1        1\n  \
               f64                        1      0        1\n"
        );
    }
}
