//! Instructions of the vector IR and their semantics.
//!
//! Every instruction is pure unless [`Op::has_effect`]. Loads are pure, but must not move across effects that may write
//! what they read ([`Op::reads_memory`]).

use super::context::{ContextField, Space};
use super::function::PatternId;

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// 32 uniform bits: the same for every lane.
    Word,
    /// A uniform address: the same for every lane.
    Pointer,
    /// 32 bits for each lane.
    Lanes,
    /// One bit for each lane.
    Mask,
}

impl Type {
    /// The size and alignment of a value in a frame slot, in bytes. A mask is stored as a word.
    pub fn bytes(self, lanes: u32) -> u32 {
        match self {
            Self::Word | Self::Mask => 4,
            Self::Pointer => 8,
            Self::Lanes => 4 * lanes,
        }
    }
}

/// Integer operations with two operands, wrapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordBinary {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product, the low 32 bits.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Shift to the left, by the amount modulo 32.
    Shl,
    /// Shift to the right with zeros, by the amount modulo 32.
    ShrU,
    /// Shift to the right with the sign, by the amount modulo 32.
    ShrS,
    /// Quotient of unsigned numbers; the dividend where the divisor is 0.
    DivU,
    /// Quotient of signed numbers, truncated; the dividend where the divisor is 0 or the quotient overflows.
    DivS,
    /// Remainder of unsigned numbers; 0 where the divisor is 0.
    RemU,
    /// Remainder of signed numbers, with the sign of the dividend; 0 where the divisor is 0 or -1.
    RemS,
    /// The smaller of two unsigned numbers.
    MinU,
    /// The larger of two unsigned numbers.
    MaxU,
    /// The smaller of two signed numbers.
    MinS,
    /// The larger of two signed numbers.
    MaxS,
    /// Product of unsigned numbers, the high 32 bits.
    MulHighU,
}

/// Comparisons of words, and of integer lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordCompare {
    /// Equal.
    Eq,
    /// Unequal.
    Ne,
    /// Less, unsigned.
    LtU,
    /// Less or equal, unsigned.
    LeU,
    /// Less, signed.
    LtS,
    /// Less or equal, signed.
    LeS,
}

/// Lane-wise operations with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneBinary {
    /// Sum of floats.
    AddF,
    /// Difference of floats.
    SubF,
    /// Product of floats.
    MulF,
    /// Quotient of floats, correctly rounded.
    DivF,
    /// `a < b ? a : b` of floats: the second where either is NaN, or both are zeros.
    MinF,
    /// `a > b ? a : b` of floats: the second where either is NaN, or both are zeros.
    MaxF,
    /// `a * 2^floor(b)` of floats, rounded once; NaN where either is NaN; `a` where that is 0 or infinite. Where `b` is
    /// infinite the result is any float.
    ScaleF,
    /// An integer operation, with the same meaning as for words.
    Int(WordBinary),
}

/// Lane-wise comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneCompare {
    /// Equal floats; false where either is NaN.
    EqF,
    /// Unequal floats; true where either is NaN.
    NeF,
    /// Less, floats; false where either is NaN.
    LtF,
    /// Less or equal, floats; false where either is NaN.
    LeF,
    /// Not less, floats; true where either is NaN.
    NltF,
    /// Not less or equal, floats; true where either is NaN.
    NleF,
    /// A comparison of integers.
    Int(WordCompare),
}

/// Lane-wise operations with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneUnary {
    /// Square root, correctly rounded.
    Sqrt,
    /// The CPU's estimate of `1 / sqrt(x)`. The relative error is below 2^-13 with 16 lanes and below 2^-11 with 8; the
    /// exact result depends on the CPU. Infinite for zeros, 0 for infinity, NaN for negative numbers. With 8 lanes it
    /// may be infinite for subnormal numbers, negative ones included.
    InverseSqrtEstimate,
    /// Rounds to the nearest integer, ties to even.
    Round,
    /// Rounds down to an integer.
    Floor,
    /// Rounds up to an integer.
    Ceil,
    /// Rounds towards zero to an integer.
    Trunc,
    /// An unsigned integer as float, rounded to nearest even.
    FromU,
    /// A signed integer as float, rounded to nearest even.
    FromS,
    /// A float as unsigned integer: truncated, saturated, 0 for NaN.
    ToU,
    /// A float as signed integer: truncated, saturated, 0 for NaN.
    ToS,
    /// The lower 16 bits, an `f16`, as `f32`.
    FromHalf,
    /// An `f32` as `f16` in the lower 16 bits, rounded to nearest even; the upper bits are 0.
    ToHalf,
    /// The number of set bits (population count).
    CountOnes,
    /// The number of zero bits above the highest set bit; 32 for 0.
    LeadingZeros,
}

