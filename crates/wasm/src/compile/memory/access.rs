//! Loads and stores.
//!
//! In: an address and where it points. Out: bounds checks and word accesses. The check of a linear
//! memory is WebAssembly's, without wrapping. The word index is the linear form of the offset in
//! the object with all factors divided by 4 where they are multiples of 4, else a shift.

use super::super::analysis::linear::Linear;
use super::super::ir::{Access, Binary, Object, Trap, Type, Unary, Value, Width};
use super::Lowering;
use super::layout::PAGE;
use super::plan::{Size, Target};
use super::survey::{Operand, numeric};
use super::words::{Place, Shift};

impl Lowering<'_> {
    /// The value of a load.
    pub(super) fn load(&mut self, inst: Value, access: Access, address: Value) -> Value {
        let place = self.place(inst, Operand::To, address, access);
        let editor = &mut self.editor;
        let ty = access.ty;
        let (bits, is_signed) = match access.width {
            Width::Full => return place.read_typed(editor, ty),
            Width::Bits8 { signed } => (8, signed),
            Width::Bits16 { signed } => (16, signed),
            Width::Bits32 { signed } => (32, signed),
        };
        let mut word = place.read(editor, bits / 8);
        if is_signed && bits < 32 {
            let unary = if bits == 8 {
                Unary::Extend8
            } else {
                Unary::Extend16
            };
            word = editor.unary(unary, word);
        }
        match (ty, is_signed) {
            (Type::I64, true) => editor.unary(Unary::SignExtend, word),
            (Type::I64, false) => editor.unary(Unary::ZeroExtend, word),
            _ => word,
        }
    }

    /// A store.
    pub(super) fn store(&mut self, inst: Value, access: Access, address: Value, value: Value) {
        let place = self.place(inst, Operand::To, address, access);
        let editor = &mut self.editor;
        if access.width == Width::Full {
            place.write_typed(editor, value);
            return;
        }
        let word = match access.ty {
            Type::I64 => editor.unary(Unary::Wrap, value),
            _ => value,
        };
        place.write(editor, access.bytes(), word);
    }

    /// Checks an access, and finds its place.
    fn place(&mut self, inst: Value, operand: Operand, address: Value, access: Access) -> Place {
        let target = self.plan.target(inst, operand);
        let bytes = access.bytes();
        match target {
            Target::Object { object, base } => {
                // Compilers make addresses as aligned as they say, as they keep addresses in
                // their objects.
                let hint = u32::from(access.align);
                let offset = access.offset.wrapping_sub(base);
                self.place_in(object, address, offset, bytes, hint)
            }
            Target::Linear => {
                self.check(address, access.offset, bytes, access.trap);
                let Some(object) = self.plan.linear else {
                    // Nobody reaches this: every linear target has made the plan linear.
                    return self.nowhere();
                };
                self.place_in(object, address, access.offset, bytes, 0)
            }
        }
    }

    fn nowhere(&mut self) -> Place {
        let index = self.editor.word(u32::MAX);
        Place {
            object: Object(0),
            index,
            shift: Shift::Aligned,
        }
    }

    /// The place of bytes at an address plus an offset, which is in bounds. The address has at
    /// least `hint` low zero bits.
    pub(super) fn place_in(
        &mut self,
        object: Object,
        address: Value,
        offset: u32,
        bytes: u32,
        hint: u32,
    ) -> Place {
        let mut form = self.numeric(address);
        form.constant = form.constant.wrapping_add(offset);
        let zeros = self.alignment.of_sum(&form).max(hint);
        if self.plan.linear.is_some() && !form.terms.is_empty() {
            // Only the value can be divided, and it is there already.
            form = Linear::constant(offset).plus(&Linear::value(address), 1);
        }
        let index = self.word_index(&form);
        let shift = if zeros >= 2 {
            Shift::Aligned
        } else {
            let shift = self.bit_in_word(&form);
            if bytes.trailing_zeros() <= zeros {
                Shift::Within(shift)
            } else {
                match self.editor.function.as_word(shift) {
                    Some(0) => Shift::Aligned,
                    Some(bit) if bit + 8 * bytes <= 32 => Shift::Within(shift),
                    _ => Shift::Crossing(shift),
                }
            }
        };
        Place {
            object,
            index,
            shift,
        }
    }

    /// The linear form of an address, with numbers for the stack pointer and the slices.
    pub(super) fn numeric(&self, address: Value) -> Linear {
        numeric(self.editor.function, self.forms, self.layout, address)
    }

    /// The index of the word with a byte. In a linear memory the form can have wrapped, so that
    /// only its value can be divided.
    pub(super) fn word_index(&mut self, form: &Linear) -> Value {
        let is_multiple = |&(_, factor): &(Value, u32)| factor % 4 == 0;
        let is_exact = self.plan.linear.is_none() || form.terms.is_empty();
        if is_exact && form.terms.iter().all(is_multiple) {
            // Division of the factors as signed numbers; the constant is rounded down.
            let quarter = |word: u32| (word.cast_signed() >> 2).cast_unsigned();
            let terms = form.terms.iter();
            let mut index = Linear::constant(quarter(form.constant));
            index.terms = terms.map(|&(v, factor)| (v, quarter(factor))).collect();
            if form.terms.is_empty() {
                index.constant = form.constant / 4;
            }
            return self.editor.sum(&index);
        }
        let offset = self.editor.sum(form);
        self.editor.binary_word(Binary::ShrUnsigned, offset, 2)
    }

    /// The position of a byte in its word, in bits: terms that are multiples of 4 do not matter.
    fn bit_in_word(&mut self, form: &Linear) -> Value {
        let mut rest = Linear::constant(form.constant % 4);
        let odd = form.terms.iter().filter(|(_, factor)| factor % 4 != 0);
        rest.terms = odd.map(|&(value, factor)| (value, factor % 4)).collect();
        let sum = self.editor.sum(&rest);
        let byte = self.editor.binary_word(Binary::And, sum, 3);
        self.editor.binary_word(Binary::Shl, byte, 3)
    }

    /// Traps unless some bytes at an address plus an offset are in the linear memory.
    pub(super) fn check(&mut self, address: Value, offset: u32, bytes: u32, trap: Trap) {
        let needed = offset.checked_add(bytes);
        let form = self.numeric(address);
        let address = match form.as_constant() {
            Some(word) => self.editor.word(word),
            None => address,
        };
        let size = self.size();
        let editor = &mut self.editor;
        let is_outside = match needed {
            None => editor.condition(true),
            Some(needed) => {
                let needed = editor.word(needed);
                let is_large = editor.binary(Binary::LtUnsigned, size, needed);
                let last = editor.binary(Binary::Sub, size, needed);
                let is_beyond = editor.binary(Binary::LtUnsigned, last, address);
                editor.binary(Binary::Or, is_large, is_beyond)
            }
        };
        editor.trap_if(is_outside, trap);
    }

    /// The size of the linear memory in bytes.
    pub(super) fn size(&mut self) -> Value {
        match self.plan.size {
            Size::Fixed(pages) => self.editor.word(pages.saturating_mul(PAGE)),
            Size::Counter(counter) => {
                let pages = self.pages(counter);
                self.editor
                    .binary_word(Binary::Shl, pages, PAGE.trailing_zeros())
            }
        }
    }

    /// The current number of pages.
    pub(super) fn pages(&mut self, counter: Object) -> Value {
        let first = self.editor.word(0);
        self.editor.load(counter, first)
    }
}
