//! Encodes instructions that are neither branches nor calls, by their format.

use super::super::ir::{self, Operand, Plain, Slot};
use super::Emitter;
use crate::bytecode::{Format, Op};

impl Emitter<'_> {
    pub(super) fn plain(&mut self, plain: &Plain) {
        let Plain { op, a, b, c, extra } = *plain;
        let [wa, wb, wc] = op.widths().map(u32::from);
        let (low, high) = (extra as u32, (extra >> 32) as u32);
        match op.format() {
            Format::None => self.word(op, 0, 0, 0),
            Format::D => self.writing(op, a, wa, (0, 0), &[]),
            Format::Dx => {
                let b = self.read(b, wb);
                self.writing(op, a, wa, (b, 0), &[]);
            }
            Format::Dxy => {
                let (b, c) = (self.read(b, wb), self.read(c, wc));
                self.writing(op, a, wa, (b, c), &[]);
            }
            Format::Dxyz => {
                let (b, c) = (self.read(b, wb), self.read(c, wc));
                let z = self.read(low, 1);
                self.writing(op, a, wa, (b, c), &[z]);
            }
            Format::Dxi => {
                let b = self.read(b, wb);
                self.writing(op, a, wa, (b, 0), &[low]);
            }
            Format::Di => self.writing(op, a, wa, (0, 0), &[low]),
            Format::Dii => self.writing(op, a, wa, (0, 0), &[low, high]),
            Format::Dn => self.writing(op, a, wa, (low, low >> 8), &[]),
            Format::Load => {
                let b = self.read(b, wb);
                self.writing(op, a, wa, (b, c), &[low]);
            }
            Format::DxyTo => {
                let b = self.read(b, wb);
                let c = if wc == 0 { 0 } else { self.read(c, wc) };
                self.writing(op, a, wa, (b, c), &[low]);
            }
            Format::Xn
            | Format::X
            | Format::Xy
            | Format::Store
            | Format::XyTo
            | Format::Bulk
            | Format::Segment
            | Format::Host => self.plain_without_result(plain),
            // Branches and calls are not plain instructions.
            Format::T
            | Format::Xt
            | Format::Xyt
            | Format::Xit
            | Format::Table
            | Format::Call
            | Format::CallIndirect => {}
        }
    }

    /// An instruction that writes no slot, or a bulk instruction or host call.
    fn plain_without_result(&mut self, plain: &Plain) {
        let Plain { op, a, b, c, extra } = *plain;
        let [wa, wb, _] = op.widths().map(u32::from);
        let low = extra as u32;
        match op.format() {
            Format::Xn => {
                let a = self.read(a, wa);
                self.word(op, a, low, low >> 8);
            }
            Format::X => {
                let a = self.read(a, wa);
                self.word(op, a, 0, 0);
            }
            Format::Xy => {
                let (a, b) = (self.read(a, wa), self.read(b, wb));
                self.word(op, a, b, 0);
            }
            Format::Store => {
                let (a, b) = (self.read(a, wa), self.read(b, wb));
                self.word(op, a, b, c);
                self.raw(low);
            }
            Format::XyTo => {
                let (a, b) = (self.read(a, wa), self.read(b, wb));
                self.word(op, a, b, 0);
                self.raw(low);
            }
            Format::Bulk => {
                let (a, b, c) = (self.read(a, 1), self.read(b, 1), self.read(c, 1));
                self.word(op, a, b, c);
                self.raw(low);
            }
            Format::Segment => self.word(op, 0, low, low >> 8),
            Format::Host => self.host(a, low, b, c),
            // The others have a result.
            _ => {}
        }
    }

    fn writing(&mut self, op: Op, a: Slot, width: u32, (b, c): (u32, u32), following: &[u32]) {
        let frame_slot = self.write(a, width);
        self.word(op, frame_slot, b, c);
        for &word in following {
            self.raw(word);
        }
        self.write_back(a, width, frame_slot);
    }

    /// A host call with the slots of its arguments and results from `first` on.
    fn host(&mut self, first: Slot, number: u32, arguments: u32, results: u32) {
        let frame_slot = self.read(first, arguments.max(results));
        self.word(Op::Host, frame_slot, number, number >> 8);
        self.write_back(first, results, frame_slot);
    }

    /// Copies a value between slots, near or far.
    pub(super) fn copy(&mut self, to: Slot, from: Operand, width: u32) {
        if from != Operand::Slot(to) {
            self.scratch = super::frame::SCRATCH;
            self.plain(&ir::copy(to, from, width));
        }
    }
}
