//! Errors of launches and of instance calls.

use std::path::PathBuf;
use std::time::Duration;

use crate::bytecode::{Trap, Type};

/// Why a call of an instance failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvokeError {
    /// The function trapped.
    #[error("{0}")]
    Trap(Trap),
    /// The call exceeded its time limit, or the device failed.
    #[error(transparent)]
    Launch(#[from] LaunchError),
}

impl InvokeError {
    /// The trap, if it is one.
    pub fn trap(self) -> Option<Trap> {
        match self {
            Self::Trap(trap) => Some(trap),
            Self::Launch(_) => None,
        }
    }
}

/// Threads of a launch trapped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("thread {thread} trapped: {trap}{}", others(*.trapped))]
#[non_exhaustive]
pub struct TrapError {
    /// Linear index of the first thread that trapped.
    pub thread: u32,
    /// Its trap.
    pub trap: Trap,
    /// Number of threads that trapped.
    pub trapped: usize,
}

fn others(trapped: usize) -> String {
    match trapped {
        0 | 1 => String::new(),
        2 => ", and another thread too".to_owned(),
        _ => format!(", and {} other threads too", trapped - 1),
    }
}

/// Why a launch was rejected or aborted. Traps of single threads are reported in their
/// [`ThreadEnd`](super::ThreadEnd) instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// No exported function has that name.
    #[error("no kernel `{name}`: {}", those(.kernels))]
    UnknownKernel {
        /// The requested name.
        name: String,
        /// The exported names.
        kernels: Vec<String>,
    },
    /// The number of arguments is wrong.
    #[error("kernel `{name}` takes {expected} arguments, {given} are given")]
    ArgumentCount {
        /// The kernel.
        name: String,
        /// The number of parameters.
        expected: usize,
        /// The number of arguments.
        given: usize,
    },
    /// The type of an argument is wrong.
    #[error("argument {index} of kernel `{name}` has type {expected}, but {given} is given")]
    ArgumentType {
        /// The kernel.
        name: String,
        /// Index of the argument.
        index: usize,
        /// Type of the parameter.
        expected: Type,
        /// Type of the argument.
        given: Type,
    },
    /// A buffer is missing that the kernel uses.
    #[error(
        "kernel `{kernel}` uses the buffer at group {group}, binding {binding}, which is not bound: {}",
        anywarp_resources::bindings_text(.bound)
    )]
    MissingBinding {
        /// The kernel.
        kernel: String,
        /// Group of the missing buffer.
        group: u16,
        /// Binding of the missing buffer.
        binding: u16,
        /// Group and binding of the buffers that are bound.
        bound: Vec<(u16, u16)>,
    },
    /// The caller cannot be blocked: in a browser a GPU engine runs asynchronously only.
    #[error("a GPU engine cannot block in a browser: use `run_async`")]
    Blocking,
    /// The compiled tier does not take the launch, and the engine has no fallback.
    #[cfg(feature = "compiled")]
    #[error("not compiled: {0}")]
    NotCompiled(Box<crate::pipeline::NotCompiled>),
    /// The workgroup size is zero or too large.
    #[error("a workgroup of {size:?} threads: 1 to 65536 are supported")]
    WorkgroupSize {
        /// In each dimension.
        size: [u32; 3],
    },
    /// The grid has more threads than a 32-bit index can count.
    #[error("{workgroups:?} workgroups of {size:?} threads: more than 2^32 threads")]
    GridSize {
        /// In each dimension.
        workgroups: [u32; 3],
        /// In each dimension.
        size: [u32; 3],
    },
    /// The initial size of a memory exceeds the launch's limit.
    #[error(
        "memory {memory} has {pages} initial pages, but {allowed} are allowed; raise max_pages (--max-pages on the command line) for larger memories"
    )]
    MemorySize {
        /// Index of the memory.
        memory: usize,
        /// Initial size in pages.
        pages: u64,
        /// Pages allowed.
        allowed: u32,
    },
    /// The threads of a workgroup, which are alive at the same time, need more memory than the
    /// launch allows.
    #[error(
        "{threads} threads at the same time, with memories and tables of {each} bytes each, need {pages} pages, but {allowed} are allowed; raise max_total_pages (--max-total-pages on the command line) or use smaller workgroups"
    )]
    TotalMemory {
        /// Threads of a workgroup.
        threads: u32,
        /// Bytes of one thread.
        each: u64,
        /// Pages of all threads.
        pages: u64,
        /// Pages allowed.
        allowed: u32,
    },
    /// Shared memory needs the stack pointer, and the program does not expose it.
    #[error(
        "shared memory needs to know the program's stack pointer: export the global \
         `__stack_pointer` or keep the name section"
    )]
    NoStackPointer,
    /// The stacks of the threads do not fit into shared memory.
    #[error(
        "the stacks of {threads} threads with {stack} bytes each, after {used} pages, need {pages} \
         pages: the launch allows {allowed}"
    )]
    Stacks {
        /// Number of stacks.
        threads: u32,
        /// Bytes of each.
        stack: u32,
        /// Pages in use before the stacks.
        used: u32,
        /// Pages needed.
        pages: u64,
        /// Pages allowed.
        allowed: u32,
    },
    /// Shared memory with a stack size of zero.
    #[error("shared memory needs a stack of at least 1 byte for each thread")]
    NoStack,
    /// The slot stack is larger than supported.
    #[error("a stack of {slots} slots: at most {max} are supported")]
    StackTooLarge {
        /// The requested slots.
        slots: u32,
        /// The largest supported number.
        max: u32,
    },
    /// The slot stack is smaller than the kernel's frame.
    #[error("a stack of {slots} slots cannot hold the {frame} slots that kernel `{name}` needs")]
    StackSlots {
        /// The kernel.
        name: String,
        /// Slots of the stack.
        slots: u32,
        /// Slots of the frame.
        frame: u32,
    },
    /// The number of pixels does not match the picture's width and height.
    #[error("a picture of {width} by {height} pixels does not match {pixels} pixels of data")]
    PictureSize {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Number of pixels.
        pixels: usize,
    },
    /// An item of the work queue is out of range.
    #[error("item {index} of the work queue is {item}: items are below 2^31")]
    QueueItem {
        /// Index of the item.
        index: usize,
        /// The item.
        item: u32,
    },
    /// The initialization of shared memory trapped.
    #[error("the initialisation of the program trapped: {0}")]
    Init(Trap),
    /// The initial size of a table exceeds the limit.
    #[error("table {table} has {elements} initial elements: at most {max} are supported")]
    TableSize {
        /// Index of the table.
        table: usize,
        /// Initial number of elements.
        elements: u32,
        /// The largest supported number.
        max: u32,
    },
    /// The globals take more slots than supported.
    #[error("the globals take {slots} slots: at most {max} are supported")]
    Globals {
        /// Slots of all globals.
        slots: u32,
        /// The largest supported number.
        max: u32,
    },
    /// A folder for kernels is not a directory, or cannot be opened.
    #[error("`{}` is not a folder, or cannot be accessed", .path.display())]
    Folder {
        /// Its path.
        path: PathBuf,
    },
    /// Out of memory.
    #[error("there is not enough memory: {bytes} bytes for {what}")]
    OutOfMemory {
        /// What the allocation was for.
        what: &'static str,
        /// The size of the allocation.
        bytes: u64,
    },
    /// The watchdog: no thread has ended within the limit.
    #[error(
        "endless: thread {thread} is still running in `{function}`{}, and no thread has ended for {limit:?}; raise the watchdog (--watchdog on the command line) for threads that need longer",
        place(*.offset)
    )]
    Watchdog {
        /// A thread that is still running.
        thread: u32,
        /// The function that it runs.
        function: String,
        /// Byte offset in the module, if known.
        offset: Option<u32>,
        /// The limit.
        limit: Duration,
    },
    /// The launch exceeded its total time limit.
    #[error(
        "too much work: {ended} of {threads} threads have ended within {limit:?}; raise the limit (--limit on the command line) for longer launches"
    )]
    TooMuchWork {
        /// Number of threads that have ended.
        ended: u64,
        /// Number of threads of the launch.
        threads: u32,
        /// The limit.
        limit: Duration,
    },
    /// An error of the wgpu device.
    #[error("the device: {what}")]
    Device {
        /// The error.
        what: String,
    },
    /// The bytecode is invalid: [`verify`](crate::bytecode::verify) would reject it.
    #[error("the bytecode is invalid at word {word}: {what}")]
    Bytecode {
        /// Index of the code word.
        word: usize,
        /// What is wrong.
        what: String,
    },
}

fn place(offset: Option<u32>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at {offset:#x}"))
}

fn those(kernels: &[String]) -> String {
    match kernels {
        [] => "the program exports no function".to_owned(),
        [..] => format!("the program exports `{}`", kernels.join("`, `")),
    }
}
