//! Builds functions: appends instructions to a block, and folds constants.
//!
//! In: operations and operands. Out: result values, and in the end a [`Function`]. What always holds: a result is equal
//! to the result of the requested instruction, but it may be an existing value, a constant or the result of a cheaper
//! instruction. Only constant operands and neutral operands are folded, from the operands alone. Value numbering and
//! dead code elimination are passes.
//!
//! ```
//! use anywarp_lanes::build::Builder;
//! use anywarp_lanes::ir::{ContextField, Function, LaneBinary, Op};
//!
//! let mut builder = Builder::new(Function::new(16));
//! let x = builder.field(ContextField::WorkgroupId(0));
//! let lanes = builder.broadcast(x);
//! let one = builder.splat_f(1.0);
//! assert_eq!(builder.binary(LaneBinary::MulF, lanes, one), lanes);
//! let four = builder.binary(LaneBinary::AddF, one, one);
//! let four = builder.binary(LaneBinary::MulF, four, four);
//! assert_eq!(builder.constant(four), Some(Op::Splat(4.0f32.to_bits())));
//! ```

mod alignment;
pub(crate) mod fold;

use smallvec::SmallVec;

use crate::ir::{
    Block, BlockId, CallOutcome, ContextField, Edge, Function, Inst, Kind, LaneBinary, LaneCompare,
    LaneUnary, MaskBinary, Op, Space, Terminator, Type, Value, WordBinary, WordCompare,
};

use alignment::Alignments;
use fold::Folded;

/// Appends instructions to the current block of a function.
#[derive(Debug)]
pub struct Builder {
    function: Function,
    block: BlockId,
    /// By value: its constant, an [`Op::Word`], [`Op::Splat`] or [`Op::Mask`].
    constants: Vec<Option<Op>>,
    alignments: Alignments,
}

impl std::ops::Deref for Builder {
    type Target = Function;

    fn deref(&self) -> &Function {
        &self.function
    }
}

impl std::ops::DerefMut for Builder {
    fn deref_mut(&mut self) -> &mut Function {
        &mut self.function
    }
}

impl Builder {
    /// Continues a function, at the end of its entry block.
    pub fn new(function: Function) -> Self {
        let mut builder = Self {
            constants: Vec::new(),
            alignments: Alignments::default(),
            block: Function::ENTRY,
            function,
        };
        let insts = builder
            .function
            .blocks
            .iter()
            .flat_map(|block| &block.insts);
        let known: Vec<_> = insts
            .filter_map(|inst| Some((inst.result?, inst.op)))
            .collect();
        for (value, op) in known {
            builder.record_constant(value, op);
        }
        builder
    }

    /// The finished function.
    pub fn finish(self) -> Function {
        self.function
    }

