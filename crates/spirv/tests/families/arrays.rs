//! Copies of arrays that are too long to be copied element by element.

use crate::families::assembly::Case;
use crate::families::machine::everywhere;

/// Two array types of 100 numbers with different layouts, and a struct around each.
const TYPES: &str = "%length = OpConstant %u32 100
    %close = OpTypeArray %u32 %length
    %apart = OpTypeArray %u32 %length
    %first = OpTypeStruct %u32 %close
    %second = OpTypeStruct %u32 %apart
    %firsts = OpTypePointer Function %first
    %number = OpTypePointer Function %u32
    %none = OpConstantNull %first";

const DECORATIONS: &str = "OpDecorate %close ArrayStride 4
    OpDecorate %apart ArrayStride 16
    OpMemberDecorate %first 0 Offset 0
    OpMemberDecorate %first 1 Offset 4
    OpMemberDecorate %second 0 Offset 0
    OpMemberDecorate %second 1 Offset 16";

#[test]
fn long_arrays_are_copied_whole() {
    let case = Case {
        text: "%p = OpAccessChain %number %variable %c1 $0
            OpStore %p $1
            %before = OpLoad %first %variable
            %copy = OpCopyLogical %second %before
            %a = OpCompositeExtract %u32 %copy 1 0
            %b = OpCompositeExtract %u32 %copy 1 60
            %c = OpCompositeExtract %u32 %copy 1 99
            %r = OpCompositeConstruct $T %a %b %c",
        operands: &["u32", "u32"],
        result: "v3u32",
        types: TYPES,
        locals: "%variable = OpVariable %firsts Function %none",
        decorations: DECORATIONS,
        ..Case::default()
    };
    let inputs = [vec![0, 7], vec![60, 8], vec![99, 9]];
    everywhere(&case, &inputs, |device, results| {
        assert_eq!(
            results,
            [vec![7, 0, 0], vec![0, 8, 0], vec![0, 0, 9]],
            "on {device}"
        );
    });
}
