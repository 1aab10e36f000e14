//! Fibers (stackful coroutines) and a global pool of them.
//!
//! A fiber runs one job after another. Between jobs its stack holds only frames of this crate, so
//! it may wait in the pool and continue on another thread.

use std::io;
use std::sync::Mutex;

use corosensei::stack::Stack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::stack::MappedStack;

/// The command with which a fiber is resumed.
#[derive(Clone, Copy)]
pub(crate) enum FiberCommand {
    /// Begin a job.
    Start(Job),
    /// Continue the job.
    Resume,
    /// End the job.
    Leave,
}

/// Why a fiber was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SuspendReason {
    /// Its invocation waits at a barrier.
    Waiting,
    /// It has no invocation to run.
    Idle,
    /// It has ended its job.
    Free,
}

/// The handle with which code on a fiber suspends it.
pub(crate) type FiberYielder = Yielder<FiberCommand, SuspendReason>;

/// The maximum stack size: far below the sizes at which the computation of its pages would
/// overflow.
const MAX_STACK: usize = isize::MAX as usize / 2;

/// A function for a fiber to run, with its argument.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) run: unsafe fn(*const (), &FiberYielder),
    pub(crate) data: *const (),
}

/// A suspended coroutine with its stack.
pub(crate) struct Fiber {
    coroutine: Coroutine<FiberCommand, SuspendReason, (), MappedStack>,
    limit: usize,
}

// SAFETY: A fiber is sent only through the pool, where it is between jobs. Its stack then holds
// only the frames of `fiber_main`, which keep no reference to thread-local data.
unsafe impl Send for Fiber {}

impl Fiber {
    fn new(stack_size: usize) -> io::Result<Self> {
        if stack_size > MAX_STACK {
            let text = format!("{stack_size} bytes are more than a stack may have");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        let stack = MappedStack::new(stack_size)?;
        let limit = stack.limit().get();
        Ok(Self {
            coroutine: Coroutine::with_stack(stack, fiber_main),
            limit,
        })
    }

    /// Resumes the fiber until it suspends again.
    #[inline(always)]
    pub(crate) fn resume(&mut self, command: FiberCommand) -> SuspendReason {
        match self.coroutine.resume(command) {
            CoroutineResult::Yield(signal) => signal,
            CoroutineResult::Return(()) => unreachable!("a fiber serves for ever"),
        }
    }

    /// The lowest address of the stack, where its guard page begins.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }
}

/// The body of every fiber.
fn fiber_main(yielder: &FiberYielder, mut command: FiberCommand) {
    loop {
        if let FiberCommand::Start(job) = command {
            // SAFETY: The sender of a job keeps its data alive until the fiber has left it.
            unsafe { (job.run)(job.data, yielder) };
        }
        command = yielder.suspend(SuspendReason::Free);
    }
}

/// Idle fibers of one stack size.
struct Pool {
    stack_size: usize,
    fibers: Vec<Fiber>,
}

static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// The maximum number of fibers in the pool: a full workgroup on each of a few threads.
const MAX_POOLED: usize = 8192;

/// A thread's cache of idle fibers, which it refills from the pool during a dispatch.
pub(crate) struct FiberCache {
    stack_size: usize,
    free: Vec<Fiber>,
}

impl FiberCache {
    pub(crate) fn new(stack_size: usize) -> Self {
        Self {
            stack_size,
            free: Vec::new(),
        }
    }

    /// Takes an idle fiber, or creates one.
    pub(crate) fn take(&mut self) -> io::Result<Fiber> {
        if let Some(fiber) = self.free.pop() {
            return Ok(fiber);
        }
        let pooled = lock().iter_mut().find_map(|pool| {
            (pool.stack_size == self.stack_size)
                .then(|| {
                    // Half a workgroup at a time, to reduce contention for the lock.
                    let from = pool.fibers.len().saturating_sub(128);
                    pool.fibers.split_off(from)
                })
                .filter(|fibers| !fibers.is_empty())
        });
        if let Some(fibers) = pooled {
            self.free = fibers;
        }
        match self.free.pop() {
            Some(fiber) => Ok(fiber),
            None => Fiber::new(self.stack_size),
        }
    }

    /// Returns a fiber that has left its job.
    pub(crate) fn give_back(&mut self, fiber: Fiber) {
        self.free.push(fiber);
    }
}

impl Drop for FiberCache {
    fn drop(&mut self) {
        let mut pools = lock();
        let at = pools
            .iter()
            .position(|pool| pool.stack_size == self.stack_size);
        let pool = match at {
            Some(index) => &mut pools[index],
            None => {
                pools.push(Pool {
                    stack_size: self.stack_size,
                    fibers: Vec::new(),
                });
                let last = pools.len() - 1;
                &mut pools[last]
            }
        };
        let room = MAX_POOLED.saturating_sub(pool.fibers.len());
        pool.fibers.extend(self.free.drain(..).take(room));
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Pool>> {
    // The lists are consistent between any two operations, so a poisoned lock is harmless.
    POOLS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
