//! Frame layout: maps IR slots to frame slots.
//!
//! If all slots fit into 8-bit operands, the mapping is the identity. In a larger frame the first
//! locals and the lowest heights of the operand stack get slots below 240; the others are *far*
//! slots, accessed through the scratch slots 240 to 255 with `far_get` and `far_set`. Callee
//! windows lie above everything.

use super::super::ir::{self, Inst, Slot};
use crate::bytecode::Op;

use super::Emitter;

/// The first scratch slot.
pub(super) const SCRATCH: Slot = 240;

/// Slots that an 8-bit operand can name.
const NAMED: Slot = 256;

/// Stack heights that get near slots, if the frame has that many.
const NEAR_STACK: Slot = 120;

/// The layout of a function's frame.
pub(super) enum Layout {
    /// IR slots and frame slots are equal.
    Direct {
        /// Slots, including the link slots and base of every window.
        frame: Slot,
    },
    /// Some slots are far.
    Far {
        /// Slots of locals.
        locals: Slot,
        /// How many locals are near.
        near: Slot,
        /// The first slot of callee windows, link slots included.
        end: Slot,
        /// Slots, including the link slots and base of every window.
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

    /// The frame slot of an IR slot.
    pub(super) fn frame_slot(&self, slot: Slot) -> Slot {
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

    /// The frame slot of consecutive IR slots, if operands can name them.
    fn near(&self, slot: Slot, width: u32) -> Option<Slot> {
        let first = self.frame_slot(slot);
        let last = self.frame_slot(slot + width.max(1) - 1);
        (last < NAMED && last - first == width.max(1) - 1).then_some(first)
    }
}

/// The base of a call's window, and the slots above it that the caller uses.
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
    // Two link slots, and one for the index of an indirect call.
    Some((base, 2 + given.max(results) + 1))
}

impl Emitter<'_> {
    fn take_scratch(&mut self, width: u32) -> Slot {
        let slot = self.scratch;
        self.scratch += width;
        slot
    }

    /// A near slot from which an instruction can read the value; copies far slots to scratch slots.
    pub(super) fn read(&mut self, slot: Slot, width: u32) -> Slot {
        if let Some(frame_slot) = self.layout.near(slot, width) {
            return frame_slot;
        }
        let scratch = self.take_scratch(width);
        for word in 0..width {
            let frame_slot = self.layout.frame_slot(slot + word);
            self.word(Op::FarGet, scratch + word, frame_slot, frame_slot >> 8);
        }
        scratch
    }

    /// A near slot to which an instruction can write the value; call [`Self::write_back`] after it.
    pub(super) fn write(&mut self, slot: Slot, width: u32) -> Slot {
        match self.layout.near(slot, width) {
            Some(frame_slot) => frame_slot,
            None => self.take_scratch(width),
        }
    }

    /// Copies a result from its scratch slot to its far slot.
    pub(super) fn write_back(&mut self, slot: Slot, width: u32, frame_slot: Slot) {
        if self.layout.near(slot, width).is_some() {
            return;
        }
        for word in 0..width {
            let far = self.layout.frame_slot(slot + word);
            self.word(Op::FarSet, frame_slot + word, far, far >> 8);
        }
    }
}
