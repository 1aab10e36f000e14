//! The launch interface: a kernel over a grid, and its results.
//!
//! Both executors take [`Launch`] and [`Resources`](super::Resources) and return [`LaunchOutcome`],
//! so that callers can exchange them.

use std::time::Duration;

use super::{TrapError, Value};
use crate::bytecode::Trap;

/// Whether threads share a linear memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryMode {
    /// Each thread has an instance of its own, with its own memories.
    #[default]
    Private,
    /// One memory for all threads, initialized once. Each thread has its own tables, globals and a
    /// stack of `stack` bytes in the memory.
    Shared {
        /// Bytes of each thread's stack in memory.
        stack: u32,
    },
}

/// A kernel launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Name of the exported function.
    pub kernel: String,
    /// Its arguments, the same for every thread.
    pub args: Vec<Value>,
    /// Number of workgroups in each dimension.
    pub workgroups: [u32; 3],
    /// Workgroup size in each dimension.
    pub workgroup_size: [u32; 3],
    /// If not all: the number of threads to run, those with a lower linear index.
    pub threads: Option<u32>,
    /// Private or shared memory.
    pub memory: MemoryMode,
    /// Maximum pages of 64 KiB of a memory, whatever the module says. A memory that is initially
    /// larger is rejected, and `memory.grow` beyond it returns -1. [`DEFAULT_MAX_PAGES`] by
    /// default.
    pub max_pages: u32,
    /// Maximum pages of all memories and tables of the threads that run at the same time.
    /// Workgroups that do not fit run later; one that does not fit alone is rejected, and growing
    /// beyond it returns -1. [`DEFAULT_MAX_TOTAL_PAGES`] by default.
    pub max_total_pages: u32,
    /// Slots of each thread's stack of frames.
    pub stack_slots: u32,
    /// Instructions that a thread may run; unlimited by default. The virtual machine counts back
    /// edges and calls instead, one for each KiB that is copied, filled, printed, read or written,
    /// and 1,024 for each file request: so the same number lasts longer there.
    pub fuel: Option<u64>,
}

/// Default maximum pages of a memory: 256 MiB.
pub const DEFAULT_MAX_PAGES: u32 = 1 << 12;

/// Default maximum pages of all threads of a launch: 4 GiB.
pub const DEFAULT_MAX_TOTAL_PAGES: u32 = 1 << 16;

/// Default time after which a launch in which no thread ends is aborted.
pub const DEFAULT_WATCHDOG: Duration = Duration::from_secs(10);

impl Default for Launch {
    /// One thread without arguments; set [`Launch::kernel`].
    fn default() -> Self {
        Self {
            kernel: String::new(),
            args: Vec::new(),
            workgroups: [1; 3],
            workgroup_size: [1; 3],
            threads: None,
            memory: MemoryMode::Private,
            max_pages: DEFAULT_MAX_PAGES,
            max_total_pages: DEFAULT_MAX_TOTAL_PAGES,
            stack_slots: 1 << 12,
            fuel: None,
        }
    }
}

/// Limits of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceLimits {
    /// Maximum pages of 64 KiB of a memory, as [`Launch::max_pages`].
    pub max_pages: u32,
    /// Maximum pages of all memories and tables, as [`Launch::max_total_pages`].
    pub max_total_pages: u32,
    /// A call that takes this long is aborted as endless; `None` disables that. Processor time, if
    /// the system provides it.
    pub watchdog: Option<Duration>,
}

impl Default for InstanceLimits {
    fn default() -> Self {
        Self {
            max_pages: DEFAULT_MAX_PAGES,
            max_total_pages: DEFAULT_MAX_TOTAL_PAGES,
            watchdog: Some(DEFAULT_WATCHDOG),
        }
    }
}

/// How a thread ended. There are exactly these two ways, so matches need no other arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ThreadEnd {
    /// It returned these results.
    Done(Vec<Value>),
    /// It trapped.
    Trapped(Trap),
}

/// The results of a launch.
#[derive(Clone, Debug, Default)]
pub struct LaunchOutcome {
    /// How each thread ended, by linear index.
    pub threads: Vec<ThreadEnd>,
    /// Printed texts with their threads, in order of arrival. The virtual machine keeps
    /// [`MAX_PRINT_BYTES`](super::MAX_PRINT_BYTES) bytes; a last line tells how many more there
    /// were.
    pub printed: Vec<(u32, String)>,
    /// Number of instructions run, if the executor counts them. The virtual machine does not: its
    /// handlers take a few processor instructions each, and counting in every one cost 4 to 15%
    /// more time.
    pub instructions: Option<u64>,
}

impl LaunchOutcome {
    /// The outcome, if no thread trapped.
    ///
    /// # Errors
    ///
    /// The first thread that trapped, and how many did.
    pub fn ok(self) -> Result<Self, TrapError> {
        let trapped = |end: &ThreadEnd| matches!(end, ThreadEnd::Trapped(_));
        let count = self.threads.iter().filter(|end| trapped(end)).count();
        let first = (0..)
            .zip(&self.threads)
            .find_map(|(thread, end)| match end {
                ThreadEnd::Trapped(trap) => Some((thread, trap)),
                ThreadEnd::Done(_) => None,
            });
        match first {
            Some((thread, trap)) => Err(TrapError {
                thread,
                trap: trap.clone(),
                trapped: count,
            }),
            None => Ok(self),
        }
    }

    /// The results of a thread, by linear index; `None` if there is no such thread or it trapped.
    pub fn results(&self, thread: u32) -> Option<&[Value]> {
        match self.threads.get(thread as usize)? {
            ThreadEnd::Done(values) => Some(values),
            ThreadEnd::Trapped(_) => None,
        }
    }
}
