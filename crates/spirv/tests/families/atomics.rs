//! Atomic instructions and barriers.

use crate::families::assembly::Case;
use crate::families::machine::{everywhere, translated};

const VALUES: &[u32] = &[0, 1, 5, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff];

/// Runs an atomic instruction on a workgroup variable and on a buffer, and checks the returned old value and the stored
/// new value.
fn check(name: &str, arguments: &str, expected: impl Fn(u32, u32) -> u32) {
    for (ty, is_buffer) in [("u32", true), ("u32", false), ("i32", false)] {
        let place = if is_buffer {
            "%p = OpAccessChain %word %in %c0 %first_in"
        } else {
            "OpStore %shared $0\n%p = OpCopyObject %shared_pointer %shared"
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
        everywhere(&case, &pairs, |device, results| {
            for (pair, is) in pairs.iter().zip(results) {
                let is = &is[..];
                let new = expected(pair[0], pair[1]);
                assert_eq!(
                    is,
                    [pair[0], new],
                    "{name} of {ty} {pair:x?}, in a buffer: {is_buffer} on {device}"
                );
            }
        });
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

/// Including variables of the opposite signedness.
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

/// Half of the weak compare-exchanges fail spuriously, which must not be observable.
#[test]
fn exchange_if_equal() {
    check("AtomicCompareExchange", "%c0 $1 %o0", |_, x| x);
    check("AtomicCompareExchange", "%c0 %o0 $1", |old, _| old);
}

/// Float atomics on a workgroup variable.
#[test]
fn floats() {
    let values = [0.0f32, 1.5, -2.25, 1e10, f32::INFINITY];
    let pairs: Vec<Vec<u32>> = (values.iter())
        .flat_map(|a| values.map(|b| vec![a.to_bits(), b.to_bits()]))
        .collect();
    type Way = (&'static str, fn(f32, f32) -> f32);
    let ways: [Way; 4] = [
        ("AtomicFAddEXT", |old, x| old + x),
        ("AtomicFMinEXT", f32::min),
        ("AtomicFMaxEXT", f32::max),
        ("AtomicExchange", |_, x| x),
    ];
    for (name, expected) in ways {
        let text = format!(
            "OpStore %shared $0
            %old = Op{name} %f32 %shared %c1 %c0 $1
            %new = OpLoad %f32 %shared
            %r = OpCompositeConstruct $T %old %new"
        );
        let case = Case {
            text: &text,
            operands: &["f32", "f32"],
            result: "v2f32",
            types: "%shared_pointer = OpTypePointer Workgroup %f32
                %shared = OpVariable %shared_pointer Workgroup",
            ..Case::default()
        };
        everywhere(&case, &pairs, |device, results| {
            for (pair, is) in pairs.iter().zip(results) {
                let new = expected(f32::from_bits(pair[0]), f32::from_bits(pair[1]));
                assert_eq!(
                    is[..],
                    [pair[0], new.to_bits()],
                    "{name} {pair:x?} on {device}"
                );
            }
        });
    }
}

/// Atomics in a buffer whose layout WGSL cannot express, which is translated to an array of words.
#[test]
fn in_buffers_of_words() {
    for (ty, name, old, by, new) in [
        ("i32", "AtomicSMin", 5, 0xffff_fffe, 0xffff_fffe),
        ("i32", "AtomicUMin", 0xffff_fffe, 5, 5),
        ("u32", "AtomicIAdd", 7, u32::MAX, 6),
        ("i32", "AtomicIIncrement", 7, 0, 8),
        (
            "f32",
            "AtomicFAddEXT",
            1.5f32.to_bits(),
            2.0f32.to_bits(),
            3.5f32.to_bits(),
        ),
    ] {
        let value = if name.ends_with("Increment") {
            ""
        } else {
            "$1"
        };
        let text = format!(
            "%p = OpAccessChain %odd_member %odd %c1
            OpStore %p $0
            %old = Op{name} %{ty} %p %c1 %c0 {value}
            %new = OpAtomicLoad %{ty} %p %c1 %c0
            %r = OpCompositeConstruct $T %old %new"
        );
        let types = format!(
            "%odd_struct = OpTypeStruct %v3u32 %{ty}
            %odd_pointer = OpTypePointer StorageBuffer %odd_struct
            %odd_member = OpTypePointer StorageBuffer %{ty}
            %odd = OpVariable %odd_pointer StorageBuffer"
        );
        let result = format!("v2{ty}");
        let case = Case {
            text: &text,
            operands: &[ty, ty],
            result: &result,
            types: &types,
            // The vector is at offset 4, which is not a multiple of 16.
            decorations: "OpDecorate %odd_struct Block
                OpMemberDecorate %odd_struct 0 Offset 4
                OpMemberDecorate %odd_struct 1 Offset 16
                OpDecorate %odd DescriptorSet 0
                OpDecorate %odd Binding 2",
            ..Case::default()
        };
        everywhere(&case, &[vec![old, by]], |device, results| {
            assert_eq!(results[0], [old, new], "{name} of {ty} on {device}");
        });
    }
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
    everywhere(&case, &[vec![1, 2]], |device, results| {
        assert_eq!(results[0], [2], "on {device}");
    });
}

/// All invocations add to a variable; after a barrier all load the same sum.
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
    everywhere(&case, &numbers, |device, results| {
        let sums = [(0..16).sum::<u32>(), (16..32).sum()];
        for (at, is) in results.iter().enumerate() {
            assert_eq!(is[0], sums[at / 16], "on {device}");
        }
    });
}

/// The naga barrier that each barrier instruction is translated to.
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

/// Atomics on a vector component, with non-atomic neighbors.
#[test]
fn components_of_vectors() {
    let case = Case {
        text: "%whole = OpCompositeConstruct %v3u32 $0 $1 %c7
            OpStore %shared %whole
            %p = OpAccessChain %shared_word %shared %c1
            %old = OpAtomicIAdd %u32 %p %c1 %c0 $0
            %r = OpLoad $T %shared",
        operands: &["u32", "u32"],
        result: "v3u32",
        types: "%shared_pointer = OpTypePointer Workgroup %v3u32
            %shared_word = OpTypePointer Workgroup %u32
            %shared = OpVariable %shared_pointer Workgroup",
        ..Case::default()
    };
    everywhere(&case, &[vec![3, 4]], |device, results| {
        assert_eq!(results, [[3, 7, 7]], "on {device}");
    });
}

/// Runs a 16-bit atomic on the upper half of a word of a buffer: it returns the old value, and does not change the
/// lower half.
fn check_half(ty: &str, name: &str, arguments: &str, expected: impl Fn(u32, u32) -> u32) {
    let text = format!(
        "%halves_before = OpIMul %u32 %first_in %c2
        %at = OpIAdd %u32 %halves_before %c1
        %p = OpAccessChain %half %more %c0 %at
        %value = OpBitcast %{ty} $1
        %old = Op{name} %{ty} %p %c1 %c0 {arguments}
        %bits = OpBitcast %u16 %old
        %wide = OpUConvert %u32 %bits
        %again = OpAccessChain %word %in %c0 %first_in
        %new = OpLoad %u32 %again
        %r = OpCompositeConstruct $T %wide %new"
    );
    let types = format!(
        "%five = OpConstant %{ty} 5
        %halves = OpTypeRuntimeArray %{ty}
        %block = OpTypeStruct %halves
        %blocks = OpTypePointer StorageBuffer %block
        %half = OpTypePointer StorageBuffer %{ty}
        %more = OpVariable %blocks StorageBuffer"
    );
    let case = Case {
        text: &text,
        operands: &["u32", "u16"],
        result: "v2u32",
        types: &types,
        decorations: "OpDecorate %halves ArrayStride 2
            OpDecorate %block Block
            OpMemberDecorate %block 0 Offset 0
            OpDecorate %more DescriptorSet 0
            OpDecorate %more Binding 0",
        ..Case::default()
    };
    let halves = [0, 1, 5, 0x7fff, 0x8000, 0xfffe, 0xffff];
    let pairs: Vec<Vec<u32>> = halves
        .iter()
        .flat_map(|a| halves.iter().map(|b| vec![*a << 16 | 0x1234, *b]))
        .collect();
    everywhere(&case, &pairs, |device, results| {
        for (pair, is) in pairs.iter().zip(results) {
            let old = pair[0] >> 16;
            let new = expected(old, pair[1]) & 0xffff;
            let expected = [old, new << 16 | 0x1234];
            assert_eq!(is[..], expected, "{name} of {ty} {pair:x?} on {device}");
        }
    });
}

#[test]
fn halves_of_words() {
    let signed = |it: u32| it as u16 as i16;
    for ty in ["u16", "i16"] {
        check_half(ty, "AtomicIAdd", "%value", |old, x| old.wrapping_add(x));
        check_half(ty, "AtomicIDecrement", "", |old, _| old.wrapping_sub(1));
        check_half(ty, "AtomicXor", "%value", |old, x| old ^ x);
        check_half(ty, "AtomicExchange", "%value", |_, x| x);
        check_half(ty, "AtomicUMax", "%value", |old, x| old.max(x));
        check_half(ty, "AtomicSMin", "%value", |old, x| {
            signed(old).min(signed(x)) as u32
        });
        let arguments = "%c0 %value %five";
        check_half(ty, "AtomicCompareExchange", arguments, |old, x| {
            if old == 5 { x } else { old }
        });
    }
}
