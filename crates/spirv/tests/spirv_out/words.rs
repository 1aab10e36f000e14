//! Checks the instructions that are written for each construct.

use anywarp_program::Program;
use anywarp_spirv::{Discard, SpirvOptions, write_spirv};
use rspirv::binary::Disassemble;
use rspirv::dr::load_words;
use rspirv::spirv::{ExecutionMode, Op};

fn options(minor: u8) -> SpirvOptions {
    let mut options = SpirvOptions::default();
    options.version = (1, minor);
    options
}

/// The disassembled module.
fn text(wgsl: &str, options: &SpirvOptions) -> String {
    let words = write_spirv(&Program::from_wgsl(wgsl).unwrap(), options).unwrap();
    load_words(words).unwrap().disassemble()
}

fn error(wgsl: &str, options: &SpirvOptions) -> String {
    write_spirv(&Program::from_wgsl(wgsl).unwrap(), options)
        .unwrap_err()
        .to_string()
}

const OVERRIDES: &str = "
    override a: u32 = 3;
    @id(0) override b: f32 = 1.5;
    override c: u32 = a * 2 + 1;
    override d: bool;
    var<workgroup> w: array<u32, c>;
    @group(0) @binding(0) var<storage, read_write> out: array<f32>;
    @compute @workgroup_size(a, 2) fn main() { if d { out[0] = b; } w[1] = c; }
";

#[test]
fn overrides_are_specialization_constants() {
    let text = text(OVERRIDES, &options(3));
    for expected in [
        "SpecId 1",
        "SpecId 0",
        "SpecId 2",
        "OpSpecConstantFalse",
        "BuiltIn WorkgroupSize",
    ] {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
    assert_eq!(text.matches("SpecId").count(), 3, "{text}");
    assert_eq!(text.matches("OpSpecConstantOp").count(), 2, "{text}");
    assert!(!text.contains("anywarp"), "{text}");
}

#[test]
fn workgroup_sizes_by_overrides_are_a_mode_from_1_6_on() {
    let program = Program::from_wgsl(OVERRIDES).unwrap();
    // rspirv does not support this execution mode.
    let words = write_spirv(&program, &options(6)).unwrap();
    let [mode, size] = [
        6 << 16 | Op::ExecutionModeId as u32,
        ExecutionMode::LocalSizeId as u32,
    ];
    assert!(
        words.windows(3).any(|it| it[0] == mode && it[2] == size),
        "{words:x?}"
    );
    let two = "override a: u32 = 1; @compute @workgroup_size(a) fn f() {}
               @compute @workgroup_size(2) fn g() {}";
    assert_eq!(
        error(two, &options(3)),
        "a workgroup size by overrides, among several entry points, needs SPIR-V 1.6, one entry \
         point chosen, or frozen constants"
    );
    let mut chosen = options(3);
    chosen.entry_point = Some("f".to_owned());
    let words = write_spirv(&Program::from_wgsl(two).unwrap(), &chosen);
    assert!(words.is_ok());
}

#[test]
fn frozen_constants_are_constants() {
    let mut options = options(3);
    options.freeze_constants = true;
    assert!(error(OVERRIDES, &options).contains("cannot be frozen: missing value"));
    let text = text(&OVERRIDES.replace("d: bool", "d: bool = true"), &options);
    assert!(
        !text.contains("Spec") && text.contains("LocalSize 3 2 1"),
        "{text}"
    );
}

#[test]
fn float_arithmetic_cannot_size_arrays() {
    let wgsl = "override a: f32 = 2.5; var<workgroup> w: array<u32, u32(a * 2.0)>;
                @compute @workgroup_size(1) fn main() { w[0] = 1u; }";
    let message = error(wgsl, &options(3));
    assert!(
        message.starts_with("the length of an array depends on overrides by arithmetic"),
        "{message}"
    );
}

const DISCARD: &str = "@fragment fn main(@location(0) x: f32) -> @location(0) vec4<f32> {
    if x > 1.0 { discard; }
    return vec4<f32>(dpdx(x));
}";

