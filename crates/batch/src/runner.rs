//! The runner: accepts batches, keeps the slots busy, retries skipped batches, delivers results.
//!
//! What always holds:
//! - Every accepted batch is applied exactly once, fails with an error, or is cancelled.
//! - Nothing here blocks except [`BatchRunner::wait`], which does not exist in a browser.
//! - With [`BatchOrder::Ordered`] results are delivered in the order of submission, even when the
//!   device overlapped batches so that they were read back in another order.
//! - Results of a cancelled batch, and of an epoch that was reset, are never delivered.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use crate::clock::Clock;
use crate::error::{BatchError, BuildError, Failed, SubmitError, UploadError};
use crate::outcome::{Completed, Listener, LossNotifier, Outcome, OutcomeQueue, Outcomes};
#[cfg(not(target_family = "wasm"))]
use crate::poller::{Poller, Request};
use crate::schedule::{BatchId, Schedule, SlotResult};
use crate::slots::{BatchInfo, BatchOrder, BatchSlots, begin};
use crate::stats::Stats;
use crate::status::SlotStatus;

/// One pass of a batch. Its shader must check `batch_is_active()` first and do nothing if it is
/// false.
#[derive(Clone, Debug)]
pub struct BatchPass {
    /// The pipeline. Its layout has [`BatchSlots::bind_group_layout`] at the group index of
    /// [`BatchBindings`](crate::BatchBindings).
    pub pipeline: wgpu::ComputePipeline,
    /// Its other bind groups, with their group indices.
    pub bind_groups: Vec<(u32, wgpu::BindGroup)>,
    /// The number of workgroups to dispatch.
    pub workgroups: Workgroups,
}

/// The number of workgroups of a pass, in each dimension.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Workgroups {
    /// A fixed workgroup count.
    Direct([u32; 3]),
    /// An indirect dispatch: the count is read from three words of a buffer when the pass begins.
    /// An earlier pass or batch may have written them.
    Indirect {
        /// The buffer, with `INDIRECT` usage.
        buffer: wgpu::Buffer,
        /// Byte offset of the words, a multiple of 4.
        offset: u64,
    },
}

impl From<[u32; 3]> for Workgroups {
    fn from(count: [u32; 3]) -> Self {
        Self::Direct(count)
    }
}

impl Workgroups {
    /// Checks a fixed count against the limits of a device.
    #[cfg(feature = "bytemuck")]
    pub(crate) fn check(&self, limits: &wgpu::Limits) -> Result<(), crate::error::PassProblem> {
        let limit = limits.max_compute_workgroups_per_dimension;
        match *self {
            Self::Direct(count) if count.iter().any(|&side| side > limit) => {
                Err(crate::error::PassProblem::Workgroups { count, limit })
            }
            Self::Direct(_) | Self::Indirect { .. } => Ok(()),
        }
    }
}

impl BatchPass {
    fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>) {
        pass.set_pipeline(&self.pipeline);
        for (index, group) in &self.bind_groups {
            pass.set_bind_group(*index, group, &[]);
        }
        match &self.workgroups {
            Workgroups::Direct([x, y, z]) => pass.dispatch_workgroups(*x, *y, *z),
            Workgroups::Indirect { buffer, offset } => {
                pass.dispatch_workgroups_indirect(buffer, *offset);
            }
        }
        // The next pass must set its own groups, or wgpu refuses it because they are missing.
        for (index, _) in &self.bind_groups {
            pass.set_bind_group(*index, None, &[]);
        }
    }
}

/// Descriptor of a [`BatchRunner`].
#[derive(Clone, Debug)]
pub struct BatchRunnerDescriptor {
    /// The passes of each batch, in order.
    pub passes: Vec<BatchPass>,
    /// How long a batch may take from `submit` to its results. `None` means no limit.
    pub timeout: Option<Duration>,
    /// The clock of the timeout. `None` uses the platform's clock; a browser has none.
    pub clock: Option<Clock>,
}

impl Default for BatchRunnerDescriptor {
    fn default() -> Self {
        Self {
            passes: Vec::new(),
            timeout: None,
            clock: Clock::system(),
        }
    }
}

/// The state of a readback mapping, which its callback sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum MappingState {
    Pending,
    Mapped,
    Failed,
}

