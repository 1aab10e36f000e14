//! Scheduling of batches: the iterations at which each batch begins and ends. Independent of the device.
//!
//! In: the maximal number of iterations per batch, and the reports of completed batches. Out: the next batch, and
//! whether a checkpoint or the end is reached. What always holds:
//! - All unfinished pixels have done the same number of iterations.
//! - A batch ends exactly at each stop (a checkpoint or the limit), and no batch goes beyond a stop before all pixels
//!   that finished until then are reported. So the image at a stop does not depend on how the work was divided.
//! - When no pixel is left to iterate, batches of zero iterations read the results that are not reported yet.

/// One batch: its first iteration and the number of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    pub(crate) start: u32,
    pub(crate) steps: u32,
}

/// The state of all pixels after a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// Iterations that all unfinished pixels have done.
    pub(crate) iterations: u32,
    /// Number of unfinished pixels.
    pub(crate) live: u32,
    /// Number of finished pixels that are not reported yet.
    pub(crate) waiting: u32,
}

/// The kind of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// A checkpoint.
    Checkpoint,
    /// The limit; the computation continues if the limit is raised.
    Limit,
    /// All pixels are finished.
    NothingLive,
}

#[derive(Debug)]
pub(crate) struct Course {
    /// Future stops in ascending order, without the limit.
    checkpoints: Vec<u32>,
    limit: u32,
    submitted: u32,
    pending: u32,
    report: Report,
    is_over: bool,
}

impl Course {
    pub(crate) fn new(pixels: u32, limit: u32, checkpoints: &[u32]) -> Self {
        let mut checkpoints: Vec<u32> = checkpoints
            .iter()
            .copied()
            .filter(|checkpoint| *checkpoint > 0)
            .collect();
        checkpoints.sort_unstable();
        checkpoints.dedup();
        Self {
            checkpoints,
            limit,
            submitted: 0,
            pending: 0,
            report: Report {
                iterations: 0,
                live: pixels,
                waiting: 0,
            },
            is_over: false,
        }
    }

    pub(crate) fn limit(&self) -> u32 {
        self.limit
    }

    pub(crate) fn report(&self) -> Report {
        self.report
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    fn stop(&self) -> u32 {
        let next = self.checkpoints.first().copied();
        next.unwrap_or(self.limit).min(self.limit)
    }

    /// The next batch, of at most `steps` iterations; `None` if a batch in flight must complete first, or if there is
    /// nothing left to do.
    pub(crate) fn next(&self, steps: u32) -> Option<Batch> {
        let start = self.submitted;
        let left = self.stop() - start;
        if self.is_over {
            None
        } else if left > 0 && self.report.live > 0 {
            let steps = steps.clamp(1, left);
            Some(Batch { start, steps })
        } else if self.pending == 0 && self.report.waiting > 0 {
            Some(Batch { start, steps: 0 })
        } else {
            None
        }
    }

    pub(crate) fn submitted(&mut self, batch: Batch) {
        self.submitted = batch.start + batch.steps;
        self.pending += 1;
    }

    /// Records a completed batch. Returns the stop that it reached, if any.
    pub(crate) fn returned(&mut self, report: Report) -> Option<Stop> {
        self.pending = self.pending.saturating_sub(1);
        self.report = report;
        if self.pending > 0 || report.waiting > 0 {
            None
        } else if report.live == 0 {
            self.is_over = true;
            Some(Stop::NothingLive)
        } else if report.iterations != self.stop() {
            None
        } else if self.checkpoints.first() == Some(&report.iterations) {
            self.checkpoints.remove(0);
            Some(Stop::Checkpoint)
        } else {
            Some(Stop::Limit)
        }
    }

    /// Whether the limit is reached, possibly together with a checkpoint.
    pub(crate) fn is_at_limit(&self) -> bool {
        self.report.iterations == self.limit
    }

    /// Continues to a higher limit.
    pub(crate) fn raise(&mut self, limit: u32) {
        self.limit = self.limit.max(limit);
    }

    pub(crate) fn end(&mut self) {
        self.is_over = true;
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, Course, Report, Stop};

    fn report(iterations: u32, live: u32, waiting: u32) -> Report {
        Report {
            iterations,
            live,
            waiting,
        }
    }

    fn submit(course: &mut Course, steps: u32) -> Option<(u32, u32)> {
        let batch = course.next(steps)?;
        course.submitted(batch);
        Some((batch.start, batch.steps))
    }

    #[test]
    fn batches_end_at_every_stop_and_wait_there() {
        let mut course = Course::new(10, 100, &[70, 30, 0, 30, 500]);
        assert_eq!(submit(&mut course, 20), Some((0, 20)));
        assert_eq!(submit(&mut course, 20), Some((20, 10)));
        assert_eq!(submit(&mut course, 20), None);
        assert_eq!(course.returned(report(20, 10, 0)), None);
        assert_eq!(submit(&mut course, 20), None, "one is still on its way");
        assert_eq!(course.returned(report(30, 10, 0)), Some(Stop::Checkpoint));
        assert_eq!(submit(&mut course, 99), Some((30, 40)));
        assert_eq!(course.returned(report(70, 9, 0)), Some(Stop::Checkpoint));
        assert_eq!(submit(&mut course, 99), Some((70, 30)));
        assert_eq!(course.returned(report(100, 5, 0)), Some(Stop::Limit));
        assert_eq!(submit(&mut course, 99), None);
        course.raise(200);
        assert_eq!(submit(&mut course, 99), Some((100, 99)));
    }

    #[test]
    fn what_waits_is_fetched_before_a_stop_counts() {
        let mut course = Course::new(10, 50, &[]);
        assert_eq!(submit(&mut course, 50), Some((0, 50)));
        assert_eq!(course.returned(report(50, 2, 3)), None);
        assert_eq!(submit(&mut course, 50), Some((50, 0)));
        assert_eq!(course.returned(report(50, 2, 0)), Some(Stop::Limit));
    }

    #[test]
    fn it_is_over_when_nothing_lives_and_nothing_waits() {
        let mut course = Course::new(10, 50, &[40]);
        assert_eq!(submit(&mut course, 10), Some((0, 10)));
        assert_eq!(submit(&mut course, 10), Some((10, 10)));
        assert_eq!(course.returned(report(10, 0, 4)), None);
        assert_eq!(course.next(10), None, "one is still on its way");
        assert_eq!(course.returned(report(20, 0, 1)), None);
        assert_eq!(
            course.next(10),
            Some(Batch {
                start: 20,
                steps: 0
            })
        );
        assert_eq!(submit(&mut course, 10), Some((20, 0)));
        assert_eq!(course.returned(report(20, 0, 0)), Some(Stop::NothingLive));
        assert!(course.is_over());
        assert_eq!(course.next(10), None);
    }
}
