//! Builds functions: appends instructions to a block and folds what is constant on the way.
//!
//! In: operations and values. Out: values, and in the end a [`Function`]. What always holds: a result means what the
//! instruction means that was asked for, but it may be an older value, a constant or the result of a cheaper one. Only
//! operations on constants and neutral operands are folded, by what is known of their operands alone; finding equal
//! computations and removing unused ones is left to passes.
//!
//! ```
//! use anywarp_lanes::build::Builder;
//! use anywarp_lanes::ir::{Field, Function, LaneBinary, Op};
//!
//! let mut builder = Builder::new(Function::new(16));
//! let x = builder.field(Field::WorkgroupId(0));
//! let lanes = builder.broadcast(x);
//! let one = builder.splat_f(1.0);
//! assert_eq!(builder.binary(LaneBinary::MulF, lanes, one), lanes);
//! let four = builder.binary(LaneBinary::AddF, one, one);
//! let four = builder.binary(LaneBinary::MulF, four, four);
//! assert_eq!(builder.constant(four), Some(Op::Splat(4.0f32.to_bits())));
//! ```

pub(crate) mod fold;

use smallvec::SmallVec;

use crate::ir::{
    Block, BlockId, Edge, Field, Function, Inst, Kind, LaneBinary, LaneCompare, LaneUnary,
    MaskBinary, Op, Outcome, Space, Terminator, Type, Value, WordBinary, WordCompare,
};

use fold::Folded;

/// Appends instructions to the current block of a function.
#[derive(Debug)]
pub struct Builder {
    function: Function,
    block: BlockId,
    /// For each value: the constant that it is, an [`Op::Word`], [`Op::Splat`] or [`Op::Mask`].
    constants: Vec<Option<Op>>,
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
    /// Goes on with a function, in its first block.
    pub fn new(function: Function) -> Self {
        let mut builder = Self {
            constants: Vec::new(),
            block: Function::ENTRY,
            function,
        };
        let insts = builder.function.blocks.iter().flat_map(|it| &it.insts);
        let known: Vec<_> = insts.filter_map(|it| Some((it.result?, it.op))).collect();
        for (value, op) in known {
            builder.learn(value, op);
        }
        builder
    }

    /// What has been built.
    pub fn finish(self) -> Function {
        self.function
    }

    /// The function so far.
    pub fn function(&self) -> &Function {
        &self.function
    }

    /// The function so far. Instructions that are added here are not known to be constants.
    pub fn function_mut(&mut self) -> &mut Function {
        &mut self.function
    }

    /// The block that is appended to.
    pub fn block(&self) -> BlockId {
        self.block
    }

    /// Appends to another block from now on.
    pub fn switch_to(&mut self, block: BlockId) {
        self.block = block;
    }

    /// A new block; the current one stays.
    pub fn add_block(&mut self) -> BlockId {
        self.function.add_block()
    }

    /// A new parameter of a block.
    pub fn add_parameter(&mut self, block: BlockId, ty: Type) -> Value {
        self.function.add_parameter(block, ty)
    }

    /// The constant that a value is, as [`Op::Word`], [`Op::Splat`] or [`Op::Mask`].
    pub fn constant(&self, value: Value) -> Option<Op> {
        self.constants.get(value.index()).copied().flatten()
    }

    /// The result of an instruction that has one.
    ///
    /// # Panics
    ///
    /// If the instruction has no result, or its result may be of any type.
    pub fn inst(&mut self, op: Op, operands: &[Value]) -> Value {
        let all = self.function.all_lanes();
        match fold::fold(|it| self.constant(it), all, op, operands) {
            Some(Folded::Value(value)) => value,
            Some(Folded::Constant(constant)) => self.append(constant, &[]),
            Some(Folded::Cheaper(op, operand)) => self.append(op, &[operand]),
            None => self.append(op, operands),
        }
    }

    /// An instruction without a result.
    pub fn effect(&mut self, op: Op, operands: &[Value]) {
        debug_assert!(op.signature().result.is_none(), "{op:?} has a result");
        self.push(op, operands, None);
    }

    /// Recalls a value of a type from the frame.
    pub fn recall(&mut self, offset: u32, ty: Type) -> Value {
        let result = self.function.add_value(ty);
        self.push(Op::Recall(offset), &[], Some(result));
        result
    }

    fn append(&mut self, op: Op, operands: &[Value]) -> Value {
        let Some(Kind::Of(ty)) = op.signature().result else {
            panic!("{op:?} has no result of a known type");
        };
        let result = self.function.add_value(ty);
        self.push(op, operands, Some(result));
        self.learn(result, op);
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
            && both.all(|(kind, &it)| kind.admits(self.function.type_of(it)))
    }