/// Operations on 64-bit floats. Each operand is two values: the low word of its bits, then the high word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum F64Op {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient, correctly rounded.
    Div,
    /// `a * b + c`, rounded once.
    Fma,
    /// Square root, correctly rounded.
    Sqrt,
    /// Rounds to the nearest integer, ties to even.
    Round,
    /// Rounds down to an integer.
    Floor,
    /// Rounds up to an integer.
    Ceil,
    /// Rounds towards zero to an integer.
    Trunc,
    /// Converts an `f32`, which is one operand, exactly.
    FromF32,
}

/// A word of a 64-bit number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum F64Half {
    /// The low 32 bits.
    Low,
    /// The high 32 bits.
    High,
}

/// Bitwise operations on masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskBinary {
    /// Intersection.
    And,
    /// Union.
    Or,
    /// Symmetric difference.
    Xor,
    /// `a & !b`: the lanes of the first that are not in the second.
    AndNot,
}

/// The read-modify-write operation of an atomic instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Adds.
    Add,
    /// Subtracts.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The smaller unsigned number.
    MinU,
    /// The larger unsigned number.
    MaxU,
    /// The smaller signed number.
    MinS,
    /// The larger signed number.
    MaxS,
    /// Stores the operand.
    Exchange,
    /// Adds floats.
    AddF,
}

/// A row: a contiguous vector access. Lane `l` accesses the word `index + l`, modulo 2^32.
///
/// A row that begins at index `-1` therefore has no word in lane 0 and the first words in the others. A limit is at
/// most 2^31: an index in bounds is the same number signed and unsigned, and the lanes of a row that wraps are still
/// contiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Words from the pointer to the word of index 0.
    pub offset: i32,
    /// Whether a word operand, the limit, is the number of words that exist: lanes with a higher index do not take
    /// part.
    pub is_limited: bool,
    /// Whether the last operand is a mask of the lanes that take part.
    pub is_masked: bool,
}

impl Row {
    /// A row with a limit and without a mask.
    pub fn limited(offset: i32) -> Self {
        Self {
            offset,
            is_limited: true,
            is_masked: false,
        }
    }
}

