//! Atomic instructions and barriers.

use crate::assembly::Case;
use crate::machine::{evaluate, translated};

const VALUES: &[u32] = &[0, 1, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// Runs an instruction on a variable of the workgroup and on a word of a buffer; it gives the old
/// value and leaves the new one.
fn check(name: &str, arguments: &str, expected: impl Fn(u32, u32) -> u32) {
    for (ty, is_buffer) in [("u32", true), ("u32", false), ("i32", false)] {
        let place = match is_buffer {
            true => "%p = OpAccessChain %word %in %c0 %first_in",
            false => "OpStore %shared $0\n%p = OpCopyObject %shared_pointer %shared",
        };
        let text = format!(
            "{place}
            %old = Op{name} %{ty} %p %c1 %c0 {arguments}
            %new = OpAtomicLoad %{ty} %p %c1 %c0
            %r = OpCompositeConstruct $T %old %new"
        );
        let types = format!(
            "%shared_pointer = OpTypePointer Workgroup %{ty}
            %shared = OpVariable %shared_pointer Workgroup"
        );
        let result = format!("v2{ty}");
        let case = Case {
            text: &text,
            operands: &[ty, ty],
            result: &result,
            types: &types,
            ..Case::default()
        };
        let pairs: Vec<Vec<u32>> = VALUES
            .iter()
            .flat_map(|a| VALUES.iter().map(|b| vec![*a, *b]))
            .collect();
        let Some(results) = evaluate(&case, &pairs) else {
            return;
        };
        for (pair, is) in pairs.iter().zip(results) {
            let new = expected(pair[0], pair[1]);
            assert_eq!(
                is,
                [pair[0], new],
                "{name} of {ty} {pair:x?}, in a buffer: {is_buffer}"
            );
        }
    }
}

#[test]
fn sums_and_bits() {
    check("AtomicIAdd", "$1", |old, x| old.wrapping_add(x));
    check("AtomicISub", "$1", |old, x| old.wrapping_sub(x));
    check("AtomicIIncrement", "", |old, _| old.wrapping_add(1));
    check("AtomicIDecrement", "", |old, _| old.wrapping_sub(1));
    check("AtomicAnd", "$1", |old, x| old & x);
    check("AtomicOr", "$1", |old, x| old | x);
    check("AtomicXor", "$1", |old, x| old ^ x);
    check("AtomicExchange", "$1", |_, x| x);
}

/// Also on variables of the other sign.
#[test]
fn minima_and_maxima() {
    let signed = u32::cast_signed;
    check("AtomicUMin", "$1", |old, x| old.min(x));
    check("AtomicUMax", "$1", |old, x| old.max(x));
    check("AtomicSMin", "$1", |old, x| {
        signed(old).min(signed(x)).cast_unsigned()
    });
    check("AtomicSMax", "$1", |old, x| {
        signed(old).max(signed(x)).cast_unsigned()
    });
}

/// Half of the exchanges fail for no reason, and nobody notices.
#[test]
fn exchange_if_equal() {
    check("AtomicCompareExchange", "%c0 $1 %o0", |_, x| x);
    check("AtomicCompareExchange", "%c0 %o0 $1", |old, _| old);
}

#[test]
fn stores() {
    let case = Case {
        text: "%p = OpAccessChain %word %in %c0 %first_in
            OpAtomicStore %p %c1 %c0 $1
            %r = OpAtomicLoad $T %p %c1 %c0",
        operands: &["u32", "u32"],
        result: "u32",
        ..Case::default()
    };
    if let Some(results) = evaluate(&case, &[vec![1, 2]]) {
        assert_eq!(results[0], [2]);
    }
}

/// All invocations add to one variable, wait, and see the same sum.
#[test]
fn barriers() {
    let case = Case {
        text: "%old = OpAtomicIAdd %u32 %shared %c2 %c0 $0
            OpControlBarrier %c2 %c2 %semantics
            %r = OpAtomicLoad $T %shared %c2 %c0",
        operands: &["u32"],
        result: "u32",
        types: "%semantics = OpConstant %u32 264
            %shared_pointer = OpTypePointer Workgroup %u32
            %shared = OpVariable %shared_pointer Workgroup",
        workgroup: 16,
        ..Case::default()
    };
    let numbers: Vec<_> = (0..32).map(|it| vec![it]).collect();
    let Some(results) = evaluate(&case, &numbers) else {
        return;
    };
    let sums = [(0..16).sum::<u32>(), (16..32).sum()];
    for (at, is) in results.iter().enumerate() {
        assert_eq!(is[0], sums[at / 16]);
    }
}

/// Which barrier of naga each becomes.
#[test]
fn kinds_of_barriers() {
    use anywarp_program::naga::{Barrier, Statement};
    let barrier = |line: &str, semantics: u32| {
        let text = format!("{line}\n%r = OpCopyObject $T $0");
        let types = format!("%semantics = OpConstant %u32 {semantics}");
        let case = Case {
            text: &text,
            operands: &["u32"],
            result: "u32",
            types: &types,
            ..Case::default()
        };
        let program = translated(&case)?;
        let functions = program.module().functions.iter();
        let statements = functions.flat_map(|(_, function)| function.body.iter());
        let barriers = statements.filter_map(|statement| match statement {
            Statement::ControlBarrier(barrier) => Some((true, *barrier)),
            Statement::MemoryBarrier(barrier) => Some((false, *barrier)),
            _ => None,
        });
        Some(barriers.collect::<Vec<_>>())
    };
    let workgroup = |semantics| barrier("OpControlBarrier %c2 %c2 %semantics", semantics);
    let Some(none) = workgroup(0) else {
        return;
    };
    assert_eq!(none, [(true, Barrier::WORK_GROUP)]);
    assert_eq!(workgroup(0x108).unwrap(), [(true, Barrier::WORK_GROUP)]);
    assert_eq!(workgroup(0x48).unwrap(), [(true, Barrier::STORAGE)]);
    assert_eq!(workgroup(0x808).unwrap(), [(true, Barrier::TEXTURE)]);
    let all = Barrier::WORK_GROUP | Barrier::STORAGE | Barrier::TEXTURE;
    assert_eq!(workgroup(0x948).unwrap(), [(true, all)]);
    let subgroup = barrier("OpControlBarrier %c3 %c3 %semantics", 0x948).unwrap();
    assert_eq!(subgroup, [(true, Barrier::SUB_GROUP)]);
    let memory = |semantics| barrier("OpMemoryBarrier %c1 %semantics", semantics).unwrap();
    assert_eq!(memory(0x48), [(false, Barrier::STORAGE)]);
    assert_eq!(memory(0x8), []);
    assert_eq!(barrier("OpMemoryBarrier %c4 %semantics", 0x48).unwrap(), []);
}
