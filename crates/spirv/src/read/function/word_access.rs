//! Address computation, loads and stores in buffers represented as words (see `word_buffers.rs`).
//!
//! In: a pointer into such a buffer. Out: naga expressions that compute a byte address from the offsets and strides of
//! the module, and load or store the words there. A number of 8 or 16 bits is a part of a word, and is stored by
//! atomic operations; wider numbers are composed from words.

use crate::read::function::Expr;
use anywarp_program::naga::{
    AtomicFunction, BinaryOperator as Binary, Expression, Literal, MathFunction as Math, Scalar,
    ScalarKind, Statement, TypeInner, UnaryOperator, VectorSize,
};
use rspirv::spirv::Decoration;

use super::body::Body;
use super::memory::{Index, Pointer, Root, Step};
use crate::error::{ReadError, Result};
use crate::module::Id;
use crate::read::layout::MatrixLayout;
use crate::read::types::Type;
use crate::read::word_buffers::WordRepresentation;

/// A byte address in a buffer: a dynamic offset plus a constant one.
#[derive(Clone, Copy)]
pub(super) struct Address {
    /// The dynamic offset.
    pub(super) moving: Option<Expr>,
    /// A known divisor of the dynamic offset.
    pub(super) multiple: u32,
    pub(super) fixed: u32,
}

/// The type at an address and its layout.
#[derive(Clone, Copy)]
pub(super) struct WordLayout {
    ty: Id,
    matrix: Option<MatrixLayout>,
    /// The byte stride between vector components, if the vector is a column of a row-major matrix.
    spread: Option<u32>,
}

impl Body<'_, '_> {
    /// The word representation of the buffer that a pointer points into, if it has one.
    pub(super) fn buffer_words(&self, pointer: &Pointer) -> Option<WordRepresentation> {
        match pointer.root {
            Root::Global(global) => self.reader.buffers.words.get(&global).copied(),
            _ => None,
        }
    }

    pub(super) fn load_words(
        &mut self,
        pointer: &Pointer,
        words: WordRepresentation,
    ) -> Result<Expr> {
        let (address, shape) = self.address(pointer)?;
        let base = self.base(pointer)?;
        self.load_shape(base, words, address, shape)
    }

    pub(super) fn store_words(
        &mut self,
        pointer: &Pointer,
        words: WordRepresentation,
        value: Expr,
    ) -> Result<()> {
        if matches!(
            words,
            WordRepresentation::Fours | WordRepresentation::PushConstants(_)
        ) {
            return Err(ReadError::invalid("what only the host writes is written"));
        }
        let (address, shape) = self.address(pointer)?;
        let base = self.base(pointer)?;
        self.store_shape(base, words, address, shape, value)
    }

    /// A pointer to the word of a 32-bit integer, for atomic instructions.
    pub(super) fn word_pointer(&mut self, pointer: &Pointer) -> Result<Expr> {
        let (address, _) = self.address(pointer)?;
        let base = self.base(pointer)?;
        let index = self.word_index(address);
        Ok(self.add(Expression::Access { base, index }))
    }

    /// The atomic word with a narrow number, and its bit offset in the word. `None` if the pointer is not into a
    /// buffer of atomic words.
    pub(super) fn atomic_part(&mut self, pointer: &Pointer) -> Result<Option<(Expr, Expr)>> {
        if self.buffer_words(pointer) != Some(WordRepresentation::Atomic) {
            return Ok(None);
        }
        let (address, _) = self.address(pointer)?;
        let base = self.base(pointer)?;
        let index = self.word_index(address);
        let word = self.add(Expression::Access { base, index });
        Ok(Some((word, self.part_shift(address))))
    }

    /// The length of a runtime array; the pointer is to the array member of a struct.
    pub(super) fn words_length(&mut self, pointer: &Pointer) -> Result<Expr> {
        let (address, shape) = self.address(pointer)?;
        let base = self.base(pointer)?;
        let words = self.add(Expression::ArrayLength(base));
        let four = self.literal(Literal::U32(4));
        let bytes = self.two(Binary::Multiply, words, four);
        let stride = self.stride(shape.ty)?;
        let offset = self.bytes(address);
        let left = self.two(Binary::Subtract, bytes, offset);
        let stride = self.literal(Literal::U32(stride.max(1)));
        Ok(self.two(Binary::Divide, left, stride))
    }

