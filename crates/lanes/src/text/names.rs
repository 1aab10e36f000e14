//! The mnemonics of instructions and of their immediates, each written down once.
//!
//! Each instruction has one mnemonic in one table, which the printer and the parser share, so that parsing is the
//! inverse of printing. Mnemonics of instructions on lanes begin with `v`, those on masks with `m`; those on floats end
//! with `f`.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::ir::{
    AtomicOp, AtomicScope, CalleeWrites, ContextField, F64Half, F64Op, LaneBinary, LaneCompare,
    LaneUnary, MaskBinary, Op, PatternId, Row, Space, Type, WordBinary, WordCompare,
};

/// The types of values.
pub(super) const TYPES: &[(Type, &str)] = &[
    (Type::Word, "word"),
    (Type::Pointer, "ptr"),
    (Type::Lanes, "lanes"),
    (Type::Mask, "mask"),
];

const WORD_BINARY: &[(WordBinary, &str)] = &[
    (WordBinary::Add, "add"),
    (WordBinary::Sub, "sub"),
    (WordBinary::Mul, "mul"),
    (WordBinary::And, "and"),
    (WordBinary::Or, "or"),
    (WordBinary::Xor, "xor"),
    (WordBinary::Shl, "shl"),
    (WordBinary::ShrU, "shru"),
    (WordBinary::ShrS, "shrs"),
    (WordBinary::DivU, "divu"),
    (WordBinary::DivS, "divs"),
    (WordBinary::RemU, "remu"),
    (WordBinary::RemS, "rems"),
    (WordBinary::MinU, "minu"),
    (WordBinary::MaxU, "maxu"),
    (WordBinary::MinS, "mins"),
    (WordBinary::MaxS, "maxs"),
    (WordBinary::MulHighU, "mulhighu"),
];

const WORD_COMPARE: &[(WordCompare, &str)] = &[
    (WordCompare::Eq, "eq"),
    (WordCompare::Ne, "ne"),
    (WordCompare::LtU, "ltu"),
    (WordCompare::LeU, "leu"),
    (WordCompare::LtS, "lts"),
    (WordCompare::LeS, "les"),
];

const FLOAT_BINARY: &[(LaneBinary, &str)] = &[
    (LaneBinary::AddF, "addf"),
    (LaneBinary::SubF, "subf"),
    (LaneBinary::MulF, "mulf"),
    (LaneBinary::DivF, "divf"),
    (LaneBinary::MinF, "minf"),
    (LaneBinary::MaxF, "maxf"),
    (LaneBinary::ScaleF, "scalef"),
];

const FLOAT_COMPARE: &[(LaneCompare, &str)] = &[
    (LaneCompare::EqF, "eqf"),
    (LaneCompare::NeF, "nef"),
    (LaneCompare::LtF, "ltf"),
    (LaneCompare::LeF, "lef"),
    (LaneCompare::NltF, "nltf"),
    (LaneCompare::NleF, "nlef"),
];

const UNARY: &[(LaneUnary, &str)] = &[
    (LaneUnary::Sqrt, "vsqrtf"),
    (LaneUnary::InverseSqrtEstimate, "vrsqrtf"),
    (LaneUnary::Round, "vroundf"),
    (LaneUnary::Floor, "vfloorf"),
    (LaneUnary::Ceil, "vceilf"),
    (LaneUnary::Trunc, "vtruncf"),
    (LaneUnary::FromU, "vfromu"),
    (LaneUnary::FromS, "vfroms"),
    (LaneUnary::ToU, "vtou"),
    (LaneUnary::ToS, "vtos"),
    (LaneUnary::FromHalf, "vfromhalf"),
    (LaneUnary::ToHalf, "vtohalf"),
    (LaneUnary::CountOnes, "vcountones"),
    (LaneUnary::LeadingZeros, "vleadingzeros"),
];

const F64: &[(F64Op, &str)] = &[
    (F64Op::Add, "add"),
    (F64Op::Sub, "sub"),
    (F64Op::Mul, "mul"),
    (F64Op::Div, "div"),
    (F64Op::Fma, "fma"),
    (F64Op::Sqrt, "sqrt"),
    (F64Op::Round, "round"),
    (F64Op::Floor, "floor"),
    (F64Op::Ceil, "ceil"),
    (F64Op::Trunc, "trunc"),
    (F64Op::FromF32, "fromf32"),
];

const MASK_BINARY: &[(MaskBinary, &str)] = &[
    (MaskBinary::And, "mand"),
    (MaskBinary::Or, "mor"),
    (MaskBinary::Xor, "mxor"),
    (MaskBinary::AndNot, "mandnot"),
];

const ATOMIC: &[(AtomicOp, &str)] = &[
    (AtomicOp::Add, "add"),
    (AtomicOp::Sub, "sub"),
    (AtomicOp::And, "and"),
    (AtomicOp::Or, "or"),
    (AtomicOp::Xor, "xor"),
    (AtomicOp::MinU, "minu"),
    (AtomicOp::MaxU, "maxu"),
    (AtomicOp::MinS, "mins"),
    (AtomicOp::MaxS, "maxs"),
    (AtomicOp::Exchange, "exchange"),
];

