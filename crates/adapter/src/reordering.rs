//! The thread of a reordering queue ([`Misbehaviour`]): several submissions are open at once, and a seed determines the
//! interleaving of their steps.
//!
//! In: the host's calls, as a sequence of [`HostMessage`]s. Out: the effects of the submissions, and fences that are
//! signalled in the order of submission, whatever the order of the work.
//!
//! What always holds: the schedule is a function of the seed and of that sequence. The thread is idle between two
//! messages, so timing has no influence. It waits for nothing but the next message, so no thread waits for it forever.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use anywarp_cpu::{Executor, Random, SpuriousFailures};
use wgpu::hal::DeviceError;

use crate::Misbehaviour;
use crate::device_loss::DeviceLoss;
use crate::execute::catch_panic;
use crate::fence::Fence;
use crate::queue::Job;
use crate::stepwise::{StepOutcome, Submission};

/// A message of the host.
#[derive(Debug)]
enum HostMessage {
    Submit(Job),
    /// A query of the fence. A few steps are made before it is answered.
    QueryFence(Sender<()>),
    /// A wait for a value of the fence.
    Wait(u64),
    /// A wait for everything.
    WaitForAll,
    /// Ends the thread after all work is done.
    Close,
}

/// The host's side of the channel.
#[derive(Clone, Debug)]
pub(crate) struct ReorderingHandle {
    messages: Sender<HostMessage>,
}

/// The thread's side of the channel.
#[derive(Debug)]
pub(crate) struct HostMessages(Receiver<HostMessage>);

/// The channel between the host and a reordering queue's thread.
pub(crate) fn channel_ends() -> (ReorderingHandle, HostMessages) {
    let (messages, receiver) = channel();
    (ReorderingHandle { messages }, HostMessages(receiver))
}

// Send errors are ignored: if the thread has ended, all work is done.
impl ReorderingHandle {
    pub(crate) fn submit(&self, job: Job) -> Result<(), DeviceError> {
        let sent = self.messages.send(HostMessage::Submit(job));
        sent.map_err(|_| DeviceError::Lost)
    }

    pub(crate) fn query_fence(&self) {
        let (answer, answered) = channel();
        if self.messages.send(HostMessage::QueryFence(answer)).is_ok() {
            // An error means that the thread has ended.
            let _ = answered.recv();
        }
    }

    pub(crate) fn wait(&self, value: u64) {
        let _ = self.messages.send(HostMessage::Wait(value));
    }

    pub(crate) fn wait_for_all(&self) {
        let _ = self.messages.send(HostMessage::WaitForAll);
    }

    pub(crate) fn close(&self) {
        let _ = self.messages.send(HostMessage::Close);
    }
}

/// The scheduler, which runs on the queue's thread.
pub(crate) struct Scheduler<'w> {
    executor: &'w Executor,
    max_workgroups: u32,
    loss: Arc<DeviceLoss>,
    /// Counts finished jobs.
    finished: Fence,
    overlap: usize,
    random: Random,
    failures: SpuriousFailures,
    /// Submissions with a fence that is not signalled, the oldest first.
    submissions: VecDeque<OpenSubmission<'w>>,
    /// The number of submissions with a signalled fence.
    signalled: u64,
    /// The highest fence value that was waited for.
    waited_for: u64,
    time_slice: TimeSlice,
}

/// A submission with a fence that is not signalled.
struct OpenSubmission<'w> {
    /// `None` when it has ended.
    work: Option<Submission<'w>>,
    fence: Fence,
    value: u64,
}

/// The submission that makes the next steps, and how many.
#[derive(Default)]
struct TimeSlice {
    /// Counted from the first submission of the queue.
    number: u64,
    steps: u64,
}

impl<'w> Scheduler<'w> {
    pub(crate) fn new(
        executor: &'w Executor,
        max_workgroups: u32,
        loss: Arc<DeviceLoss>,
        finished: Fence,
        misbehaviour: &Misbehaviour,
    ) -> Self {
        let mut random = Random::new(misbehaviour.seed);
        let failures = SpuriousFailures::new(random.next_number(), misbehaviour.spurious_failures);
        Self {
            executor,
            max_workgroups,
            loss,
            finished,
            overlap: misbehaviour.overlap.max(1),
            random,
            failures,
            submissions: VecDeque::new(),
            signalled: 0,
            waited_for: 0,
            time_slice: TimeSlice::default(),
        }
    }

