//! The bytecode: a flat list of instructions over 32-bit registers.
//!
//! This is its specification: [`translate`](crate::translate) generates it and [`execute`](crate::execute) executes
//! it.
//!
//! - A register is one 32-bit word. A value of `n` scalars takes `n` consecutive registers without padding
//!   ("packed"): vectors by component, matrices by column, arrays by element, structs by member. A `bool` is a word
//!   that is 0 or 1. A 16-bit scalar is a word whose high half is zero, and a 64-bit scalar takes two registers,
//!   the low word first (see `typed`).
//! - Registers are absolute. WGSL has no recursion, so every function has one frame, and frames of functions that
//!   are never active together overlap.
//! - The first registers are fixed: a zero, then the builtin values (see [`builtin`]); constants, private variables
//!   and frames follow. Function and private variables are in registers too.
//! - A memory address is held in one register and counts *units*: registers for function and private variables,
//!   words for workgroup memory, bytes for buffers and immediate data. The static part of an address is in the
//!   instruction. [`OUT_OF_BOUNDS`] marks an address whose index was out of bounds: reads give zero and writes do
//!   nothing.

mod operation;
pub(crate) mod texture;
mod typed;
mod work;

use crate::AtomicOp;
use crate::subgroup::Collective;
pub(crate) use operation::{Binary, Geometric, Matrix, Packing, Ternary, Unary};
use texture::{BufferElement, TextureAccess};
pub(crate) use typed::{Number, TypedOp};

/// Index of a register.
pub(crate) type Reg = u32;

/// Index of an instruction.
pub(crate) type Pc = u32;

/// Words that an instruction may move for each unit of the budget; fewer are free.
pub(crate) const WORDS_PER_UNIT: u32 = 1 << 10;

/// The register that always holds zero: the dynamic part of a static address.
pub(crate) const ZERO: Reg = 0;

/// An out-of-bounds address. It is odd, so it is not the byte address of any value.
pub(crate) const OUT_OF_BOUNDS: u32 = u32::MAX;

/// Where the worker puts the builtin values of an invocation.
pub(crate) mod builtin {
    use super::Reg;

    pub(crate) const GLOBAL_INVOCATION_ID: Reg = 1;
    pub(crate) const LOCAL_INVOCATION_ID: Reg = 4;
    pub(crate) const WORKGROUP_ID: Reg = 7;
    pub(crate) const NUM_WORKGROUPS: Reg = 10;
    pub(crate) const WORKGROUP_SIZE: Reg = 13;
    pub(crate) const LOCAL_INVOCATION_INDEX: Reg = 16;
    /// Subgroup builtin values; written only if the kernel uses them.
    pub(crate) const SUBGROUP_SIZE: Reg = 17;
    pub(crate) const SUBGROUP_ID: Reg = 18;
    pub(crate) const SUBGROUP_INVOCATION_ID: Reg = 19;
    pub(crate) const NUM_SUBGROUPS: Reg = 20;
    /// The first register that is not fixed.
    pub(crate) const END: Reg = 21;
}

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// Function and private variables, addressed by register.
    Registers,
    /// Workgroup variables, addressed by word.
    Workgroup,
    /// A uniform or storage buffer by its index among the kernel's resources, addressed by byte.
    Buffer(u16),
    /// An element of an array of buffers, by its index in [`Bytecode::elements`]; addressed by byte.
    Element(u16),
    /// Immediate data, addressed by byte.
    Immediates,
}

/// A memory address: `registers[dynamic] + offset` in units of the space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) space: Space,
    pub(crate) dynamic: Reg,
    pub(crate) offset: u32,
}

/// A part of a value that is contiguous both in memory and in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// Units from the value's address.
    pub(crate) memory: u32,
    /// Registers from the value's first register.
    pub(crate) register: u32,
    /// The number of words, or of 16-bit values.
    pub(crate) words: u32,
    /// Whether memory holds 16-bit values here, which take one register each.
    pub(crate) halves: bool,
}

