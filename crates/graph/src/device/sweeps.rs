//! Repeats sweeps until no work is left.
//!
//! In: a run that has begun. Out: its outcome. The first sweep runs every level once. If work is
//! left, more sweeps follow, deepest level first: each begins at the deepest level that has work
//! left, and proceeds to deeper levels. What always holds: while a level has work left, no level
//! above it launches anything. So the queues below the resumed level are empty, and every sweep
//! makes progress.
//!
//! A submission may have several sweeps. The host knows the first level of the first of them, and
//! guesses those of the others. The device knows them all: it launches nothing at a level that must
//! wait.

use std::time::Duration;

use super::bind_groups::Run;
use super::encode::SweepPart;
use super::error::GraphError;
use super::input::Input;
use super::options::Breadcrumbs;
use super::readback;
use super::runner::{GraphRunner, Report, owned, words_of};

/// The levels of a sweep: all levels from `from` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sweep {
    pub(super) is_first: bool,
    pub(super) from: u32,
}

impl Sweep {
    /// The first sweep of a run.
    pub(super) const FIRST: Self = Self {
        is_first: true,
        from: 0,
    };

    /// A later sweep, which resumes at a level.
    pub(super) fn later(from: u32) -> Self {
        Self {
            is_first: false,
            from,
        }
    }
}

/// The outcome of sweeps.
pub(super) enum SweepOutcome {
    Done(Report),
    /// Work is left, at no level deeper than this.
    WorkLeft {
        deepest: u32,
    },
}

/// The first levels of the sweeps of a submission, for at most `most` levels in total. Each level
/// above the deepest with work left is the first level half as often as the level below, since the
/// records that a level sends take several launches of the next (the ruler sequence). The first
/// sweep is always included.
fn first_levels(deepest: u32, levels: u32, max: u32) -> Vec<u32> {
    let mut run = 0;
    let first_levels = (1_u32..).map(|number| deepest.saturating_sub(number.trailing_zeros()));
    let fitting = first_levels.take_while(|from| {
        let is_first = run == 0;
        run += levels - from;
        is_first || run <= max
    });
    fitting.collect()
}

/// The time limit of a run.
struct Deadline {
    limit: Option<Duration>,
    #[cfg(not(target_arch = "wasm32"))]
    begin: std::time::Instant,
}

impl Deadline {
    fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            #[cfg(not(target_arch = "wasm32"))]
            begin: std::time::Instant::now(),
        }
    }

    /// The limit, if it has passed. Rust's standard library has no clock in browsers.
    fn passed(&self) -> Option<Duration> {
        #[cfg(not(target_arch = "wasm32"))]
        return self.limit.filter(|limit| self.begin.elapsed() > *limit);
        #[cfg(target_arch = "wasm32")]
        return self.limit.filter(|_| false);
    }
}

impl GraphRunner {
    /// Runs the graph until no work is left. The bind groups are those of the layouts, in order.
    pub async fn run(
        &self,
        input: &Input<'_>,
        bind_groups: &[&wgpu::BindGroup],
    ) -> Result<Report, GraphError> {
        self.run_with(input, owned(bind_groups)).await
    }

    pub(super) async fn run_with(
        &self,
        input: &Input<'_>,
        bind_groups: Vec<wgpu::BindGroup>,
    ) -> Result<Report, GraphError> {
        let deadline = Deadline::new(self.time_limit);
        let run = self.begin(input, bind_groups).await?;
        let copies_inputs = run.source.is_some();
        let levels = self.plan.levels();
        let mut sweeps = vec![self.pieces(copies_inputs, Sweep::FIRST)];
        let mut at_once = 1;
        let mut done = 0;
        loop {
            let words = match self.breadcrumbs {
                Breadcrumbs::PerNode => self.sweep_slowly(&run, &sweeps.concat()).await?,
                Breadcrumbs::Off => self.sweep(&run, &sweeps).await?,
            };
            let deepest = match self.outcome(&words, &mut done)? {
                SweepOutcome::Done(report) => return Ok(report),
                SweepOutcome::WorkLeft { deepest } => deepest,
            };
            if let Some(limit) = deadline.passed() {
                return Err(GraphError::TimeLimitExceeded {
                    graph: self.graph.name().to_owned(),
                    sweeps: done,
                    limit,
                });
            }
            at_once = self.max_sweeps.min(2 * at_once);
            let max = if at_once > 1 { levels * at_once } else { 0 };
            let later = first_levels(deepest, levels, max).into_iter();
            let later = later.map(|from| self.pieces(copies_inputs, Sweep::later(from)));
            sweeps = later.collect();
        }
    }