#[test]
fn discard_demotes_where_it_can() {
    for (minor, discard, demotes, extends) in [
        (3, Discard::ByVersion, false, false),
        (6, Discard::ByVersion, true, false),
        (3, Discard::Demote, true, true),
        (6, Discard::Kill, false, false),
    ] {
        let mut options = options(minor);
        options.discard = discard;
        let text = text(DISCARD, &options);
        assert_eq!(
            text.contains("OpDemoteToHelperInvocation"),
            demotes,
            "{text}"
        );
        assert_eq!(
            text.contains("OpCapability DemoteToHelperInvocation"),
            demotes,
            "{text}"
        );
        assert_eq!(text.contains("OpKill"), !demotes, "{text}");
        assert_eq!(
            text.contains("SPV_EXT_demote_to_helper_invocation"),
            extends,
            "{text}"
        );
    }
}

#[test]
fn positions_are_flipped_only_on_demand() {
    let wgsl = "@vertex fn main() -> @builtin(position) vec4<f32> { return vec4<f32>(1.0); }";
    let mut options = options(3);
    assert!(!text(wgsl, &options).contains("OpFNegate"));
    options.flip_y = true;
    assert!(text(wgsl, &options).contains("OpFNegate"));
}

#[test]
fn names_are_dropped_on_demand() {
    let mut options = options(3);
    assert!(text(OVERRIDES, &options).contains("OpName"));
    options.debug_names = false;
    let text = text(OVERRIDES, &options);
    assert!(
        !text.contains("OpName") && !text.contains("OpMemberName"),
        "{text}"
    );
}

#[test]
fn the_version_is_the_one_asked_for() {
    let program = Program::from_wgsl("@compute @workgroup_size(1) fn main() {}").unwrap();
    for minor in 0..=6 {
        let words = write_spirv(&program, &options(minor)).unwrap();
        assert_eq!(words[1], 0x0001_0000 | u32::from(minor) << 8);
    }
    assert_eq!(
        write_spirv(&program, &options(7)).unwrap_err().to_string(),
        "there is no SPIR-V 1.7; 1.0 to 1.6 can be written"
    );
}

#[test]
fn what_a_version_lacks_is_said() {
    let wgsl = "enable subgroups;
        @group(0) @binding(0) var<storage, read_write> out: u32;
        @compute @workgroup_size(1) fn main() { out = subgroupAdd(1u); }";
    assert_eq!(
        error(wgsl, &options(2)),
        "a subgroup operation needs SPIR-V 1.3"
    );
    assert!(text(wgsl, &options(3)).contains("OpCapability GroupNonUniformArithmetic"));
}

#[test]
fn entry_points_are_chosen_by_name() {
    let wgsl = "@compute @workgroup_size(1) fn one() {} @fragment fn two() {}";
    let mut options = options(3);
    assert_eq!(text(wgsl, &options).matches("OpEntryPoint").count(), 2);
    options.entry_point = Some("two".to_owned());
    assert_eq!(text(wgsl, &options).matches("OpEntryPoint").count(), 1);
    options.entry_point = Some("three".to_owned());
    assert_eq!(
        error(wgsl, &options),
        "there is no entry point `three`; the program has `one`, `two`"
    );
}

#[test]
fn images_without_a_format_have_their_capabilities() {
    let wgsl = "@group(0) @binding(0) var a: texture_storage_2d<bgra8unorm, read_write>;
        @compute @workgroup_size(1) fn main() { textureStore(a, vec2<u32>(), textureLoad(a, vec2<u32>())); }";
    let text = text(wgsl, &options(3));
    assert!(text.contains("StorageImageReadWithoutFormat"), "{text}");
    assert!(text.contains("StorageImageWriteWithoutFormat"), "{text}");
}

#[test]
fn unequal_is_true_for_what_is_no_number() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> a: vec2<f32>;
        @compute @workgroup_size(1) fn main() { if a.x != a.y { a.x = 1.0; } }";
    let text = text(wgsl, &options(3));
    assert!(
        text.contains("OpFUnordNotEqual") && !text.contains("OpFOrdNotEqual"),
        "{text}"
    );
}