/// A [`MappingState`] that the callback of a mapping shares with the runner.
#[derive(Debug)]
struct Mapping(AtomicU8);

impl Mapping {
    fn pending() -> Self {
        Self(AtomicU8::new(MappingState::Pending as u8))
    }

    fn state(&self) -> MappingState {
        const MAPPED: u8 = MappingState::Mapped as u8;
        const FAILED: u8 = MappingState::Failed as u8;
        match self.0.load(Ordering::Acquire) {
            MAPPED => MappingState::Mapped,
            FAILED => MappingState::Failed,
            _ => MappingState::Pending,
        }
    }

    fn set(&self, state: MappingState) {
        self.0.store(state as u8, Ordering::Release);
    }
}

/// A batch in flight.
#[derive(Debug)]
struct InFlight {
    serial: u32,
    mapping: Arc<Mapping>,
    #[cfg(not(target_family = "wasm"))]
    submission: wgpu::SubmissionIndex,
}

/// The contents of a slot's readback buffer.
struct Readback {
    status: SlotStatus,
    results: Vec<Vec<u8>>,
}

/// Runs batches. See the [crate's example](crate).
#[derive(Debug)]
pub struct BatchRunner {
    slots: BatchSlots,
    passes: Vec<BatchPass>,
    timeout: Option<(Duration, Clock)>,
    schedule: Schedule,
    in_flight: Vec<Option<InFlight>>,
    next_serial: u32,
    /// Results that were read back before those of an earlier batch, which must be delivered first.
    undelivered: BTreeMap<BatchId, Completed>,
    outcome_queue: OutcomeQueue,
    stats: Stats,
    loss: Option<String>,
    /// Wakes waiting tasks natively.
    #[cfg(not(target_family = "wasm"))]
    poller: Option<Poller>,
}

impl BatchRunner {
    /// Creates a runner of these passes in these slots.
    pub fn new(
        mut slots: BatchSlots,
        descriptor: BatchRunnerDescriptor,
    ) -> Result<Self, BuildError> {
        let timeout = match (descriptor.timeout, descriptor.clock) {
            (None, _) => None,
            (Some(timeout), Some(clock)) => Some((timeout, clock)),
            (Some(_), None) => return Err(BuildError::NoClock),
        };
        check(&slots, &descriptor.passes)?;
        slots.write_params_in_place();
        let outcome_queue = OutcomeQueue::default();
        slots.lock().wake_when_ready(&outcome_queue);
        Ok(Self {
            passes: descriptor.passes,
            timeout,
            schedule: Schedule::new(slots.len()),
            in_flight: (0..slots.len()).map(|_| None).collect(),
            slots,
            // Buffers begin as zeros, so serial zero would look like a status that was written.
            next_serial: 1,
            undelivered: BTreeMap::new(),
            outcome_queue,
            stats: Stats::default(),
            loss: None,
            #[cfg(not(target_family = "wasm"))]
            poller: None,
        })
    }

    /// The slots of the runner.
    pub fn slots(&self) -> &BatchSlots {
        &self.slots
    }

    /// Submits a batch with these parameters.
    ///
    /// Never blocks. It returns [`SubmitError::Full`] when as many batches are pending as there are
    /// slots, and when as many outcomes are uncollected. Then [`next`](Self::next) has something to
    /// wait for, and afterwards another batch can be submitted.
    pub fn submit(&mut self, params: &[u8]) -> Result<BatchId, SubmitError> {
        let expected = self.slots.params_size();
        if params.len() != expected as usize {
            return Err(SubmitError::ParamsSize {
                given: params.len(),
                expected,
            });
        }
        if self.schedule.is_full() {
            self.poll();
        }
        if let Some(message) = self.loss.clone() {
            return Err(SubmitError::DeviceLost { message });
        }
        let uncollected = self.outcome_queue.len() + self.undelivered.len();
        if self.schedule.is_full() || uncollected >= self.slots.len() {
            return Err(SubmitError::Full);
        }
        let timeout = self.timeout.as_ref();
        let deadline = timeout.map(|(timeout, clock)| clock.now().saturating_add(*timeout));
        let id = self.schedule.push(params.to_vec(), deadline);
        self.stats.submitted += 1;
        self.launch();
        Ok(id)
    }