    /// The function as it is built so far.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The function as it is built so far. Constants that are added through this reference are not folded.
    pub fn function_mut(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The current block, to which instructions are appended.
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// Makes another block the current one.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    /// Adds a block. The current block does not change.
    pub fn add_block(&mut self) -> BlockId {
        self.function.add_block()
    }

    /// Appends a parameter to a block.
    pub fn add_parameter(&mut self, block: BlockId, ty: Type) -> Value {
        self.function.add_parameter(block, ty)
    }

    /// The constant of a value, as [`Op::Word`], [`Op::Splat`] or [`Op::Mask`].
    pub fn constant(&self, value: Value) -> Option<Op> {
        self.constants.get(value.index()).copied().flatten()
    }

    /// The number of low bits of a word that are known to be 0.
    pub(crate) fn zero_bits(&self, word: Value) -> u32 {
        self.alignments.zero_bits(word)
    }

    /// Appends an instruction with a result, or folds it. Returns the result.
    ///
    /// # Panics
    ///
    /// If the instruction has no result, or its result may be of any type.
    pub fn inst(&mut self, op: Op, operands: &[Value]) -> Value {
        let all = self.function.all_lanes();
        match fold::fold(|value| self.constant(value), all, op, operands) {
            Some(Folded::Value(value)) => value,
            Some(Folded::Constant(constant)) => self.append(constant, &[]),
            Some(Folded::Cheaper(op, operand)) => self.append(op, &[operand]),
            None => self.append(op, operands),
        }
    }

    /// Appends an instruction without a result.
    pub fn effect(&mut self, op: Op, operands: &[Value]) {
        debug_assert!(op.signature().result.is_none(), "{op:?} has a result");
        self.push(op, operands, None);
    }

    /// Loads a value of a type from a frame slot.
    pub fn frame_load(&mut self, offset: u32, ty: Type) -> Value {
        let result = self.function.add_value(ty);
        self.push(Op::FrameLoad(offset), &[], Some(result));
        result
    }

    fn append(&mut self, op: Op, operands: &[Value]) -> Value {
        let Some(Kind::Of(ty)) = op.signature().result else {
            panic!("{op:?} has no result of a known type");
        };
        let result = self.function.add_value(ty);
        self.push(op, operands, Some(result));
        self.record_constant(result, op);
        self.alignments.record(result, op, operands);
        result
    }

    fn push(&mut self, op: Op, operands: &[Value], result: Option<Value>) {
        debug_assert!(self.fits(op, operands), "{op:?} of {operands:?}");
        self.current().insts.push(Inst {
            op,
            operands: SmallVec::from_slice(operands),
            result,
        });
    }

    fn fits(&self, op: Op, operands: &[Value]) -> bool {
        let expected = op.signature().operands;
        let mut both = expected.iter().zip(operands);
        expected.len() == operands.len()
            && both.all(|(kind, &operand)| kind.admits(self.function.type_of(operand)))
    }

    fn record_constant(&mut self, value: Value, op: Op) {
        if matches!(op, Op::Word(_) | Op::Splat(_) | Op::Mask(_)) {
            let values = self.function.types.len();
            self.constants.resize(values, None);
            self.constants[value.index()] = Some(op);
        }
    }

    fn current(&mut self) -> &mut Block {
        self.function.block_mut(self.block)
    }
}

/// Terminators of the current block.
impl Builder {
    /// Ends the block with a jump.
    pub fn jump(&mut self, block: BlockId, arguments: &[Value]) {
        self.current().terminator = Terminator::Jump(edge(block, arguments));
    }

    /// Ends the block with a conditional branch: `yes` if a word is not 0 or a mask is not empty, else `no`.
    pub fn branch(&mut self, condition: Value, yes: Edge, no: Edge) {
        self.current().terminator = Terminator::Branch(condition, yes, no);
    }

    /// Ends the block with a return.
    pub fn leave(&mut self, outcome: CallOutcome) {
        self.current().terminator = Terminator::Return(outcome);
    }

    /// Ends the block with a barrier, which gets the next number. Execution resumes in a new block, which becomes the
    /// current one.
    pub fn barrier(&mut self) {
        let next = self.add_block();
        self.function.barriers += 1;
        self.current().terminator = Terminator::Suspend(self.function.barriers, next);
        self.switch_to(next);
    }
}

fn edge(block: BlockId, arguments: &[Value]) -> Edge {
    Edge {
        block,
        arguments: arguments.to_vec(),
    }
}

/// Constants and words of the context.
impl Builder {
    /// A constant word.
    pub fn word(&mut self, bits: u32) -> Value {
        self.append(Op::Word(bits), &[])
    }

    /// A uniform constant vector, from its bits.
    pub fn splat(&mut self, bits: u32) -> Value {
        self.append(Op::Splat(bits), &[])
    }

    /// A uniform constant vector of floats.
    pub fn splat_f(&mut self, number: f32) -> Value {
        self.splat(number.to_bits())
    }

    /// A constant mask.
    pub fn mask(&mut self, bits: u32) -> Value {
        self.append(Op::Mask(bits), &[])
    }

    /// A constant vector with a word for each lane.
    pub fn pattern(&mut self, words: &[u32]) -> Value {
        let pattern = self.function.pattern(words);
        self.append(Op::Pattern(pattern), &[])
    }

