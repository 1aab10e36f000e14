//! Measures one row of the table: a benchmark on every contender, in rotation.
//!
//! In: the tasks of a row and the contenders. Out: a [`Row`]. Each contender runs once as a warm-up; then the
//! contenders run in rotation, so that other load on the machine affects all of them alike. Finally every result is
//! verified: a wrong one is an error that names kernel and contender.

use anywarp::DeviceError;
use std::time::Duration;

use serde::Serialize;

use super::contender::{Contender, Prepared, Role, failed};
use super::set::{Benchmark, Group, Kind, Size};
use super::task::{Task, Wrong};
use crate::error::Error;

/// A benchmark with the measurements of each contender.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) group: Group,
    /// In the order of the contenders.
    pub(super) results: Vec<Measured>,
}

/// The measurements of one contender.
#[derive(Clone, Serialize)]
pub(super) struct Measured {
    pub(super) contender: String,
    /// The median for the full size; null if the contender did not take part.
    pub(super) ms: Option<f64>,
    pub(super) minimum_ms: Option<f64>,
    /// Speed-up over the first driver's adapter.
    pub(super) ratio: Option<f64>,
    /// The factor from the time of a smaller task to that of the full one.
    pub(super) scale: f64,
    /// Runs that were timed.
    pub(super) runs: usize,
    /// The digest of its result.
    pub(super) checksum: Option<f64>,
    /// Why the contender did not take part.
    pub(super) obstacle: Option<String>,
}

impl Row {
    /// The shortest time of a contender.
    pub(super) fn minimum_ms(&self, contender: usize) -> Option<f64> {
        self.results.get(contender)?.minimum_ms
    }
}

/// A contender that takes part in a row, with its times so far.
struct Turn<'a> {
    place: usize,
    task: &'a Task,
    prepared: Box<dyn Prepared + 'a>,
    times: Vec<Duration>,
}

/// Which sizes of the benchmarks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// The full size, or the small one where the full one takes too long.
    Whole,
    /// The small size everywhere.
    Quick,
}

/// Measures a row, each contender `runs` times.
pub(super) fn measure(
    benchmark: &Benchmark,
    contenders: &[Contender],
    runs: u32,
    scope: Scope,
) -> Result<Row, Error> {
    let small = (benchmark.make)(benchmark.name, Size::Small);
    let full = match scope {
        Scope::Whole => Some((benchmark.make)(benchmark.name, Size::Full)),
        Scope::Quick => None,
    };
    let task = |contender: &Contender| match (contender.size(), &full) {
        (Size::Full, Some(full)) => full,
        _ => &small,
    };
    let tasks: Vec<&Task> = contenders.iter().map(task).collect();
    let work = full.as_ref().map_or(small.work, |full| full.work);
    let mut results = compete(contenders, &tasks, work, runs)?;
    compare(&mut results, contenders);
    Ok(Row {
        name: benchmark.name,
        kind: benchmark.kind,
        group: benchmark.group,
        results,
    })
}

/// Runs the task of every contender in rotation; `work` is the amount of work that the reported times are for.
fn compete(
    contenders: &[Contender],
    tasks: &[&Task],
    work: f64,
    runs: u32,
) -> Result<Vec<Measured>, Error> {
    let mut results = Vec::new();
    let mut turns = Vec::new();
    for (place, (contender, task)) in contenders.iter().zip(tasks).enumerate() {
        let obstacle = contender.obstacle(task);
        if obstacle.is_none() {
            let prepared = contender.prepare(task);
            turns.push(Turn {
                place,
                task,
                prepared: prepared.map_err(|error| about(error, task, contender))?,
                times: Vec::new(),
            });
        }
        results.push(Measured {
            contender: contender.label.clone(),
            ms: None,
            minimum_ms: None,
            ratio: None,
            scale: work / task.work,
            runs: 0,
            checksum: None,
            obstacle,
        });
    }
    run_in_turns(&mut turns, contenders, runs)?;
    for turn in &mut turns {
        let result = &mut results[turn.place];
        turn.times.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3 * result.scale;
        result.ms = turn.times.get(turn.times.len() / 2).copied().map(ms);
        result.minimum_ms = turn.times.first().copied().map(ms);
        result.runs = turn.times.len();
        result.checksum = verify(turn, &contenders[turn.place])?;
    }
    Ok(results)
}

fn run_in_turns(turns: &mut [Turn<'_>], contenders: &[Contender], runs: u32) -> Result<(), Error> {
    let repeats = turns.first().map_or(1, |turn| turn.task.repeats);
    for round in 0..=runs * repeats {
        for turn in &mut *turns {
            let time = turn.prepared.run();
            let time = time.map_err(|error| about(error, turn.task, &contenders[turn.place]))?;
            // The first round is the warm-up.
            if round > 0 {
                turn.times.push(time);
            }
        }
    }
    Ok(())
}

/// Checks the digest of the output after all runs.
fn verify(turn: &mut Turn<'_>, contender: &Contender) -> Result<Option<f64>, Error> {
    let Some(check) = &turn.task.check else {
        return Ok(None);
    };
    let words = turn.prepared.read(check.buffer);
    let words = words.map_err(|error| about(error, turn.task, contender))?;
    let runs = turn.times.len() as u32 + 1;
    let verified = check.verify(&words, runs).map_err(|wrong| {
        let Wrong { found, expected } = wrong;
        let reason = format!("the checksum is {found}, and should be {expected}");
        failed(turn.task.name, &contender.label, reason)
    });
    verified.map(Some)
}

/// The same error with the names of kernel and contender.
fn about(error: Error, task: &Task, contender: &Contender) -> Error {
    match error {
        Error::Device(DeviceError::Refused { reason, .. }) => {
            failed(task.name, &contender.label, reason)
        }
        Error::Device(DeviceError::Lost { source, .. }) => {
            failed(task.name, &contender.label, source.to_string())
        }
        other => other,
    }
}

/// Fills in the speed-up of each contender over the first driver.
fn compare(results: &mut [Measured], contenders: &[Contender]) {
    let first = contenders
        .iter()
        .position(|contender| contender.role == Role::Driver);
    let standard = first.and_then(|place| results[place].ms);
    for result in results {
        result.ratio = standard.zip(result.ms).map(|(standard, ms)| standard / ms);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(name: &'static str, size: Size) -> Task {
        let row = super::super::set::ALL.iter().find(|it| it.name == "hash");
        let mut task = (row.unwrap().make)(name, size);
        task.shaders[0] = task.shaders[0].replace("rotr(e, 6u)", "rotr(e, 7u)");
        task
    }

    #[test]
    fn a_wrong_result_is_an_error_that_names_kernel_and_contender() {
        let contenders = Contender::all(Default::default()).unwrap();
        let is_interpreter = |it: &Contender| it.role == Role::Interpreter;
        let contenders: Vec<_> = contenders.into_iter().filter(is_interpreter).collect();
        let benchmark = Benchmark {
            name: "broken",
            make: wrong,
            kind: Kind::Throughput,
            group: Group::Limits,
        };
        let error = measure(&benchmark, &contenders, 1, Scope::Quick)
            .err()
            .unwrap();
        let text = error.to_string();
        let begin = "kernel `broken` on interpreter: the checksum is ";
        assert!(text.starts_with(begin), "{text}");
        assert_eq!(error.exit_code(), 1);
    }
}
