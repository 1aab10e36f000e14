//! What a launch is: a kernel over a grid, what it acts on, and what became of it.
//!
//! Both machines take [`Launch`] and [`Resources`] and give [`Outcome`], so that a caller need not
//! know which one runs.

use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// Pages that a memory may have at most, whatever the module says.
    pub max_pages: u32,
    /// Slots of each thread's stack.
    pub stack_slots: u32,
    /// Instructions that a thread may run; without it, as many as it likes. The virtual machine counts
    /// jumps back and calls instead, and one for each KiB that is copied, filled or printed: so the
    /// same number lasts longer there.
    pub fuel: Option<u64>,
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