    /// Polls the device without waiting: collects results, retries skipped batches, fails batches
    /// that timed out. Returns the number of outcomes to collect.
    pub fn poll(&mut self) -> usize {
        // Natively this runs the callbacks; a browser runs them by itself. It is not an error if
        // nothing has finished.
        let _ = self.slots.device().poll(wgpu::PollType::Poll);
        self.process();
        self.outcome_queue.len()
    }

    /// The next outcome, if one is available.
    pub fn try_next(&mut self) -> Option<Outcome> {
        self.poll();
        self.outcome_queue.pop()
    }

    /// Waits for the next outcome; `None` when no batch is pending.
    ///
    /// Never blocks. In a browser the device wakes the task, and a timeout is noticed only when the
    /// runner is polled. Natively devices wake no tasks: a background thread of the runner, started
    /// when a task first has to wait, polls the device. A thread that may block is faster with
    /// [`wait`](Self::wait).
    pub async fn next(&mut self) -> Option<Outcome> {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// [`next`](Self::next) for hand-written futures: the task is woken when there may be a new
    /// outcome.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Outcome>> {
        // Registered before the check, so that an outcome in between wakes the task.
        self.outcome_queue
            .register(Listener::Runner, context.waker());
        match self.try_next() {
            Some(outcome) => Poll::Ready(Some(outcome)),
            None if self.schedule.pending() == 0 => Poll::Ready(None),
            None => {
                #[cfg(not(target_family = "wasm"))]
                if !self.request_wake() {
                    context.waker().wake_by_ref();
                }
                Poll::Pending
            }
        }
    }

    /// Requests that the task is woken when there may be a new outcome; false if the system has no
    /// thread for it.
    #[cfg(not(target_family = "wasm"))]
    fn request_wake(&mut self) -> bool {
        if self.poller.is_none() {
            self.poller = Poller::start(self.slots.device(), &self.outcome_queue);
        }
        let deadline = self
            .time_left()
            .and_then(|left| std::time::Instant::now().checked_add(left));
        let submission = self.oldest();
        let request = Request {
            submission,
            deadline,
        };
        let Some(poller) = &self.poller else {
            return false;
        };
        poller.ask(request);
        true
    }

    /// Blocks until there is an outcome; `None` when no batch is pending. Not available in a
    /// browser.
    #[cfg(not(target_family = "wasm"))]
    pub fn wait(&mut self) -> Option<Outcome> {
        self.poll();
        loop {
            if let Some(outcome) = self.outcome_queue.pop() {
                return Some(outcome);
            }
            if self.schedule.pending() == 0 {
                return None;
            }
            let waited = self.slots.device().poll(wgpu::PollType::Wait {
                submission_index: self.oldest(),
                timeout: self.time_left(),
            });
            match waited {
                Ok(_) => self.process(),
                // The deadline has passed, or the device never executed the submission: the
                // callbacks have not run.
                Err(_) => {
                    self.poll();
                }
            }
        }
    }

    /// The submission in flight that was submitted first.
    #[cfg(not(target_family = "wasm"))]
    fn oldest(&self) -> Option<wgpu::SubmissionIndex> {
        let in_flight = self.in_flight.iter().flatten();
        // It has the greatest distance from the next serial number.
        let oldest = in_flight.max_by_key(|batch| self.next_serial.wrapping_sub(batch.serial));
        oldest.map(|batch| batch.submission.clone())
    }

    /// The time until the first deadline.
    #[cfg(not(target_family = "wasm"))]
    fn time_left(&self) -> Option<Duration> {
        let (at, (_, clock)) = self.schedule.deadline().zip(self.timeout.as_ref())?;
        Some(at.saturating_sub(clock.now()))
    }

    /// Cancels a batch: no outcome will be delivered for it. False if it has an outcome already.
    ///
    /// A batch in flight may still be applied; one that has not been launched never will be.
    pub fn cancel(&mut self, id: BatchId) -> bool {
        let is_cancelled = self.schedule.cancel(id);
        self.stats.cancelled += u64::from(is_cancelled);
        is_cancelled
    }

