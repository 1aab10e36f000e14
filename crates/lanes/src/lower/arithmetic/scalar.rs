//! Scalars during lowering, with their uniformity and constants folded (a small abstract domain).
//!
//! What always holds: a scalar of kind `Bool` is `Constant` (0 or 1), `Word` (0 or 1) or `Mask`; any other is never
//! `Mask`. `UniformLanes` are lanes that are all equal, which is how uniform floats are represented.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::ir::{LaneBinary, LaneCompare, MaskBinary, Op, Type, Value, WordBinary, WordCompare};

use crate::arithmetic::word_binary;

use crate::lower::Lowering;
use crate::lower::memory::layout::ScalarType;

/// A number or a truth value.
#[derive(Clone, Debug)]
pub(in crate::lower) enum Scalar {
    /// A compile-time constant.
    Known(u32),
    /// A uniform word.
    Word(Value),
    /// Lanes that are all equal.
    UniformLanes(Value),
    /// A uniform word, or 0, plus a constant for each lane.
    Affine(Option<Value>, Rc<[u32]>),
    /// Varying lanes.
    Lanes(Value),
    /// A varying truth value.
    Mask(Value),
}

/// The scalars of a value.
pub(in crate::lower) type Scalars = SmallVec<[Scalar; 4]>;

impl Scalar {
    pub(in crate::lower) const ZERO: Self = Self::Known(0);

    /// Whether it is uniform.
    pub(in crate::lower) fn is_uniform(&self) -> bool {
        matches!(self, Self::Known(_) | Self::Word(_) | Self::UniformLanes(_))
    }

    /// Whether both are the same SSA value or constant.
    pub(in crate::lower) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a == b,
            (Self::Word(a), Self::Word(b))
            | (Self::UniformLanes(a), Self::UniformLanes(b))
            | (Self::Lanes(a), Self::Lanes(b))
            | (Self::Mask(a), Self::Mask(b)) => a == b,
            (Self::Affine(a, p), Self::Affine(b, q)) => a == b && p == q,
            _ => false,
        }
    }
}

