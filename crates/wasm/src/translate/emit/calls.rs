//! Emits calls.
//!
//! The callee's frame is a window that begins after the caller's live slots. The two slots below it
//! are the link slots (return address and frame position), so arguments move up by two slots, and
//! results down. In frames with far slots, windows lie above all other slots.

use super::super::ir::{Argument, Inst, Operand, Slot};
use super::Emitter;
use super::frame::{Layout, SCRATCH};
use crate::bytecode::Op;

impl Emitter<'_> {
    /// Emits a call; returns whether the copy that follows was merged into it.
    pub(super) fn call(&mut self, inst: &Inst, next: Option<&Inst>) -> bool {
        match inst {
            Inst::Call {
                function,
                arguments,
                base,
                results,
                ..
            } => {
                let window = self.pass(*base, arguments);
                let number = self.indices.function_index(*function);
                self.word(Op::Call, window, window >> 8, window >> 16);
                self.raw(number);
                self.finish_call(*base, window, *results, next)
            }
            Inst::CallIndirect {
                table,
                type_index,
                index,
                arguments,
                base,
                results,
            } => {
                let index = self.keep_index(*index, *base, arguments);
                let window = self.pass(*base, arguments);
                self.word(Op::CallIndirect, window, window >> 8, window >> 16);
                self.raw(*type_index);
                self.raw((index & 0xff) | (table & 0xff) << 8);
                self.finish_call(*base, window, *results, next)
            }
            _ => false,
        }
    }

    /// Copies results to their slots. If the only result is copied by the next instruction, it goes
    /// directly to the destination: the lowering reads a result in its home slot once.
    fn finish_call(&mut self, base: Slot, window: Slot, results: u32, next: Option<&Inst>) -> bool {
        if let (Layout::Direct { .. }, Some(Inst::Plain(copy))) = (&self.layout, next)
            && matches!(copy.op, Op::Move | Op::Move64)
            && copy.b == base
            && u32::from(copy.op.widths()[1]) == results
        {
            self.copy(copy.a, Operand::Slot(window), results);
            return true;
        }
        self.take_results(base, window, results);
        false
    }

    /// The first slot of a callee's window.
    fn window(&self, base: Slot) -> Slot {
        match self.layout {
            Layout::Direct { .. } => base + 2,
            Layout::Far { end, .. } => end + 2,
        }
    }

    /// Puts the element index where no argument overwrites it.
    fn keep_index(&mut self, index: Operand, base: Slot, arguments: &[Argument]) -> Slot {
        let given: u32 = arguments.iter().map(|argument| argument.width).sum();
        let kept = match self.layout {
            Layout::Direct { .. } => base + 2 + given,
            // Passing arguments uses the scratch slots from the first one on.
            Layout::Far { .. } => SCRATCH + 15,
        };
        match (&self.layout, index) {
            (_, Operand::Const(bits)) => {
                self.word(Op::Const, kept, 0, 0);
                self.raw(bits as u32);
            }
            // A slot below the window keeps its value.
            (Layout::Direct { .. }, Operand::Slot(slot)) if slot < base => return slot,
            (_, Operand::Slot(slot)) => {
                let frame_slot = self.read(slot, 1);
                self.word(Op::Move, kept, frame_slot, 0);
            }
        }
        kept
    }

    fn pass(&mut self, base: Slot, arguments: &[Argument]) -> Slot {
        let window = self.window(base);
        let given: u32 = arguments.iter().map(|argument| argument.width).sum();
        let mut to = window + given;
        // The last argument first, since they move up.
        for argument in arguments.iter().rev() {
            to -= argument.width;
            match self.layout {
                Layout::Direct { .. } => self.copy(to, argument.operand, argument.width),
                Layout::Far { .. } => self.pass_far(to, *argument),
            }
        }
        window
    }

    fn pass_far(&mut self, to: Slot, argument: Argument) {
        for word in 0..argument.width {
            self.scratch = SCRATCH;
            let from = match argument.operand {
                Operand::Slot(slot) => self.read(slot + word, 1),
                Operand::Const(bits) => {
                    self.word(Op::Const, SCRATCH, 0, 0);
                    self.raw((bits >> (32 * word)) as u32);
                    SCRATCH
                }
            };
            let far = to + word;
            self.word(Op::FarSet, from, far, far >> 8);
        }
    }

    fn take_results(&mut self, base: Slot, window: Slot, results: u32) {
        match self.layout {
            Layout::Direct { .. } => {
                let mut word = 0;
                while word < results {
                    let width = (results - word).min(2);
                    self.copy(base + word, Operand::Slot(window + word), width);
                    word += width;
                }
            }
            Layout::Far { .. } => {
                for word in 0..results {
                    self.scratch = SCRATCH;
                    let (far, to) = (window + word, base + word);
                    let frame_slot = self.write(to, 1);
                    self.word(Op::FarGet, frame_slot, far, far >> 8);
                    self.write_back(to, 1, frame_slot);
                }
            }
        }
    }
}