/// An instruction. The documentation of each begins with its operands and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// `() -> word`: a constant.
    Word(u32),
    /// `() -> word`: a word of the [`Context`](super::Context).
    ContextField(ContextField),
    /// `() -> ptr`: the base address of a memory.
    Base(Space),
    /// `() -> word`: the length in words of the buffer with this number.
    Length(u32),
    /// `(word, word) -> word`.
    WordBinary(WordBinary),
    /// `(word, word) -> word`: 1 or 0.
    WordCompare(WordCompare),
    /// `(word c, word a, word b) -> word`: `a` where `c` is not 0, else `b`.
    WordSelect,
    /// `(mask) -> word`: 1 if any lane is in the mask, else 0.
    Any,
    /// `(mask) -> word`: bit `l` is lane `l`.
    Ballot,
    /// `(lanes) -> word`: the value of a lane.
    Extract(u8),
    /// `(ptr) -> word`: the word at this offset, in words, from the pointer.
    LoadWord(i32),
    /// `(ptr) -> ptr`: the base address of a buffer, from the [`BufferEntry`](super::BufferEntry) at this offset, in
    /// words, from the pointer. Entries never change while code runs.
    LoadPointer(i32),
    /// `(ptr, word offset) -> ptr`: the pointer plus an unsigned number of words.
    Advance,
    /// `(ptr, word offset, word exists) -> ptr`: the pointer plus an unsigned number of words if `exists` is not 0,
    /// else the page of [`Context::ZEROS`](super::Context::ZEROS) zero bytes, which is never written.
    AdvanceOrZeros,

    /// `() -> lanes`: a uniform constant.
    Splat(u32),
    /// `() -> lanes`: a constant with a word for each lane.
    Pattern(PatternId),
    /// `(word) -> lanes`: the word in every lane.
    Broadcast,
    /// `(lanes, lanes) -> lanes`.
    Binary(LaneBinary),
    /// `(lanes) -> lanes`.
    Unary(LaneUnary),
    /// `(lanes) -> lanes`: left shift by 0 to 31.
    ShlBy(u8),
    /// `(lanes) -> lanes`: logical right shift by 0 to 31.
    ShrBy(u8),
    /// `(lanes) -> lanes`: arithmetic right shift by 0 to 31.
    SarBy(u8),
    /// `(lanes) -> lanes`: rotation to the left by 0 to 31.
    RotateBy(u8),
    /// `(lanes a, lanes b, lanes c) -> lanes`: `a * b + c` of floats, rounded once.
    Fma,
    /// `(lanes low, lanes high, ...) -> lanes`: one word of the 64-bit result, since an instruction has at most one
    /// result.
    F64(F64Op, F64Half),
    /// `(lanes low, lanes high) -> lanes`: rounds a 64-bit float to the nearest `f32`, ties to even.
    F64ToF32,
    /// `(lanes a, lanes b, lanes c) -> lanes`: ternary logic by a truth table: for each bit position, bit `4a + 2b + c`
    /// of the table.
    Ternary(u8),
    /// `(mask, lanes a, lanes b) -> lanes`: `a` in the lanes of the mask, else `b`.
    Select,
    /// `(lanes old, lanes a, lanes b, mask) -> lanes`: the operation in the lanes of the mask, else `old`.
    Masked(LaneBinary),
    /// `(lanes old, lanes a, lanes b, lanes c, mask) -> lanes`: `a * b + c` in the lanes of the mask, else `old`.
    MaskedFma,
    /// `(lanes values, lanes from) -> lanes`: lane `l` has the value of lane `from[l]`, modulo the number of lanes.
    Permute,
    /// `(lanes, lanes) -> mask`.
    Compare(LaneCompare),
    /// `(lanes, lanes, mask) -> mask`: the comparison in the lanes of the mask, else false.
    MaskedCompare(LaneCompare),

    /// `() -> mask`: a constant; bit `l` is lane `l`, higher bits are 0.
    Mask(u32),
    /// `(mask, mask) -> mask`.
    MaskBinary(MaskBinary),
    /// `(word) -> mask`: bit `l` is lane `l`; bits beyond the lanes are ignored.
    FromBallot,

    /// `(ptr) -> lanes`: the word at this offset, in words, from the pointer, in every lane.
    LoadSplat(i32),
    /// `(ptr, word index[, word limit][, mask]) -> lanes`: contiguous load; 0 in lanes at or above the limit or outside
    /// the mask.
    LoadRow(Row),
    /// `(ptr, word index, lanes values[, word limit][, mask])`: contiguous store, in the lanes below the limit and in
    /// the mask.
    StoreRow(Row),
    /// `(ptr, word index, lanes values, word limit)`: like [`Self::StoreRow`] with this offset and a limit, as a
    /// non-temporal store, which may bypass the caches.
    StoreRowNonTemporal(i32),
    /// `(ptr, lanes index, mask) -> lanes`: loads the word `index + offset` for each lane, without wrapping; 0 outside
    /// the mask. Indices are below 2^31 in the lanes of the mask.
    Gather(i32),
    /// `(ptr, lanes index, lanes values, mask)`: stores to the words that [`Self::Gather`] would load. Where several
    /// lanes have the same index, the highest lane wins.
    Scatter(i32),
    /// `(ptr, lanes index, lanes values, mask)`: stores the low 16 bits of each value. Like [`Self::Scatter`], but
    /// index and offset count 16-bit units from the pointer. The other 16 bits of a word are not accessed, so that
    /// another thread may write them at the same time.
    ScatterHalves(i32),
    /// `(ptr, lanes index, lanes values, mask) -> lanes`: atomic read-modify-write of the words that [`Self::Gather`]
    /// would load, lane by lane from the first; returns the old value of each lane, 0 outside the mask.
    Atomic(AtomicOp, AtomicScope, i32),
    /// `(ptr, lanes index, lanes expected, lanes values, mask) -> lanes`: atomic compare-and-swap, lane by lane from
    /// the first: stores the value where the old word equals `expected`; returns the old value of each lane, 0 outside
    /// the mask.
    CompareExchange(AtomicScope, i32),
    /// `(ptr, ptr found, lanes index, lanes low, lanes high, mask)`: 64-bit atomic read-modify-write, lane by lane from
    /// the first. The low word is the word that [`Self::Gather`] would load, the high word follows it. The old values
    /// are stored in two rows at `found`, memory that is used for nothing else: low words, then high words; 0 outside
    /// the mask. [`AtomicOp::AddF`] is not supported.
    Atomic64(AtomicOp, AtomicScope, i32),
    /// `(ptr, ptr found, lanes index, lanes low, lanes high, lanes expected low, lanes expected high, mask)`: 64-bit
    /// atomic compare-and-swap; otherwise like [`Self::Atomic64`].
    CompareExchange64(AtomicScope, i32),

    /// `(any)`: stores a value to the frame slot at this byte offset, a multiple of [`Type::bytes`].
    FrameStore(u32),
    /// `() -> any`: loads the value that was last stored to the frame slot at this byte offset. It has the same type.
    FrameLoad(u32),
    /// `(word bytes, any)`: like [`Self::FrameStore`], `bytes` further, a multiple of 64: the offset of a subgroup's
    /// part of a frame that several subgroups share.
    FrameStoreAt(u32),
    /// `(word bytes) -> any`: loads the value that [`Self::FrameStoreAt`] last stored there. It has the same type.
    FrameLoadAt(u32),
    /// `()`: checks the cancel flag. If the run has been cancelled, returns
    /// [`CallOutcome::cancelled`](super::CallOutcome::cancelled) with a number, which encodes a
    /// [`PollSite`](super::PollSite).
    Poll(u32),
    /// `(word ballot)`: calls the function with this number in [`Context::functions`](super::Context::functions), for
    /// the active lanes of the ballot. If its outcome is not [`CallOutcome::FINISHED`](super::CallOutcome::FINISHED),
    /// returns that outcome. The callee has the same context and the same frame: arguments are stored to its frame
    /// slots before the call, results are loaded from them after it. Every function has slots of its own. A function
    /// calls only functions with lower numbers.
    Call(u32, CalleeWrites),
    /// `() -> word`: the ballot of the active lanes for which this function was called. Only in functions without
    /// barriers.
    ActiveLanes,
}