    fn learn(&mut self, value: Value, op: Op) {
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

/// How the current block ends.
impl Builder {
    /// Goes on at a block.
    pub fn jump(&mut self, block: BlockId, arguments: &[Value]) {
        self.current().terminator = Terminator::Jump(edge(block, arguments));
    }

    /// Goes to the first where a word is not 0 or a mask has a lane, else to the second.
    pub fn branch(&mut self, condition: Value, yes: Edge, no: Edge) {
        self.current().terminator = Terminator::Branch(condition, yes, no);
    }

    /// Ends the call.
    pub fn leave(&mut self, outcome: Outcome) {
        self.current().terminator = Terminator::Return(outcome);
    }

    /// Ends the call at the next barrier, which gets a number, and goes on in a new block, which becomes the current
    /// one.
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

/// Constants and what the run is told.
impl Builder {
    /// A word.
    pub fn word(&mut self, bits: u32) -> Value {
        self.append(Op::Word(bits), &[])
    }

    /// The same bits in every lane.
    pub fn splat(&mut self, bits: u32) -> Value {
        self.append(Op::Splat(bits), &[])
    }

    /// The same float in every lane.
    pub fn splat_f(&mut self, number: f32) -> Value {
        self.splat(number.to_bits())
    }

    /// A constant mask.
    pub fn mask(&mut self, bits: u32) -> Value {
        self.append(Op::Mask(bits), &[])
    }

    /// A word for each lane.
    pub fn pattern(&mut self, words: &[u32]) -> Value {
        let pattern = self.function.pattern(words);
        self.append(Op::Pattern(pattern), &[])
    }

    /// Something that the run is told.
    pub fn field(&mut self, field: Field) -> Value {
        self.append(Op::Field(field), &[])
    }

    /// Where memory begins.
    pub fn base(&mut self, space: Space) -> Value {
        self.append(Op::Base(space), &[])
    }

    /// The words of a buffer.
    pub fn length(&mut self, buffer: u32) -> Value {
        self.append(Op::Length(buffer), &[])
    }
}

/// Words and masks.
impl Builder {
    /// Arithmetic on words.
    pub fn word_binary(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.inst(Op::WordBinary(op), &[a, b])
    }

    /// A comparison of words.
    pub fn word_compare(&mut self, op: WordCompare, a: Value, b: Value) -> Value {
        self.inst(Op::WordCompare(op), &[a, b])
    }

    /// The first where the condition is not 0, else the second.
    pub fn word_select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.inst(Op::WordSelect, &[condition, yes, no])
    }

    /// Whether a mask has a lane.
    pub fn any(&mut self, mask: Value) -> Value {
        self.inst(Op::Any, &[mask])
    }

    /// The bits of a mask.
    pub fn ballot(&mut self, mask: Value) -> Value {
        self.inst(Op::Ballot, &[mask])
    }

    /// The value of a lane.
    pub fn extract(&mut self, lanes: Value, lane: u8) -> Value {
        self.inst(Op::Extract(lane), &[lanes])
    }

    /// Logic on masks.
    pub fn mask_binary(&mut self, op: MaskBinary, a: Value, b: Value) -> Value {
        self.inst(Op::MaskBinary(op), &[a, b])
    }

    /// The lanes that are not in a mask.
    pub fn mask_not(&mut self, mask: Value) -> Value {
        let all = self.mask(self.function.all_lanes());
        self.mask_binary(MaskBinary::AndNot, all, mask)
    }
}

/// Lanes.
impl Builder {
    /// A word in every lane.
    pub fn broadcast(&mut self, word: Value) -> Value {
        self.inst(Op::Broadcast, &[word])
    }

    /// Arithmetic lane by lane.
    pub fn binary(&mut self, op: LaneBinary, a: Value, b: Value) -> Value {
        self.inst(Op::Binary(op), &[a, b])
    }

    /// Arithmetic on integers, lane by lane.
    pub fn int(&mut self, op: WordBinary, a: Value, b: Value) -> Value {
        self.binary(LaneBinary::Int(op), a, b)
    }

    /// A function of one argument, lane by lane.
    pub fn unary(&mut self, op: LaneUnary, a: Value) -> Value {
        self.inst(Op::Unary(op), &[a])
    }

    /// A comparison lane by lane.
    pub fn compare(&mut self, op: LaneCompare, a: Value, b: Value) -> Value {
        self.inst(Op::Compare(op), &[a, b])
    }

    /// `a * b + c`, rounded once.
    pub fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        self.inst(Op::Fma, &[a, b, c])
    }

    /// The first in the lanes of the mask, else the second.
    pub fn select(&mut self, mask: Value, yes: Value, no: Value) -> Value {
        self.inst(Op::Select, &[mask, yes, no])
    }

    /// Bit by bit, the bit `4a + 2b + c` of a table.
    pub fn ternary(&mut self, table: u8, a: Value, b: Value, c: Value) -> Value {
        self.inst(Op::Ternary(table), &[a, b, c])
    }

    /// Floats with their sign turned round.
    pub fn negate(&mut self, a: Value) -> Value {
        let sign = self.splat(SIGN);
        self.int(WordBinary::Xor, a, sign)
    }

    /// Floats without their sign.
    pub fn abs(&mut self, a: Value) -> Value {
        let rest = self.splat(!SIGN);
        self.int(WordBinary::And, a, rest)
    }

    /// The size of one float with the sign of another.
    pub fn copy_sign(&mut self, size: Value, sign: Value) -> Value {
        let bit = self.splat(SIGN);
        // The sign's bit where the table's first operand is set, else the size's.
        self.ternary(0xca, bit, sign, size)
    }
}

/// The bit of a float that is its sign.
const SIGN: u32 = 0x8000_0000;
