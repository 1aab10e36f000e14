//! Bytes of words: reads and writes of up to 4 bytes at any position.
//!
//! In: a [`Place`]. Out: word accesses of its object, with shifts and masks. Words that other
//! invocations may access are changed by atomic operations, so that their other bytes stay.

use super::super::ir::{Binary, Object, Op, Type, Unary, Value};
use super::editor::Editor;
use super::plan::is_shared;
use crate::module::AtomicOp;

/// The position of an access in an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) object: Object,
    /// The index of the word that has its first byte.
    pub(super) index: Value,
    pub(super) shift: Shift,
}

/// Where the first byte is in its word, in bits.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shift {
    /// At bit 0.
    Aligned,
    /// At this bit, and the access does not cross the end of the word.
    Within(Value),
    /// At this bit.
    Crossing(Value),
}

/// The mask of the low bytes.
const fn mask(bytes: u32) -> u32 {
    if bytes < 4 {
        (1 << (8 * bytes)) - 1
    } else {
        u32::MAX
    }
}

impl Place {
    /// The place some words later.
    pub(super) fn later(self, editor: &mut Editor<'_>, words: u32) -> Self {
        Self {
            index: editor.binary_word(Binary::Add, self.index, words),
            ..self
        }
    }

    /// Reads up to 4 bytes, extended with zeros.
    pub(super) fn read(self, editor: &mut Editor<'_>, bytes: u32) -> Value {
        let word = self.read_word(editor, self.index);
        let bits = match self.shift {
            Shift::Aligned => word,
            Shift::Within(shift) => editor.binary(Binary::ShrUnsigned, word, shift),
            Shift::Crossing(shift) => {
                let next = editor.binary_word(Binary::Add, self.index, 1);
                let next = self.read_word(editor, next);
                let low = editor.binary(Binary::ShrUnsigned, word, shift);
                // Two shifts, since one by 32 would be one by 0.
                let doubled = editor.binary_word(Binary::Shl, next, 1);
                let full = editor.word(31);
                let rest = editor.binary(Binary::Sub, full, shift);
                let high = editor.binary(Binary::Shl, doubled, rest);
                editor.binary(Binary::Or, low, high)
            }
        };
        editor.binary_word(Binary::And, bits, mask(bytes))
    }

    /// Writes the low bytes of a word.
    pub(super) fn write(self, editor: &mut Editor<'_>, bytes: u32, value: Value) {
        let low = mask(bytes);
        match self.shift {
            Shift::Aligned if bytes == 4 => editor.store(self.object, self.index, value),
            Shift::Aligned => {
                let zero = editor.word(0);
                self.write_within(editor, low, value, zero);
            }
            Shift::Within(shift) => self.write_within(editor, low, value, shift),
            Shift::Crossing(shift) => self.write_crossing(editor, low, value, shift),
        }
    }

    fn write_within(self, editor: &mut Editor<'_>, low: u32, value: Value, shift: Value) {
        let part = editor.binary_word(Binary::And, value, low);
        let part = editor.binary(Binary::Shl, part, shift);
        let low = editor.word(low);
        let taken = editor.binary(Binary::Shl, low, shift);
        self.replace(editor, self.index, taken, part);
    }

    /// The second word is the first one again, unchanged, if the access does not cross: the next
    /// word could belong to another invocation.
    fn write_crossing(self, editor: &mut Editor<'_>, low: u32, value: Value, shift: Value) {
        let full = editor.word(31);
        let rest = editor.binary(Binary::Sub, full, shift);
        let part = editor.binary_word(Binary::And, value, low);
        let low = editor.word(low);
        let spilled = |editor: &mut Editor<'_>, word| {
            let half = editor.binary_word(Binary::ShrUnsigned, word, 1);
            editor.binary(Binary::ShrUnsigned, half, rest)
        };
        let taken = spilled(editor, low);
        let bits = spilled(editor, part);
        let next = editor.binary_word(Binary::Add, self.index, 1);
        let none = editor.word(0);
        let is_within = editor.binary(Binary::Eq, taken, none);
        let second = editor.select(is_within, self.index, next);
        self.replace(editor, second, taken, bits);
        let taken = editor.binary(Binary::Shl, low, shift);
        let bits = editor.binary(Binary::Shl, part, shift);
        self.replace(editor, self.index, taken, bits);
    }

    /// Replaces the bits of a mask.
    fn replace(self, editor: &mut Editor<'_>, index: Value, taken: Value, bits: Value) {
        let kept = editor.function.as_word(taken).map(|taken| !taken);
        let kept = match kept {
            Some(kept) => editor.word(kept),
            None => {
                let ones = editor.word(u32::MAX);
                editor.binary(Binary::Xor, taken, ones)
            }
        };
        if is_shared(editor.function, self.object) {
            editor.function.objects[self.object.0 as usize].written = true;
            for (function, value) in [(AtomicOp::And, kept), (AtomicOp::Or, bits)] {
                let op = Op::ObjectAtomic {
                    object: self.object,
                    function,
                    index,
                    value,
                };
                editor.push(op, Type::I32);
            }
        } else {
            let word = self.read_word(editor, index);
            let rest = editor.binary(Binary::And, word, kept);
            let word = editor.binary(Binary::Or, rest, bits);
            editor.store(self.object, index, word);
        }
    }

    fn read_word(self, editor: &mut Editor<'_>, index: Value) -> Value {
        let word = editor.load(self.object, index);
        editor.reinterpret(word, Type::I32)
    }

    /// Reads a number of a type with 4 or 8 bytes.
    pub(super) fn read_typed(self, editor: &mut Editor<'_>, ty: Type) -> Value {
        if ty.bits() == 32 {
            if let Shift::Aligned = self.shift {
                let word = editor.load(self.object, self.index);
                return editor.reinterpret(word, ty);
            }
            let word = self.read(editor, 4);
            return editor.reinterpret(word, ty);
        }
        let low = self.read(editor, 4);
        let high = self.later(editor, 1).read(editor, 4);
        let [low, high] = [low, high].map(|word| editor.unary(Unary::ZeroExtend, word));
        let shift = editor.function.constant(Type::I64, 32);
        let high = editor.binary(Binary::Shl, high, shift);
        let whole = editor.binary(Binary::Or, low, high);
        editor.reinterpret(whole, ty)
    }

    /// Writes a number of a type with 4 or 8 bytes.
    pub(super) fn write_typed(self, editor: &mut Editor<'_>, value: Value) {
        let ty = editor.function.ty(value);
        if ty.bits() == 32 {
            if let Shift::Aligned = self.shift {
                editor.store(self.object, self.index, value);
            } else {
                let word = editor.reinterpret(value, Type::I32);
                self.write(editor, 4, word);
            }
            return;
        }
        let whole = editor.reinterpret(value, Type::I64);
        let low = editor.unary(Unary::Wrap, whole);
        let shift = editor.function.constant(Type::I64, 32);
        let high = editor.binary(Binary::ShrUnsigned, whole, shift);
        let high = editor.unary(Unary::Wrap, high);
        self.write(editor, 4, low);
        self.later(editor, 1).write(editor, 4, high);
    }
}
