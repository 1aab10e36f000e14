//! Instructions and what each of them means.
//!
//! Every instruction is pure unless [`Op::has_effect`] says otherwise; loads are pure but must not move
//! across effects ([`Op::reads_memory`]).

use super::context::{Field, Space};
use super::function::PatternId;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// 32 bits that are the same for every lane.
    Word,
    /// An address that is the same for every lane.
    Pointer,
    /// 32 bits for each lane.
    Lanes,
    /// One bit for each lane.
    Mask,
}

impl Type {
    /// Bytes that a value takes in the frame, where it lies at a multiple of them. A mask is kept as a word.
    pub fn bytes(self, lanes: u32) -> u32 {
        match self {
            Self::Word | Self::Mask => 4,
            Self::Pointer => 8,
            Self::Lanes => 4 * lanes,
        }
    }
}

/// Arithmetic on words, wrapping. Truth is 1, falsehood 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordBinary {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product, the lower half.
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
    /// Product of unsigned numbers, the upper half.
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

/// Arithmetic lane by lane.
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
    /// `a < b ? a : b` of floats: the second where either is not a number, or both are zeros.
    MinF,
    /// `a > b ? a : b` of floats: the second where either is not a number, or both are zeros.
    MaxF,
    /// `a * 2^floor(b)` of floats, rounded once; not a number where either is not; `a` where that is 0 or infinite.
    /// Where `b` is infinite the result is any float.
    ScaleF,
    /// One of integers, with the meaning that it has for words.
    Int(WordBinary),
}

/// Comparisons lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneCompare {
    /// Equal floats; false where either is not a number.
    EqF,
    /// Unequal floats; true where either is not a number.
    NeF,
    /// Less, floats; false where either is not a number.
    LtF,
    /// Less or equal, floats; false where either is not a number.
    LeF,
    /// Not less, floats; true where either is not a number.
    NltF,
    /// Not less or equal, floats; true where either is not a number.
    NleF,
    /// One of integers.
    Int(WordCompare),
}

/// Functions of one argument, lane by lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneUnary {
    /// Square root, correctly rounded.
    Sqrt,
    /// About `1 / sqrt(x)`; which float exactly depends on the machine. With 16 lanes it is wrong by less than 1 in 2^13,
    /// with 8 by less than 1 in 2^11. Infinite for zeros, 0 for infinity, and not a number for what has no root; with 8
    /// lanes it may be infinite for subnormal numbers, negative ones among them.
    InverseSqrtEstimate,
    /// The nearest whole float, the even one of two.
    Round,
    /// The next whole float below.
    Floor,
    /// The next whole float above.
    Ceil,
    /// The whole float towards zero.
    Trunc,
    /// An unsigned integer as float, rounded to nearest even.
    FromU,
    /// A signed integer as float, rounded to nearest even.
    FromS,
    /// A float as unsigned integer: truncated, saturated, 0 where it is not a number.
    ToU,
    /// A float as signed integer: truncated, saturated, 0 where it is not a number.
    ToS,
    /// The lower 16 bits, an `f16`, as `f32`.
    FromHalf,
    /// An `f32` as `f16` in the lower 16 bits, rounded to nearest even; the upper bits are 0.
    ToHalf,
    /// How many bits are set.
    CountOnes,
    /// How many bits are clear above the highest that is set; 32 where none is.
    LeadingZeros,
}

/// Arithmetic on floats of 64 bits, each of which is two lanes: the low half of its bits, then the high one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DoubleOp {
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
    /// The nearest whole number, the even one of two.
    Round,
    /// The next whole number below.
    Floor,
    /// The next whole number above.
    Ceil,
    /// The whole number towards zero.
    Trunc,
    /// The number that a float of 32 bits, one operand, is.
    FromF,
}

/// A half of 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The low one.
    Low,
    /// The high one.
    High,
}

/// Logic on masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaskBinary {
    /// In both.
    And,
    /// In either.
    Or,
    /// In one of both.
    Xor,
    /// In the first, not in the second.
    AndNot,
}

/// What an atomic instruction does to a word in memory.
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
    /// Puts another in its place.
    Exchange,
    /// Adds floats.
    AddF,
}

/// How a row of words, one for each lane, lies in memory: lane `l` has the word `index + l`, modulo 2^32.
///
/// So a row that begins at the index `-1` has no word in lane 0 and the first words in the others. A limit is at most
/// 2^31: taken as signed, an index that exists is what it is, and the lanes of a row that wraps still lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    /// Words from the pointer to the word of index 0.
    pub offset: i32,
    /// Whether an operand, a word, says below which index words exist.
    pub is_limited: bool,
    /// Whether the last operand, a mask, says which lanes take part.
    pub is_masked: bool,
}

impl Row {
    /// A row with a limit and no mask.
    pub fn limited(offset: i32) -> Self {
        Self {
            offset,
            is_limited: true,
            is_masked: false,
        }
    }
}

