//! Functions between WebAssembly and bytecode: structured code over numbered slots.
//!
//! In: what `lower` makes of a function. Out: what `inline` changes and `emit` writes.
//!
//! Code is one flat sequence in which [`Inst::Block`], [`Inst::Loop`] and [`Inst::End`] nest, so that
//! no depth of nesting costs stack. Every label is opened once and closed once. A branch to a block's
//! label goes behind its end, one to a loop's label to its beginning.
//!
//! Slots are the function's own and without an upper bound: parameters first, then other locals,
//! then the operand stack, each value at its height. Results are left in the first slots. What always
//! holds: a slot of the operand stack is written before it is read, and an instruction writes only
//! the slots of one operand, those of format `Bulk` excepted.

use crate::bytecode::{Op, Type};

/// A slot of the function's frame.
pub(crate) type Slot = u32;

/// A function's number among all that the linker knows.
pub(crate) type FunctionId = u32;

/// A label's number in its function.
pub(crate) type Label = u32;

/// What an argument is taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A slot, the first one of wide values.
    Slot(Slot),
    /// Bits.
    Const(u64),
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Argument {
    /// Where it is.
    pub operand: Operand,
    /// How many slots it takes.
    pub width: u32,
}

/// How a call came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Via {
    /// The module calls the function.
    Name,
    /// The module calls through a table in which the function was found.
    Table,
}

/// An instruction that neither branches nor calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain {
    /// The opcode.
    pub op: Op,
    /// What the word's bytes name, by the opcode's format: slots, memories.
    pub a: u32,
    /// The second byte.
    pub b: u32,
    /// The third byte.
    pub c: u32,
    /// The words behind it: a constant, an offset, a third slot; or the number in bytes `b` and `c`.
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
    /// Goes to a label.
    Br(Label),
    /// Goes to a label under a condition: a branch opcode with its operands.
    BrIf {
        /// The opcode.
        op: Op,
        /// Its first slot.
        x: Slot,
        /// Its second slot or constant, where it has one.
        y: u32,
        /// Where to.
        label: Label,
    },
    /// Goes to one of several labels, the last one where the index is too high.
    BrTable {
        /// The slot of the index.
        index: Slot,
        /// The labels.
        labels: Box<[Label]>,
    },
    /// Leaves the function; its results lie in the first slots.
    Return,
    /// Calls a function.
    Call {
        /// Which.
        function: FunctionId,
        /// With what.
        arguments: Box<[Argument]>,
        /// Where its results go; nothing at or above it is alive but arguments.
        base: Slot,
        /// Slots of its results.
        results: u32,
        /// Why it is called.
        via: Via,
    },
    /// Calls a function of a table.
    CallIndirect {
        /// The table.
        table: u32,
        /// The type's number.
        type_index: u32,
        /// The element.
        index: Operand,
        /// With what.
        arguments: Box<[Argument]>,
        /// Where its results go.
        base: Slot,
        /// Slots of its results.
        results: u32,
    },
    /// Anything else.
    Plain(Plain),
}

impl Inst {
    /// Its size in units of one simple instruction. The lists of a branch table or a call can be longer than a whole
    /// function, so bounds on the size of code count them.
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

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The function's number in the debug names.
    pub name: u32,
    /// The byte in the module.
    pub offset: u32,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    /// The type's number in the bytecode.
    pub type_index: u32,
    /// Its number in the debug names.
    pub name: u32,
    /// Slots of its parameters.
    pub params: u32,
    /// Slots of its results.
    pub results: u32,
    /// Slots of its locals, parameters included.
    pub locals: u32,
    /// Slots of its frame, windows of calls not included.
    pub frame: u32,
    /// How many labels it has.
    pub labels: u32,
    /// Its instructions.
    pub code: Vec<Inst>,
    /// The sum of their weights.
    pub weight: usize,
    /// For each instruction, where it comes from.
    pub origins: Vec<Origin>,
    /// Parameters that are only read, as slots with their widths: at a call whose argument lies in a
    /// slot they can stand for that slot.
    pub constant_params: Vec<(Slot, u32)>,
    /// How deep calls are inlined in it.
    pub depth: u32,
}

impl Function {
    /// Adds an instruction.
    pub(crate) fn push(&mut self, inst: Inst, origin: Origin) {
        self.weight += inst.weight();
        self.code.push(inst);
        self.origins.push(origin);
    }

    /// Takes the last instruction away.
    pub(crate) fn pop(&mut self) {
        if let Some(inst) = self.code.pop() {
            self.weight -= inst.weight();
            self.origins.pop();
        }
    }

    /// Makes the frame reach up to a slot, which is not part of it.
    pub(crate) fn reach(&mut self, end: Slot) {
        self.frame = self.frame.max(end);
    }
}

/// Slots of several values.
pub(crate) fn slots(types: &[Type]) -> u32 {
    types.iter().map(|ty| ty.slots()).sum()
}

/// The instruction that copies a value.
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