const FLOAT_ATOMIC: &[(AtomicOp, &str)] = &[(AtomicOp::AddF, "addf")];

/// The scopes of atomic instructions.
pub(super) const ATOMIC_SCOPES: &[(AtomicScope, &str)] = &[
    (AtomicScope::Thread, "thread"),
    (AtomicScope::Threads, "threads"),
];

/// The memory that a callee may write.
pub(super) const CALLEE_WRITES: &[(CalleeWrites, &str)] = &[
    (CalleeWrites::Frame, "frame"),
    (CalleeWrites::Everything, "everything"),
];

/// The words of the context.
pub(super) const FIELDS: &[(ContextField, &str)] = &[
    (ContextField::WorkgroupId(0), "workgroup.x"),
    (ContextField::WorkgroupId(1), "workgroup.y"),
    (ContextField::WorkgroupId(2), "workgroup.z"),
    (ContextField::WorkgroupCount(0), "count.x"),
    (ContextField::WorkgroupCount(1), "count.y"),
    (ContextField::WorkgroupCount(2), "count.z"),
    (ContextField::Subgroup, "subgroup"),
];

/// A row without offset, limit and mask.
const ROW: Row = Row {
    offset: 0,
    is_limited: false,
    is_masked: false,
};

/// The instructions that are not in another table, with cleared immediates, which are parsed and printed separately.
const PLAIN: &[(Op, &str)] = &[
    (Op::Word(0), "word"),
    (Op::ContextField(ContextField::Subgroup), "field"),
    (Op::Base(Space::Workgroup), "base"),
    (Op::Length(0), "length"),
    (Op::WordSelect, "select"),
    (Op::Any, "any"),
    (Op::Ballot, "ballot"),
    (Op::Extract(0), "extract"),
    (Op::LoadWord(0), "loadword"),
    (Op::LoadPointer(0), "loadpointer"),
    (Op::Advance, "advance"),
    (Op::AdvanceOrZeros, "advanceorzeros"),
    (Op::Splat(0), "splat"),
    (Op::Pattern(PatternId(0)), "pattern"),
    (Op::Broadcast, "broadcast"),
    (Op::ShlBy(0), "vshlby"),
    (Op::ShrBy(0), "vshruby"),
    (Op::SarBy(0), "vshrsby"),
    (Op::RotateBy(0), "vrotateby"),
    (Op::Fma, "vfmaf"),
    (Op::Ternary(0), "vternary"),
    (Op::F64ToF32, "f64.tof32"),
    (Op::Select, "vselect"),
    (Op::MaskedFma, "masked.vfmaf"),
    (Op::Permute, "vpermute"),
    (Op::Mask(0), "mask"),
    (Op::FromBallot, "fromballot"),
    (Op::LoadSplat(0), "loadsplat"),
    (Op::LoadRow(ROW), "loadrow"),
    (Op::StoreRow(ROW), "storerow"),
    (Op::StoreRowNonTemporal(0), "storerownontemporal"),
    (Op::Gather(0), "gather"),
    (Op::Scatter(0), "scatter"),
    (Op::ScatterHalves(0), "scatterhalves"),
    (
        Op::CompareExchange(AtomicScope::Thread, 0),
        "atomic.compareexchange",
    ),
    (
        Op::CompareExchange64(AtomicScope::Thread, 0),
        "atomic64.compareexchange",
    ),
    (Op::FrameStore(0), "framestore"),
    (Op::FrameLoad(0), "frameload"),
    (Op::FrameStoreAt(0), "framestoreat"),
    (Op::FrameLoadAt(0), "frameloadat"),
    (Op::Poll(0), "poll"),
    (Op::Call(0, CalleeWrites::Everything), "call"),
    (Op::ActiveLanes, "activelanes"),
];