impl Lowering<'_> {
    /// Appends an instruction with a result.
    pub(in crate::lower) fn emit(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        self.emit_in(self.control.block, op, operands, ty)
    }

    /// Appends an instruction without a result.
    pub(in crate::lower) fn effect(&mut self, op: Op, operands: &[Value]) {
        let inst = crate::ir::Inst {
            op,
            operands: SmallVec::from_slice(operands),
            result: None,
        };
        let block = self.control.block;
        self.function.block_mut(block).insts.push(inst);
    }

    /// Appends an instruction to the first block, which executes once.
    pub(in crate::lower) fn emit_early(&mut self, op: Op, operands: &[Value], ty: Type) -> Value {
        self.emit_in(crate::ir::Function::ENTRY, op, operands, ty)
    }

    fn emit_in(
        &mut self,
        block: crate::ir::BlockId,
        op: Op,
        operands: &[Value],
        ty: Type,
    ) -> Value {
        self.function.switch_to(block);
        let value = self.function.inst(op, operands);
        debug_assert_eq!(self.function.type_of(value), ty);
        value
    }

    pub(in crate::lower) fn word_const(&mut self, word: u32) -> Value {
        self.emit(Op::Word(word), &[], Type::Word)
    }

    pub(in crate::lower) fn splat(&mut self, word: u32) -> Value {
        self.emit(Op::Splat(word), &[], Type::Lanes)
    }

    pub(in crate::lower) fn pattern(&mut self, words: &[u32]) -> Value {
        let pattern = self.function.function_mut().pattern(words);
        self.emit(Op::Pattern(pattern), &[], Type::Lanes)
    }

    pub(in crate::lower) fn float(&mut self, value: f32) -> Value {
        self.splat(value.to_bits())
    }

    pub(in crate::lower) fn mask_const(&mut self, bits: u32) -> Value {
        self.emit(Op::Mask(bits), &[], Type::Mask)
    }

    pub(in crate::lower) fn full_mask(&mut self) -> Value {
        self.mask_const(self.function.all_lanes())
    }

    pub(in crate::lower) fn binary(&mut self, op: LaneBinary, a: Value, b: Value) -> Value {
        self.emit(Op::Binary(op), &[a, b], Type::Lanes)
    }

    pub(in crate::lower) fn int(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.binary(LaneBinary::Int(op), a, b)
    }

    pub(in crate::lower) fn compare(&mut self, op: LaneCompare, a: Value, b: Value) -> Value {
        self.emit(Op::Compare(op), &[a, b], Type::Mask)
    }

    pub(in crate::lower) fn select(&mut self, mask: Value, a: Value, b: Value) -> Value {
        self.emit(Op::Select, &[mask, a, b], Type::Lanes)
    }

    pub(in crate::lower) fn mask_binary(&mut self, op: MaskBinary, a: Value, b: Value) -> Value {
        self.emit(Op::MaskBinary(op), &[a, b], Type::Mask)
    }

    pub(in crate::lower) fn word_binary(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.emit(Op::WordBinary(op), &[a, b], Type::Word)
    }

    pub(in crate::lower) fn word_compare(&mut self, op: WordCompare, a: Value, b: Value) -> Value {
        self.emit(Op::WordCompare(op), &[a, b], Type::Word)
    }

    /// Converts to lanes; truth values become 1 and 0.
    pub(in crate::lower) fn lanes(&mut self, scalar: &Scalar) -> Value {
        match *scalar {
            Scalar::Known(word) => self.splat(word),
            Scalar::Word(word) => self.emit(Op::Broadcast, &[word], Type::Lanes),
            Scalar::UniformLanes(value) | Scalar::Lanes(value) => value,
            Scalar::Affine(base, ref pattern) => {
                let lanes = self.pattern(pattern);
                match base {
                    Some(base) => {
                        let base = self.emit(Op::Broadcast, &[base], Type::Lanes);
                        self.int(WordBinary::Add, base, lanes)
                    }
                    None => lanes,
                }
            }
            Scalar::Mask(mask) => {
                let (one, zero) = (self.splat(1), self.splat(0));
                self.select(mask, one, zero)
            }
        }
    }

    /// Converts to a word, if the scalar is uniform.
    pub(in crate::lower) fn word(&mut self, scalar: &Scalar) -> Option<Value> {
        match *scalar {
            Scalar::Known(word) => Some(self.word_const(word)),
            Scalar::Word(word) => Some(word),
            Scalar::UniformLanes(lanes) => Some(self.emit(Op::Extract(0), &[lanes], Type::Word)),
            Scalar::Affine(..) | Scalar::Lanes(_) | Scalar::Mask(_) => None,
        }
    }

    /// Converts a truth value to a mask.
    pub(in crate::lower) fn mask(&mut self, scalar: &Scalar) -> Value {
        match *scalar {
            Scalar::Known(0) => self.mask_const(0),
            Scalar::Known(_) => self.full_mask(),
            Scalar::Word(word) => {
                let (all, none) = (
                    self.word_const(self.function.all_lanes()),
                    self.word_const(0),
                );
                let bits = self.emit(Op::WordSelect, &[word, all, none], Type::Word);
                self.emit(Op::FromBallot, &[bits], Type::Mask)
            }
            Scalar::Mask(mask) => mask,
            Scalar::UniformLanes(value) | Scalar::Lanes(value) => {
                let zero = self.splat(0);
                self.compare(LaneCompare::Int(WordCompare::Ne), value, zero)
            }
            Scalar::Affine(..) => {
                let value = self.lanes(scalar);
                self.mask(&Scalar::Lanes(value))
            }
        }
    }

    /// Lanes computed from scalars: uniform if all of those are.
    pub(in crate::lower) fn result(&self, value: Value, of: &[&Scalar]) -> Scalar {
        if of.iter().all(|scalar| scalar.is_uniform()) {
            Scalar::UniformLanes(value)
        } else {
            Scalar::Lanes(value)
        }
    }

    /// A mask computed from scalars: a word if all of those are uniform.
    pub(in crate::lower) fn truth(&mut self, mask: Value, of: &[&Scalar]) -> Scalar {
        if of.iter().all(|scalar| scalar.is_uniform()) {
            Scalar::Word(self.emit(Op::Any, &[mask], Type::Word))
        } else {
            Scalar::Mask(mask)
        }
    }

    /// A mask restricted to the active lanes.
    pub(in crate::lower) fn active(&mut self, mask: Value) -> Value {
        match self.control.exec {
            Some(exec) => self.mask_binary(MaskBinary::And, mask, exec),
            None => mask,
        }
    }

    /// The execution mask as a value.
    pub(in crate::lower) fn exec_mask(&mut self) -> Value {
        match self.control.exec {
            Some(exec) => exec,
            None => self.full_mask(),
        }
    }

    /// Selects lane by lane.
    pub(in crate::lower) fn choose(
        &mut self,
        mask: Value,
        a: &Scalar,
        b: &Scalar,
        kind: ScalarType,
    ) -> Scalar {
        if a.is(b) {
            return a.clone();
        }
        if kind == ScalarType::Bool {
            return self.choose_truth(mask, a, b);
        }
        let (a, b) = (self.lanes(a), self.lanes(b));
        Scalar::Lanes(self.select(mask, a, b))
    }

    /// Selects truth values lane by lane.
    pub(in crate::lower) fn choose_truth(&mut self, mask: Value, a: &Scalar, b: &Scalar) -> Scalar {
        Scalar::Mask(match (a, b) {
            (Scalar::Known(0), _) => {
                let b = self.mask(b);
                self.mask_binary(MaskBinary::AndNot, b, mask)
            }
            (Scalar::Known(_), _) => {
                let b = self.mask(b);
                self.mask_binary(MaskBinary::Or, mask, b)
            }
            (_, Scalar::Known(0)) => {
                let a = self.mask(a);
                self.mask_binary(MaskBinary::And, mask, a)
            }
            _ => {
                let (a, b) = (self.mask(a), self.mask(b));
                let yes = self.mask_binary(MaskBinary::And, a, mask);
                let no = self.mask_binary(MaskBinary::AndNot, b, mask);
                self.mask_binary(MaskBinary::Or, yes, no)
            }
        })
    }

    /// Wrapping addition, with constant folding.
    pub(in crate::lower) fn add(&mut self, a: &Scalar, b: &Scalar) -> Scalar {
        self.integer(WordBinary::Add, a, b)
    }

    /// Integer arithmetic, with constant folding.
    pub(in crate::lower) fn integer(&mut self, op: WordBinary, a: &Scalar, b: &Scalar) -> Scalar {
        if let (&Scalar::Known(a), &Scalar::Known(b)) = (a, b) {
            return Scalar::Known(word_binary(op, a, b));
        }
        if let Some(affine) = self.affine(op, a, b) {
            return affine;
        }
        if a.is_uniform()
            && b.is_uniform()
            && let (Some(a), Some(b)) = (self.word(a), self.word(b))
        {
            return Scalar::Word(self.word_binary(op, a, b));
        }
        let (a, b) = (self.lanes(a), self.lanes(b));
        Scalar::Lanes(self.int(op, a, b))
    }
}