/// The memory that a callee may write. It may read any memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CalleeWrites {
    /// Memory in the frame, and nothing else that vector code reads. It may write texels: vector code reads only
    /// textures that are never written.
    Frame,
    /// Any memory.
    Everything,
}

/// The threads that may access a word while an atomic instruction changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicScope {
    /// This thread only; no atomic instruction of the CPU is needed.
    Thread,
    /// All threads.
    Threads,
}

impl Op {
    /// Whether an instruction has side effects.
    pub fn has_effect(self) -> bool {
        matches!(
            self,
            Self::StoreRow(_)
                | Self::StoreRowNonTemporal(_)
                | Self::Scatter(_)
                | Self::ScatterHalves(_)
                | Self::Atomic(..)
                | Self::CompareExchange(..)
                | Self::Atomic64(..)
                | Self::CompareExchange64(..)
                | Self::FrameStore(_)
                | Self::FrameStoreAt(_)
                | Self::Poll(_)
                | Self::Call(..)
        )
    }

    /// Whether the result depends on memory that effects may write.
    pub fn reads_memory(self) -> bool {
        matches!(
            self,
            Self::LoadWord(_)
                | Self::LoadSplat(_)
                | Self::LoadRow(_)
                | Self::Gather(_)
                | Self::Atomic(..)
                | Self::CompareExchange(..)
                | Self::Atomic64(..)
                | Self::CompareExchange64(..)
                | Self::FrameLoad(_)
                | Self::Call(..)
                | Self::FrameLoadAt(_)
        )
    }

    /// Whether rematerializing the result is cheaper than keeping it in a register: constants and words of the context.
    pub fn is_cheap(self) -> bool {
        matches!(
            self,
            Self::Word(_)
                | Self::ContextField(_)
                | Self::Base(_)
                | Self::Length(_)
                | Self::Splat(_)
                | Self::Pattern(_)
                | Self::Mask(_)
        )
    }
}
