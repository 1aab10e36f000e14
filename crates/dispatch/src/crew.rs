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
        hired: Vec::new(),
        idle: Vec::new(),
        waiting: VecDeque::new(),
    };
    let result = crew.run();
    crew.dismiss();
    result
}

/// The fibers of a thread. They stay where they are in `hired`; the lists hold their numbers.
struct Crew<'a> {
    group: &'a Group,
    job: Job,
    fibers: &'a mut Fibers,
    hired: Vec<Fiber>,
    /// In the job, with nothing to do.
    idle: Vec<u32>,
    /// With a member that waits; those that may go on come first.
    waiting: VecDeque<u32>,
}

impl Crew<'_> {
    fn run(&mut self) -> Result<(), DispatchError> {
        while !self.group.is_done() {
            if self.group.take_released() {
                self.go_on();
            } else if self.group.has_unstarted() || self.group.is_complete() {
                // A complete group asks its source for the next one, on a fiber like any member.
                self.start();
            } else {
                self.group.fail_stuck();
            }
            if self.group.has_failed() {
                self.cancel();
                return self.group.take_failure().map_or(Ok(()), Err);
            }
        }
        Ok(())
    }

    /// Lets a member go on that has met the others.
    #[inline(always)]
    fn go_on(&mut self) {
        let others = self.group.released() as usize;
        if let Some(choice) = self.group.choose(others + 1) {
            self.waiting.swap(0, choice);
        }
        if let Some(number) = self.waiting.pop_front() {
            self.wake(number, Wake::GoOn);
        }
    }

    /// Lets a fiber without a member take the next one.
    #[inline(always)]
    fn start(&mut self) {
        if let Some(number) = self.idle.pop() {
            return self.wake(number, Wake::GoOn);
        }
        match self.fibers.take() {
            Ok(fiber) => {
                let number = self.hired.len() as u32;
                self.hired.push(fiber);
                self.wake(number, Wake::Job(self.job));
            }
            Err(error) => self.group.fail(DispatchError::Stack(error)),
        }
    }

    #[inline(always)]
    fn wake(&mut self, number: u32, wake: Wake) {
        let fiber = &mut self.hired[number as usize];
        overflow::set_limit(fiber.limit());
        match fiber.wake(wake) {
            Signal::Waiting => self.waiting.push_back(number),
            Signal::Idle | Signal::Free => self.idle.push(number),
        }
    }

    /// Unwinds every member that waits.
    #[cold]
    fn cancel(&mut self) {
        // A member that catches its own unwinding may come to another barrier, and waits again.
        while let Some(number) = self.waiting.pop_front() {
            self.wake(number, Wake::GoOn);
        }
    }

    /// Lets every fiber leave the job, so that it can be used for another one.
    fn dismiss(&mut self) {
        for mut fiber in self.hired.drain(..) {
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