    /// Cancels every pending batch, drops every uncollected outcome, and begins a new epoch.
    /// Returns the cancelled batches.
    ///
    /// Batches of the new epoch wait until the device has finished with the old ones, and the first
    /// of them is in flight alone. So state written by `Queue::write_buffer` between `reset` and
    /// the next `submit` is the initial state of the new epoch.
    pub fn reset(&mut self) -> Vec<BatchId> {
        let cancelled = self.schedule.reset();
        self.stats.cancelled += cancelled.len() as u64;
        self.undelivered.clear();
        self.outcome_queue.clear();
        cancelled
    }

    /// The number of the epoch; [`reset`](Self::reset) begins the next.
    pub fn epoch(&self) -> u32 {
        self.schedule.epoch()
    }

    /// Statistics since the runner was created.
    pub fn stats(&self) -> Stats {
        Stats {
            pending: self.schedule.pending(),
            in_flight: self.schedule.in_flight(),
            ..self.stats
        }
    }

    /// A handle to the outcomes for code that does not own the runner; it outlives the runner.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes(self.outcome_queue.clone())
    }

    /// A handle to report the loss of the device to the runner.
    pub fn loss_notifier(&self) -> LossNotifier {
        LossNotifier(self.outcome_queue.clone())
    }

    fn process(&mut self) {
        for slot in 0..self.in_flight.len() {
            let Some(batch) = &self.in_flight[slot] else {
                continue;
            };
            match batch.mapping.state() {
                MappingState::Mapped => self.process_readback(slot),
                MappingState::Failed => self.outcome_queue.lose("a mapping failed".to_owned()),
                MappingState::Pending => {}
            }
        }
        if self.loss.is_none() {
            self.loss = self.outcome_queue.loss();
        }
        if self.loss.is_some() {
            self.fail_all();
            return;
        }
        if let Some((_, clock)) = &self.timeout {
            for id in self.schedule.expire(clock.now()) {
                self.stats.timed_out += 1;
                let error = BatchError::TimedOut;
                self.outcome_queue.push(Err(Failed { id, error }));
            }
        }
        self.deliver();
        self.launch();
    }

    /// Delivers the completed batches that no earlier batch holds back.
    fn deliver(&mut self) {
        let first = self.schedule.first_pending();
        while let Some(entry) = self.undelivered.first_entry() {
            if first.is_some_and(|first| first < *entry.key()) {
                return;
            }
            self.outcome_queue.push(Ok(entry.remove()));
        }
    }

    /// Fails every pending batch: the device is lost.
    fn fail_all(&mut self) {
        let message = self.loss.clone().unwrap_or_default();
        self.in_flight.fill_with(|| None);
        let pending = self.schedule.abandon();
        self.deliver();
        for id in pending {
            let message = message.clone();
            let error = BatchError::DeviceLost { message };
            self.outcome_queue.push(Err(Failed { id, error }));
        }
    }

    /// Processes a slot whose readback buffer is mapped.
    fn process_readback(&mut self, slot: usize) {
        let Some(batch) = self.in_flight[slot].take() else {
            return;
        };
        let readback = self.read(slot);
        self.slots.readback_buffer(slot).unmap();
        let Some(Readback { status, results }) = readback else {
            self.outcome_queue
                .lose("a mapped buffer cannot be read".to_owned());
            return;
        };
        if status.serial != batch.serial {
            self.refuse(slot);
            return;
        }
        self.stats.device.advance(status.counters);
        match self.schedule.returned(slot, status.is_applied) {
            SlotResult::Applied(batch) => {
                self.stats.completed += 1;
                let completed = Completed {
                    id: batch.id,
                    results,
                    retries: batch.retries,
                };
                match self.slots.order() {
                    BatchOrder::Ordered => drop(self.undelivered.insert(batch.id, completed)),
                    BatchOrder::Unordered => self.outcome_queue.push(Ok(completed)),
                }
            }
            SlotResult::Retry => self.stats.skipped += 1,
            SlotResult::Cancelled => self.stats.skipped += u64::from(!status.is_applied),
        }
    }

    /// The device refused the submission; a retry would be refused again.
    fn refuse(&mut self, slot: usize) {
        if let Some(id) = self.schedule.refused(slot) {
            let error = BatchError::Refused;
            self.outcome_queue.push(Err(Failed { id, error }));
        }
    }

    fn read(&self, slot: usize) -> Option<Readback> {
        let view = self.slots.readback_buffer(slot).get_mapped_range(..).ok()?;
        let status = SlotStatus::read(&view)?;
        let mut results = Vec::new();
        let mut begin = SlotStatus::SIZE as usize;
        // The results of a skipped batch are not read.
        let sizes = self.slots.result_sizes().iter();
        for size in sizes.take_while(|_| status.is_applied) {
            let end = begin + *size as usize;
            results.push(view.get(begin..end)?.to_vec());
            begin = end;
        }
        Some(Readback { status, results })
    }

    /// Launches all batches that can be launched.
    fn launch(&mut self) {
        while self.loss.is_none() && self.slots.lock().is_ready() {
            let Some(launch) = self.schedule.launch() else {
                return;
            };
            let info = BatchInfo {
                ticket: launch.ticket,
                serial: self.next_serial,
                epoch: launch.batch.epoch,
            };
            let slot = launch.slot;
            let encoder = encode(&self.slots, &self.passes, slot, info, &launch.batch.params);
            let encoder = match encoder {
                Ok(encoder) => encoder,
                Err(error) => {
                    self.loss = Some(error.to_string());
                    self.fail_all();
                    return;
                }
            };
            self.next_serial = self.next_serial.wrapping_add(1).max(1);
            self.in_flight[slot] = Some(self.submit_encoder(slot, info.serial, encoder));
        }
    }

    fn submit_encoder(&self, slot: usize, serial: u32, encoder: wgpu::CommandEncoder) -> InFlight {
        let submission = self.slots.queue().submit([encoder.finish()]);
        let mapping = Arc::new(Mapping::pending());
        let (shared, outcome_queue) = (Arc::clone(&mapping), self.outcome_queue.clone());
        let on_mapped = move |result: Result<(), wgpu::BufferAsyncError>| {
            shared.set(match result {
                Ok(()) => MappingState::Mapped,
                Err(_) => MappingState::Failed,
            });
            outcome_queue.wake();
        };
        let readback = self.slots.readback_buffer(slot);
        readback.map_async(wgpu::MapMode::Read, .., on_mapped);
        // In a browser no code waits for a submission.
        #[cfg(target_family = "wasm")]
        let _ = submission;
        InFlight {
            serial,
            mapping,
            #[cfg(not(target_family = "wasm"))]
            submission,
        }
    }
}

