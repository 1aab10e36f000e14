//! GLSL constructs that naga's front end alone translates incorrectly.

use anywarp_program::naga::{self, AddressSpace, ShaderStage, TypeInner};
use anywarp_program::{Program, WorkgroupSize};

fn program(text: &str) -> Program {
    Program::from_glsl(text, ShaderStage::Compute).unwrap_or_else(|error| panic!("{error}"))
}

/// Offsets of the members of the push constant block, and strides of its arrays.
fn push_layout(qualifiers: &str) -> (Vec<u32>, Vec<u32>) {
    let text = format!(
        "#version 450
        layout(local_size_x = 4) in;
        layout({qualifiers}) uniform Values {{ float first[4]; vec4 last[3]; }} values;
        layout(set = 0, binding = 0) buffer Numbers {{ float numbers[]; }};
        void main() {{ numbers[0] = values.first[gl_LocalInvocationIndex] + values.last[1].y; }}"
    );
    let program = program(&text);
    let module = program.module();
    let (_, block) = module
        .global_variables
        .iter()
        .find(|(_, variable)| variable.space == AddressSpace::Immediate)
        .unwrap();
    let TypeInner::Struct { members, .. } = &module.types[block.ty].inner else {
        panic!("the block is a structure");
    };
    let stride = |ty| match module.types[ty].inner {
        TypeInner::Array { stride, .. } => Some(stride),
        _ => None,
    };
    (
        members.iter().map(|member| member.offset).collect(),
        members.iter().filter_map(|it| stride(it.ty)).collect(),
    )
}

#[test]
fn push_constants_have_the_layout_std430_unless_they_name_one() {
    let std430 = (vec![0, 16], vec![4, 16]);
    let std140 = (vec![0, 64], vec![16, 16]);
    assert_eq!(push_layout("push_constant"), std430);
    assert_eq!(push_layout("push_constant, std430"), std430);
    assert_eq!(push_layout("push_constant, std140"), std140);
    assert_eq!(push_layout("std140, push_constant"), std140);
    assert_eq!(push_layout("std140) layout(push_constant"), std140);
}

#[test]
fn a_diagnostic_after_push_constants_has_its_place() {
    let text = "#version 450
layout(push_constant, unheard_of) uniform Values { float first; };
void main() {}";
    let error = Program::from_glsl(text, ShaderStage::Compute).unwrap_err();
    let location = error.diagnostic().unwrap().location().unwrap().clone();
    assert_eq!(location.line, 2, "{error}");
}

#[test]
fn the_workgroup_size_is_a_constant() {
    for (size, width) in [("8", "64"), ("N", "N * 8u"), ("N * 1u", "64")] {
        let text = format!(
            "#version 450
            const uint N = 8u;
            layout(local_size_x = {size}) in;
            layout(local_size_y = 8) in;
            layout(set = 0, binding = 0) buffer Numbers {{ uint numbers[]; }};
            shared uint tile[{width}];
            void main() {{
                uint N = 3u;
                tile[gl_LocalInvocationIndex] = N;
                numbers[gl_GlobalInvocationID.x] = gl_WorkGroupSize.x * gl_WorkGroupSize.y;
            }}"
        );
        let program = program(&text);
        let entry_point = program.entry_point(None).unwrap();
        assert_eq!(
            entry_point.workgroup_size,
            Some(WorkgroupSize::Known([8, 8, 1]))
        );
        let wgsl = program.written_wgsl().unwrap();
        Program::from_wgsl(&wgsl).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
        let options = naga::back::spv::Options::default();
        naga::back::spv::write_vec(program.module(), program.info(), &options, None).unwrap();
    }
}