/// An instruction. `dst` never overlaps a source partially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instr {
    // Data movement.
    Copy {
        dst: Reg,
        src: Reg,
        n: u32,
    },
    Zero {
        dst: Reg,
        n: u32,
    },
    /// Copies one word to `n` registers.
    Splat {
        dst: Reg,
        src: Reg,
        n: u32,
    },
    /// Element `index` of `len` elements of `n` words at `base`; zero outside.
    Element {
        dst: Reg,
        base: Reg,
        index: Reg,
        len: u32,
        n: u32,
    },

    // Computation.
    Unary {
        op: Unary,
        n: u8,
        dst: Reg,
        a: Reg,
    },
    Binary {
        op: Binary,
        n: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Ternary {
        op: Ternary,
        n: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// Operands are `e`, `newbits`, `offset`, `count` in that order in `args`, of `n`, `n`, 1, 1 words.
    InsertBits {
        n: u8,
        dst: Reg,
        args: [Reg; 4],
    },
    Geometric {
        op: Geometric,
        n: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    Matrix {
        op: Matrix,
        columns: u8,
        rows: u8,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Packing {
        op: Packing,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    /// Any of these operations on `n` numbers of a type without 32 bits, and conversions.
    Typed {
        of: Number,
        op: TypedOp,
        n: u8,
        dst: Reg,
        args: [Reg; 4],
    },

    // Addresses and memory.
    /// `base + index * stride`, or [`OUT_OF_BOUNDS`] if `index >= len` or `base` is that already.
    Index {
        dst: Reg,
        base: Reg,
        index: Reg,
        len: u32,
        stride: u32,
    },
    /// `base + by`, or [`OUT_OF_BOUNDS`] if `base` is that.
    Offset {
        dst: Reg,
        base: Reg,
        by: u32,
    },
    /// Like `Index`, in a runtime-sized array that begins `start` bytes into a buffer.
    IndexRuntime {
        dst: Reg,
        index: Reg,
        buffer: u16,
        start: u32,
        stride: u32,
    },
    /// Like `Index`, where the length is in a register.
    IndexWithin {
        dst: Reg,
        index: Reg,
        len: Reg,
        stride: u32,
    },
    /// The length of a runtime-sized array at byte `start` of an element of an array of buffers.
    ElementLength {
        dst: Reg,
        element: u16,
        start: u32,
        stride: u32,
    },
    /// The length of a runtime-sized array at byte `start` of a buffer.
    ArrayLength {
        dst: Reg,
        buffer: u16,
        start: u32,
        stride: u32,
    },
    Load {
        dst: Reg,
        from: Address,
        n: u32,
    },
    Store {
        to: Address,
        src: Reg,
        n: u32,
    },
    /// A load whose value is scattered in memory; `runs` is an index into the kernel's run lists.
    LoadRuns {
        dst: Reg,
        from: Address,
        runs: u32,
    },
    StoreRuns {
        to: Address,
        src: Reg,
        runs: u32,
    },
    /// Like `LoadRuns`, if some runs hold 16-bit values.
    LoadHalves {
        dst: Reg,
        from: Address,
        runs: u32,
    },
    StoreHalves {
        to: Address,
        src: Reg,
        runs: u32,
    },
    Atomic {
        op: AtomicOp,
        dst: Reg,
        at: Address,
        value: Reg,
        compare: Reg,
    },
    /// Like `Atomic`, on 64 bits: value, comparison and old value take two registers each.
    Atomic64 {
        op: AtomicOp,
        dst: Reg,
        at: Address,
        value: Reg,
        compare: Reg,
    },

    // Textures.
    /// A texture instruction; an index into [`Bytecode::textures`].
    Texture {
        access: u32,
    },
    /// The index of the texture that is element `index` of a binding array, or [`OUT_OF_BOUNDS`].
    TextureElement {
        dst: Reg,
        array: u16,
        index: Reg,
    },

    // Control flow.
    Jump {
        to: Pc,
    },
    JumpIf {
        condition: Reg,
        to: Pc,
    },
    JumpUnless {
        condition: Reg,
        to: Pc,
    },
    /// The back edge of a loop: consumes one unit of fuel.
    LoopBack {
        to: Pc,
        /// The work of one iteration (see `work`).
        work: u32,
    },
    /// Jumps by the value in `selector`; `table` is an index into the kernel's switch tables.
    Switch {
        selector: Reg,
        table: u32,
    },
    /// Consumes fuel before an instruction that moves many words.
    ChargeFuel {
        units: u32,
    },
    /// Writes the address of the next instruction to `link` and jumps; consumes one unit of fuel.
    Call {
        to: Pc,
        link: Reg,
        /// The work of the callee (see `work`).
        work: u32,
    },
    Return {
        link: Reg,
    },
    /// Waits until every invocation of the workgroup has come to this instruction.
    Barrier,
    /// Waits for the lanes of the subgroup that can still reach this instruction, and executes a collective
    /// operation.
    Collective {
        op: Collective,
        /// Type and number of the components of `value`.
        of: Number,
        n: u8,
        dst: Reg,
        value: Reg,
        /// The lane, distance or mask of a gather.
        lane: Reg,
    },
    /// Increments the 64-bit iteration counter of a loop.
    NextIteration {
        counter: Reg,
    },
    /// Ends the invocation.
    End,
}

impl Instr {
    /// Makes an instruction that computes the `n` words at `from` write them to `to` instead.
    ///
    /// Only possible for instructions that read each operand before they write it, or component by component in
    /// place; otherwise returns `false` and changes nothing.
    pub(crate) fn retarget(&mut self, from: Reg, n: u32, to: Reg) -> bool {
        let (dst, words) = match self {
            Self::Copy { dst, n, .. } | Self::Splat { dst, n, .. } | Self::Load { dst, n, .. } => {
                (dst, *n)
            }
            Self::Unary { dst, n, .. }
            | Self::Binary { dst, n, .. }
            | Self::Ternary { dst, n, .. } => (dst, u32::from(*n)),
            // A 64-bit comparison has fewer words than this assumes, so it never matches.
            Self::Typed {
                of,
                op: TypedOp::Unary(_) | TypedOp::Binary(_) | TypedOp::Ternary(_),
                n,
                dst,
                ..
            } => (dst, u32::from(*n) * of.words()),
            Self::Typed {
                op: TypedOp::Convert(to),
                n,
                dst,
                ..
            } => (dst, u32::from(*n) * to.words()),
            _ => return false,
        };
        if (*dst, words) != (from, n) {
            return false;
        }
        *dst = to;
        true
    }
}

/// The targets of a `switch`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SwitchTable {
    /// Sorted by value.
    pub(crate) cases: Vec<(u32, Pc)>,
    pub(crate) default: Pc,
}

impl SwitchTable {
    pub(crate) fn target(&self, value: u32) -> Pc {
        match self.cases.binary_search_by_key(&value, |case| case.0) {
            Ok(index) => self.cases[index].1,
            Err(_) => self.default,
        }
    }
}

/// The range of one function's code; it ends where the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionCode {
    pub(crate) start: Pc,
    /// The register of its return address; `None` for the entry point.
    pub(crate) link: Option<Reg>,
}

/// The code range of a loop, in a kernel that has collective operations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopCode {
    pub(crate) start: Pc,
    /// Its back edge.
    pub(crate) end: Pc,
    /// The two registers of its iteration counter.
    pub(crate) counter: Reg,
    /// The enclosing loop in the same function.
    pub(crate) parent: Option<u32>,
}

/// The bytecode of a kernel, with its tables.
#[derive(Debug, Default)]
pub(crate) struct Bytecode {
    pub(crate) instrs: Vec<Instr>,
    /// The work of executing every instruction once.
    pub(crate) work: u32,
    /// By instruction: its source position, for messages.
    pub(crate) spans: Vec<naga::Span>,
    pub(crate) run_lists: Vec<Vec<Run>>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) textures: Vec<TextureAccess>,
    pub(crate) elements: Vec<BufferElement>,
    /// The number of single buffers and textures, and of arrays of either.
    pub(crate) buffer_slots: u32,
    pub(crate) texture_slots: u32,
    pub(crate) arrays: u32,
    /// In ascending order of their code.
    pub(crate) functions: Vec<FunctionCode>,
    /// The initial values of an invocation's first registers: zeros for fixed registers, then constants.
    pub(crate) initial: Vec<u32>,
    /// The number of registers of an invocation.
    pub(crate) registers: u32,
    /// Words of workgroup memory.
    pub(crate) workgroup_words: u32,
    /// Whether any instruction waits for other invocations; only then does each invocation need its own registers.
    pub(crate) waits: bool,
    /// Whether any instruction is a collective operation of a subgroup.
    pub(crate) has_collectives: bool,
    /// Whether any subgroup builtin value is used.
    pub(crate) has_subgroup_ids: bool,
    /// In ascending order of their code; empty without collective operations.
    pub(crate) loops: Vec<LoopCode>,
}

