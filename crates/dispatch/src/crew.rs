//! Cooperative scheduler: runs the members of groups on fibers, on the calling thread.
//!
//! In: a source of groups. Out: every member has run to its end, or the first error.
//!
//! A fiber runs one member after another. A member that reaches no barrier returns, and the same
//! fiber calls the next member without a context switch. A member that has to wait keeps its fiber,
//! and another fiber runs the next member. Members released from a barrier are resumed in the order
//! of their arrival, or in a random order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::DispatchError;
use crate::fiber::{Fiber, Fibers, Job, Pause, Signal, Wake};
use crate::group::Group;
use crate::overflow;

/// The groups of a thread and the body of their members.
pub(crate) trait Source {
    /// Begins the next group with [`Group::begin`]; `false` if there are no more groups.
    fn next_group(&self, group: &Group) -> bool;
    /// Runs one member to its end.
    fn run(&self, group: &Group, member: u32);
}

/// The data that all fibers of a thread share.
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

/// The fibers of a thread. They never move in `live`; the other lists hold their indices.
struct Crew<'a> {
    group: &'a Group,
    job: Job,
    fibers: &'a mut Fibers,
    hired: Vec<Fiber>,
    /// Fibers in the job without a member.
    idle: Vec<u32>,
    /// Fibers whose member waits; those that are released come first.
    waiting: VecDeque<u32>,
}

impl Crew<'_> {
    fn run(&mut self) -> Result<(), DispatchError> {
        while !self.group.is_done() {
            if self.group.take_released() {
                self.go_on();
            } else if self.group.has_unstarted() || self.group.is_complete() {
                // When a group is complete, a fiber takes the next group from the source.
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

    /// Resumes a member that was released from its barrier.
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

    /// Starts the next member on an idle or new fiber.
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

    /// Cancels every waiting member by unwinding its stack.
    #[cold]
    fn cancel(&mut self) {
        // A member that catches the unwinding may reach another barrier, and then waits again.
        while let Some(number) = self.waiting.pop_front() {
            self.wake(number, Wake::GoOn);
        }
    }

    /// Ends the job of every fiber, so that the fiber can be reused.
    fn dismiss(&mut self) {
        for mut fiber in self.hired.drain(..) {
            fiber.wake(Wake::Leave);
            self.fibers.give_back(fiber);
        }
    }
}

/// The job of every fiber: runs members until the scheduler ends the job.
///
/// # Safety
///
/// `data` points to a `Work<S>` that lives until the fiber has left this function.
unsafe fn serve<S: Source>(data: *const (), pause: &Pause) {
    // SAFETY: As the caller promises; every fiber leaves this function before `run_groups` returns.
    let work = unsafe { &*data.cast::<Work<'_, S>>() };
    loop {
        let outcome = catch_unwind(AssertUnwindSafe(|| work.run_members(pause)));
        if let Err(payload) = outcome {
            work.group.unwound(payload);
        }
        // Suspending here instead of returning keeps the processor's return-address prediction in
        // step with the context switches.
        if let Wake::Leave = pause.suspend(Signal::Idle) {
            return;
        }
    }
}

impl<S: Source> Work<'_, S> {
    /// Runs members until no member can be started.
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
