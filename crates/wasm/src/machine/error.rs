//! Why a launch did not begin, or was given up.

use std::path::PathBuf;
use std::time::Duration;

use crate::bytecode::{Trap, Type};

/// Why a call of an instance gave no results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvokeError {
    /// The thread trapped.
    #[error("{0}")]
    Trap(Trap),
    /// The call took too long, or the device failed.
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

/// Why a launch did not begin, or was given up. What else happens to threads that run is in their
/// [`End`](super::End).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// There is no function of that name.
    #[error("no kernel `{name}`: {}", those(.kernels))]
    UnknownKernel {
        /// The name asked for.
        name: String,
        /// Those there are.
        kernels: Vec<String>,
    },
    /// Another number of arguments.
    #[error("kernel `{name}` takes {expected} arguments, {given} are given")]
    ArgumentCount {
        /// The kernel.
        name: String,
        /// How many it takes.
        expected: usize,
        /// How many are given.
        given: usize,
    },
    /// An argument of another type.
    #[error("argument {index} of kernel `{name}` has type {expected}, but {given} is given")]
    ArgumentType {
        /// The kernel.
        name: String,
        /// Which argument, counted from 0.
        index: usize,
        /// The type it has.
        expected: Type,
        /// The type that is given.
        given: Type,
    },
    /// A workgroup without threads, or with too many.
    #[error("a workgroup of {size:?} threads: 1 to 65536 are supported")]
    WorkgroupSize {
        /// In each dimension.
        size: [u32; 3],
    },
    /// More threads than there are numbers.
    #[error("{workgroups:?} workgroups of {size:?} threads: more than 2^32 threads")]
    GridSize {
        /// In each dimension.
        workgroups: [u32; 3],
        /// In each dimension.
        size: [u32; 3],
    },
    /// A memory is larger at first than the launch allows.
    #[error(
        "memory {memory} has {pages} initial pages, but {allowed} are allowed; raise max_pages (--max-pages on the command line) for larger memories"
    )]
    MemorySize {
        /// Which memory.
        memory: usize,
        /// Pages at first.
        pages: u64,
        /// Pages allowed.
        allowed: u32,
    },
    /// The threads that must run at the same time need more memory than the launch allows.
    #[error(
        "{threads} threads at the same time, with memories and tables of {each} bytes each, need {pages} pages, but {allowed} are allowed; raise max_total_pages (--max-total-pages on the command line) or use smaller workgroups"
    )]
    TotalMemory {
        /// Threads of a workgroup.
        threads: u32,
        /// Bytes of each.
        each: u64,
        /// Pages of all.
        pages: u64,
        /// Pages allowed.
        allowed: u32,
    },
    /// The stack pointer is needed but not known.
    #[error(
        "shared memory needs to know the program's stack pointer: export the global \
         `__stack_pointer` or keep the name section"
    )]
    NoStackPointer,
    /// The threads' stacks do not fit.
    #[error(
        "the stacks of {threads} threads with {stack} bytes each, after {used} pages, need {pages} \
         pages: the launch allows {allowed}"
    )]
    Stacks {
        /// Threads with a stack.
        threads: u32,
        /// Bytes of each.
        stack: u32,
        /// Pages in use before.
        used: u32,
        /// Pages needed.
        pages: u64,
        /// Pages allowed.
        allowed: u32,
    },
    /// Threads without a stack in shared memory.
    #[error("shared memory needs a stack of at least 1 byte for each thread")]
    NoStack,
    /// More slots than a thread can have.
    #[error("a stack of {slots} slots: at most {most} are supported")]
    StackTooLarge {
        /// Slots asked for.
        slots: u32,
        /// Slots that are possible.
        most: u32,
    },
    /// A thread's stack cannot hold the kernel's frame.
    #[error("a stack of {slots} slots cannot hold the {frame} slots that kernel `{name}` needs")]
    StackSlots {
        /// The kernel.
        name: String,
        /// Slots of the stack.
        slots: u32,
        /// Slots of the frame.
        frame: u32,
    },
    /// The picture has another number of pixels than its sides say.
    #[error("a picture of {width} by {height} pixels does not match {pixels} pixels of data")]
    PictureSize {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Pixels there are.
        pixels: usize,
    },
    /// Something that is no work item.
    #[error("item {index} of the work queue is {item}: items are below 2^31")]
    QueueItem {
        /// Which item, counted from 0.
        index: usize,
        /// The item.
        item: u32,
    },
    /// Setting the shared memory up trapped.
    #[error("the initialisation of the program trapped: {0}")]
    Init(Trap),
    /// A table is larger at first than any may be.
    #[error("table {table} has {elements} initial elements: at most {most} are supported")]
    TableSize {
        /// Which table.
        table: usize,
        /// Elements at first.
        elements: u32,
        /// Elements that are possible.
        most: u32,
    },
    /// More globals than instructions can name.
    #[error("the globals take {slots} slots: at most {most} are supported")]
    Globals {
        /// Slots of all.
        slots: u32,
        /// Slots that are possible.
        most: u32,
    },
    /// A folder that kernels may reach is none.
    #[error("`{}` is not a folder, or cannot be accessed", .path.display())]
    Folder {
        /// Where it should be.
        path: PathBuf,
    },
    /// The computer has no memory left for what the launch needs.
    #[error("there is not enough memory: {bytes} bytes for {what}")]
    OutOfMemory {
        /// What it is for.
        what: &'static str,
        /// How much was asked for.
        bytes: u64,
    },
    /// No thread has ended for longer than the launch allows.
    #[error(
        "endless: thread {thread} is still running in `{function}`{}, and no thread has ended for {limit:?}; raise the watchdog (--watchdog on the command line) for threads that need longer",
        place(*.offset)
    )]
    Watchdog {
        /// A thread that runs.
        thread: u32,
        /// The function it is in.
        function: String,
        /// Byte offset in the module, where it is known.
        offset: Option<u32>,
        /// How long no thread may end.
        limit: Duration,
    },
    /// The launch as a whole took longer than it is allowed.
    #[error(
        "too much work: {ended} of {threads} threads have ended within {limit:?}; raise the limit (--limit on the command line) for longer launches"
    )]
    TooMuchWork {
        /// Threads that have ended.
        ended: u64,
        /// Threads in all.
        threads: u32,
        /// How long the launch may take.
        limit: Duration,
    },
    /// The device cannot do it.
    #[error("the device: {what}")]
    Device {
        /// What it cannot.
        what: String,
    },
    /// The program is not one: [`verify`](crate::bytecode) would say more.
    #[error("the bytecode is invalid at word {word}: {what}")]
    Bytecode {
        /// Where in the code.
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
