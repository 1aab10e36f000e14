//! The selection of benchmarks: `--only` picks rows, `--device` picks contenders.

use super::args::BenchArgs;
use super::compile::{Rung, rungs};
use super::contender::Contender;
use super::measure::Scope;
use super::set::{ALL, Benchmark, Group};
use crate::error::{Error, listing};

/// The name in `--only` that selects every compile benchmark.
const COMPILE: &str = "compile";

/// The rows to measure, in the order of the table.
pub(super) struct Chosen {
    pub(super) benchmarks: Vec<&'static Benchmark>,
    pub(super) rungs: Vec<Rung>,
}

impl Chosen {
    /// The rows that `--only` names, or all rows. An unknown name is an error.
    pub(super) fn new(args: &BenchArgs, scope: Scope) -> Result<Self, Error> {
        let only = &args.only;
        let rungs = rungs(scope);
        let names = || {
            let rows = ALL.iter().map(|row| row.name);
            rows.chain(rungs.iter().map(|rung| rung.name))
                .chain(Group::ALL.map(Group::name))
                .chain([COMPILE])
        };
        if let Some(unknown) = only.iter().find(|name| !names().any(|it| it == **name)) {
            let names = listing(names().map(|name| format!("`{name}`")));
            return Err(Error::Argument {
                option: "--only",
                reason: format!("there is no row `{unknown}`; the rows are {names}"),
            });
        }
        let is_named = |name: &str| only.iter().any(|it| it == name);
        let all_rungs = match only.as_slice() {
            [] => args.compile,
            _ => args.compile || is_named(COMPILE),
        };
        let is_chosen =
            |row: &&Benchmark| only.is_empty() || is_named(row.name) || is_named(row.group.name());
        let rungs = rungs.iter().filter(|rung| all_rungs || is_named(rung.name));
        Ok(Self {
            benchmarks: ALL.iter().filter(is_chosen).collect(),
            rungs: rungs.copied().collect(),
        })
    }

    pub(super) fn count(&self) -> u64 {
        (self.benchmarks.len() + self.rungs.len()) as u64
    }
}

/// The contenders that `--device` names, or all. A name that matches no contender is an error.
pub(super) fn contenders(all: Vec<Contender>, names: &[String]) -> Result<Vec<Contender>, Error> {
    if let Some(unknown) = names
        .iter()
        .find(|it| !all.iter().any(|who| who.is_named(it)))
    {
        let labels = listing(all.iter().map(|it| format!("`{}`", it.label)));
        return Err(Error::NoDevice {
            wanted: (*unknown).clone(),
            available: labels,
        });
    }
    let is_chosen =
        |who: &Contender| names.is_empty() || names.iter().any(|name| who.is_named(name));
    Ok(all.into_iter().filter(is_chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[&str], compile: bool) -> Result<(usize, usize), String> {
        let args = BenchArgs {
            runs: 1,
            only: only.iter().map(|it| (*it).to_owned()).collect(),
            device: Vec::new(),
            compile,
            quick: false,
            strict_float: false,
            json: None,
        };
        let chosen = Chosen::new(&args, Scope::Whole).map_err(|error| error.to_string())?;
        Ok((chosen.benchmarks.len(), chosen.rungs.len()))
    }

    #[test]
    fn rows_are_chosen_by_name() {
        assert_eq!(chosen(&[], false), Ok((ALL.len(), 0)));
        assert_eq!(
            chosen(&[], true),
            Ok((ALL.len(), rungs(Scope::Whole).len()))
        );
        assert_eq!(chosen(&["scan", "empty"], false), Ok((2, 0)));
        assert_eq!(chosen(&["scan", "big"], false), Ok((1, 1)));
        let count = |group| ALL.iter().filter(|row| row.group == group).count();
        assert_eq!(chosen(&["shapes"], false), Ok((count(Group::Shapes), 0)));
        assert_eq!(
            chosen(&["limits", "fft"], false),
            Ok((count(Group::Limits) + 1, 0))
        );
        assert_eq!(
            chosen(&["compile"], false),
            Ok((0, rungs(Scope::Whole).len()))
        );
        let error = chosen(&["scam"], false).unwrap_err();
        assert!(
            error.contains("no row `scam`; the rows are `mandelbrot`"),
            "{error}"
        );
    }
}