    /// Handles messages until the queue is closed.
    pub(crate) fn run(mut self, messages: &HostMessages) {
        for message in &messages.0 {
            match message {
                HostMessage::Submit(job) => self.submit(job),
                HostMessage::QueryFence(answer) => {
                    self.steps_before_answer();
                    // The host may have stopped waiting for the answer.
                    let _ = answer.send(());
                }
                HostMessage::Wait(value) => self.waited_for = self.waited_for.max(value),
                HostMessage::WaitForAll => self.step_while(|this| !this.submissions.is_empty()),
                HostMessage::Close => break,
            }
            self.step_while(|this| {
                let oldest = this.submissions.front();
                oldest.is_some_and(|entry| entry.value <= this.waited_for)
            });
        }
        self.step_while(|this| !this.submissions.is_empty());
    }

    fn submit(&mut self, job: Job) {
        self.step_while(|this| this.open() >= this.overlap);
        let Job {
            recordings,
            fence,
            value,
        } = job;
        let alive = self.loss.check().is_ok();
        let begin = || Submission::new(self.executor, self.max_workgroups, recordings);
        self.submissions.push_back(OpenSubmission {
            work: alive.then(begin),
            fence,
            value,
        });
        self.signal_ended();
    }

    /// The steps before a fence query is answered: often none, so that submissions pile up; sometimes enough for one to
    /// end, so that a program that only polls makes progress.
    fn steps_before_answer(&mut self) {
        let steps = match self.random.below(8) {
            0..=2 => 0,
            3 => 1,
            4 => 2,
            5 => 4,
            6 => 16,
            _ => u64::MAX,
        };
        let open = self.open();
        for _ in 0..steps {
            if self.open() < open || self.submissions.is_empty() {
                break;
            }
            self.step();
        }
    }

    fn step_while(&mut self, condition: impl Fn(&Self) -> bool) {
        while condition(self) {
            self.step();
        }
    }

    /// The number of submissions that have not ended.
    fn open(&self) -> usize {
        self.submissions.iter().filter(|e| e.work.is_some()).count()
    }

    /// Makes one step of a submission, and signals fences if that was its last one.
    fn step(&mut self) {
        if self.loss.check().is_ok() {
            self.choose();
            self.work();
        }
        if self.loss.check().is_err() {
            self.submissions
                .iter_mut()
                .for_each(|entry| entry.work = None);
        }
        self.signal_ended();
    }

    /// Chooses a submission that has not ended, for 1 to 64 steps. Single steps find bugs that need a fine
    /// interleaving; long time slices find those that need one submission to overtake another completely.
    fn choose(&mut self) {
        if self.time_slice.steps > 0 && self.current().is_some() {
            return;
        }
        let numbers = self.signalled..;
        let open = numbers
            .zip(&self.submissions)
            .filter(|(_, e)| e.work.is_some());
        let open: Vec<u64> = open.map(|(number, _)| number).collect();
        self.time_slice = TimeSlice {
            number: open[self.random.below(open.len())],
            steps: 1 << self.random.below(7),
        };
    }

    /// The chosen submission, if it has not ended.
    fn current(&mut self) -> Option<&mut Submission<'w>> {
        let index = self.time_slice.number.checked_sub(self.signalled)?;
        self.submissions.get_mut(index as usize)?.work.as_mut()
    }

    fn work(&mut self) {
        self.time_slice.steps -= 1;
        let index = (self.time_slice.number - self.signalled) as usize;
        let work = &mut self.submissions[index].work;
        let Some(submission) = work else {
            return;
        };
        let step = || submission.step(&mut self.random, &self.failures);
        match catch_panic(step) {
            Ok(StepOutcome::Continues) => {}
            // Release the resources before signalling that they are unused.
            Ok(StepOutcome::Ended) => *work = None,
            Err(error) => self.loss.lose((&error).into()),
        }
    }

    /// Signals the fences of the oldest submissions that have ended, up to the first one that has not.
    fn signal_ended(&mut self) {
        while let Some(entry) = self.submissions.pop_front_if(|entry| entry.work.is_none()) {
            self.signalled += 1;
            entry.fence.signal(entry.value);
            self.finished.signal(self.signalled);
        }
    }
}
