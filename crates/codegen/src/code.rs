//! Machine code that can be called.

use std::ffi::c_void;
use std::time::Duration;

use anywarp_lanes::ir::{Context, Outcome};

use crate::Target;
use crate::memory::Executable;

/// Machine code of one kernel, for one subgroup.
#[derive(Debug)]
pub struct Code {
    pub(crate) memory: Executable,
    /// Where the first instruction is; constants lie in front of it, in pages of their own.
    pub(crate) entry: usize,
    pub(crate) frame_bytes: u32,
    pub(crate) target: Target,
    pub(crate) times: Times,
    pub(crate) size: Size,
}

/// How long each step took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Choosing instructions.
    pub select: Duration,
    /// Choosing registers.
    pub allocate: Duration,
    /// Writing and encoding instructions.
    pub emit: Duration,
    /// Checking the bytes.
    pub scan: Duration,
    /// Making memory executable.
    pub map: Duration,
}

/// How much there is of the code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// Instructions of the machine.
    pub instructions: usize,
    /// Bytes of instructions.
    pub bytes: usize,
    /// Bytes of constants.
    pub constants: usize,
    /// Moves between registers, or between a register and the stack.
    pub moves: usize,
    /// Bytes of stack for what has no register.
    pub spill_bytes: usize,
    /// How registers were chosen.
    pub allocator: Allocator,
}

/// How registers are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocator {
    /// By backtracking (regalloc2's Ion).
    #[default]
    Backtracking,
    /// In a single pass (regalloc2's Fastalloc): sooner done, slower code.
    SinglePass,
}

/// Waits until all that this thread has stored can be seen by whoever is told of it.
pub fn settle() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction, and it changes nothing.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

impl Code {
    /// Runs one subgroup from a barrier, or from the beginning (0), to the next or to the end.
    ///
    /// # Safety
    ///
    /// The context must be as the function of the code expects it: buffers, workgroup memory and immediate data
    /// with at least the words that its accesses are checked against (or, where they are not checked, that they
    /// reach); [`Context::ZEROS`] bytes of zeros; a flag; functions by the numbers that it calls. What lies there may be changed by others during the call only
    /// where the code uses atomic instructions for it. The frame must have [`Code::frame_bytes`] bytes from a multiple of
    /// 64 on and belong to this call; if `resume` is not 0, it must be as the call before, which ended with this number,
    /// has left it. The floating-point environment must be the default one.
    ///
    /// What it streams ([`Op::StreamRow`](anywarp_lanes::ir::Op::StreamRow)) others may not see before [`settle`].
    pub unsafe fn call(&self, context: *const Context, frame: *mut u8, resume: u32) -> Outcome {
        // SAFETY: at `entry` such a function begins, made by this crate for this machine; the caller vouches for what
        // it reaches.
        Outcome(unsafe { self.memory.call(self.entry, context, frame, resume) })
    }

    /// Where the code begins, for [`Context::functions`]. It lives as long as this does.
    pub fn address(&self) -> *const c_void {
        self.memory.bytes()[self.entry..].as_ptr().cast()
    }

    /// Where its constants lie, which are not executable.
    pub fn constants(&self) -> *const [u8] {
        &raw const self.memory.bytes()[..self.size.constants]
    }

    /// Bytes of the frame of a subgroup, a multiple of 64.
    pub fn frame_bytes(&self) -> u32 {
        self.frame_bytes
    }

    /// What it is made for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// How long each step took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// How much there is of it.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The instructions as text, one a line.
    pub fn disassembly(&self) -> String {
        crate::x64::disassemble(self.memory.bytes(), self.entry)
    }
}
