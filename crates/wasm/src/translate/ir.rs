//! The IR between WebAssembly and bytecode: structured control flow over virtual registers (slots).
//!
//! `lower` produces it, `inline` transforms it, `emit` consumes it.
//!
//! The code of a function is one flat sequence in which [`Inst::Block`], [`Inst::Loop`] and
//! [`Inst::End`] nest as in WebAssembly, so that deep nesting costs no stack. Every label is opened
//! once and closed once. A branch to a block's label goes past its end, one to a loop's label to
//! the loop header.
//!
//! Slots are numbered per function, without an upper bound: parameters first, then other locals,
//! then the operand stack, each value at the slot of its stack height. Results are left in the
//! first slots. The IR is not in SSA form. What always holds: a slot of the operand stack is
//! written before it is read, and an instruction writes only the slots of one operand, except for
//! format `Bulk`.

use crate::bytecode::{Op, Type};
pub(crate) use crate::module::FunctionId;

/// A slot of the function's frame.
pub(crate) type Slot = u32;

/// Index of a label in its function.
pub(crate) type Label = u32;

/// The source of a copy or of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A slot; the first one of wide values.
    Slot(Slot),
    /// A constant, as bits.
    Const(u64),
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// Its source.
    pub operand: Operand,
    /// Slots of its type.
    pub width: u32,
}

/// The kind of a call in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    /// A direct call.
    Direct,
    /// An indirect call through an immutable table, resolved to a direct call.
    Devirtualized,
}

/// An instruction that is neither a branch nor a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    /// The opcode.
    pub op: Op,
    /// Operand of the first byte, by the opcode's format: a slot or an index.
    pub a: u32,
    /// Operand of the second byte.
    pub b: u32,
    /// Operand of the third byte.
    pub c: u32,
    /// The words after the first: a constant, an offset, a third slot; or the 16-bit index in bytes
    /// `b` and `c`.
    pub extra: u64,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Inst {
    /// Opens a block.
    Block(Label),
    /// Opens a loop.
    Loop(Label),
    /// Closes what the label opened.
    End(Label),
    /// An unconditional branch.
    Br(Label),
    /// A conditional branch: a branch opcode with its operands.
    BrIf {
        /// The opcode.
        op: Op,
        /// Its first slot.
        x: Slot,
        /// Its second slot or constant, if it has one.
        y: u32,
        /// The branch target.
        label: Label,
    },
    /// A branch table. The last label is the default.
    BrTable {
        /// The slot of the index.
        index: Slot,
        /// The labels.
        labels: Box<[Label]>,
    },
    /// Leaves the function; its results lie in the first slots.
    Return,
    /// A direct call.
    Call {
        /// The called function.
        function: FunctionId,
        /// The arguments.
        arguments: Box<[Argument]>,
        /// The slot of the results; no slot at or above it is live except arguments.
        base: Slot,
        /// Slots of its results.
        results: u32,
        /// Whether the module calls it directly.
        kind: CallKind,
    },
    /// An indirect call through a table.
    CallIndirect {
        /// The table.
        table: u32,
        /// The type's number.
        type_index: u32,
        /// The element index.
        index: Operand,
        /// The arguments.
        arguments: Box<[Argument]>,
        /// The slot of the results.
        base: Slot,
        /// Slots of its results.
        results: u32,
    },
    /// Any other instruction.
    Plain(Plain),
}

impl Inst {
    /// Its size in units of one simple instruction. The operand list of a branch table or a call
    /// can be longer than a whole function, so size limits count it.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::BrTable { labels, .. } => 1 + labels.len(),
            Self::Call { arguments, .. } | Self::CallIndirect { arguments, .. } => {
                1 + arguments.len()
            }
            _ => 1,
        }
    }
}

/// The source position of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Index of the function in the debug names.
    pub name: u32,
    /// Byte offset in the module.
    pub offset: u32,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    /// Index of its type in the bytecode.
    pub type_index: u32,
    /// Index of its debug name.
    pub name: u32,
    /// Slots of its parameters.
    pub params: u32,
    /// Slots of its results.
    pub results: u32,
    /// Slots of its locals, parameters included.
    pub locals: u32,
    /// Slots of its frame, without the windows of callees.
    pub frame: u32,
    /// How many labels it has.
    pub labels: u32,
    /// Its instructions.
    pub code: Vec<Inst>,
    /// The sum of the instructions' weights.
    pub weight: usize,
    /// The source position of each instruction.
    pub origins: Vec<Origin>,
    /// Parameters that are only read, as slots with their widths: the inliner can replace such a
    /// parameter by the slot of the argument.
    pub constant_params: Vec<(Slot, u32)>,
    /// Nesting of the calls that were inlined into it.
    pub depth: u32,
}

impl Function {
    /// Adds an instruction.
    pub(crate) fn push(&mut self, inst: Inst, origin: Origin) {
        self.weight += inst.weight();
        self.code.push(inst);
        self.origins.push(origin);
    }

    /// Removes the last instruction.
    pub(crate) fn pop(&mut self) {
        if let Some(inst) = self.code.pop() {
            self.weight -= inst.weight();
            self.origins.pop();
        }
    }

    /// Extends the frame up to a slot, exclusive.
    pub(crate) fn reach(&mut self, end: Slot) {
        self.frame = self.frame.max(end);
    }
}

/// Slots that values of these types take.
pub(crate) fn slots(types: &[Type]) -> u32 {
    types.iter().map(|ty| ty.slots()).sum()
}

/// A copy of a value.
pub(crate) fn copy(to: Slot, from: Operand, width: u32) -> Plain {
    let plain = |op, b, extra| Plain {
        op,
        a: to,
        b,
        c: 0,
        extra,
    };
    match (from, width) {
        (Operand::Slot(slot), 1) => plain(Op::Move, slot, 0),
        (Operand::Slot(slot), _) => plain(Op::Move64, slot, 0),
        (Operand::Const(bits), 1) => plain(Op::Const, 0, bits & 0xffff_ffff),
        (Operand::Const(bits), _) => plain(Op::Const64, 0, bits),
    }
}
