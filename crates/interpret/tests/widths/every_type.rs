//! Every operator, conversion and function on every type for which naga accepts it.
//!
//! Results are checked by the conformance cases. Here nothing may be unsupported, and no operand may cause a panic.

use std::sync::atomic::AtomicU32;

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, Worker};
use anywarp_program::Program;

const SCALARS: [&str; 9] = [
    "i16", "u16", "f16", "i32", "u32", "f32", "i64", "u64", "f64",
];

/// Functions by the number of their operands, all of one type.
const FUNCTIONS: [&[&str]; 3] = [
    &[
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "ceil",
        "cos",
        "cosh",
        "countLeadingZeros",
        "countOneBits",
        "countTrailingZeros",
        "degrees",
        "exp",
        "exp2",
        "firstLeadingBit",
        "firstTrailingBit",
        "floor",
        "fract",
        "inverseSqrt",
        "length",
        "log",
        "log2",
        "normalize",
        "quantizeToF16",
        "radians",
        "reverseBits",
        "round",
        "saturate",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
        "-",
        "~",
    ],
    &[
        "atan2", "cross", "distance", "dot", "max", "min", "pow", "reflect", "step", "+", "-", "*",
        "/", "%", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=",
    ],
    &["clamp", "faceForward", "fma", "mix", "smoothstep"],
];

/// Expressions on `x` of type `$T` with scalars `$S`, with other operands of other types.
const OTHERS: &[&str] = &[
    "select(x, x, x > x)",
    "x << $U(40)",
    "x >> $U(40)",
    "extractBits(x, 3u, 99u)",
    "insertBits(x, x, 3u, 99u)",
    "ldexp(x, $I(3))",
    "frexp(x).fract",
    "frexp(x).exp",
    "modf(x).fract",
    "modf(x).whole",
    "mix(x, x, s)",
    "refract(x, x, s)",
    "x * s",
    "s * x",
    "m * v",
    "v * m",
    "m * m",
    "m * s",
    "m + m",
    "transpose(m)",
    "determinant(m)",
    "x[k]",
    "v.zyx",
    "any(v == v)",
];

/// Functions that WGSL does not have for unsigned integers, although naga accepts them.
const REFUSED: &[&str] = &["sign"];

fn program(scalar: &str, shape: u32, expression: &str) -> String {
    let ty = |scalar: &str| match shape {
        1 => scalar.to_owned(),
        n => format!("vec{n}<{scalar}>"),
    };
    let enables = "enable f16; enable wgpu_int16;";
    let expression = expression
        .replace("$T", &ty(scalar))
        .replace("$U", &ty("u32"))
        .replace("$I", &ty("i32"))
        .replace("$S", scalar);
    let matrix = if scalar.starts_with('f') {
        format!("var<private> m: mat3x3<{scalar}>;")
    } else {
        String::new()
    };
    format!(
        "{enables}
        @group(0) @binding(0) var<storage, read> input: array<{0}>;
        @group(0) @binding(1) var<storage, read> scalars: array<{scalar}>;
        var<private> k: u32;
        {matrix}
        @compute @workgroup_size(16)
        fn main(@builtin(local_invocation_index) i: u32) {{
            let x = input[i];
            let s = scalars[i];
            let v = vec3(s, scalars[i + 1u], s);
            let result = {expression};
        }}",
        ty(scalar)
    )
}

/// Runs a program over memory full of edges; `None` if it is not WGSL for naga.
fn run(wgsl: &str) -> Option<Result<(), String>> {
    let program = Program::from_wgsl(wgsl).ok()?;
    let kernel = match Kernel::new(&program, "main") {
        Ok(kernel) => kernel,
        Err(error) => return Some(Err(error.to_string())),
    };
    let edges = [
        0,
        1,
        u32::MAX,
        0x8000_0000,
        0x7fff_ffff,
        0x7c00_7c00,
        0xfc01_8001,
        0x7ff0_0000,
    ];
    let memory: Vec<AtomicU32> = (0..256).map(|i| AtomicU32::new(edges[i * 5 % 8])).collect();
    let arguments = Arguments {
        buffers: &vec![BufferView { words: &memory }; kernel.resources().len()],
        textures: &[],
        arrays: &[],
        immediates: &[],
        workgroup_count: [1; 3],
    };
    let result = Worker::new(&kernel).run(&arguments, [0; 3], &Limits::default());
    Some(result.map_err(|fault| fault.to_string()))
}

fn expressions() -> Vec<String> {
    let mut expressions: Vec<String> = OTHERS.iter().map(|&other| other.to_owned()).collect();
    for (functions, operands) in FUNCTIONS.iter().zip(["x", "x, x", "x, x, x"]) {
        for function in *functions {
            let is_name = function.starts_with(char::is_alphabetic);
            expressions.push(match (is_name, operands) {
                (false, "x, x") => format!("x {function} x"),
                _ => format!("{function}({operands})"),
            });
        }
    }
    for scalar in SCALARS.iter().chain(&["bool"]) {
        expressions.push(format!("{scalar}(s)"));
        expressions.push(format!("vec3<{scalar}>(v)"));
    }
    expressions
}

#[test]
fn whatever_naga_accepts_runs() {
    let mut ran = 0;
    for expression in expressions() {
        let mut accepted = 0;
        for scalar in SCALARS {
            for shape in 1..=4 {
                let wgsl = program(scalar, shape, &expression);
                let Some(result) = run(&wgsl) else { continue };
                accepted += 1;
                match result {
                    Ok(()) => ran += 1,
                    Err(message) => {
                        let known = REFUSED.iter().any(|name| expression.starts_with(name));
                        assert!(known && scalar.starts_with('u'), "{message}\n{wgsl}");
                    }
                }
            }
        }
        assert!(accepted > 0, "no type has {expression}");
    }
    assert!(ran > 2400, "{ran} programs ran");
}
