//! Atomic instructions.
//!
//! naga's atomics mean the sign of the variable, so a minimum or maximum of the other sign is a loop
//! around a compare-and-exchange. WGSL's compare-and-exchange may fail for no reason and SPIR-V's may
//! not, so it is a loop, too. On texels naga has no atomic instruction that gives the old value.

use anywarp_program::naga::{
    AtomicFunction, BinaryOperator as Binary, Block, Expression, Handle, Literal,
    MathFunction as Math, PredeclaredType, Scalar, ScalarKind, Statement, TypeInner, UnaryOperator,
};
use rspirv::spirv::{Op, StorageClass};

use super::body::Body;
use crate::error::Result;
use crate::module::{Id, Instruction};

type Value = Handle<Expression>;

/// Where the value stands in most of them: behind the pointer, the scope and the semantics.
const VALUE: usize = 3;

/// An atomic variable: how it is reached, and what it holds.
#[derive(Clone, Copy)]
struct Atomic {
    pointer: Value,
    ty: Id,
    scalar: Scalar,
}

impl Body<'_, '_> {
    /// Translates an instruction of this family; false for any other.
    pub(super) fn atomic(&mut self, it: &Instruction<'_>) -> Result<bool> {
        match it.op {
            Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
            | Op::AtomicFAddEXT => {}
            Op::AtomicFMinEXT | Op::AtomicFMaxEXT => {
                return Err(it.unsupported("atomic minima and maxima of floats"));
            }
            // It is followed where it is used.
            Op::ImageTexelPointer => return Ok(true),
            _ => return Ok(false),
        }
        let pointer = it.id(0)?;
        let definition = self.reader.spirv.definition(pointer)?;
        if definition.op == Op::ImageTexelPointer {
            return self.texel_atomic(it, &definition).map(|()| true);
        }
        let atomic = self.atomic_variable(it, pointer)?;
        match it.op {
            Op::AtomicStore => {
                let value = self.operand(it.id(VALUE)?, Some(atomic.scalar.kind))?;
                let pointer = atomic.pointer;
                self.push(Statement::Store { pointer, value });
            }
            _ => {
                let old = self.old_value(it, atomic)?;
                let kind = atomic.scalar.kind;
                let old = self.result(it.result_type()?, old, Some(kind))?;
                self.set(it, old)?;
            }
        }
        Ok(true)
    }

    fn atomic_variable(&mut self, it: &Instruction<'_>, pointer: Id) -> Result<Atomic> {
        let pointer = self.pointer(pointer)?;
        let ty = self.pointee(&pointer)?;
        if let Some(bits) = self.narrow_bits(ty)? {
            return Err(it.unsupported(format!("atomic instructions on {bits} bits")));
        }
        let TypeInner::Scalar(scalar) = self.inner(ty)? else {
            return Err(it.invalid("it is not on a number"));
        };
        if scalar.kind == ScalarKind::Float {
            let is_buffer = matches!(
                pointer.class,
                StorageClass::StorageBuffer | StorageClass::Uniform
            );
            if scalar.width != 4 || !is_buffer {
                let bits = scalar.width * 8;
                let class = pointer.class;
                let feature = format!("atomic floats of {bits} bits in {class:?} memory");
                return Err(it.unsupported(feature));
            }
        }
        let pointer = self.pointer_argument(&pointer)?;
        Ok(Atomic {
            pointer,
            ty,
            scalar,
        })
    }