#[cfg(feature = "stream")]
impl futures_core::Stream for BatchRunner {
    type Item = Outcome;

    /// Ends when no batch is pending, and goes on when another one was submitted.
    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Outcome>> {
        Self::poll_next(self.get_mut(), context)
    }
}

impl Drop for BatchRunner {
    fn drop(&mut self) {
        let pending = self.schedule.abandon();
        self.deliver();
        for id in pending {
            let error = BatchError::Dropped;
            self.outcome_queue.push(Err(Failed { id, error }));
        }
        self.outcome_queue.close();
    }
}

/// Rejects passes that set the group index of the batch's own bind group, since that would disable
/// the guard.
fn check(slots: &BatchSlots, passes: &[BatchPass]) -> Result<(), BuildError> {
    let own = slots.bindings().group;
    let takes = |pass: &BatchPass| pass.bind_groups.iter().any(|(index, _)| *index == own);
    match passes.iter().position(takes) {
        Some(pass) => Err(BuildError::GroupTaken { pass, group: own }),
        None => Ok(()),
    }
}

/// Encodes a whole batch.
fn encode(
    slots: &BatchSlots,
    passes: &[BatchPass],
    slot: usize,
    info: BatchInfo,
    params: &[u8],
) -> Result<wgpu::CommandEncoder, UploadError> {
    let descriptor = wgpu::CommandEncoderDescriptor {
        label: Some("batch"),
    };
    let mut encoder = slots.device().create_command_encoder(&descriptor);
    slots.queue_params(&mut encoder, slot, info, params)?;
    // One compute pass for all dispatches: a pass of its own would cost the host as much as the
    // dispatch in it. There are barriers between dispatches either way.
    let mut pass = begin(&mut encoder, "batch");
    slots.guard(&mut pass, slot);
    for work in passes {
        pass.set_bind_group(slots.bindings().group, slots.bind_group(slot), &[]);
        work.dispatch(&mut pass);
    }
    slots.stage(&mut pass, slot);
    drop(pass);
    slots.read_back(&mut encoder, slot);
    Ok(encoder)
}
