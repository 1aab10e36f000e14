//! Where a function's slots are.
//!
//! Most frames fit: a slot's number is its place. In a larger one the first locals and the first
//! heights of the operand stack lie below slot 240, slots 240 to 255 are scratch for the others, and
//! windows of calls begin behind everything.

use crate::bytecode::Op;
use crate::ir::{self, Inst, Slot};

use super::Emitter;

/// The first scratch slot.
pub(super) const SCRATCH: Slot = 240;

/// Slots that an instruction can name.
const NAMED: Slot = 256;

/// Heights of the operand stack that are kept near, if there are as many.
const NEAR_STACK: Slot = 120;

/// Where a function's slots are.
pub(super) enum Layout {
    /// Where their numbers say.
    Direct {
        /// Slots with all windows' beginnings.
        frame: Slot,
    },
    /// Some of them far.
    Far {
        /// Slots of locals.
        locals: Slot,
        /// How many of those are near.
        near: Slot,
        /// Where windows of calls begin, their two slots included.
        end: Slot,
        /// Slots with all windows' beginnings.
        frame: Slot,
    },
}

impl Layout {
    pub(super) fn new(function: &ir::Function) -> Self {
        let (direct, window) =
            function
                .code
                .iter()
                .fold((function.frame, 0), |(direct, window), inst| {
                    match reach(inst) {
                        Some((base, slots)) => (direct.max(base + slots), window.max(slots)),
                        None => (direct, window),
                    }
                });
        if direct <= NAMED {
            return Self::Direct { frame: direct };
        }
        let stack = function.frame - function.locals;
        let near = SCRATCH - stack.min(NEAR_STACK);
        let signature = function.params.max(function.results);
        let near = near.max(signature).min(function.locals);
        let far_locals = function.locals - near;
        let far_stack = stack.saturating_sub(SCRATCH - near);
        let end = NAMED + far_locals + far_stack;
        Self::Far {
            locals: function.locals,
            near,
            end,
            frame: end + window,
        }
    }

    pub(super) fn frame(&self) -> Slot {
        match self {
            Self::Direct { frame } | Self::Far { frame, .. } => *frame,
        }
    }

    /// The place of a slot.
    pub(super) fn place(&self, slot: Slot) -> Slot {
        match *self {
            Self::Direct { .. } => slot,
            Self::Far { locals, near, .. } if slot < locals => {
                if slot < near {
                    slot
                } else {
                    NAMED + slot - near
                }
            }
            Self::Far { locals, near, .. } => {
                let (height, near_stack) = (slot - locals, SCRATCH - near);
                if height < near_stack {
                    near + height
                } else {
                    NAMED + (locals - near) + height - near_stack
                }
            }
        }
    }

    /// The place of consecutive slots, if instructions can name them.
    fn near(&self, slot: Slot, width: u32) -> Option<Slot> {
        let first = self.place(slot);
        let last = self.place(slot + width.max(1) - 1);
        (last < NAMED && last - first == width.max(1) - 1).then_some(first)
    }
}

/// The base of a call's window and how many slots behind it the caller uses.
fn reach(inst: &Inst) -> Option<(Slot, u32)> {
    let (arguments, base, results) = match inst {
        Inst::Call {
            arguments,
            base,
            results,
            ..
        }
        | Inst::CallIndirect {
            arguments,
            base,
            results,
            ..
        } => (arguments, *base, *results),
        _ => return None,
    };
    let given: u32 = arguments.iter().map(|argument| argument.width).sum();
    // Two slots of the call's own, and one for the index of an indirect call.
    Some((base, 2 + given.max(results) + 1))
}

impl Emitter<'_> {
    fn take_scratch(&mut self, width: u32) -> Slot {
        let slot = self.scratch;
        self.scratch += width;
        slot
    }

    /// Where an instruction can read consecutive slots.
    pub(super) fn read(&mut self, slot: Slot, width: u32) -> Slot {
        if let Some(place) = self.layout.near(slot, width) {
            return place;
        }
        let scratch = self.take_scratch(width);
        for word in 0..width {
            let place = self.layout.place(slot + word);
            self.word(Op::FarGet, scratch + word, place, place >> 8);
        }
        scratch
    }

    /// Where an instruction can write consecutive slots; [`Self::written`] must follow it.
    pub(super) fn write(&mut self, slot: Slot, width: u32) -> Slot {
        match self.layout.near(slot, width) {
            Some(place) => place,
            None => self.take_scratch(width),
        }
    }

    /// Takes what was written to `place` to where it belongs.
    pub(super) fn written(&mut self, slot: Slot, width: u32, place: Slot) {
        if self.layout.near(slot, width).is_some() {
            return;
        }
        for word in 0..width {
            let far = self.layout.place(slot + word);
            self.word(Op::FarSet, place + word, far, far >> 8);
        }
    }
}