/// An instruction. The comment of each begins with its operands and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// `() -> word`: a constant.
    Word(u32),
    /// `() -> word`: something that the run is told.
    Field(Field),
    /// `() -> ptr`: where memory begins.
    Base(Space),
    /// `() -> word`: the words of a buffer, by its number.
    Length(u32),
    /// `(word, word) -> word`.
    WordBinary(WordBinary),
    /// `(word, word) -> word`: 1 or 0.
    WordCompare(WordCompare),
    /// `(word c, word a, word b) -> word`: `a` where `c` is not 0, else `b`.
    WordSelect,
    /// `(mask) -> word`: 1 where a lane is in the mask, else 0.
    Any,
    /// `(mask) -> word`: bit `l` is lane `l`.
    Ballot,
    /// `(lanes) -> word`: the value of a lane.
    Extract(u8),
    /// `(ptr) -> word`: the word so many words behind the pointer.
    LoadWord(i32),
    /// `(ptr) -> ptr`: where a buffer begins, as the [`BufferEntry`](super::BufferEntry) says that lies so many words
    /// behind the pointer. Entries never change while code runs.
    LoadPointer(i32),
    /// `(ptr, word offset) -> ptr`: so many words further; the offset is unsigned.
    Advance,
    /// `(ptr, word offset, word exists) -> ptr`: so many words further, unsigned, where `exists` is not 0, else a place
    /// with [`Context::ZEROS`](super::Context::ZEROS) bytes of zeros, which are never written.
    Address,

    /// `() -> lanes`: a constant, the same in every lane.
    Splat(u32),
    /// `() -> lanes`: a constant with a word for each lane.
    Pattern(PatternId),
    /// `(word) -> lanes`: the same in every lane.
    Broadcast,
    /// `(lanes, lanes) -> lanes`.
    Binary(LaneBinary),
    /// `(lanes) -> lanes`.
    Unary(LaneUnary),
    /// `(lanes) -> lanes`: shifted to the left by 0 to 31.
    ShlBy(u8),
    /// `(lanes) -> lanes`: shifted to the right with zeros by 0 to 31.
    ShrBy(u8),
    /// `(lanes) -> lanes`: shifted to the right with the sign by 0 to 31.
    SarBy(u8),
    /// `(lanes) -> lanes`: turned to the left by 0 to 31.
    RotateBy(u8),
    /// `(lanes a, lanes b, lanes c) -> lanes`: `a * b + c` of floats, rounded once.
    Fma,
    /// `(lanes low, lanes high, ...) -> lanes`: one half of the result; an instruction has no more than one.
    Double(DoubleOp, Half),
    /// `(lanes low, lanes high) -> lanes`: the nearest float of 32 bits, ties to even.
    DoubleToF,
    /// `(lanes a, lanes b, lanes c) -> lanes`: bit by bit, the bit `4a + 2b + c` of the table.
    Ternary(u8),
    /// `(mask, lanes a, lanes b) -> lanes`: `a` in the lanes of the mask, else `b`.
    Select,
    /// `(lanes old, lanes a, lanes b, mask) -> lanes`: the operation in the lanes of the mask, else `old`.
    Masked(LaneBinary),
    /// `(lanes old, lanes a, lanes b, lanes c, mask) -> lanes`: `a * b + c` in the lanes of the mask, else `old`.
    MaskedFma,
    /// `(lanes values, lanes from) -> lanes`: lane `l` has the value of lane `from[l]` modulo their number.
    Permute,
    /// `(lanes, lanes) -> mask`.
    Compare(LaneCompare),
    /// `(lanes, lanes, mask) -> mask`: only lanes of the mask.
    MaskedCompare(LaneCompare),

    /// `() -> mask`: a constant; bit `l` is lane `l`, the others are 0.
    Mask(u32),
    /// `(mask, mask) -> mask`.
    MaskBinary(MaskBinary),
    /// `(word) -> mask`: bit `l` is lane `l`; bits beyond the lanes are ignored.
    FromBallot,

    /// `(ptr) -> lanes`: the word so many words behind the pointer, in every lane.
    LoadSplat(i32),
    /// `(ptr, word index[, word limit][, mask]) -> lanes`: a row of words; 0 in lanes without a word or outside
    /// of the mask.
    LoadRow(Row),
    /// `(ptr, word index, lanes values[, word limit][, mask])`: stores in the lanes that have a word and are in
    /// the mask.
    StoreRow(Row),
    /// `(ptr, word index, lanes values, word limit)`: like [`Self::StoreRow`] with this offset and a limit. The words are
    /// not needed soon, so that they may go past the caches where there are many of them.
    StreamRow(i32),
    /// `(ptr, lanes index, mask) -> lanes`: the word `index + offset` of each lane, not wrapped; 0 outside of the mask.
    /// An index is below 2^31 in the lanes of the mask.
    Gather(i32),
    /// `(ptr, lanes index, lanes values, mask)`: stores at the words of [`Self::Gather`]; the highest lane wins where
    /// several have the same index.
    Scatter(i32),
    /// `(ptr, lanes index, lanes values, mask)`: stores the lower halves of values. Index and offset count halves of words
    /// from the pointer on; else it is like [`Self::Scatter`]. The other half of a word is not touched, even while another
    /// thread writes it.
    ScatterHalves(i32),
    /// `(ptr, lanes index, lanes values, mask) -> lanes`: changes the words of [`Self::Gather`], lane after lane from the
    /// first on; gives what each lane found there; 0 outside of the mask.
    Atomic(AtomicOp, Sharing, i32),
    /// `(ptr, lanes index, lanes expected, lanes values, mask) -> lanes`: lane after lane from the first on, stores
    /// where what is there is expected; gives what each lane found there; 0 outside of the mask.
    CompareExchange(Sharing, i32),
    /// `(ptr, ptr found, lanes index, lanes low, lanes high, mask)`: changes numbers of two words, lane after lane from the
    /// first on, each in one step. The low word is that of [`Self::Gather`], the high one is behind it. What each lane found
    /// there is put into two rows at `found`, where nothing else is: low words, then high ones; 0 outside of the mask.
    /// [`AtomicOp::AddF`] is not among what it can do.
    AtomicWide(AtomicOp, Sharing, i32),
    /// `(ptr, ptr found, lanes index, lanes low, lanes high, lanes expected low, lanes expected high, mask)`: like
    /// [`Self::AtomicWide`], stores where what is there is expected.
    CompareExchangeWide(Sharing, i32),

    /// `(any)`: keeps a value in the frame, so many bytes from its beginning, at a multiple of [`Type::bytes`].
    Keep(u32),
    /// `() -> any`: the last value that was kept there. It is of the same type.
    Recall(u32),
    /// `(word bytes, any)`: keeps a value in the frame like [`Self::Keep`], so many bytes further, a multiple of 64: where
    /// the part of a subgroup begins in a frame that several share.
    KeepAt(u32),
    /// `(word bytes) -> any`: the last value that [`Self::KeepAt`] has kept there. It is of the same type.
    RecallAt(u32),
    /// `()`: leaves with [`Outcome::cancelled`](super::Outcome::cancelled) and a number if the run has been cancelled.
    /// [`Site`](super::Site) says what the number means.
    Poll(u32),
    /// `(word ballot)`: calls a function, by its number in [`Context::functions`](super::Context::functions), for the
    /// lanes of the ballot; leaves with its outcome unless that is [`Outcome::FINISHED`](super::Outcome::FINISHED). It
    /// has the same context and the same frame: what it is given is kept there before, what it gives is recalled
    /// behind. So every function has a part of the frame of its own. A function calls only those with lower numbers
    /// than its own.
    Call(u32, Reach),
    /// `() -> word`: the lanes for which this function was called, as a ballot. Only where there are no barriers.
    Participants,
}