    /// What was in the variable before the instruction.
    fn old_value(&mut self, it: &Instruction<'_>, atomic: Atomic) -> Result<Value> {
        let kind = Some(atomic.scalar.kind);
        match it.op {
            Op::AtomicLoad => {
                let pointer = atomic.pointer;
                return Ok(self.add(Expression::Load { pointer }));
            }
            Op::AtomicCompareExchange => {
                let value = self.operand(it.id(4)?, kind)?;
                let expected = self.operand(it.id(5)?, kind)?;
                return self.exchanged_if(it, atomic, expected, value);
            }
            _ => {}
        }
        let value = match it.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => self.literal(one(atomic.scalar)),
            _ => self.operand(it.id(VALUE)?, kind)?,
        };
        let (math, sign) = match it.op {
            Op::AtomicSMin => (Math::Min, ScalarKind::Sint),
            Op::AtomicSMax => (Math::Max, ScalarKind::Sint),
            Op::AtomicUMin => (Math::Min, ScalarKind::Uint),
            Op::AtomicUMax => (Math::Max, ScalarKind::Uint),
            _ => return self.read_modify_write(atomic, plain(it)?, value),
        };
        match sign == atomic.scalar.kind {
            true => self.read_modify_write(atomic, plain(it)?, value),
            false => self.with_other_sign(it, atomic, math, sign, value),
        }
    }

    fn read_modify_write(
        &mut self,
        atomic: Atomic,
        fun: AtomicFunction,
        value: Value,
    ) -> Result<Value> {
        let ty = self.reader.value_type(atomic.ty)?;
        let comparison = false;
        let result = self.add_apart(Expression::AtomicResult { ty, comparison });
        self.push(Statement::Atomic {
            pointer: atomic.pointer,
            fun,
            value,
            result: Some(result),
        });
        Ok(result)
    }

    /// One try: what was there, and whether it was exchanged.
    fn try_exchange(&mut self, atomic: Atomic, expected: Value, value: Value) -> (Value, Value) {
        let ty = PredeclaredType::AtomicCompareExchangeWeakResult(atomic.scalar);
        let ty = self.reader.module.generate_predeclared_type(ty);
        let comparison = true;
        let base = self.add_apart(Expression::AtomicResult { ty, comparison });
        let compare = Some(expected);
        self.push(Statement::Atomic {
            pointer: atomic.pointer,
            fun: AtomicFunction::Exchange { compare },
            value,
            result: Some(base),
        });
        let old = self.add(Expression::AccessIndex { base, index: 0 });
        let is_exchanged = self.add(Expression::AccessIndex { base, index: 1 });
        (old, is_exchanged)
    }

    fn exchanged_if(
        &mut self,
        it: &Instruction<'_>,
        atomic: Atomic,
        expected: Value,
        value: Value,
    ) -> Result<Value> {
        self.no_floats(it, atomic)?;
        let ty = self.reader.value_type(atomic.ty)?;
        let local = self.local(Some("old".to_owned()), ty);
        let body = self.braces(|body| {
            let (old, is_exchanged) = body.try_exchange(atomic, expected, value);
            body.store_local(local, old);
            let differs = body.two(Binary::NotEqual, old, expected);
            let is_over = body.two(Binary::LogicalOr, is_exchanged, differs);
            body.break_when(is_over)
        })?;
        self.repeat(body);
        Ok(self.load_local(local))
    }

    /// A minimum or maximum of the variable's bits as integers of the other sign.
    fn with_other_sign(
        &mut self,
        it: &Instruction<'_>,
        atomic: Atomic,
        math: Math,
        sign: ScalarKind,
        value: Value,
    ) -> Result<Value> {
        self.no_floats(it, atomic)?;
        let cast = |body: &mut Self, expr, kind| {
            body.add(Expression::As {
                expr,
                kind,
                convert: None,
            })
        };
        let ty = self.reader.value_type(atomic.ty)?;
        let local = self.local(Some("old".to_owned()), ty);
        let pointer = atomic.pointer;
        let first = self.add(Expression::Load { pointer });
        self.store_local(local, first);
        let value = cast(self, value, sign);
        let body = self.braces(|body| {
            let expected = body.load_local(local);
            let bits = cast(body, expected, sign);
            let chosen = body.function_of(math, &[bits, value]);
            let chosen = cast(body, chosen, atomic.scalar.kind);
            let (old, is_exchanged) = body.try_exchange(atomic, expected, chosen);
            body.store_local(local, old);
            body.break_when(is_exchanged)
        })?;
        self.repeat(body);
        Ok(self.load_local(local))
    }

    fn no_floats(&self, it: &Instruction<'_>, atomic: Atomic) -> Result<()> {
        match atomic.scalar.kind {
            ScalarKind::Sint | ScalarKind::Uint => Ok(()),
            _ => Err(it.invalid("it is not on an integer")),
        }
    }

    /// Leaves the loop around.
    pub(super) fn break_when(&mut self, condition: Value) -> Result<()> {
        let accept = self.braces(|body| {
            body.push(Statement::Break);
            Ok(())
        })?;
        self.push(Statement::If {
            condition,
            accept,
            reject: Block::new(),
        });
        Ok(())
    }

    fn repeat(&mut self, body: Block) {
        self.push(Statement::Loop {
            body,
            continuing: Block::new(),
            break_if: None,
        });
    }

    /// An atomic instruction on a texel of an image.
    fn texel_atomic(&mut self, it: &Instruction<'_>, texel: &Instruction<'_>) -> Result<()> {
        if it.result.is_some_and(|id| self.reader.is_used(id)) {
            return Err(it.unsupported("the old value that an atomic instruction on a texel gives"));
        }
        let image = self.pointer(texel.id(0)?)?;
        let ty = self.pointee(&image)?;
        let crate::read::types::Type::Image(ty) = *self.reader.types.get(ty)? else {
            return Err(texel.invalid("it is not of an image"));
        };
        if ty.is_multisampled {
            return Err(it.unsupported("atomic instructions on samples"));
        }
        let scalar = self.scalar(ty.sampled)?;
        let kind = Some(scalar.kind);
        let mut fun = match it.op {
            Op::AtomicIIncrement => AtomicFunction::Add,
            Op::AtomicIDecrement | Op::AtomicISub => AtomicFunction::Subtract,
            Op::AtomicSMin | Op::AtomicSMax if scalar.kind != ScalarKind::Sint => {
                return Err(it.unsupported("signed atomic instructions on unsigned texels"));
            }
            Op::AtomicUMin | Op::AtomicUMax if scalar.kind != ScalarKind::Uint => {
                return Err(it.unsupported("unsigned atomic instructions on signed texels"));
            }
            Op::AtomicIAdd
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor => plain(it)?,
            _ => return Err(it.unsupported("this atomic instruction on a texel")),
        };
        let mut value = match it.op {
            Op::AtomicIIncrement | Op::AtomicIDecrement => self.literal(one(scalar)),
            _ => self.operand(it.id(VALUE)?, kind)?,
        };
        if fun == AtomicFunction::Subtract {
            fun = AtomicFunction::Add;
            value = self.negative(value, scalar);
        }
        let (coordinate, array_index) = self.texel_place(texel.id(1)?, ty.is_arrayed)?;
        let image = self.pointer_argument(&image)?;
        self.push(Statement::ImageAtomic {
            image,
            coordinate,
            array_index,
            fun,
            value,
        });
        Ok(())
    }

    /// The coordinates of a texel, and the layer where there are layers.
    fn texel_place(&mut self, id: Id, is_arrayed: bool) -> Result<(Value, Option<Value>)> {
        let ty = self.type_id(id)?;
        let base = self.value(id)?;
        let TypeInner::Vector { size, scalar } = self.inner(ty)? else {
            return Ok((base, None));
        };
        if !is_arrayed {
            return Ok((base, None));
        }
        let count = size as u32 - 1;
        let mut components = Vec::new();
        for index in 0..=count {
            components.push(self.add(Expression::AccessIndex { base, index }));
        }
        let layer = components.pop();
        if let [only] = components[..] {
            return Ok((only, layer));
        }
        let size = crate::read::layout::vector_size(count)?;
        let ty = self.reader.insert_type(TypeInner::Vector { size, scalar });
        Ok((self.add(Expression::Compose { ty, components }), layer))
    }

    /// What to add in order to subtract.
    fn negative(&mut self, value: Value, scalar: Scalar) -> Value {
        if scalar.kind == ScalarKind::Sint {
            let op = UnaryOperator::Negate;
            return self.add(Expression::Unary { op, expr: value });
        }
        let zero = self.literal(match scalar.width {
            8 => Literal::U64(0),
            _ => Literal::U32(0),
        });
        self.two(Binary::Subtract, zero, value)
    }
}

/// naga's function for an instruction that has one.
fn plain(it: &Instruction<'_>) -> Result<AtomicFunction> {
    Ok(match it.op {
        Op::AtomicExchange => AtomicFunction::Exchange { compare: None },
        Op::AtomicIIncrement | Op::AtomicIAdd | Op::AtomicFAddEXT => AtomicFunction::Add,
        Op::AtomicIDecrement | Op::AtomicISub => AtomicFunction::Subtract,
        Op::AtomicSMin | Op::AtomicUMin => AtomicFunction::Min,
        Op::AtomicSMax | Op::AtomicUMax => AtomicFunction::Max,
        Op::AtomicAnd => AtomicFunction::And,
        Op::AtomicOr => AtomicFunction::InclusiveOr,
        Op::AtomicXor => AtomicFunction::ExclusiveOr,
        _ => return Err(it.unsupported("this atomic instruction")),
    })
}

fn one(scalar: Scalar) -> Literal {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Sint, 8) => Literal::I64(1),
        (ScalarKind::Sint, _) => Literal::I32(1),
        (_, 8) => Literal::U64(1),
        _ => Literal::U32(1),
    }
}