impl Bytecode {
    /// The back edge of the innermost loop around an instruction, in its function or around one of its call sites.
    pub(crate) fn loop_around(&self, mut at: Pc, registers: &[u32]) -> Option<Pc> {
        loop {
            // Loops are nested, so the one that ends first is the innermost.
            let mut later = (at..).zip(&self.instrs[at as usize..]);
            let end =
                later.find(|(_, instr)| matches!(instr, Instr::LoopBack { to, .. } if *to <= at));
            if let Some((end, _)) = end {
                return Some(end);
            }
            // The return address is the instruction after the call.
            at = registers[self.link(at)? as usize] - 1;
        }
    }

    /// The register of the return address in the function that contains an instruction; `None` in the entry point.
    pub(crate) fn link(&self, at: Pc) -> Option<Reg> {
        let next = self.functions.partition_point(|f| f.start <= at);
        self.functions[next.checked_sub(1)?].link
    }

    /// The loops around an instruction in its function, the innermost first; empty in kernels without collective
    /// operations.
    pub(crate) fn loops_around(&self, at: Pc) -> impl Iterator<Item = &LoopCode> {
        let next = self.loops.partition_point(|l| l.start <= at) as u32;
        let nearest = next.checked_sub(1);
        let outward = std::iter::successors(nearest, |&index| self.loops[index as usize].parent);
        outward
            .map(|index| &self.loops[index as usize])
            .filter(move |around| at <= around.end)
    }
}