    /// The array of words; for an array of buffers, that of the selected buffer.
    fn base(&mut self, pointer: &Pointer) -> Result<Expr> {
        match pointer.root {
            Root::Global(global) => {
                let base = self.global(global);
                if !self.is_array_of_buffers(pointer)? {
                    return Ok(base);
                }
                let Some(Step::Index(index)) = pointer.steps.first().copied() else {
                    return Err(ReadError::unsupported("an array of buffers as a whole"));
                };
                let index = self.index_value(index)?;
                let base = self.add(Expression::Access { base, index });
                Ok(self.add(Expression::AccessIndex { base, index: 0 }))
            }
            _ => Err(ReadError::invalid(
                "a pointer begins in no variable of the module",
            )),
        }
    }

    fn is_array_of_buffers(&self, pointer: &Pointer) -> Result<bool> {
        Ok(matches!(
            self.reader.types.get(pointer.ty)?,
            Type::Array { .. } | Type::RuntimeArray { .. }
        ))
    }

    fn stride(&self, array: Id) -> Result<u32> {
        let stride = self
            .reader
            .spirv
            .decorations
            .value(array, Decoration::ArrayStride);
        stride.ok_or_else(|| ReadError::invalid(format!("array {array} has no ArrayStride")))
    }

    fn address(&mut self, pointer: &Pointer) -> Result<(Address, WordLayout)> {
        let mut address = Address {
            moving: None,
            multiple: 0,
            fixed: 0,
        };
        let mut shape = WordLayout {
            ty: pointer.ty,
            matrix: None,
            spread: None,
        };
        let mut steps = pointer.steps.iter();
        if self.is_array_of_buffers(pointer)? {
            let Some(which) = steps.next() else {
                return Err(ReadError::unsupported("an array of buffers as a whole"));
            };
            shape.ty = self.step_type(shape.ty, *which)?;
        }
        for step in steps {
            let inner = self.step_type(shape.ty, *step)?;
            match (self.reader.types.get(shape.ty)?.clone(), *step) {
                (Type::Struct { members }, Step::Member(member)) => {
                    let lie =
                        self.reader
                            .layouts
                            .members(self.reader.spirv, shape.ty, members.len());
                    address.fixed += self.offset(shape.ty, member)?;
                    shape.matrix = lie.matrices[member as usize];
                }
                (Type::Array { .. } | Type::RuntimeArray { .. }, Step::Index(index)) => {
                    let stride = self.stride(shape.ty)?;
                    address = self.moved(address, index, stride)?;
                }
                (Type::Matrix { .. }, Step::Index(index)) => {
                    let scalar = self.scalar_size(shape.ty)?;
                    let stride = shape.matrix.map_or(scalar, |layout| layout.stride);
                    let is_row_major = shape.matrix.is_some_and(|layout| layout.is_row_major);
                    let apart = if is_row_major { scalar } else { stride };
                    address = self.moved(address, index, apart)?;
                    shape.spread = is_row_major.then_some(stride);
                    shape.matrix = None;
                }
                (Type::Vector { .. }, Step::Index(index)) => {
                    let apart = match shape.spread.take() {
                        Some(spread) => spread,
                        None => self.scalar_size(shape.ty)?,
                    };
                    address = self.moved(address, index, apart)?;
                }
                _ => return Err(ReadError::invalid(format!("{} has no parts", shape.ty))),
            }
            shape.ty = inner;
        }
        Ok((address, shape))
    }

    fn offset(&self, ty: Id, member: u32) -> Result<u32> {
        let offset = self
            .reader
            .spirv
            .decorations
            .member_value(ty, member, Decoration::Offset);
        offset.ok_or_else(|| ReadError::invalid(format!("member {member} of {ty} has no Offset")))
    }

    fn scalar_size(&self, ty: Id) -> Result<u32> {
        let scalar = self.reader.types.scalar(ty)?;
        let size = self.reader.size(scalar, None)?;
        size.ok_or_else(|| ReadError::invalid(format!("{ty} is not made of numbers")))
    }

    fn moved(&mut self, address: Address, index: Index, stride: u32) -> Result<Address> {
        if let Index::Value(id) = index
            && let Some(constant) = self.reader.constants.integer(id)
        {
            let bytes = u32::try_from(constant)
                .ok()
                .and_then(|index| index.checked_mul(stride));
            if let Some(fixed) = bytes.and_then(|bytes| address.fixed.checked_add(bytes)) {
                return Ok(Address { fixed, ..address });
            }
        }
        let index = match index {
            // A constant index out of any bounds is hidden, because WGSL rejects it.
            Index::Value(id) if self.reader.constants.integer(id).is_some() => {
                let hidden = self.hidden(id)?;
                self.add(Expression::As {
                    expr: hidden,
                    kind: ScalarKind::Uint,
                    convert: Some(4),
                })
            }
            index => self.unsigned_index(index)?,
        };
        Ok(self.moved_by(address, index, stride))
    }

