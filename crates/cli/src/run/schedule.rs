//! Submits the runs: many dispatches per submission, but few enough to stay responsive.

use std::time::{Duration, Instant};

use anywarp::Resident;

use super::plan::{Plan, Timing};
use super::progress::Progress;
use super::timing::RunTimes;
use crate::error::Error;

/// The target duration of a submission: long enough that the cost of submitting is negligible, short enough for the
/// progress bar and for the time limits of drivers.
const SUBMISSION: Duration = Duration::from_millis(50);

/// The most runs in one submission.
const MAX_RUNS: u64 = 4096;

/// Submits all runs and waits for them.
pub(super) fn run(resident: &mut Resident, plan: &Plan) -> Result<RunTimes, Error> {
    let progress = Progress::new(plan.repeat);
    let mut times = RunTimes::default();
    let mut done = 0;
    let mut batch = 1;
    while done < plan.repeat {
        let runs = batch.min(plan.repeat - done);
        let started = Instant::now();
        resident.submit(plan.workgroups, done..done + runs, &plan.swaps)?;
        let device = resident.device();
        device.wait(|| progress.tick_in_run(anywarp_adapter::progress(device)))?;
        let taken = started.elapsed();

        times.add(taken, runs);
        progress.advance(runs);
        done += runs;
        if plan.timing == Timing::Total && taken < SUBMISSION {
            batch = (batch * 2).min(MAX_RUNS);
        }
    }
    Ok(times)
}