/// The name of an entry of a table. Entries that break a rule of the IR may be missing.
pub(super) fn name_of<T: PartialEq>(table: &[(T, &'static str)], item: &T) -> Option<&'static str> {
    let entry = table.iter().find(|(known, _)| known == item);
    entry.map(|(_, name)| *name)
}

/// The entry of a table with a name.
pub(super) fn named<T: Copy>(table: &[(T, &str)], name: &str) -> Option<T> {
    let entry = table.iter().find(|(_, known)| *known == name);
    entry.map(|(item, _)| *item)
}

/// Every mnemonic, with its instruction.
fn instructions() -> impl Iterator<Item = (String, Op)> {
    fn of<'a, T: Copy>(
        table: &'a [(T, &str)],
        prefix: &'a str,
        op: impl Fn(T) -> Op + 'a,
    ) -> impl Iterator<Item = (String, Op)> + 'a {
        let name = move |&(item, name): &(T, &str)| (format!("{prefix}{name}"), op(item));
        table.iter().map(name)
    }
    let words = of(WORD_BINARY, "", Op::WordBinary).chain(of(WORD_COMPARE, "", Op::WordCompare));
    let lanes = of(FLOAT_BINARY, "v", Op::Binary)
        .chain(of(WORD_BINARY, "v", |op| Op::Binary(LaneBinary::Int(op))))
        .chain(of(FLOAT_COMPARE, "v", Op::Compare))
        .chain(of(WORD_COMPARE, "v", |op| {
            Op::Compare(LaneCompare::Int(op))
        }))
        .chain(of(UNARY, "", Op::Unary));
    let masked = of(FLOAT_BINARY, "masked.v", Op::Masked)
        .chain(of(WORD_BINARY, "masked.v", |op| {
            Op::Masked(LaneBinary::Int(op))
        }))
        .chain(of(FLOAT_COMPARE, "masked.v", Op::MaskedCompare))
        .chain(of(WORD_COMPARE, "masked.v", |op| {
            Op::MaskedCompare(LaneCompare::Int(op))
        }));
    let others = of(MASK_BINARY, "", Op::MaskBinary)
        .chain(of(ATOMIC, "atomic.", |op| {
            Op::Atomic(op, AtomicScope::Thread, 0)
        }))
        .chain(of(FLOAT_ATOMIC, "atomic.", |op| {
            Op::Atomic(op, AtomicScope::Thread, 0)
        }))
        .chain(of(ATOMIC, "atomic64.", |op| {
            Op::Atomic64(op, AtomicScope::Thread, 0)
        }))
        .chain(of(F64, "f64.low.", |op| Op::F64(op, F64Half::Low)))
        .chain(of(F64, "f64.high.", |op| Op::F64(op, F64Half::High)))
        .chain(of(PLAIN, "", |op| op));
    words.chain(lanes).chain(masked).chain(others)
}

/// Instructions by mnemonic, and mnemonics by instruction. Immediates are cleared.
struct Mnemonics {
    ops: HashMap<String, Op>,
    names: HashMap<Op, String>,
}

static NAMES: LazyLock<Mnemonics> = LazyLock::new(|| Mnemonics {
    ops: instructions().collect(),
    names: instructions().map(|(name, op)| (op, name)).collect(),
});

/// The mnemonic of an instruction.
pub(super) fn mnemonic(op: Op) -> &'static str {
    NAMES.names.get(&cleared(op)).map_or("?", String::as_str)
}

/// The instruction with a mnemonic. Its immediates are cleared.
pub(super) fn instruction(name: &str) -> Option<Op> {
    NAMES.ops.get(name).copied()
}

/// An instruction with cleared immediates, as the tables have it.
fn cleared(op: Op) -> Op {
    match op {
        Op::Word(_) => Op::Word(0),
        Op::ContextField(_) => Op::ContextField(ContextField::Subgroup),
        Op::Base(_) => Op::Base(Space::Workgroup),
        Op::Length(_) => Op::Length(0),
        Op::Extract(_) => Op::Extract(0),
        Op::LoadWord(_) => Op::LoadWord(0),
        Op::LoadPointer(_) => Op::LoadPointer(0),
        Op::Splat(_) => Op::Splat(0),
        Op::Pattern(_) => Op::Pattern(PatternId(0)),
        Op::ShlBy(_) => Op::ShlBy(0),
        Op::ShrBy(_) => Op::ShrBy(0),
        Op::SarBy(_) => Op::SarBy(0),
        Op::RotateBy(_) => Op::RotateBy(0),
        Op::Ternary(_) => Op::Ternary(0),
        Op::Mask(_) => Op::Mask(0),
        Op::LoadSplat(_) => Op::LoadSplat(0),
        Op::LoadRow(_) => Op::LoadRow(ROW),
        Op::StoreRow(_) => Op::StoreRow(ROW),
        Op::StoreRowNonTemporal(_) => Op::StoreRowNonTemporal(0),
        Op::Gather(_) => Op::Gather(0),
        Op::Scatter(_) => Op::Scatter(0),
        Op::ScatterHalves(_) => Op::ScatterHalves(0),
        Op::Atomic(op, ..) => Op::Atomic(op, AtomicScope::Thread, 0),
        Op::CompareExchange(..) => Op::CompareExchange(AtomicScope::Thread, 0),
        Op::Atomic64(op, ..) => Op::Atomic64(op, AtomicScope::Thread, 0),
        Op::CompareExchange64(..) => Op::CompareExchange64(AtomicScope::Thread, 0),
        Op::FrameStore(_) => Op::FrameStore(0),
        Op::FrameLoad(_) => Op::FrameLoad(0),
        Op::FrameStoreAt(_) => Op::FrameStoreAt(0),
        Op::FrameLoadAt(_) => Op::FrameLoadAt(0),
        Op::Poll(_) => Op::Poll(0),
        Op::Call(..) => Op::Call(0, CalleeWrites::Everything),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_instructions_share_a_name() {
        assert_eq!(NAMES.ops.len(), instructions().count());
        assert_eq!(NAMES.names.len(), instructions().count());
    }
}