    fn moved_by(&mut self, address: Address, index: Expr, stride: u32) -> Address {
        let multiple = common_divisor(address.multiple, stride);
        let stride = self.literal(Literal::U32(stride));
        let bytes = self.two(Binary::Multiply, index, stride);
        let moving = match address.moving {
            Some(before) => self.two(Binary::Add, before, bytes),
            None => bytes,
        };
        Address {
            moving: Some(moving),
            multiple,
            ..address
        }
    }

    /// For an array too long to be unrolled: the stride and layout of its elements.
    fn looped(&self, shape: WordLayout) -> Result<Option<(u32, WordLayout)>> {
        let Type::Array { element, .. } = *self.reader.types.get(shape.ty)? else {
            return Ok(None);
        };
        if self.written_out(shape.ty)?.is_some() {
            return Ok(None);
        }
        let inner = WordLayout {
            ty: element,
            matrix: shape.matrix,
            spread: None,
        };
        Ok(Some((self.stride(shape.ty)?, inner)))
    }

    pub(super) fn bytes(&mut self, address: Address) -> Expr {
        let fixed = self.literal(Literal::U32(address.fixed));
        match address.moving {
            None => fixed,
            Some(moving) if address.fixed == 0 => moving,
            Some(moving) => self.two(Binary::Add, moving, fixed),
        }
    }

    pub(super) fn word_index(&mut self, address: Address) -> Expr {
        if address.moving.is_none() {
            return self.literal(Literal::U32(address.fixed / 4));
        }
        let bytes = self.bytes(address);
        let two = self.literal(Literal::U32(2));
        self.two(Binary::ShiftRight, bytes, two)
    }

    /// The bit offset of an address in its word.
    fn part_shift(&mut self, address: Address) -> Expr {
        if address.moving.is_none() {
            return self.literal(Literal::U32(address.fixed % 4 * 8));
        }
        let bytes = self.bytes(address);
        let (three, three_bits) = (self.literal(Literal::U32(3)), self.literal(Literal::U32(3)));
        let part = self.two(Binary::And, bytes, three);
        self.two(Binary::ShiftLeft, part, three_bits)
    }

    fn load_word(&mut self, base: Expr, words: WordRepresentation, address: Address) -> Expr {
        if let WordRepresentation::PushConstants(members) = words {
            return self.load_member_word(base, members, address);
        }
        if address.moving.is_none() {
            let word = address.fixed / 4;
            let steps = match words {
                WordRepresentation::Plain
                | WordRepresentation::Atomic
                | WordRepresentation::PushConstants(_) => vec![word],
                WordRepresentation::Fours => vec![word / 4, word % 4],
            };
            let pointer = steps.into_iter().fold(base, |base, index| {
                self.add(Expression::AccessIndex { base, index })
            });
            return self.add(Expression::Load { pointer });
        }
        let index = self.word_index(address);
        let pointer = match words {
            WordRepresentation::Plain
            | WordRepresentation::Atomic
            | WordRepresentation::PushConstants(_) => self.add(Expression::Access { base, index }),
            WordRepresentation::Fours => {
                let (two, three) = (self.literal(Literal::U32(2)), self.literal(Literal::U32(3)));
                let four = self.two(Binary::ShiftRight, index, two);
                let part = self.two(Binary::And, index, three);
                let four = self.add(Expression::Access { base, index: four });
                self.add(Expression::Access {
                    base: four,
                    index: part,
                })
            }
        };
        self.add(Expression::Load { pointer })
    }

