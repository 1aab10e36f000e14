//! A job: computes an image progressively, with batches on a device.
//!
//! In: a view and settings. Out: an image that is updated after each batch, and the progress. What always holds:
//! nothing blocks except `wait`, which does not exist in browsers; after [`Job::look_at`] no results of the old view
//! arrive; the image at a checkpoint and at the end does not depend on timing, on the number of slots or on the
//! division into batches.

use std::collections::VecDeque;
use std::time::Duration;

use anywarp_batch::{Outcome, Stats, SubmitError};
use web_time::Instant;

use crate::board::Board;
use crate::course::{Batch, Course, Stop};
use crate::engine::{Dimensions, Engine, Params, highest_limit};
use crate::error::JobError;
use crate::grid::Grid;
use crate::image::Image;
use crate::limit::{Limit, Standing};
use crate::method::Method;
use crate::pace::Pace;
use crate::progress::Progress;
use crate::reference::ReferenceOrbit;
use crate::view::View;

/// The description of a [`Job`].
#[derive(Clone, Debug)]
pub struct JobDescriptor {
    /// The part of the complex plane.
    pub view: View,
    /// Width and height of the image in pixels.
    pub size: [u32; 2],
    /// The method.
    pub board: Board,
    /// The iteration limit.
    pub limit: Limit,
    /// Maximal number of batches in flight.
    pub slots: u32,
    /// Iteration counts at which the image is complete up to that count; see [`Progress::checkpoint`].
    pub checkpoints: Vec<u32>,
    /// Target duration of a batch.
    pub batch_time: Duration,
    /// A fixed number of iterations per batch, instead of one adapted to `batch_time`.
    pub batch_iterations: Option<u32>,
    /// Maximal number of finished pixels that a batch reports, by default a quarter of all. Later batches report the
    /// remaining ones.
    pub capacity: Option<u32>,
}

impl JobDescriptor {
    /// A description with default settings: two slots, batches of 15 ms, an automatic limit.
    pub fn new(view: View, size: [u32; 2], board: Board) -> Self {
        Self {
            view,
            size,
            board,
            limit: Limit::Auto,
            slots: 2,
            checkpoints: Vec::new(),
            batch_time: Duration::from_millis(15),
            batch_iterations: None,
            capacity: None,
        }
    }

    fn dimensions(&self) -> Dimensions {
        let pixels = self.size[0].saturating_mul(self.size[1]);
        Dimensions {
            size: self.size,
            slots: self.slots,
            capacity: self.capacity.unwrap_or((pixels / 4).clamp(256, 1 << 18)),
            orbit: 0,
        }
    }
}

/// A batch in flight.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Instant,
    steps: u32,
}

/// A progressive computation of an image.
#[derive(Debug)]
pub struct Job {
    device: wgpu::Device,
    queue: wgpu::Queue,
    engine: Engine,
    checkpoints: Vec<u32>,
    limit: Limit,
    last_limit: u32,
    method: Method,
    exponent: i32,
    reference: Option<ReferenceOrbit>,
    course: Course,
    pace: Pace,
    sent: VecDeque<Sent>,
    image: Image,
    known: u32,
    newly_finished: u32,
    checkpoint: Option<u32>,
    epoch: u32,
    /// The counts of previous engines.
    before: Totals,
    is_failed: bool,
}

/// Counts over all engines of a job.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    batches: u64,
    retries: u64,
    collisions: u64,
}

impl Totals {
    fn plus(self, stats: Stats) -> Self {
        Self {
            batches: self.batches + stats.completed,
            retries: self.retries + stats.skipped,
            collisions: self.collisions + u64::from(stats.device.collisions),
        }
    }
}

/// The decisions about a view that need no device resources.
struct Plan {
    method: Method,
    limit: Limit,
    last_limit: u32,
    orbit: u32,
}

impl Plan {
    fn new(
        device: &wgpu::Device,
        view: &View,
        size: [u32; 2],
        board: Board,
        limit: Limit,
    ) -> Result<Self, JobError> {
        let method = Method::choose(board, view, size);
        let most = highest_limit(&device.limits(), method.has_reference());
        let last_limit = match limit {
            Limit::Auto => limit.last(view.extent()).min(most),
            Limit::Iterations(limit) if limit == 0 || limit > most => {
                return Err(JobError::Limit { limit, most });
            }
            Limit::Iterations(limit) => limit,
        };
        Ok(Self {
            method,
            limit,
            last_limit,
            orbit: if method.has_reference() {
                // The initial zero, and the entry that is held back.
                last_limit + 2
            } else {
                0
            },
        })
    }
}

