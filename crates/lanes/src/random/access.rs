//! Memory accesses, each with the check that keeps it in bounds.

use super::{BUFFERS, FRAME_BYTES, Generator, IMMEDIATE_WORDS, WORKGROUP_WORDS};
use crate::ir::{
    AtomicOp, AtomicScope, LaneCompare, MaskBinary, Op, Row, Space, Type, Value, WordBinary,
    WordCompare,
};

/// A row without limit and mask.
pub(super) const PLAIN_ROW: Row = Row {
    offset: 0,
    is_limited: false,
    is_masked: false,
};

const ATOMIC: [AtomicOp; 10] = [
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::MinU,
    AtomicOp::MaxU,
    AtomicOp::MinS,
    AtomicOp::MaxS,
    AtomicOp::Exchange,
];

impl Generator {
    /// Generates a memory access.
    pub(super) fn access(&mut self) {
        match self.random.below(6) {
            0 => self.load_uniform(),
            1 | 2 => self.row(),
            3 => self.load_known(),
            _ => self.scattered(),
        }
    }

    /// Loads a word of read-only memory.
    fn load_known(&mut self) {
        let space = self.random.pick(&[Space::Immediates, Space::Constants]);
        let base = self.emit(Op::Base(space), &[]);
        let offset = self.random.below(IMMEDIATE_WORDS as usize) as i32;
        let word = self.emit(Op::LoadWord(offset), &[base]);
        self.offer(word);
    }

    fn load_uniform(&mut self) {
        let (base, length, _) = self.space();
        let index = self.draw(Type::Word);
        let exists = self.emit(Op::WordCompare(WordCompare::LtU), &[index, length]);
        let address = self.emit(Op::AdvanceOrZeros, &[base, index, exists]);
        let load = self.random.pick(&[Op::LoadWord(0), Op::LoadSplat(0)]);
        let loaded = self.emit(load, &[address]);
        self.offer(loaded);
    }

    /// The base address of a random memory, its length in words, and the scope of atomics on it.
    fn space(&mut self) -> (Value, Value, AtomicScope) {
        let buffer = self.random.below(BUFFERS as usize) as u32;
        let workgroup = (
            Space::Workgroup,
            Op::Word(WORKGROUP_WORDS),
            AtomicScope::Thread,
        );
        let frame = (
            Space::Frame(self.frame),
            Op::Word(FRAME_BYTES / 4),
            AtomicScope::Thread,
        );
        let shared = (
            Space::Buffer(buffer),
            Op::Length(buffer),
            AtomicScope::Threads,
        );
        let (space, length, sharing) = self.random.pick(&[workgroup, frame, shared, shared]);
        let base = self.emit(Op::Base(space), &[]);
        (base, self.emit(length, &[]), sharing)
    }

    fn row(&mut self) {
        let (base, length, sharing) = self.space();
        // Memory other than buffers has at least 64 words, so that an index below 32 needs no limit.
        let is_limited = sharing == AtomicScope::Threads || self.random.once_in(2);
        let mut index = self.draw(Type::Word);
        if !is_limited {
            let few = self.emit(Op::Word(31), &[]);
            index = self.emit(Op::WordBinary(WordBinary::And), &[index, few]);
        }
        let is_masked = self.random.once_in(2);
        let offset = if is_limited {
            0
        } else {
            self.random.below(17) as i32
        };
        let row = Row {
            offset,
            is_limited,
            is_masked,
        };
        let is_store = self.random.once_in(2);
        let mut operands = vec![base, index];
        if is_store {
            operands.push(self.draw(Type::Lanes));
        }
        if is_limited {
            operands.push(length);
        }
        if is_masked {
            operands.push(self.draw(Type::Mask));
        }
        if is_store && is_limited && !is_masked && self.random.once_in(2) {
            self.emit(Op::StoreRowNonTemporal(offset), &operands);
        } else if is_store {
            self.emit(Op::StoreRow(row), &operands);
        } else {
            let loaded = self.emit(Op::LoadRow(row), &operands);
            self.offer(loaded);
        }
    }

    fn scattered(&mut self) {
        let (base, length, sharing) = self.space();
        let index = self.draw(Type::Lanes);
        let limit = self.emit(Op::Broadcast, &[length]);
        let less = Op::Compare(LaneCompare::Int(WordCompare::LtU));
        let exists = self.emit(less, &[index, limit]);
        let mask = self.draw(Type::Mask);
        let mask = self.emit(Op::MaskBinary(MaskBinary::And), &[exists, mask]);
        let (values, expected) = (self.draw(Type::Lanes), self.draw(Type::Lanes));
        let result = match self.random.below(6) {
            5 => {
                // There are twice as many 16-bit units as words, so that an index in bounds for words is in bounds
                // here.
                self.emit(Op::ScatterHalves(0), &[base, index, values, mask]);
                return;
            }
            0 => {
                self.emit(Op::Scatter(0), &[base, index, values, mask]);
                return;
            }
            1 | 2 => self.emit(Op::Gather(0), &[base, index, mask]),
            3 => {
                let op = Op::Atomic(self.random.pick(&ATOMIC), sharing, 0);
                self.emit(op, &[base, index, values, mask])
            }
            _ => {
                let op = Op::CompareExchange(sharing, 0);
                self.emit(op, &[base, index, expected, values, mask])
            }
        };
        self.offer(result);
    }
}
