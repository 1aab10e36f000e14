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
use crate::fiber::{Fiber, FiberCache, FiberCommand, FiberYielder, Job, SuspendReason};
use crate::group::Group;
use crate::stack_overflow;

/// The groups of a thread and the body of their members.
pub(crate) trait GroupSource {
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
pub(crate) fn run_groups<S: GroupSource>(
    group: &Group,
    source: &S,
    fibers: &mut FiberCache,
) -> Result<(), DispatchError> {
    let _entered = group.enter();
    let _limit = stack_overflow::save_limit();
    let work = Work { group, source };
    let mut scheduler = Scheduler {
        group,
        job: Job {
            run: run_members_until_dismissed::<S>,
            data: (&raw const work).cast(),
        },
        fibers,
        live: Vec::new(),
        idle: Vec::new(),
        waiting: VecDeque::new(),
    };
    let result = scheduler.run();
    scheduler.dismiss();
    result
}

/// The fibers of a thread. They never move in `live`; the other lists hold their indices.
struct Scheduler<'a> {
    group: &'a Group,
    job: Job,
    fibers: &'a mut FiberCache,
    live: Vec<Fiber>,
    /// Fibers in the job without a member.
    idle: Vec<u32>,
    /// Fibers whose member waits; those that are released come first.
    waiting: VecDeque<u32>,
}

impl Scheduler<'_> {
    fn run(&mut self) -> Result<(), DispatchError> {
        while !self.group.is_done() {
            if self.group.take_released() {
                self.resume_released();
            } else if self.group.has_unstarted() || self.group.is_complete() {
                // When a group is complete, a fiber takes the next group from the source.
                self.start_member();
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
    fn resume_released(&mut self) {
        let others = self.group.released() as usize;
        if let Some(choice) = self.group.choose(others + 1) {
            self.waiting.swap(0, choice);
        }
        if let Some(number) = self.waiting.pop_front() {
            self.resume(number, FiberCommand::Resume);
        }
    }

    /// Starts the next member on an idle or new fiber.
    #[inline(always)]
    fn start_member(&mut self) {
        if let Some(number) = self.idle.pop() {
            return self.resume(number, FiberCommand::Resume);
        }
        match self.fibers.take() {
            Ok(fiber) => {
                let number = self.live.len() as u32;
                self.live.push(fiber);
                self.resume(number, FiberCommand::Start(self.job));
            }
            Err(error) => self.group.fail(DispatchError::Stack(error)),
        }
    }

    #[inline(always)]
    fn resume(&mut self, number: u32, command: FiberCommand) {
        let fiber = &mut self.live[number as usize];
        stack_overflow::set_limit(fiber.limit());
        match fiber.resume(command) {
            SuspendReason::Waiting => self.waiting.push_back(number),
            SuspendReason::Idle | SuspendReason::Free => self.idle.push(number),
        }
    }

    /// Cancels every waiting member by unwinding its stack.
    #[cold]
    fn cancel(&mut self) {
        // A member that catches the unwinding may reach another barrier, and then waits again.
        while let Some(number) = self.waiting.pop_front() {
            self.resume(number, FiberCommand::Resume);
        }
    }

    /// Ends the job of every fiber, so that the fiber can be reused.
    fn dismiss(&mut self) {
        for mut fiber in self.live.drain(..) {
            fiber.resume(FiberCommand::Leave);
            self.fibers.give_back(fiber);
        }
    }
}

/// The job of every fiber: runs members until the scheduler ends the job.
///
/// # Safety
///
/// `data` points to a `Work<S>` that lives until the fiber has left this function.
unsafe fn run_members_until_dismissed<S: GroupSource>(data: *const (), yielder: &FiberYielder) {
    // SAFETY: As the caller promises; every fiber leaves this function before `run_groups` returns.
    let work = unsafe { &*data.cast::<Work<'_, S>>() };
    loop {
        let outcome = catch_unwind(AssertUnwindSafe(|| work.run_members(yielder)));
        if let Err(payload) = outcome {
            work.group.unwound(payload);
        }
        // Suspending here instead of returning keeps the processor's return-address prediction in
        // step with the context switches.
        if let FiberCommand::Leave = yielder.suspend(SuspendReason::Idle) {
            return;
        }
    }
}

impl<S: GroupSource> Work<'_, S> {
    /// Runs members until no member can be started.
    #[inline(always)]
    fn run_members(&self, yielder: &FiberYielder) {
        loop {
            while let Some(member) = self.group.start_next(yielder) {
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
