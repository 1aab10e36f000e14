//! What a launch is: a kernel over a grid, what it acts on, and what became of it.
//!
//! Both machines take [`Launch`] and [`Resources`] and give [`Outcome`], so that a caller need not
//! know which one runs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::bytecode::{Trap, Type};

/// A value that goes in or comes out, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its type.
    pub ty: Type,
    /// Its bits; a 32-bit value has them in the low half.
    pub bits: u64,
}

/// Which memory threads have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryMode {
    /// Each thread is an instance of its own.
    #[default]
    Private,
    /// One memory for all threads, set up once; tables, globals and a stack of `stack` bytes are each
    /// thread's own.
    Shared {
        /// Bytes of each thread's stack in memory.
        stack: u32,
    },
}

/// A kernel over a grid.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The exported function.
    pub kernel: String,
    /// Its arguments, the same for every thread.
    pub args: Vec<Value>,
    /// Workgroups in each dimension.
    pub workgroups: [u32; 3],
    /// Threads of a workgroup in each dimension.
    pub workgroup_size: [u32; 3],
    /// If not all: only threads with a lower number run.
    pub threads: Option<u32>,
    /// Whose memory is whose.
    pub memory: MemoryMode,
    /// Pages of 64 KiB that a memory may have at most, whatever the module says. A memory that is larger at first is
    /// refused, and `memory.grow` beyond it returns -1. [`DEFAULT_MAX_PAGES`] by default.
    pub max_pages: u32,
    /// Pages that all memories and tables of the threads that run at the same time may have together. Workgroups that
    /// do not fit run later; one that does not fit alone is refused, and growing beyond it returns -1.
    /// [`DEFAULT_MAX_TOTAL_PAGES`] by default.
    pub max_total_pages: u32,
    /// Slots of each thread's stack.
    pub stack_slots: u32,
    /// Instructions that a thread may run; without it, as many as it likes. The virtual machine counts
    /// jumps back and calls instead, one for each KiB that is copied, filled, printed, read or written, and 1,024 for
    /// each request of a file: so the same number lasts longer there.
    pub fuel: Option<u64>,
}

/// Pages that a memory may have by default: 256 MiB.
pub const DEFAULT_MAX_PAGES: u32 = 1 << 12;

/// Pages that the threads of a launch may have together by default: 4 GiB.
pub const DEFAULT_MAX_TOTAL_PAGES: u32 = 1 << 16;

/// How long no thread of a launch may end, by default.
pub const DEFAULT_WATCHDOG: Duration = Duration::from_secs(10);

impl Default for Launch {
    /// One thread without arguments; the kernel is to be named.
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

/// Limits of an instance, whose state stays between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceLimits {
    /// Pages of 64 KiB that a memory may have at most, as [`Launch::max_pages`].
    pub max_pages: u32,
    /// Pages that all memories and tables may have together, as [`Launch::max_total_pages`].
    pub max_total_pages: u32,
    /// A call that takes this long counts as endless; without it, none does. Processor time, where the system has it.
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

/// What kernels act on; changed by a launch.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// `read_state`, `write_state`, `atomic_add`.
    pub state: Vec<u32>,
    /// `read_input`.
    pub input: Vec<u32>,
    /// `get_time`.
    pub clock: f32,
    /// `set_pixel`.
    pub picture: Option<Picture>,
    /// `buffer_load` and the like, by group and binding.
    pub buffers: BTreeMap<(u16, u16), Vec<u32>>,
    /// Folders that `read_file` and `write_file` may reach.
    pub folders: Vec<PathBuf>,
    /// Work for `queue_pop`.
    pub queue: Vec<u32>,
}

/// A picture: four floats a pixel, row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha.
    pub pixels: Vec<[f32; 4]>,
}

/// How a thread ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With these results.
    Done(Vec<Value>),
    /// By a trap.
    Trapped(Trap),
}

/// What became of a launch.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Each thread's end, by number.
    pub threads: Vec<End>,
    /// What was printed, with the thread, in the order in which it arrived. The virtual machine keeps
    /// [`PRINT_ROOM`](super::PRINT_ROOM) bytes; a last line says how many more there were.
    pub printed: Vec<(u32, String)>,
    /// Instructions run, where the machine counts them. The virtual machine does not: its handlers
    /// take a few processor instructions each, and counting in every one cost 4 to 15% more time.
    pub instructions: Option<u64>,
}