#[test]
fn bounds_are_checked_on_demand() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @compute @workgroup_size(1) fn main() { a[a[0]] = 1u; }";
    let mut options = options(3);
    assert!(!text(wgsl, &options).contains("OpArrayLength"));
    options.check_bounds = true;
    assert!(text(wgsl, &options).contains("OpArrayLength"));
}

#[test]
fn what_naga_panics_on_is_refused() {
    let wgsl = "@group(0) @binding(0) var t: texture_external;
        @fragment fn main() -> @location(0) vec4<f32> { return textureLoad(t, vec2<u32>()); }";
    assert_eq!(
        error(wgsl, &options(3)),
        "`texture_external` needs more than SPIR-V has"
    );
}

/// The word count of an instruction has 16 bits.
#[test]
fn what_is_too_long_for_an_instruction_is_refused() {
    let parts = vec!["d"; 70_000].join(",");
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> d: u32;
        @compute @workgroup_size(1) fn main() {{ var a = array<u32, 70000>({parts}); d = a[d]; }}"
    );
    assert_eq!(
        error(&wgsl, &options(3)),
        "function `main`: 70000 parts at once needs more words than an instruction can have"
    );
}

#[test]
fn what_vulkan_has_no_instruction_for_is_refused_by_name() {
    let program = |declarations: &str, statement: &str| {
        format!(
            "enable f16; {declarations}
            @group(0) @binding(1) var<storage, read_write> d: f64;
            @group(0) @binding(2) var<storage, read_write> l: u64;
            @compute @workgroup_size(1) fn main() {{ {statement} }}"
        )
    };
    for (declarations, statement, expected) in [
        (
            "",
            "d = sin(d);",
            "function `main`: Sin of 64-bit floats needs an instruction that SPIR-V does not have",
        ),
        (
            "",
            "l = countOneBits(l);",
            "function `main`: CountOneBits of 64-bit integers needs an instruction that SPIR-V does not have",
        ),
        (
            "@group(0) @binding(0) var<uniform> m: mat3x3<f16>;",
            "d = f64(m[0].x);",
            "variable `m`: a matrix of `f16` in a uniform buffer needs columns at multiples of 16 bytes, or a storage buffer",
        ),
        (
            "",
            "subgroupBarrier();",
            "function `main`: a barrier of a subgroup needs SPIR-V 1.3",
        ),
    ] {
        assert_eq!(
            error(&program(declarations, statement), &options(0)),
            expected
        );
    }
}

#[test]
fn arrays_of_bindings_have_their_capabilities() {
    let wgsl = "enable wgpu_binding_array;
        @group(0) @binding(0) var t: binding_array<texture_2d<f32>>;
        @fragment fn main(@location(0) @interpolate(flat) i: u32) -> @location(0) vec4<f32> {
            return textureLoad(t[i], vec2<u32>(), 0u);
        }";
    let words = text(wgsl, &options(3));
    for line in [
        "OpCapability RuntimeDescriptorArray",
        "OpCapability SampledImageArrayDynamicIndexing",
        "OpCapability SampledImageArrayNonUniformIndexing",
        "OpExtension \"SPV_EXT_descriptor_indexing\"",
    ] {
        assert!(words.contains(line), "no {line} in\n{words}");
    }
}

#[test]
fn deep_programs_have_room() {
    let depth = 60;
    let wgsl = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(1) fn main() {{ {} a[0] = 1u; {} }}",
        "if a[0] > 1u { loop { a[1] += 1u;".repeat(depth),
        "break; } }".repeat(depth),
    );
    let program = Program::from_wgsl(&wgsl).unwrap();
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let thread = small.spawn(move || write_spirv(&program, &options(3)).map(|words| words.len()));
    assert!(thread.unwrap().join().unwrap().unwrap() > 1000);
}