#[test]
fn arrays_may_be_as_long_as_the_workgroup() {
    let program = program(
        "#version 450
        layout(local_size_x = 8, local_size_y = 4) in;
        layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
        shared uint tile[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
        void main() {
            tile[gl_LocalInvocationIndex] = 1u;
            barrier();
            numbers[gl_LocalInvocationIndex] = tile[31u - gl_LocalInvocationIndex];
        }",
    );
    let wgsl = program.written_wgsl().unwrap();
    assert!(wgsl.contains("array<u32, 32>"), "{wgsl}");
}

#[test]
fn what_has_no_effect_is_read() {
    program(
        "#version 450
        layout(local_size_x = 8) in;
        layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
        void twice(inout uint value) { value *= 2u; }
        bool even(uint value) { uint copy = value; twice(copy); copy += 1u; return copy == value; }
        void main() {
            uint i = gl_GlobalInvocationID.x, k = 0u;
            bool both = k++ < 3u && even(i) || even(k) && numbers[k] == 1u;
            both = both || i < 3u ? k++ < 1u : even(k);
            if (k++ < 4u) numbers[i] += 1u;
            for (uint n = 0u; n < 3u && both; n++) { if (n == 1u) continue; numbers[n + i] -= k++; }
            do { k++; for (;;) { if (k > 3u) break; k++; continue; } } while (k < 2u);
            while (k < 9u) { do { k += 2u; } while (k < 5u); if (k == 6u) continue; k++; }
        }",
    );
}

#[test]
fn the_target_of_an_increment_is_evaluated_once() {
    let program = program(
        "#version 450
        layout(local_size_x = 8) in;
        layout(set = 0, binding = 0) buffer Numbers { uint numbers[]; };
        void main() { uint k = 1u; numbers[k++]++; }",
    );
    let wgsl = program.written_wgsl().unwrap();
    assert_eq!(wgsl.matches("    k = ").count(), 1, "{wgsl}");
}

#[test]
fn the_example_can_be_written_in_other_languages() {
    let program = program(include_str!("../../../examples/ripples.comp"));
    let wgsl = program.written_wgsl().unwrap();
    Program::from_wgsl(&wgsl).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    let options = naga::back::spv::Options::default();
    naga::back::spv::write_vec(program.module(), program.info(), &options, None).unwrap();
}

/// naga parses `switch` labels and directives in loops, so their number is not a depth.
#[test]
fn many_labels_and_directives_are_accepted() {
    let accept = |text: &str| {
        Program::from_glsl(text, ShaderStage::Compute).unwrap_or_else(|error| panic!("{error}"));
    };
    for label in [
        "case N: ",
        "case N: x = N; break;\n",
        "case N: { x = N; break; }\n",
    ] {
        let labels: String = (0..10_000)
            .map(|it| label.replace('N', &it.to_string()))
            .collect();
        accept(&format!(
            "#version 450\nvoid main() {{ int x = 1; switch (x) {{ {labels} default: x = 3; }} }}"
        ));
    }
    for line in [
        "#extension GL_KHR_shader_subgroup_basic : enable\n",
        "#define A -1\n",
        "#pragma optimize(on)\n",
        "#ifdef A\n#endif\n",
    ] {
        accept(&format!(
            "#version 450\n{}void main() {{}}",
            line.repeat(3000)
        ));
    }
}

/// A label without a statement stops the parser, so it hides no depth.
#[test]
fn labels_hide_no_depth() {
    for part in [
        "if (x) case 1: ",
        "{ case 1: ",
        "(case 1: ",
        "-case ",
        "switch (x) { case 1: ",
    ] {
        let text = format!(
            "#version 450\nvoid main() {{ bool x; {} }}",
            part.repeat(100_000)
        );
        assert!(
            Program::from_glsl(&text, ShaderStage::Compute).is_err(),
            "{part}"
        );
    }
}

#[test]
fn a_large_type_of_unknown_length_is_not_an_internal_error() {
    let text = "#version 450\nuint a[uint(65536)][uint(65536)][2];\nvoid main() {}";
    let error = Program::from_glsl(text, ShaderStage::Compute).unwrap_err();
    assert!(
        error.to_string().starts_with("type is too large"),
        "{error}"
    );
}
