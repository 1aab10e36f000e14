//! Fuzzing: no GLSL makes `Program` panic, hang or overflow the stack.
//!
//! naga's GLSL front end does panic on some texts. `Program` turns that into an internal error, so a caught panic is
//! not a failure here: the test is that panics are caught and that parsing terminates.

use std::time::{Duration, Instant};

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Program, ProgramError};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const PROGRAMS: [&str; 2] = [
    "#version 450
#define SQUARE(x) ((x) * (x))
#define N 4
layout(local_size_x = N, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer Numbers { uint count; vec4 numbers[]; };
layout(set = 0, binding = 1) uniform Scale { mat4 scale; float factor; };
layout(constant_id = 3) const int STEPS = 7;
shared float tile[N];
struct Pair { float first; ivec2 second; };
float blend(in float a, inout float b, out float c) { c = mix(a, b, 0.5); b += 1.0; return c; }
void main() {
    uint i = gl_GlobalInvocationID.x;
    Pair pair = Pair(1.0, ivec2(1, 2));
    float c;
    for (int k = 0; k < STEPS; k++) { if (k == 3) continue; else pair.first *= 2.0; }
    do { pair.second.x -= 1; } while (pair.second.x > 0);
    switch (pair.second.y) { case 1: break; case 2: pair.first = 1.0; default: break; }
    tile[gl_LocalInvocationIndex % N] = blend(pair.first, pair.first, c);
    barrier();
    numbers[i] = scale * vec4(SQUARE(tile[0]), c, factor > 0.0 ? 1.0 : 2.0, float(i << 1u)).wzyx;
}",
    "#version 460
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform texture2D picture;
layout(set = 0, binding = 1) uniform sampler way;
#ifdef FANCY
const float A[2] = float[2](1.0, 2.0);
#else
const float A[2] = float[](3.0, 4.0);
#endif
void main() {
    vec3 n = normalize(cross(dFdx(vec3(uv, 1.0)), vec3(0.0, 1.0, 0.0)));
    color = texture(sampler2D(picture, way), uv) * vec4(n, A[int(uv.x)]);
    if (color.a < 0.5) discard;
}",
];

const PIECES: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    ".",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "?",
    ":",
    "<",
    ">",
    "++",
    "&&",
    "^^",
    "#",
    "##",
    "\n",
    "\\\n",
    "/*",
    "*/",
    "//",
    "\"",
    "é",
    "\u{0}",
    "0",
    "1u",
    "1.5",
    "1e40",
    "0xffffffff",
    "1.0lf",
    "4294967296",
    "077",
    "#define a",
    "#define f(x) x",
    "#define a a a\n",
    "#if",
    "#if defined(a)\n",
    "#elif 1\n",
    "#else\n",
    "#endif\n",
    "#ifdef a\n",
    "#undef a\n",
    "#version 450\n",
    "#version 310 es\n",
    "#extension all : enable\n",
    "#line 7\n",
    "#error x\n",
    "#pragma x\n",
    "__LINE__",
    "void",
    "main",
    "main()",
    "float",
    "int",
    "uint",
    "bool",
    "double",
    "vec2",
    "ivec3",
    "mat3",
    "dmat2",
    "struct",
    "S",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default:",
    "break;",
    "continue;",
    "return",
    "discard;",
    "const",
    "in",
    "out",
    "inout",
    "uniform",
    "buffer",
    "shared",
    "layout(location = 0)",
    "layout(binding = 0)",
    "layout(std140)",
    "layout(local_size_x = 0)",
    "readonly",
    "flat",
    "highp",
    "precision highp float;",
    "sampler2D",
    "image2D",
    "texture(",
    "vec4(1.0)",
    "float[2](1.0, 2.0)",
    "a",
    "f(1)",
    "a.xyzw",
    "a[0]",
    "a[9]",
    "gl_Position",
    "gl_GlobalInvocationID",
    "barrier();",
    "atomicAdd(a, 1)",
    "imageLoad(a, 1)",
    "mix(1, 2, 3)",
    "1 / 0",
    "a ? 1 : 2",
    "length()",
    "void f() {}",
    "int a[];",
    "int a[3];",
];