/// naga's own writer extends by the signedness of the result type.
#[test]
fn integers_are_extended_by_their_own_sign() {
    let text = text(
        "@group(0) @binding(0) var<storage, read> a: vec2<u32>;
        @group(0) @binding(1) var<storage, read> b: i32;
        @group(0) @binding(2) var<storage, read_write> c: vec2<i64>;
        @group(0) @binding(3) var<storage, read_write> d: u64;
        @compute @workgroup_size(1) fn main() {
            var wide = vec2<i64>(a);
            for (var i = 0; i < b; i++) { wide += vec2<i64>(a); }
            c = wide;
            d = u64(b);
        }",
        &options(3),
    );
    assert_eq!(text.matches("OpUConvert").count(), 2, "{text}");
    assert_eq!(text.matches("OpSConvert").count(), 1, "{text}");
    assert_eq!(text.matches("OpBitcast").count(), 3, "{text}");
}

/// Shift amounts are masked once, and only if they may be out of range.
#[test]
fn shifts_take_amounts_modulo_the_width() {
    let wgsl = "@group(0) @binding(0) var<storage, read> n: vec2<u32>;
        @group(0) @binding(1) var<storage, read_write> a: vec2<u32>;
        @group(0) @binding(2) var<storage, read_write> b: i64;
        @compute @workgroup_size(1) fn main() {
            a = (a << n) >> vec2(31u, 1u);
            a.x = a.x << 3u;
            a.y = a.y >> (n.x & 31u);
            b = b >> n.y;
        }";
    let text = text(wgsl, &options(3));
    assert_eq!(text.matches("OpBitwiseAnd").count(), 3, "{text}");
    assert!(text.contains("  63\n"), "{text}");
}

/// The limits of naga's own writer are too wide. The conformance case `f16/to_i16` checks the values.
#[test]
fn halves_become_short_integers_within_limits() {
    let wgsl = "enable f16;
        enable wgpu_int16;
        @group(0) @binding(0) var<storage, read> h: vec2<f16>;
        @group(0) @binding(1) var<storage, read_write> a: vec2<i16>;
        @compute @workgroup_size(1) fn main() { a = vec2<i16>(h); }";
    let text = text(wgsl, &options(3));
    assert_eq!(text.matches("FClamp").count(), 2, "{text}");
}

#[test]
fn bits_of_short_integers_are_refused() {
    for function in ["countLeadingZeros", "firstLeadingBit", "reverseBits"] {
        let wgsl = format!(
            "enable wgpu_int16;
            @group(0) @binding(0) var<storage, read_write> a: i16;
            @compute @workgroup_size(1) fn main() {{ a = {function}(a); }}"
        );
        let error = error(&wgsl, &options(3));
        assert!(error.contains("of 16-bit integers"), "{error}");
    }
}

#[test]
fn coordinates_of_other_widths_are_refused() {
    let head = "@group(0) @binding(0) var<storage, read_write> at: vec2<i64>;
        @group(0) @binding(1) var picture: texture_2d<f32>;
        @group(0) @binding(2) var to: texture_storage_2d<rgba8unorm, write>;";
    for body in [
        "if at.x == 0 { textureStore(to, at, vec4(1.0)); }",
        "_ = textureLoad(picture, at, 0);",
    ] {
        let wgsl = format!("{head} @compute @workgroup_size(1) fn main() {{ {body} }}");
        let error = error(&wgsl, &options(3));
        assert!(error.contains("a coordinate of 64 bits"), "{error}");
    }
}

/// naga's writer compares them with 32-bit lengths, which is invalid SPIR-V.
#[test]
fn indices_of_other_widths_are_refused_where_bounds_are_checked() {
    let wgsl = "@group(0) @binding(0) var<storage, read_write> a: array<u32, 8>;
        @group(0) @binding(1) var<storage, read> i: i64;
        @compute @workgroup_size(1) fn main() { a[i] = 1; }";
    let mut options = options(3);
    options.check_bounds = true;
    let error = error(wgsl, &options);
    assert!(error.contains("an index of 64 bits"), "{error}");
    options.check_bounds = false;
    text(wgsl, &options);
}