impl Job {
    /// Starts an image. The first batch is submitted by the first [`step`](Self::step).
    pub async fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        descriptor: JobDescriptor,
    ) -> Result<Self, JobError> {
        let mut dimensions = descriptor.dimensions();
        dimensions.check(&device.limits())?;
        let JobDescriptor {
            view,
            size,
            board,
            limit,
            ..
        } = descriptor;
        let plan = Plan::new(device, &view, size, board, limit)?;
        dimensions.orbit = plan.orbit;
        let scopes = [
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Validation,
        ]
        .map(|filter| device.push_error_scope(filter));
        let engine = Engine::new(device, queue, dimensions);
        for scope in scopes.into_iter().rev() {
            if let Some(error) = scope.pop().await {
                return Err(JobError::Refused(error.to_string()));
            }
        }
        let mut job = Self {
            device: device.clone(),
            queue: queue.clone(),
            engine: engine?,
            checkpoints: descriptor.checkpoints,
            limit: plan.limit,
            last_limit: plan.last_limit,
            method: plan.method,
            exponent: 0,
            reference: None,
            course: Course::new(0, 1, &[]),
            pace: Pace::new(descriptor.batch_time, descriptor.batch_iterations),
            sent: VecDeque::new(),
            image: Image::new(size),
            known: 0,
            newly_finished: 0,
            checkpoint: None,
            epoch: 0,
            before: Totals::default(),
            is_failed: false,
        };
        job.begin(&view, plan);
        Ok(job)
    }

    /// Abandons the view for another one. No results of the old one arrive afterwards, and the image starts again. If
    /// the new view is invalid, nothing changes.
    pub fn look_at(
        &mut self,
        view: View,
        board: Board,
        limit: impl Into<Limit>,
    ) -> Result<(), JobError> {
        let size = self.image.size();
        let plan = Plan::new(&self.device, &view, size, board, limit.into())?;
        let dimensions = self.engine.dimensions();
        if plan.orbit > dimensions.orbit {
            let larger = Dimensions {
                orbit: plan.orbit,
                ..dimensions
            };
            let engine = Engine::new(&self.device, &self.queue, larger)?;
            self.before = self.before.plus(self.engine.batch.stats());
            self.engine = engine;
        } else {
            self.engine.batch.reset();
        }
        self.epoch = self.epoch.wrapping_add(1);
        self.image.clear();
        self.is_failed = false;
        self.begin(&view, plan);
        Ok(())
    }

    fn begin(&mut self, view: &View, plan: Plan) {
        let grid = Grid::new(view, self.image.size(), plan.method);
        self.engine.write_places(&grid.places);
        let pixels = self.engine.dimensions().pixels();
        let first = plan.limit.first().min(plan.last_limit);
        self.course = Course::new(pixels, first, &self.checkpoints);
        self.sent.clear();
        self.pace.restart();
        self.exponent = grid.exponent;
        self.reference = (plan.method.has_reference()).then(|| ReferenceOrbit::new(view));
        self.limit = plan.limit;
        self.last_limit = plan.last_limit;
        self.method = plan.method;
        self.known = 0;
        self.newly_finished = 0;
        self.checkpoint = None;
    }

    /// Keeps all slots busy and waits for the next results without blocking the thread; `None` when the image is
    /// complete, and after an error.
    pub async fn step(&mut self) -> Option<Result<Progress, JobError>> {
        if let Err(error) = self.submit() {
            return Some(self.fail(error));
        }
        let outcome = self.engine.batch.next().await?;
        Some(self.take(outcome))
    }

    /// Like [`step`](Self::step), but blocks until there are results. Not available in browsers.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(&mut self) -> Option<Result<Progress, JobError>> {
        if let Err(error) = self.submit() {
            return Some(self.fail(error));
        }
        let outcome = self.engine.batch.wait()?;
        Some(self.take(outcome))
    }

    fn fail(&mut self, error: JobError) -> Result<Progress, JobError> {
        self.is_failed = true;
        self.engine.batch.reset();
        Err(error)
    }

    /// Submits batches while there is work and a free slot.
    fn submit(&mut self) -> Result<(), JobError> {
        while !self.is_failed && self.sent.len() < self.engine.dimensions().slots as usize {
            let Some(batch) = self.next_batch() else {
                return Ok(());
            };
            let params = self.params(batch);
            match self.engine.batch.submit(&params) {
                Ok(_) => {}
                Err(SubmitError::Full) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            self.course.submitted(batch);
            self.sent.push_back(Sent {
                at: Instant::now(),
                steps: batch.steps,
            });
        }
        Ok(())
    }

    /// The next batch; extends the reference orbit as far as it needs.
    fn next_batch(&mut self) -> Option<Batch> {
        let batch = self.course.next(self.pace.steps())?;
        let Some(reference) = &mut self.reference else {
            return Some(batch);
        };
        let piece = reference.extend(batch.start + batch.steps);
        self.engine.write_orbit(&piece);
        let possible = reference.iterations() - batch.start;
        Some(Batch {
            steps: batch.steps.min(possible),
            ..batch
        })
    }

    fn params(&self, batch: Batch) -> Params {
        let dimensions = self.engine.dimensions();
        Params {
            size: dimensions.size,
            start: batch.start,
            steps: batch.steps,
            method: self.method.number(),
            capacity: dimensions.capacity,
            last: self.reference_len().saturating_sub(1),
            exponent: self.exponent,
            zero: 0,
            padding: 0,
        }
    }

    fn reference_len(&self) -> u32 {
        self.reference.as_ref().map_or(0, ReferenceOrbit::len)
    }

    fn take(&mut self, outcome: Outcome<Vec<u8>>) -> Result<Progress, JobError> {
        match self.accept(outcome) {
            Ok(()) => Ok(self.progress()),
            Err(error) => self.fail(error),
        }
    }

    /// Applies the results of a batch to the image.
    fn accept(&mut self, outcome: Outcome<Vec<u8>>) -> Result<(), JobError> {
        let completed = outcome?;
        let results = self.engine.read(&completed.results)?;
        if let Some(sent) = self.sent.pop_front() {
            self.pace.returned(sent.at, sent.steps);
        }
        for finished in &results.finished {
            if !self.image.set(finished.pixel, finished.count) {
                return Err(JobError::Nonsense("a pixel finished twice"));
            }
        }
        self.known += results.finished.len() as u32;
        self.newly_finished = results.newly_finished;
        self.checkpoint = None;
        let stop = self.course.returned(results.report);
        if stop == Some(Stop::Checkpoint) {
            self.checkpoint = Some(results.report.iterations);
        }
        if stop.is_some() && self.course.is_at_limit() && !self.course.is_over() {
            match self.raised() {
                Some(limit) => self.course.raise(limit),
                None => self.course.end(),
            }
        }
        if self.course.is_over() {
            self.image.close();
            self.known = self.engine.dimensions().pixels();
        }
        Ok(())
    }

    /// The next limit, if the image has reached the current one and it is raised.
    fn raised(&self) -> Option<u32> {
        let limit = self.course.limit();
        let standing = Standing {
            pixels: self.engine.dimensions().pixels(),
            escaped: self.image.count_in(1..=limit),
            late: self.image.count_in(limit / 2 + 1..=limit),
        };
        self.limit.raise(limit, self.last_limit, standing)
    }

    /// The progress of the image.
    pub fn progress(&self) -> Progress {
        let report = self.course.report();
        let totals = self.before.plus(self.engine.batch.stats());
        Progress {
            method: self.method,
            iterations: report.iterations,
            limit: self.course.limit(),
            pixels: self.engine.dimensions().pixels(),
            known: self.known,
            newly_finished: self.newly_finished,
            unreported: report.waiting,
            live: report.live,
            checkpoint: self.checkpoint,
            batch_iterations: self.pace.steps(),
            reference: self.reference_len(),
            batches: totals.batches,
            retries: totals.retries,
            collisions: totals.collisions,
            epoch: self.epoch,
            is_done: self.course.is_over(),
        }
    }

    /// The image so far.
    pub fn image(&self) -> &Image {
        &self.image
    }
}