fn config() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: cases.and_then(|cases| cases.parse().ok()).unwrap_or(4_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Parses a text for every stage; panics of naga must come back as errors.
fn exercise(text: &str) -> Result<(), TestCaseError> {
    let start = Instant::now();
    for stage in [
        ShaderStage::Compute,
        ShaderStage::Fragment,
        ShaderStage::Vertex,
    ] {
        if let Err(error) = Program::from_glsl(text, stage) {
            let report = error.to_string();
            prop_assert!(
                !report.contains('\u{1b}'),
                "an escape sequence came through"
            );
            prop_assert!(!report.is_empty());
        }
    }
    prop_assert!(start.elapsed() < Duration::from_secs(20), "slow: {text}");
    Ok(())
}

#[test]
fn the_valid_programs_are_valid() {
    let stages = [ShaderStage::Compute, ShaderStage::Fragment];
    for (text, stage) in PROGRAMS.into_iter().zip(stages) {
        Program::from_glsl(text, stage).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn deep_texts_are_refused_or_read() {
    let body = |text: String| format!("#version 450\nvoid main() {{ int x = 1; {text} }}");
    for n in [40, 100, 300, 500, 600, 20_000] {
        for text in [
            body(format!("x = {}x{};", "(".repeat(n), ")".repeat(n))),
            body(format!("x = {}x;", "-".repeat(2 * n).replace("--", "- "))),
            body(format!("x = x{};", " + x".repeat(n))),
            body(format!("x = {}x;", "x == 1 ? x : ".repeat(n))),
            body(format!("{}x;", "x = ".repeat(n))),
            body(format!("{}x++;", "if (x == 1) ".repeat(n))),
            body(format!("{}x++;", "if (x == 1) x--; else ".repeat(n))),
            body(format!("{}x++;", "for (;x < 2;) ".repeat(n))),
            body(format!("{}{}", "{".repeat(n), "}".repeat(n))),
            body(format!("x = {}x{};", "abs(".repeat(n), ")".repeat(n))),
            format!("#version 450\nint a{};\nvoid main() {{}}", "[1]".repeat(n)),
            format!(
                "#version 450\n#if {}1{}\n#endif\nvoid main() {{}}",
                "(".repeat(n),
                ")".repeat(n)
            ),
            format!("#version 450\n{}\nvoid main() {{}}", "\\\n".repeat(n)),
            format!("#version 450\n{}void main() {{}}", "#if 1\n".repeat(n)),
            format!(
                "/* /* */ {}",
                body(format!("x = {}x{};", "(".repeat(n), ")".repeat(n)))
            ),
            format!(
                "#version 450\n#define p ({}\n#define q p p p p\n{}",
                "(".repeat(n),
                body("x = q q q q 1;".to_owned())
            ),
        ] {
            let result = Program::from_glsl(&text, ShaderStage::Compute);
            if let Err(ProgramError::Internal(message)) = result {
                panic!("{message}");
            }
        }
    }
}

#[test]
fn macros_do_not_fill_the_memory() {
    let chain = |first: &str, next: fn(usize) -> String, last: &str| {
        let lines: String = (1..50)
            .map(|n| format!("#define m{n}{}\n", next(n)))
            .collect();
        format!("#version 450\n#define m0{first}\n{lines}void main() {{ int x = {last}; }}")
    };
    for text in [
        chain(" 1", |n| format!(" m{0} + m{0}", n - 1), "m49"),
        chain(
            "(x) x + x",
            |n| format!("(x) m{0}(m{0}(x))", n - 1),
            "m49(1)",
        ),
        chain("(x) x + x", |n| format!(" m{}", n - 1), &"m49(".repeat(40)),
        chain(
            " 1",
            |n| format!(" m{0} + m{0}", n - 1),
            "1;\n#if m49\n#endif\nint y = 1",
        ),
        chain(" m49 m49", |n| format!(" m{0} m{0}", n - 1), "m49"),
    ] {
        let error = Program::from_glsl(&text, ShaderStage::Compute).unwrap_err();
        assert!(
            matches!(error, ProgramError::TooLarge(_) | ProgramError::Invalid(_)),
            "{error}"
        );
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn token_soup(words in prop::collection::vec(select(PIECES), 0..60)) {
        exercise(&words.join(" "))?;
        exercise(&format!("#version 450\nvoid main() {{ int a = 1; {} }}", words.join(" ")))?;
    }

    #[test]
    fn mutated_programs(
        text in select(&PROGRAMS[..]),
        changes in prop::collection::vec((any::<Index>(), 0..6_usize, select(PIECES)), 1..5),
    ) {
        let mut text = text.to_owned();
        for (at, length, piece) in changes {
            let start = text.floor_char_boundary(at.index(text.len()));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, piece);
        }
        exercise(&text)?;
    }
}