    /// The parts of a composite, each with its address.
    fn shape_parts(
        &self,
        address: Address,
        shape: WordLayout,
    ) -> Result<Option<Vec<(Address, WordLayout)>>> {
        let at = |offset: Option<u32>, ty, matrix, spread| {
            let fixed = offset.and_then(|offset| address.fixed.checked_add(offset));
            let fixed = fixed.ok_or_else(|| ReadError::invalid("an offset is beyond 4 GiB"))?;
            Ok((
                Address { fixed, ..address },
                WordLayout { ty, matrix, spread },
            ))
        };
        let parts: Result<Vec<_>> = match self.reader.types.get(shape.ty)? {
            Type::Vector { component, count } => {
                let apart = match shape.spread {
                    Some(spread) => spread,
                    None => self.scalar_size(shape.ty)?,
                };
                (0..*count)
                    .map(|index| at(index.checked_mul(apart), *component, None, None))
                    .collect()
            }
            Type::Matrix { column, columns } => {
                let scalar = self.scalar_size(shape.ty)?;
                let stride = shape.matrix.map_or(scalar, |layout| layout.stride);
                let is_row_major = shape.matrix.is_some_and(|layout| layout.is_row_major);
                let apart = if is_row_major { scalar } else { stride };
                let spread = is_row_major.then_some(stride);
                (0..*columns)
                    .map(|index| at(index.checked_mul(apart), *column, None, spread))
                    .collect()
            }
            Type::Array { element, length } => {
                let Some(count) = self.reader.constants.integer(*length) else {
                    return Err(ReadError::unsupported("copying arrays of unknown length"));
                };
                let stride = self.stride(shape.ty)?;
                let parts = 0..count as u32;
                parts
                    .map(|index| at(index.checked_mul(stride), *element, shape.matrix, None))
                    .collect()
            }
            Type::Struct { members } => {
                let lie = self
                    .reader
                    .layouts
                    .members(self.reader.spirv, shape.ty, members.len());
                let members = members.iter().zip(&lie.matrices).enumerate();
                members
                    .map(|(member, (ty, matrix))| {
                        at(
                            Some(self.offset(shape.ty, member as u32)?),
                            *ty,
                            *matrix,
                            None,
                        )
                    })
                    .collect()
            }
            _ => return Ok(None),
        };
        parts.map(Some)
    }

    fn load_shape(
        &mut self,
        base: Expr,
        words: WordRepresentation,
        address: Address,
        shape: WordLayout,
    ) -> Result<Expr> {
        if let Some((stride, inner)) = self.looped(shape)? {
            return self.array_by_loop(shape.ty, |body, index| {
                let address = body.moved_by(address, index, stride);
                body.load_shape(base, words, address, inner)
            });
        }
        if let WordRepresentation::PushConstants(members) = words
            && shape.spread.is_none()
            && let Some(vector) = self.load_member_vector(base, members, address, shape.ty)?
        {
            return Ok(vector);
        }
        let Some(parts) = self.shape_parts(address, shape)? else {
            return self.load_number(base, words, address, shape.ty);
        };
        let mut components = Vec::new();
        for (address, shape) in parts {
            components.push(self.load_shape(base, words, address, shape)?);
        }
        let ty = self.reader.value_type(shape.ty)?;
        Ok(self.add(Expression::Compose { ty, components }))
    }

    fn load_number(
        &mut self,
        base: Expr,
        words: WordRepresentation,
        address: Address,
        ty: Id,
    ) -> Result<Expr> {
        let low = self.load_word(base, words, address);
        let kind = self.scalar(ty)?.kind;
        let as_kind = |body: &mut Self, expr: Expr| match kind {
            ScalarKind::Uint => expr,
            kind => body.add(Expression::As {
                expr,
                kind,
                convert: None,
            }),
        };
        match *self.reader.types.get(ty)? {
            Type::Int { bits: 32, .. } | Type::Float { bits: 32 } => Ok(as_kind(self, low)),
            Type::Int {
                bits: bits @ (8 | 16),
                ..
            } => {
                let arg = as_kind(self, low);
                let shift = self.part_shift(address);
                let count = self.literal(Literal::U32(bits));
                Ok(self.function_of(Math::ExtractBits, &[arg, shift, count]))
            }
            Type::Float { bits: 16 } => {
                let shift = self.part_shift(address);
                let half = self.two(Binary::ShiftRight, low, shift);
                let both = self.function_of(Math::Unpack2x16float, &[half]);
                let expr = self.add(Expression::AccessIndex {
                    base: both,
                    index: 0,
                });
                Ok(self.add(Expression::As {
                    expr,
                    kind: ScalarKind::Float,
                    convert: Some(2),
                }))
            }
            Type::Int { bits: 64, .. } | Type::Float { bits: 64 } => {
                let next = Address {
                    fixed: address.fixed.saturating_add(4),
                    ..address
                };
                let high = self.load_word(base, words, next);
                let [low, high] = [low, high].map(|expr| {
                    self.add(Expression::As {
                        expr,
                        kind: ScalarKind::Uint,
                        convert: Some(8),
                    })
                });
                let thirty_two = self.literal(Literal::U32(32));
                let high = self.two(Binary::ShiftLeft, high, thirty_two);
                let both = self.two(Binary::InclusiveOr, low, high);
                Ok(as_kind(self, both))
            }
            _ => Err(ReadError::unsupported(format!("{ty} in a buffer"))),
        }
    }