/// What a function that is called may change. It may read any memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// Memory in the frame, and nothing else that vector code reads. Texels are among the rest: code reads only those by
    /// itself that nobody writes.
    Frame,
    /// Any memory.
    Everything,
}

/// Who can reach a word while an atomic instruction changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sharing {
    /// This thread alone.
    Thread,
    /// Other threads, too.
    Threads,
}

impl Op {
    /// Whether an instruction does more than compute its result.
    pub fn has_effect(self) -> bool {
        matches!(
            self,
            Self::StoreRow(_)
                | Self::StreamRow(_)
                | Self::Scatter(_)
                | Self::ScatterHalves(_)
                | Self::Atomic(..)
                | Self::CompareExchange(..)
                | Self::AtomicWide(..)
                | Self::CompareExchangeWide(..)
                | Self::Keep(_)
                | Self::KeepAt(_)
                | Self::Poll(_)
                | Self::Call(..)
        )
    }

    /// Whether the result depends on what memory holds that effects change.
    pub fn reads_memory(self) -> bool {
        matches!(
            self,
            Self::LoadWord(_)
                | Self::LoadSplat(_)
                | Self::LoadRow(_)
                | Self::Gather(_)
                | Self::Atomic(..)
                | Self::CompareExchange(..)
                | Self::AtomicWide(..)
                | Self::CompareExchangeWide(..)
                | Self::Recall(_)
                | Self::Call(..)
                | Self::RecallAt(_)
        )
    }

    /// Whether it is cheaper to compute the result again than to keep it.
    pub fn is_cheap(self) -> bool {
        matches!(
            self,
            Self::Word(_)
                | Self::Field(_)
                | Self::Base(_)
                | Self::Length(_)
                | Self::Splat(_)
                | Self::Pattern(_)
                | Self::Mask(_)
        )
    }
}