    /// A word of the context.
    pub fn field(&mut self, field: ContextField) -> Value {
        self.append(Op::ContextField(field), &[])
    }

    /// The base address of a memory.
    pub fn base(&mut self, space: Space) -> Value {
        self.append(Op::Base(space), &[])
    }

    /// The length of a buffer in words.
    pub fn length(&mut self, buffer: u32) -> Value {
        self.append(Op::Length(buffer), &[])
    }
}

/// Operations on words and masks.
impl Builder {
    /// A binary operation on words.
    pub fn word_binary(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.inst(Op::WordBinary(op), &[a, b])
    }

    /// A comparison of words.
    pub fn word_compare(&mut self, op: WordCompare, a: Value, b: Value) -> Value {
        self.inst(Op::WordCompare(op), &[a, b])
    }

    /// `yes` if the condition is not 0, else `no`.
    pub fn word_select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.inst(Op::WordSelect, &[condition, yes, no])
    }

    /// 1 if any lane is in a mask, else 0.
    pub fn any(&mut self, mask: Value) -> Value {
        self.inst(Op::Any, &[mask])
    }

    /// The bits of a mask as a word.
    pub fn ballot(&mut self, mask: Value) -> Value {
        self.inst(Op::Ballot, &[mask])
    }

    /// The word in one lane.
    pub fn extract(&mut self, lanes: Value, lane: u8) -> Value {
        self.inst(Op::Extract(lane), &[lanes])
    }

    /// A bitwise operation on masks.
    pub fn mask_binary(&mut self, op: MaskBinary, a: Value, b: Value) -> Value {
        self.inst(Op::MaskBinary(op), &[a, b])
    }

    /// The complement of a mask.
    pub fn mask_not(&mut self, mask: Value) -> Value {
        let all = self.mask(self.function.all_lanes());
        self.mask_binary(MaskBinary::AndNot, all, mask)
    }
}

/// Lane-wise operations.
impl Builder {
    /// A vector with a word in every lane.
    pub fn broadcast(&mut self, word: Value) -> Value {
        self.inst(Op::Broadcast, &[word])
    }

    /// A lane-wise binary operation.
    pub fn binary(&mut self, op: LaneBinary, a: Value, b: Value) -> Value {
        self.inst(Op::Binary(op), &[a, b])
    }

    /// A lane-wise binary operation on integers.
    pub fn int(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.binary(LaneBinary::Int(op), a, b)
    }

    /// A lane-wise unary operation.
    pub fn unary(&mut self, op: LaneUnary, a: Value) -> Value {
        self.inst(Op::Unary(op), &[a])
    }

    /// A lane-wise comparison.
    pub fn compare(&mut self, op: LaneCompare, a: Value, b: Value) -> Value {
        self.inst(Op::Compare(op), &[a, b])
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.inst(Op::Fma, &[a, b, c])
    }

    /// `yes` in the lanes of the mask, else `no`.
    pub fn select(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        self.inst(Op::Select, &[mask, yes, no])
    }

    /// Bitwise logic of three operands by a truth table: bit `4a + 2b + c`.
    pub fn ternary(&mut self, table: u8, a: Value, b: Value, c: Value) -> Value {
        self.inst(Op::Ternary(table), &[a, b, c])
    }

    /// Negates floats, by flipping the sign bit.
    pub fn negate(&mut self, a: Value) -> Value {
        let sign = self.splat(SIGN);
        self.int(WordBinary::Xor, a, sign)
    }

    /// The absolute value of floats.
    pub fn abs(&mut self, a: Value) -> Value {
        let rest = self.splat(!SIGN);
        self.int(WordBinary::And, a, rest)
    }

    /// The magnitude of one float with the sign of another.
    pub fn copy_sign(&mut self, size: Value, sign: Value) -> Value {
        let bit = self.splat(SIGN);
        // A bitwise select: the bit of `sign` where `bit` is set, else the bit of `size`.
        self.ternary(0xca, bit, sign, size)
    }
}

/// The sign bit of a float.
const SIGN: u32 = 0x8000_0000;
