//! Submits the runs: many dispatches per submission, but few enough to stay responsive.

use std::time::{Duration, Instant};

use super::gpu_objects::GpuObjects;
use super::plan::{Plan, Timing};
use super::progress::Progress;
use super::timing::RunTimes;
use crate::device::Session;
use crate::error::Error;

/// The target duration of a submission: long enough that the cost of submitting is negligible, short enough for the
/// progress bar and for the time limits of drivers.
const SUBMISSION: Duration = Duration::from_millis(50);

/// The most runs in one submission.
const MAX_RUNS: u64 = 4096;

/// Submits all runs and waits for them.
pub(super) fn run(session: &Session, objects: &GpuObjects, plan: &Plan) -> Result<RunTimes, Error> {
    let progress = Progress::new(plan.repeat);
    let mut times = RunTimes::default();
    let mut done = 0;
    let mut batch = 1;
    while done < plan.repeat {
        let runs = batch.min(plan.repeat - done);
        let started = Instant::now();
        submit(session, objects, plan, done..done + runs);
        session.wait(|| progress.tick_in_run(anywarp_adapter::progress(&session.device)))?;
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

fn submit(session: &Session, objects: &GpuObjects, plan: &Plan, runs: std::ops::Range<u64>) {
    let mut encoder = session.device.create_command_encoder(&Default::default());
    {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&objects.pipeline);
        if !plan.immediate.is_empty() {
            pass.set_immediates(0, &plan.immediate);
        }
        let [x, y, z] = plan.workgroups;
        for run in runs {
            for (group, bind_group) in &objects.phase(run).groups {
                pass.set_bind_group(*group, bind_group, &[]);
            }
            pass.dispatch_workgroups(x, y, z);
        }
    }
    session.queue.submit([encoder.finish()]);
}
