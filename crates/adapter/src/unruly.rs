//! The thread of a reordering queue ([`Misbehaviour`]): several submissions are open at once, and a seed determines the
//! interleaving of their steps.
//!
//! In: the host's calls, as a sequence of [`HostMessage`]s. Out: the effects of the submissions, and fences that are
//! signalled in the order of submission, whatever the order of the work.
//!
//! What always holds: the schedule is a function of the seed and of that sequence. The thread is idle between two
//! messages, so timing has no influence. It waits for nothing but the next message, so no thread waits for it forever.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use anywarp_cpu::{Executor, Random, SpuriousFailures, panic_message};
use wgpu::hal::DeviceError;

use crate::fence::Fence;
use crate::loss::Loss;
use crate::options::Misbehaviour;
use crate::queue::Job;
use crate::stepwise::{Progress, Submission};

/// A message of the host.
#[derive(Debug)]
enum Call {
    Submit(Job),
    /// A query of the fence. A few steps are made before it is answered.
    Look(Sender<()>),
    /// A wait for a value of the fence.
    Wait(u64),
    /// A wait for everything.
    WaitForAll,
    /// Ends the thread after all work is done.
    Close,
}

/// The host's side of the channel.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    calls: Sender<Call>,
}

/// The thread's side of the channel.
#[derive(Debug)]
pub(crate) struct Calls(Receiver<Call>);

/// The channel between the host and a reordering queue's thread.
pub(crate) fn sides() -> (Host, Calls) {
    let (calls, receiver) = channel();
    (Host { calls }, Calls(receiver))
}

// Send errors are ignored: if the thread has ended, all work is done.
impl Host {
    pub(crate) fn submit(&self, job: Job) -> Result<(), DeviceError> {
        let sent = self.calls.send(Call::Submit(job));
        sent.map_err(|_| DeviceError::Lost)
    }

    pub(crate) fn look(&self) {
        let (answer, answered) = channel();
        if self.calls.send(Call::Look(answer)).is_ok() {
            // An error means that the thread has ended.
            let _ = answered.recv();
        }
    }

    pub(crate) fn wait(&self, value: u64) {
        let _ = self.calls.send(Call::Wait(value));
    }

    pub(crate) fn wait_for_all(&self) {
        let _ = self.calls.send(Call::WaitForAll);
    }

    pub(crate) fn close(&self) {
        let _ = self.calls.send(Call::Close);
    }
}

/// The scheduler, which runs on the queue's thread.
pub(crate) struct Scheduler<'w> {
    executor: &'w Executor,
    most_workgroups: u32,
    loss: Arc<Loss>,
    /// Counts finished jobs.
    finished: Fence,
    overlap: usize,
    random: Random,
    failures: SpuriousFailures,
    /// Submissions with a fence that is not signalled, the oldest first.
    entries: VecDeque<Entry<'w>>,
    /// The number of submissions with a signalled fence.
    retired: u64,
    /// The highest fence value that was waited for.
    wanted: u64,
    turn: Turn,
}

/// A submission with a fence that is not signalled.
struct Entry<'w> {
    /// `None` when it has ended.
    work: Option<Submission<'w>>,
    fence: Fence,
    value: u64,
}

/// The submission that makes the next steps, and how many.
#[derive(Default)]
struct Turn {
    /// Counted from the first submission of the queue.
    number: u64,
    steps: u64,
}

impl<'w> Scheduler<'w> {
    pub(crate) fn new(
        executor: &'w Executor,
        most_workgroups: u32,
        loss: Arc<Loss>,
        finished: Fence,
        misbehaviour: &Misbehaviour,
    ) -> Self {
        let mut random = Random::new(misbehaviour.seed);
        let failures = SpuriousFailures::new(random.next_number(), misbehaviour.spurious_failures);
        Self {
            executor,
            most_workgroups,
            loss,
            finished,
            overlap: misbehaviour.overlap.max(1),
            random,
            failures,
            entries: VecDeque::new(),
            retired: 0,
            wanted: 0,
            turn: Turn::default(),
        }
    }

