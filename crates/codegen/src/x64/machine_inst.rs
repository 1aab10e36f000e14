//! x86-64 instructions before register allocation.
//!
//! One instruction of the register allocator is a group of items: machine instructions, labels and jumps (compare
//! Cranelift's pseudo-instructions, which emit several machine instructions). Items name registers by slots, which are
//! indices into the operand list of the group.

use iced_x86::{Code, OpKind, Register};

/// The name by which an instruction refers to a register: its class and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegView {
    R16,
    R32,
    R64,
    Xmm,
    Ymm,
    Zmm,
    K,
}

/// An operand of the group, accessed under one register name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) index: u8,
    pub(crate) view: RegView,
}

impl Slot {
    /// All 64 bits of a general register.
    pub(crate) fn wide(self) -> Self {
        Self {
            view: RegView::R64,
            ..self
        }
    }

    /// The lower 16 bits of a general register.
    pub(crate) fn half(self) -> Self {
        Self {
            view: RegView::R16,
            ..self
        }
    }

    /// The lower 32 bits of a general register.
    pub(crate) fn narrow(self) -> Self {
        Self {
            view: RegView::R32,
            ..self
        }
    }
}

/// The base or index of an address.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AddressRegister {
    Slot(Slot),
    Fixed(Register),
    /// The constant pool, relative to `rip`.
    Pool,
}

/// A memory operand: base + index * scale + offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) base: AddressRegister,
    pub(crate) index: Option<AddressRegister>,
    pub(crate) scale: u8,
    pub(crate) offset: i32,
    /// Whether one word is broadcast to all lanes (EVEX embedded broadcast).
    pub(crate) is_broadcast: bool,
}

/// An operand of a machine instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    /// A register, or a spill slot where the operand constraint allows it.
    Slot(Slot),
    Fixed(Register),
    Memory(Address),
    Immediate(OpKind, i32),
}

/// A machine instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MachineInst {
    pub(crate) code: Code,
    pub(crate) args: [Option<Arg>; 4],
    /// The mask register, and whether it is zeroing-masking (inactive lanes become 0) rather than merging-masking.
    pub(crate) mask: Option<(Arg, bool)>,
    /// Whether it has a `lock` prefix.
    pub(crate) is_locked: bool,
}

/// A jump target. The first labels are the blocks, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) u32);

/// A condition code; the value is its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Condition {
    Below = 2,
    NotBelow = 3,
    Equal = 4,
    NotEqual = 5,
    NotAbove = 6,
    Above = 7,
    Less = 12,
    NotLess = 13,
    NotGreater = 14,
    Greater = 15,
}

impl Condition {
    /// The negated condition.
    pub(crate) fn not(self) -> Self {
        match self {
            Self::Below => Self::NotBelow,
            Self::NotBelow => Self::Below,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::NotAbove => Self::Above,
            Self::Above => Self::NotAbove,
            Self::Less => Self::NotLess,
            Self::NotLess => Self::Less,
            Self::NotGreater => Self::Greater,
            Self::Greater => Self::NotGreater,
        }
    }

    /// The condition for swapped operands.
    pub(crate) fn swapped(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Below => Self::Above,
            Self::Above => Self::Below,
            Self::NotBelow => Self::NotAbove,
            Self::NotAbove => Self::NotBelow,
            Self::Less => Self::Greater,
            Self::Greater => Self::Less,
            Self::NotLess => Self::NotGreater,
            Self::NotGreater => Self::NotLess,
        }
    }
}

/// An element of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum GroupItem {
    MachineInst(MachineInst),
    /// Binds a label to this position.
    Bind(Label),
    /// Jumps to a label of the same group.
    Jump(Label),
    JumpIf(Condition, Label),
    /// Begins cold code, up to [`GroupItem::EndCold`], which is emitted out of line after all blocks.
    Cold,
    EndCold,
    /// Ends the block with a jump.
    JumpToBlock(Label),
    /// Ends the block: jumps to the first label if the condition holds, else to the second.
    Branch(Condition, Label, Label),
    /// Calls a function of the context, by number. Returns its outcome unless it has finished.
    Call(u32),
    /// Returns the outcome in `eax`.
    Return,
    /// Returns this outcome if the condition holds.
    ReturnIf(Condition, u32),
}
