//! Stacks that can be left and entered again, and a pool of them.
//!
//! A fiber runs one job after another. Between jobs it holds nothing but frames of this crate, so it
//! may wait in the pool and go on in another thread.

use std::io;
use std::sync::Mutex;

use corosensei::stack::Stack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::stack::MappedStack;

/// What wakes a fiber up.
#[derive(Clone, Copy)]
pub(crate) enum Wake {
    /// Begins a job.
    Job(Job),
    /// Goes on with the job.
    GoOn,
    /// Ends the job.
    Leave,
}

/// Why a fiber stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Its invocation waits for others.
    Waiting,
    /// It has nothing to do for now.
    Idle,
    /// It has left its job.
    Free,
}

/// Lets the code on a fiber stop.
pub(crate) type Pause = Yielder<Wake, Signal>;

/// The largest stack: far below the sizes at which computing its pages would overflow.
const MAX_STACK: usize = isize::MAX as usize / 2;

/// Work for a fiber: a function and what it works on.
#[derive(Clone, Copy)]
pub(crate) struct Job {
    pub(crate) run: unsafe fn(*const (), &Pause),
    pub(crate) data: *const (),
}

/// A stack with the place where its code stopped.
pub(crate) struct Fiber {
    coroutine: Coroutine<Wake, Signal, (), MappedStack>,
    limit: usize,
}

// SAFETY: A fiber is sent only through the pool, where it is between jobs. Its stack then holds the
// frames of `serve` alone, which keep no reference to anything of a thread.
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
            coroutine: Coroutine::with_stack(stack, serve),
            limit,
        })
    }

    /// Lets the fiber go on until it stops.
    #[inline(always)]
    pub(crate) fn wake(&mut self, wake: Wake) -> Signal {
        match self.coroutine.resume(wake) {
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
fn serve(pause: &Pause, mut wake: Wake) {
    loop {
        if let Wake::Job(job) = wake {
            // SAFETY: Whoever sends a job keeps its data alive until the fiber has left it.
            unsafe { (job.run)(job.data, pause) };
        }
        wake = pause.suspend(Signal::Free);
    }
}

/// Fibers that are between jobs, of one size of stack.
struct Pool {
    stack_size: usize,
    fibers: Vec<Fiber>,
}

static POOLS: Mutex<Vec<Pool>> = Mutex::new(Vec::new());

/// The most fibers that wait in the pool: a full workgroup on each of a few threads.
const MOST_POOLED: usize = 8192;

/// The fibers of one thread during a dispatch.
pub(crate) struct Fibers {
    stack_size: usize,
    free: Vec<Fiber>,
}

impl Fibers {
    pub(crate) fn new(stack_size: usize) -> Self {
        Self {
            stack_size,
            free: Vec::new(),
        }
    }

    /// A fiber between jobs.
    pub(crate) fn take(&mut self) -> io::Result<Fiber> {
        if let Some(fiber) = self.free.pop() {
            return Ok(fiber);
        }
        let pooled = lock().iter_mut().find_map(|pool| {
            (pool.stack_size == self.stack_size)
                .then(|| {
                    // Half a workgroup at a time, so that threads do not meet at the lock.
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

    /// Takes back a fiber that has left its job.
    pub(crate) fn give_back(&mut self, fiber: Fiber) {
        self.free.push(fiber);
    }
}

impl Drop for Fibers {
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
        let room = MOST_POOLED.saturating_sub(pool.fibers.len());
        pool.fibers.extend(self.free.drain(..).take(room));
    }
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Pool>> {
    // The lists are whole between any two operations, so a poisoned lock means nothing.
    POOLS
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
