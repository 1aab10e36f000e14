//! Runs the members of groups on fibers, on the thread that calls.
//!
//! A fiber takes member after member. One that meets nobody just returns and the next is called:
//! no switch. One that has to wait keeps its fiber, and another fiber takes the next member. Members
//! that have met go on in the order in which they came, or in a random one.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::DispatchError;
use crate::fiber::{Fiber, Fibers, Job, Pause, Signal, Wake};
use crate::group::Group;
use crate::overflow;

/// Where groups come from and what their members do.
pub(crate) trait Source {
    /// Begins the next group with [`Group::begin`]; `false` if there is none.
    fn next_group(&self, group: &Group) -> bool;
    /// Runs a member to its end.
    fn run(&self, group: &Group, member: u32);
}

/// What the fibers of a thread work on.
struct Work<'a, S> {
    group: &'a Group,
    source: &'a S,
}

/// Runs every group of `source`.
pub(crate) fn drive<S: Source>(
    group: &Group,
    source: &S,
    fibers: &mut Fibers,
) -> Result<(), DispatchError> {
    let _entered = group.enter();
    let _limit = overflow::keep_limit();
    let work = Work { group, source };
    let mut crew = Crew {
        group,
        job: Job {
            run: serve::<S>,
            data: (&raw const work).cast(),
        },
        fibers,
        idle: Vec::new(),
        waiting: VecDeque::new(),
    };
    let result = crew.run();
    crew.dismiss();
    result
}

struct Crew<'a> {
    group: &'a Group,
    job: Job,
    fibers: &'a mut Fibers,
    /// In the job, with nothing to do.
    idle: Vec<Fiber>,
    /// With a member that waits; those that may go on come first.
    waiting: VecDeque<Fiber>,
}

impl Crew<'_> {
    fn run(&mut self) -> Result<(), DispatchError> {
        loop {
            let (mut fiber, wake) = self.next_fiber()?;
            overflow::set_limit(fiber.limit());
            match fiber.wake(wake) {
                Signal::Waiting => self.waiting.push_back(fiber),
                Signal::Idle | Signal::Free => self.idle.push(fiber),
            }
            if self.group.has_failed() {
                self.cancel();
                return self.group.take_failure().map_or(Ok(()), Err);
            }
            if self.group.is_done() {
                return Ok(());
            }
        }
    }

    /// Who goes on: a member that has met the others, else a fiber for the next member.
    fn next_fiber(&mut self) -> Result<(Fiber, Wake), DispatchError> {
        let released = self.group.released() as usize;
        if self.group.take_released() {
            self.waiting.swap(0, self.group.choose(released));
            if let Some(fiber) = self.waiting.pop_front() {
                return Ok((fiber, Wake::GoOn));
            }
        }
        // A complete group asks its source for the next one, on a fiber like any member.
        if self.group.has_unstarted() || self.group.is_complete() {
            return match self.idle.pop() {
                Some(fiber) => Ok((fiber, Wake::GoOn)),
                None => match self.fibers.take() {
                    Ok(fiber) => Ok((fiber, Wake::Job(self.job))),
                    Err(error) => {
                        self.group.fail(DispatchError::Stack(error));
                        self.cancel();
                        Err(self.failure())
                    }
                },
            };
        }
        self.group.fail_stuck();
        self.cancel();
        Err(self.failure())
    }

    fn failure(&self) -> DispatchError {
        let failure = self.group.take_failure();
        failure.unwrap_or_else(|| unreachable!("the group has just failed"))
    }

    /// Unwinds every member that waits.
    fn cancel(&mut self) {
        while let Some(mut fiber) = self.waiting.pop_front() {
            overflow::set_limit(fiber.limit());
            match fiber.wake(Wake::GoOn) {
                // A member that caught its own unwinding has come to another barrier.
                Signal::Waiting => self.waiting.push_back(fiber),
                Signal::Idle | Signal::Free => self.idle.push(fiber),
            }
        }
    }

    /// Lets every fiber leave the job, so that it can be used for another one.
    fn dismiss(&mut self) {
        for mut fiber in self.idle.drain(..) {
            fiber.wake(Wake::Leave);
            self.fibers.give_back(fiber);
        }
    }
}

/// The job of every fiber of a crew.
///
/// # Safety
///
/// `data` points to a `Work<S>` that lives until the fiber has left this function.
unsafe fn serve<S: Source>(data: *const (), pause: &Pause) {
    // SAFETY: As the caller promises; the fiber leaves before `drive` returns.
    let work = unsafe { &*data.cast::<Work<'_, S>>() };
    loop {
        let outcome = catch_unwind(AssertUnwindSafe(|| work.run_members(pause)));
        if let Err(payload) = outcome {
            work.group.unwound(payload);
        }
        // Stopping here, and not by returning, keeps the return addresses that the processor
        // predicts in step with the switches.
        if let Wake::Leave = pause.suspend(Signal::Idle) {
            return;
        }
    }
}

impl<S: Source> Work<'_, S> {
    /// Runs members until none can be started.
    #[inline(always)]
    fn run_members(&self, pause: &Pause) {
        loop {
            while let Some(member) = self.group.start_next(pause) {
                self.source.run(self.group, member);
                self.group.finish(member);
            }
            if self.group.has_failed() || !self.group.is_complete() {
                return;
            }
            if !self.source.next_group(self.group) {
                self.group.finish_thread();
                return;
            }
        }
    }
}
