//! Errors: unsupported constructs are named, invalid modules are diagnosed, and nothing panics.

use anywarp_spirv::{ErrorKind, ReadOptions, read};

use crate::families::assembly::Case;
use crate::families::machine::report_skip;

fn refused(case: &Case<'_>, kind: ErrorKind, message: &str) {
    let Some(bytes) = case.assemble() else {
        report_skip("spirv-as is not installed");
        return;
    };
    let error = match read(&bytes, &ReadOptions::default()) {
        Ok(_) => panic!("accepted: {}", case.text),
        Err(error) => error,
    };
    assert_eq!(error.kind(), kind, "{error}");
    assert!(
        error.to_string().contains(message),
        "`{error}` does not say `{message}`"
    );
    assert!(error.offset().is_some(), "{error}");
}

fn case<'a>(text: &'a str, operands: &'a [&'a str], result: &'a str) -> Case<'a> {
    Case {
        text,
        operands,
        result,
        ..Case::default()
    }
}

#[test]
fn unsupported_names_the_feature() {
    let unsupported = |text, operands: &[&str], result, message| {
        refused(
            &case(text, operands, result),
            ErrorKind::Unsupported,
            message,
        );
    };
    let text = "OpExtInst $T %glsl InterpolateAtCentroid $0";
    unsupported(text, &["f32"], "f32", "InterpolateAtCentroid");
    let text = "OpGroupNonUniformIAdd $T %c2 Reduce $0";
    unsupported(text, &["u32"], "u32", "over a Workgroup");
    let text = "OpControlBarrier %c1 %c1 %c0\n%r = OpCopyObject $T $0";
    unsupported(text, &["u32"], "u32", "wait");
    let text = "%p = OpAccessChain %word %in %c0 %first_in\n%r = OpBitcast $T %p";
    unsupported(text, &["u64"], "u64", "pointers reinterpreted");
    let narrow = Case {
        types: "%narrow = OpTypePointer Workgroup %u16
            %shared = OpVariable %narrow Workgroup",
        ..case("OpAtomicIAdd $T %shared %c1 %c0 $0", &["u16"], "u16")
    };
    refused(&narrow, ErrorKind::Unsupported, "16 bits");
}

/// naga's counter of immediate data slots would overflow.
#[test]
fn large_push_constants_are_refused() {
    let text = "%p = OpAccessChain %pushed_word %pushed %c0 $0 %c1\n%r = OpLoad $T %p";
    let large = Case {
        types: "%many = OpTypeArray %v4u32 %c17
            %block = OpTypeStruct %many
            %block_pointer = OpTypePointer PushConstant %block
            %pushed = OpVariable %block_pointer PushConstant
            %pushed_word = OpTypePointer PushConstant %u32",
        decorations: "OpDecorate %many ArrayStride 16
            OpDecorate %block Block
            OpMemberDecorate %block 0 Offset 0",
        ..case(text, &["u32"], "u32")
    };
    refused(
        &large,
        ErrorKind::Unsupported,
        "push constants of 272 bytes",
    );
}

#[test]
fn elements_that_overlap_are_refused() {
    for stride in ["0", "12"] {
        let decorations = format!(
            "OpDecorate %many ArrayStride {stride}
            OpDecorate %block Block
            OpMemberDecorate %block 0 Offset 0"
        );
        let text = "%p = OpAccessChain %stored_word %stored %c0 $0 %c1\n%r = OpLoad $T %p";
        let overlapping = Case {
            types: "%many = OpTypeArray %v4u32 %c17
                %block = OpTypeStruct %many
                %block_pointer = OpTypePointer StorageBuffer %block
                %stored = OpVariable %block_pointer StorageBuffer
                %stored_word = OpTypePointer StorageBuffer %u32",
            decorations: &decorations,
            ..case(text, &["u32"], "u32")
        };
        let message = format!("take 16 bytes each has a stride of {stride}");
        refused(&overlapping, ErrorKind::Invalid, &message);
    }
}

/// Errors of naga's validator have the position of the instruction, although naga does not know the words.
#[test]
fn what_naga_refuses_has_a_place() {
    let wrong = case("OpExtInst $T %glsl Pow $0 $0", &["f32"], "v4u32");
    refused(&wrong, ErrorKind::Unsupported, "OpCompositeExtract");
    refused(
        &wrong,
        ErrorKind::Unsupported,
        "naga refuses what it becomes",
    );
}

#[test]
fn unknown_sets_are_named() {
    let Some(bytes) = case("OpExtInst $T %glsl Sqrt $0", &["f32"], "f32").assemble() else {
        report_skip("spirv-as is not installed");
        return;
    };
    // The assembler rejects unknown sets, so the name is changed afterwards.
    let name = b"GLSL.std.450";
    let at = bytes.windows(name.len()).position(|it| it == name).unwrap();
    let mut other = bytes.clone();
    other[at..at + 12].copy_from_slice(b"GLSL.std.999");
    let error = read(&other, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("unsupported: the instruction set GLSL.std.999"),
        "{error}"
    );
}

/// Operands of wrong types for every instruction of GLSL.std.450, and for subgroup, atomic and dot product
/// instructions: an error or a module that naga accepts, never a panic.
#[test]
fn wrong_types_are_errors() {
    let types = [
        "f32", "v2f32", "v4f32", "i32", "v3u32", "bool", "f64", "u64", "i8", "f16",
    ];
    let mut modules = Vec::new();
    for ty in types {
        for result in ["f32", "v2f32", "u32", "bool", "v4u32", "f64"] {
            let case = case("OpExtInst $T %glsl Pow $0 $0", &[], result);
            let case = Case {
                operands: &[ty],
                ..case
            };
            modules.extend(case.assemble());
        }
        for op in [
            "OpSDot $T $0 $0",
            "OpUDotAccSat $T $0 $0 $0",
            "OpGroupNonUniformFMin $T %c3 InclusiveScan $0",
            "OpGroupNonUniformSMax $T %c3 ExclusiveScan $0",
            "OpGroupNonUniformLogicalAnd $T %c3 Reduce $0",
            "OpGroupNonUniformBallotBitCount $T %c3 Reduce $0",
            "OpGroupNonUniformShuffle $T %c3 $0 $0",
            "OpGroupNonUniformPartitionNV $T $0",
            "OpAtomicSMin $T $0 %c1 %c0 $0",
            "OpBitcast $T $0",
            "OpUConvert $T $0",
            "OpConvertFToS $T $0",
        ] {
            let operands = [ty];
            modules.extend(case(op, &operands, "v4u32").assemble());
        }
    }
    if modules.is_empty() {
        report_skip("spirv-as is not installed");
    }
    let mut wrong = 0;
    for bytes in &modules {
        wrong += usize::from(read(bytes, &ReadOptions::default()).is_err());
        // Replaces Pow by every instruction of the set, with too many or too few operands.
        let pow = 26u32.to_le_bytes();
        let words = bytes.chunks_exact(4).map(|it| it.try_into().unwrap());
        let words: Vec<[u8; 4]> = words.collect();
        let at = (0..words.len()).find(|at| {
            let word = u32::from_le_bytes(words[*at]);
            word & 0xffff == 12 && words.get(at + 4) == Some(&pow)
        });
        for number in (0..=82u32).filter(|_| at.is_some()) {
            let mut words = words.clone();
            words[at.unwrap() + 4] = number.to_le_bytes();
            let _ = read(&words.concat(), &ReadOptions::default());
        }
    }
    assert!(wrong > modules.len() / 2, "{wrong} of {}", modules.len());
}