    fn store_shape(
        &mut self,
        base: Expr,
        words: WordRepresentation,
        address: Address,
        shape: WordLayout,
        value: Expr,
    ) -> Result<()> {
        if let Some((stride, inner)) = self.looped(shape)? {
            return self.array_in_loop(shape.ty, value, |body, index, value| {
                let address = body.moved_by(address, index, stride);
                body.store_shape(base, words, address, inner, value)
            });
        }
        let Some(parts) = self.shape_parts(address, shape)? else {
            return self.store_number(base, words, address, shape.ty, value);
        };
        for (index, (address, shape)) in parts.into_iter().enumerate() {
            let part = self.add(Expression::AccessIndex {
                base: value,
                index: index as u32,
            });
            self.store_shape(base, words, address, shape, part)?;
        }
        Ok(())
    }

    fn store_number(
        &mut self,
        base: Expr,
        words: WordRepresentation,
        address: Address,
        ty: Id,
        value: Expr,
    ) -> Result<()> {
        let bits = match *self.reader.types.get(ty)? {
            Type::Int { bits, .. } | Type::Float { bits } => bits,
            _ => return Err(ReadError::unsupported(format!("{ty} in a buffer"))),
        };
        let unsigned = self.unsigned_bits(ty, value)?;
        match bits {
            32 => self.store_word(base, words, address, unsigned),
            64 => self.store_two_words(base, words, address, unsigned),
            _ => self.store_part(base, address, bits, unsigned),
        }
        Ok(())
    }

    /// The bits of a number as an unsigned integer; those of an `f16` are in both halves of a word.
    fn unsigned_bits(&mut self, ty: Id, value: Expr) -> Result<Expr> {
        let is_half = matches!(self.reader.types.get(ty)?, Type::Float { bits: 16 });
        if self.scalar(ty)?.kind == ScalarKind::Uint {
            return Ok(value);
        }
        if !is_half {
            return Ok(self.add(Expression::As {
                expr: value,
                kind: ScalarKind::Uint,
                convert: None,
            }));
        }
        let wide = self.add(Expression::As {
            expr: value,
            kind: ScalarKind::Float,
            convert: Some(4),
        });
        let ty = self.reader.insert_type(TypeInner::Vector {
            size: VectorSize::Bi,
            scalar: Scalar::F32,
        });
        let components = vec![wide, wide];
        let pair = self.add(Expression::Compose { ty, components });
        Ok(self.function_of(Math::Pack2x16float, &[pair]))
    }

    /// Stores a number of 64 bits, the low word first.
    fn store_two_words(
        &mut self,
        base: Expr,
        words: WordRepresentation,
        address: Address,
        unsigned: Expr,
    ) {
        let thirty_two = self.literal(Literal::U32(32));
        let high = self.two(Binary::ShiftRight, unsigned, thirty_two);
        for (part, offset) in [(unsigned, 0), (high, 4)] {
            let word = self.add(Expression::As {
                expr: part,
                kind: ScalarKind::Uint,
                convert: Some(4),
            });
            let address = Address {
                fixed: address.fixed.saturating_add(offset),
                ..address
            };
            self.store_word(base, words, address, word);
        }
    }

    /// Stores a number of 8 or 16 bits. Only its bits are changed, because other invocations may write the rest of the
    /// word at the same time.
    fn store_part(&mut self, base: Expr, address: Address, bits: u32, unsigned: Expr) {
        let shift = self.part_shift(address);
        let mask = self.literal(Literal::U32((1 << bits) - 1));
        let part = self.two(Binary::And, unsigned, mask);
        let part = self.two(Binary::ShiftLeft, part, shift);
        let own = self.two(Binary::ShiftLeft, mask, shift);
        let others = self.add(Expression::Unary {
            op: UnaryOperator::BitwiseNot,
            expr: own,
        });
        let index = self.word_index(address);
        let pointer = self.add(Expression::Access { base, index });
        for (fun, value) in [
            (AtomicFunction::And, others),
            (AtomicFunction::InclusiveOr, part),
        ] {
            self.push(Statement::Atomic {
                pointer,
                fun,
                value,
                result: None,
            });
        }
    }

    fn store_word(&mut self, base: Expr, words: WordRepresentation, address: Address, value: Expr) {
        debug_assert!(
            matches!(
                words,
                WordRepresentation::Plain | WordRepresentation::Atomic
            ),
            "the host writes the others"
        );
        let index = self.word_index(address);
        let pointer = self.add(Expression::Access { base, index });
        self.push(Statement::Store { pointer, value });
    }
}

/// The greatest common divisor; gcd(0, n) is n.
fn common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