    /// Runs sweeps in one submission.
    async fn sweep(
        &self,
        run: &Run<'_>,
        sweeps: &[Vec<SweepPart>],
    ) -> Result<Vec<u32>, GraphError> {
        let encode = |encoder: &mut wgpu::CommandEncoder| {
            for pieces in sweeps {
                self.encode(encoder, run.bindings(self), pieces, None);
            }
        };
        let max = self.plan.levels().saturating_sub(1);
        let place = || {
            format!("somewhere in levels 0 to {max}; use breadcrumbs or steps to find the level")
        };
        self.submit(run, encode, place).await
    }

    /// Runs a sweep with a submission for each part, for breadcrumbs.
    async fn sweep_slowly(
        &self,
        run: &Run<'_>,
        pieces: &[SweepPart],
    ) -> Result<Vec<u32>, GraphError> {
        let mut words = Vec::new();
        for &piece in pieces {
            words = self.submit_pieces(run, &[piece]).await?;
        }
        Ok(words)
    }

    /// Submits parts separately.
    pub(super) async fn submit_pieces(
        &self,
        run: &Run<'_>,
        pieces: &[SweepPart],
    ) -> Result<Vec<u32>, GraphError> {
        let encode = |encoder: &mut wgpu::CommandEncoder| {
            self.encode(encoder, run.bindings(self), pieces, None);
        };
        let place = || {
            let places: Vec<_> = pieces.iter().map(|&piece| self.describe(piece)).collect();
            places.join(" or ")
        };
        self.submit(run, encode, place).await
    }

    /// Submits, waits, and reads back the words of `control`.
    pub(super) async fn submit(
        &self,
        run: &Run<'_>,
        encode: impl FnOnce(&mut wgpu::CommandEncoder),
        place: impl FnOnce() -> String,
    ) -> Result<Vec<u32>, GraphError> {
        let readback = &self.buffers.readback;
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let mut encoder = self.encoder();
        encode(&mut encoder);
        if let Some(memory) = run.guard.as_ref() {
            encoder.copy_buffer_to_buffer(&memory.buffer, 0, readback, 0, readback.size());
        }
        self.queue.submit([encoder.finish()]);
        if let Some(error) = scope.pop().await {
            return Err(self.device_error(error));
        }
        let bytes = readback::read(&self.device, readback).await;
        let bytes = bytes.map_err(|source| GraphError::Lost {
            graph: self.graph.name().to_owned(),
            place: place(),
            source,
        })?;
        Ok(words_of(&bytes))
    }

    /// The outcome of sweeps, and the number of those that launched anything so far; a submission
    /// counts at least one.
    pub(super) fn outcome(
        &self,
        words: &[u32],
        done: &mut u32,
    ) -> Result<SweepOutcome, GraphError> {
        let control = self.control(words);
        if let Some(faults) = control.faults(&self.graph, &self.plan) {
            return Err(GraphError::Faults(faults));
        }
        if !control.has_work_left(&self.plan) {
            return Ok(SweepOutcome::Done(self.report(&control)));
        }
        if control.sweeps() == *done {
            let message = format!("graph `{}` makes no progress", self.graph.name());
            return Err(GraphError::Internal(message));
        }
        *done = control.sweeps();
        let deepest = control.deepest(&self.plan).unwrap_or(0);
        Ok(SweepOutcome::WorkLeft { deepest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_levels_begin_more_often() {
        assert_eq!(first_levels(3, 6, 0), [3]);
        assert_eq!(first_levels(3, 6, 6), [3]);
        assert_eq!(first_levels(3, 6, 7), [3, 2]);
        assert_eq!(first_levels(2, 4, 20), [2, 1, 2, 0, 2, 1, 2]);
        // If only the first level has work left, all sweeps are whole.
        assert_eq!(first_levels(0, 4, 16), [0; 4]);
        assert_eq!(first_levels(0, 1, 16), [0; 16]);
    }
}
