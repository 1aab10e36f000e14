//! Instructions of x86-64 whose registers are not chosen yet.
//!
//! One instruction of the register allocator is several items. Registers are named by slots: places in its list
//! of operands.

use iced_x86::{Code, OpKind, Register};

/// As what a register is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    R16,
    R32,
    R64,
    Xmm,
    Ymm,
    Zmm,
    K,
}

/// An operand of an instruction of the allocator, seen in a certain way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) index: u8,
    pub(crate) view: View,
}

impl Slot {
    /// All 64 bits of a general register.
    pub(crate) fn wide(self) -> Self {
        Self {
            view: View::R64,
            ..self
        }
    }

    /// The lower 16 bits of a general register.
    pub(crate) fn half(self) -> Self {
        Self {
            view: View::R16,
            ..self
        }
    }

    /// The lower 32 bits of a general register.
    pub(crate) fn narrow(self) -> Self {
        Self {
            view: View::R32,
            ..self
        }
    }
}

/// What an address begins or counts with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Slot(Slot),
    Fixed(Register),
    /// Constants, which lie in front of the code.
    Pool,
}

/// An operand in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    pub(crate) base: Place,
    pub(crate) index: Option<Place>,
    pub(crate) scale: u8,
    pub(crate) offset: i32,
    /// Whether one word is the operand of all lanes.
    pub(crate) is_broadcast: bool,
}

/// An operand of an instruction of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arg {
    /// A register, or the stack where the slot allows it.
    Slot(Slot),
    Fixed(Register),
    Memory(Address),
    Immediate(OpKind, i32),
}

/// An instruction of the machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instr {
    pub(crate) code: Code,
    pub(crate) args: [Option<Arg>; 4],
    /// The mask register, and whether lanes outside of it become 0.
    pub(crate) mask: Option<(Arg, bool)>,
    /// Whether others see it as one step.
    pub(crate) is_locked: bool,
}

/// A place in the code. The first ones are the blocks, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) u32);

/// When a jump is taken; the value is the machine's own number.
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
    /// The opposite.
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

    /// The same of operands that have changed places.
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

/// A piece of code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    Instr(Instr),
    /// The label is here.
    Bind(Label),
    /// Goes to a label of the same instruction.
    Jump(Label),
    JumpIf(Condition, Label),
    /// What follows up to [`Item::Warm`] is seldom done, and lies behind the rest of the code.
    Cold,
    Warm,
    /// Ends the block: goes to another.
    Go(Label),
    /// Ends the block: goes to the first where the condition holds, else to the second.
    Branch(Condition, Label, Label),
    /// Calls a function of the context, by number; ends this call with what that one gives unless it has finished.
    Call(u32),
    /// Ends the call with what `eax` has.
    Leave,
    /// Ends the call with this outcome where the condition holds.
    LeaveIf(Condition, u32),
}
