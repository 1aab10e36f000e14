//! Variable pointers: pointers selected at run time.

use crate::families::assembly::Case;
use crate::families::machine::everywhere;

fn check(case: &Case<'_>, cases: &[(&[u32], &[u32])]) {
    let inputs: Vec<Vec<u32>> = cases.iter().map(|(input, _)| input.to_vec()).collect();
    everywhere(case, &inputs, |device, results| {
        for ((input, expected), is) in cases.iter().zip(results) {
            assert_eq!(is, expected, "{input:?} on {device}\n{}", case.text);
        }
    });
}

/// Pointers to two elements of one buffer.
const ELEMENTS: &str = "%next = OpIAdd %u32 %first_in %c1
    %a = OpAccessChain %word %in %c0 %first_in
    %b = OpAccessChain %word %in %c0 %next";

#[test]
fn elements_of_one_buffer() {
    let text = format!("{ELEMENTS}\n%p = OpSelect %word $2 %a %b\n%r = OpLoad %u32 %p");
    let case = Case {
        text: &text,
        operands: &["u32", "u32", "bool"],
        result: "u32",
        ..Case::default()
    };
    check(&case, &[(&[7, 9, 1], &[7]), (&[7, 9, 0], &[9])]);
}

const SHARED: &str = "%four = OpTypeArray %u32 %c4
    %pair = OpTypeStruct %u32 %four
    %fours = OpTypePointer Workgroup %four
    %pairs = OpTypePointer Workgroup %pair
    %shared_word = OpTypePointer Workgroup %u32
    %left = OpVariable %fours Workgroup
    %right = OpVariable %pairs Workgroup";

const BOTH: &str = "%a = OpAccessChain %shared_word %left %c2
    %b = OpAccessChain %shared_word %right %c1 $1
    OpStore %a %c5
    OpStore %b %c6
    %p = OpSelect %shared_word $0 %a %b";

/// Loads, stores and calls access the selected variable.
#[test]
fn elements_of_two_variables() {
    let text = format!(
        "{BOTH}
        %old = OpLoad %u32 %p
        OpStore %p %c9
        %na = OpLoad %u32 %a
        %nb = OpLoad %u32 %b
        %r = OpCompositeConstruct $T %old %na %nb"
    );
    let case = Case {
        text: &text,
        operands: &["bool", "u32"],
        result: "v3u32",
        types: SHARED,
        ..Case::default()
    };
    check(&case, &[(&[1, 3], &[5, 9, 6]), (&[0, 3], &[6, 5, 9])]);
}

#[test]
fn atomics_on_one_of_two() {
    let text = format!(
        "{BOTH}
        %old = OpAtomicIAdd %u32 %p %c1 %c0 %c10
        %na = OpLoad %u32 %a
        %nb = OpLoad %u32 %b
        %r = OpCompositeConstruct $T %old %na %nb"
    );
    let case = Case {
        text: &text,
        operands: &["bool", "u32"],
        result: "v3u32",
        types: SHARED,
        ..Case::default()
    };
    check(&case, &[(&[1, 0], &[5, 15, 6]), (&[0, 1], &[6, 5, 16])]);
}

/// A pointer that is incremented in a loop, and one that is swapped with another.
#[test]
fn pointers_in_loops() {
    let text = "%a = OpAccessChain %word %in %c0 %first_in
        OpBranch %head
        %head = OpLabel
        %p = OpPhi %word %a %start %after %more
        %i = OpPhi %u32 %c0 %start %i1 %more
        %sum = OpPhi %u32 %c0 %start %sum1 %more
        OpLoopMerge %end %more None
        OpBranch %body
        %body = OpLabel
        %x = OpLoad %u32 %p
        %ten = OpIMul %u32 %sum %c10
        %sum1 = OpIAdd %u32 %ten %x
        OpBranch %more
        %more = OpLabel
        %after = OpPtrAccessChain %word %p %c1
        %i1 = OpIAdd %u32 %i %c1
        %is_over = OpUGreaterThanEqual %bool %i1 %c3
        OpBranchConditional %is_over %end %head
        %end = OpLabel
        %r = OpCopyObject $T %sum1";
    let case = Case {
        text,
        operands: &["u32", "u32", "u32"],
        result: "u32",
        decorations: "OpDecorate %word ArrayStride 4",
        ..Case::default()
    };
    check(&case, &[(&[1, 2, 3], &[123]), (&[4, 0, 9], &[409])]);
    let text = format!(
        "{ELEMENTS}
        OpBranch %head
        %head = OpLabel
        %p = OpPhi %word %a %start %q %more
        %q = OpPhi %word %b %start %p %more
        %i = OpPhi %u32 %c0 %start %i1 %more
        OpLoopMerge %end %more None
        OpBranch %more
        %more = OpLabel
        %i1 = OpIAdd %u32 %i %c1
        %goes_on = OpULessThan %bool %i $2
        OpBranchConditional %goes_on %head %end
        %end = OpLabel
        %x = OpLoad %u32 %p
        %y = OpLoad %u32 %q
        %r = OpCompositeConstruct $T %x %y"
    );
    let case = Case {
        text: &text,
        operands: &["u32", "u32", "u32"],
        result: "v2u32",
        ..Case::default()
    };
    check(
        &case,
        &[
            (&[7, 9, 0], &[7, 9]),
            (&[7, 9, 1], &[9, 7]),
            (&[7, 9, 4], &[7, 9]),
        ],
    );
}

#[test]
fn which_pointers_are_the_same() {
    let text = format!(
        "{ELEMENTS}
        %p = OpSelect %word $2 %a %b
        %is_a = OpPtrEqual %bool %p %a
        %is_not_b = OpPtrNotEqual %bool %p %b
        %far = OpPtrDiff %i32 %p %a
        %x = OpSelect %i32 %is_a %one %none
        %y = OpSelect %i32 %is_not_b %one %none
        %r = OpCompositeConstruct $T %x %y %far"
    );
    let case = Case {
        text: &text,
        operands: &["u32", "u32", "bool"],
        result: "v3i32",
        types: "%one = OpConstant %i32 1\n%none = OpConstant %i32 0",
        decorations: "OpDecorate %word ArrayStride 4",
        ..Case::default()
    };
    check(&case, &[(&[0, 0, 1], &[1, 1, 0]), (&[0, 0, 0], &[0, 0, 1])]);
}

/// Two pointers to the same variable: a store through one is visible in loads through the other.
#[test]
fn one_variable_by_two_parameters() {
    let types = "%number = OpTypePointer Function %u32
        %takes_two = OpTypeFunction %u32 %number %number
        %pair = OpFunction %u32 None %takes_two
        %left = OpFunctionParameter %number
        %right = OpFunctionParameter %number
        %inside = OpLabel
        %old = OpLoad %u32 %right
        OpStore %left %c9
        %new = OpLoad %u32 %right
        %ten = OpIMul %u32 %new %c10
        %both = OpIAdd %u32 %ten %old
        OpReturnValue %both
        OpFunctionEnd";
    let case = Case {
        text: "OpStore %x $0
            OpStore %y $0
            %same = OpFunctionCall %u32 %pair %x %x
            %other = OpFunctionCall %u32 %pair %y %x
            %r = OpCompositeConstruct $T %same %other",
        operands: &["u32"],
        result: "v2u32",
        types,
        locals: "%x = OpVariable %number Function
            %y = OpVariable %number Function",
        ..Case::default()
    };
    check(&case, &[(&[4], &[94, 99])]);
}
