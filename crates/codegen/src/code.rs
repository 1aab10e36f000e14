//! Executable machine code, with its compile times and sizes.

use std::ffi::c_void;
use std::time::Duration;

use anywarp_lanes::ir::{Context, Outcome};

use crate::Target;
use crate::memory::Executable;

/// The machine code of one function. A call runs one subgroup.
#[derive(Debug)]
pub struct Code {
    pub(crate) memory: Executable,
    /// The offset of the first instruction; constants precede it, in pages of their own.
    pub(crate) entry: usize,
    pub(crate) frame_bytes: u32,
    pub(crate) target: Target,
    pub(crate) times: Times,
    pub(crate) size: Size,
}

/// The time that each stage of compilation took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Block order and instruction selection.
    pub select: Duration,
    /// Register allocation.
    pub allocate: Duration,
    /// Encoding of instructions.
    pub emit: Duration,
    /// Translation validation of the encoded bytes.
    pub scan: Duration,
    /// Mapping as executable memory.
    pub map: Duration,
}

/// Sizes of the generated code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    /// The number of machine instructions.
    pub instructions: usize,
    /// Bytes of instructions.
    pub bytes: usize,
    /// Bytes of constants.
    pub constants: usize,
    /// Moves between registers, or between a register and the stack.
    pub moves: usize,
    /// Bytes of stack for spill slots.
    pub spill_bytes: usize,
    /// The register allocator that was used.
    pub allocator: Allocator,
}

/// A register allocation algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocator {
    /// Backtracking with live-range splitting (regalloc2's Ion).
    #[default]
    Backtracking,
    /// A single pass (regalloc2's Fastalloc): compiles faster, and the code is slower.
    SinglePass,
}

/// A store fence (`sfence`): all earlier stores of this thread, non-temporal ones included, become visible to other
/// threads before any later store does. Does nothing on other machines than x86-64.
pub fn store_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has this instruction, and it changes nothing.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

impl Code {
    /// Runs one subgroup, from the resume point `resume` (0 is the entry, others are barriers) to the next barrier or
    /// to the end.
    ///
    /// # Safety
    ///
    /// The context must be as the function of the code expects it: buffers, workgroup memory and immediate data with at
    /// least the words that its accesses are checked against (or, where they are not checked, that they access);
    /// [`Context::ZEROS`] bytes of zeros; a cancel flag; and a function for each number that it calls. Others may
    /// change this memory during the call only where the code uses atomic instructions for it. The frame must have
    /// [`Code::frame_bytes`] bytes, aligned to 64, and belong to this call; if `resume` is not 0, the frame must be as
    /// the previous call, which ended with this number, has left it. The floating-point environment must be the default
    /// one.
    ///
    /// Other threads may not see its non-temporal stores
    /// ([`Op::StoreRowNonTemporal`](anywarp_lanes::ir::Op::StoreRowNonTemporal)) before this thread calls
    /// [`store_fence`].
    pub unsafe fn call(&self, context: *const Context, frame: *mut u8, resume: u32) -> Outcome {
        // SAFETY: at `entry` such a function begins, made by this crate for this machine; the caller vouches for what
        // it reaches.
        Outcome(unsafe { self.memory.call(self.entry, context, frame, resume) })
    }

    /// The address of the first instruction, for [`Context::functions`]. It is valid as long as `self`.
    pub fn address(&self) -> *const c_void {
        self.memory.bytes()[self.entry..].as_ptr().cast()
    }

    /// The constant pool, in read-only pages that are not executable.
    pub fn constants(&self) -> *const [u8] {
        &raw const self.memory.bytes()[..self.size.constants]
    }

    /// The size of the frame of a subgroup in bytes, a multiple of 64.
    pub fn frame_bytes(&self) -> u32 {
        self.frame_bytes
    }

    /// The target that the code was compiled for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The time that each stage of compilation took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// The sizes of the code.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The disassembly in Intel syntax, one instruction per line.
    pub fn disassembly(&self) -> String {
        self.target.disassemble(self.memory.bytes(), self.entry)
    }
}