    /// Handles messages until the queue is closed.
    pub(crate) fn run(mut self, calls: &Calls) {
        for call in &calls.0 {
            match call {
                Call::Submit(job) => self.submit(job),
                Call::Look(answer) => {
                    self.glance();
                    // The host may have stopped waiting for the answer.
                    let _ = answer.send(());
                }
                Call::Wait(value) => self.wanted = self.wanted.max(value),
                Call::WaitForAll => self.go_on_while(|this| !this.entries.is_empty()),
                Call::Close => break,
            }
            self.go_on_while(|this| {
                let oldest = this.entries.front();
                oldest.is_some_and(|entry| entry.value <= this.wanted)
            });
        }
        self.go_on_while(|this| !this.entries.is_empty());
    }

    fn submit(&mut self, job: Job) {
        self.go_on_while(|this| this.open() >= this.overlap);
        let Job {
            recordings,
            fence,
            value,
        } = job;
        let alive = self.loss.check().is_ok();
        let begin = || Submission::new(self.executor, self.most_workgroups, recordings);
        self.entries.push_back(Entry {
            work: alive.then(begin),
            fence,
            value,
        });
        self.retire();
    }

    /// The steps before a fence query is answered: often none, so that submissions pile up; sometimes enough for one to
    /// end, so that a program that only polls makes progress.
    fn glance(&mut self) {
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
            if self.open() < open || self.entries.is_empty() {
                break;
            }
            self.step();
        }
    }

    fn go_on_while(&mut self, condition: impl Fn(&Self) -> bool) {
        while condition(self) {
            self.step();
        }
    }

    /// The number of submissions that have not ended.
    fn open(&self) -> usize {
        self.entries.iter().filter(|e| e.work.is_some()).count()
    }

    /// Makes one step of a submission, and signals fences if that was its last one.
    fn step(&mut self) {
        if self.loss.check().is_ok() {
            self.choose();
            self.work();
        }
        if self.loss.check().is_err() {
            self.entries.iter_mut().for_each(|entry| entry.work = None);
        }
        self.retire();
    }

    /// Chooses a submission that has not ended, for 1 to 64 steps. Single steps find bugs that need a fine
    /// interleaving; long time slices find those that need one submission to overtake another completely.
    fn choose(&mut self) {
        if self.turn.steps > 0 && self.current().is_some() {
            return;
        }
        let numbers = self.retired..;
        let open = numbers.zip(&self.entries).filter(|(_, e)| e.work.is_some());
        let open: Vec<u64> = open.map(|(number, _)| number).collect();
        self.turn = Turn {
            number: open[self.random.below(open.len())],
            steps: 1 << self.random.below(7),
        };
    }

    /// The chosen submission, if it has not ended.
    fn current(&mut self) -> Option<&mut Submission<'w>> {
        let index = self.turn.number.checked_sub(self.retired)?;
        self.entries.get_mut(index as usize)?.work.as_mut()
    }

    fn work(&mut self) {
        self.turn.steps -= 1;
        let index = (self.turn.number - self.retired) as usize;
        let work = &mut self.entries[index].work;
        let Some(submission) = work else {
            return;
        };
        let step = || submission.step(&mut self.random, &self.failures);
        // Unwind safety: after a panic the submission is dropped and the device is lost.
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(Ok(Progress::Going)) => {}
            // Release the resources before signalling that they are unused.
            Ok(Ok(Progress::Ended)) => *work = None,
            Ok(Err(message)) => self.loss.lose(message),
            Err(payload) => {
                let message = panic_message(payload.as_ref());
                self.loss
                    .lose(format!("internal error in a command: {message}"));
            }
        }
    }

    /// Signals the fences of the oldest submissions that have ended, up to the first one that has not.
    fn retire(&mut self) {
        while let Some(entry) = self.entries.pop_front_if(|entry| entry.work.is_none()) {
            self.retired += 1;
            entry.fence.signal(entry.value);
            self.finished.signal(self.retired);
        }
    }
}
