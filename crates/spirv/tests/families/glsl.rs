//! Scalar and component-wise functions of GLSL.std.450.

use crate::families::assembly::Case;
use crate::families::machine::{everywhere, translated};

/// Tolerance of functions that are not correctly rounded, relative to the result, or to 1 if that is larger.
pub(crate) const TOLERANCE: f32 = 1e-5;

/// Tolerance of trigonometric functions on Vulkan devices.
const ROUGH: f32 = 1e-3;

/// Tolerance of functions with one correct result.
const EXACT: f32 = 0.0;

const FLOATS: &[f32] = &[
    0.0,
    -0.0,
    0.25,
    -0.25,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    2.5,
    -2.5,
    3.7,
    -3.7,
    100.0,
    1e9,
    -1e9,
    1e30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Floats of small magnitude.
const MODERATE: &[f32] = &[0.0, 0.1, -0.1, 0.3, -0.7, 0.99, -0.99];

const POSITIVE: &[f32] = &[0.01, 0.5, 1.0, 1.5, 2.0, 10.0, 12345.0];

const INTEGERS: &[u32] = &[
    0,
    1,
    2,
    7,
    0x80,
    0xff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fff0,
    0xffff_ffff,
];

pub(crate) fn is_close(is: u32, expected: f32, tolerance: f32) -> bool {
    let is = f32::from_bits(is);
    if expected.is_nan() || is.is_nan() {
        return expected.is_nan() && is.is_nan();
    }
    if expected.is_infinite() || tolerance == EXACT {
        // Zeros of either sign compare equal.
        return is == expected;
    }
    (is - expected).abs() <= tolerance * expected.abs().max(1.0)
}

/// All tuples of `count` values.
fn tuples<T: Copy>(values: &[T], count: usize) -> Vec<Vec<T>> {
    let mut tuples = vec![Vec::new()];
    for _ in 0..count {
        let longer = |tuple: &Vec<T>| {
            let tuple = tuple.clone();
            values.iter().map(move |value| {
                let mut tuple = tuple.clone();
                tuple.push(*value);
                tuple
            })
        };
        tuples = tuples.iter().flat_map(longer).collect();
    }
    tuples
}

/// Tests a function of floats on scalars and on 3-component vectors.
fn floats(
    name: &str,
    count: usize,
    values: &[f32],
    tolerance: f32,
    expected: impl Fn(&[f32]) -> f32,
) {
    let arguments = ["$0", "$1", "$2"][..count].join(" ");
    let text = format!("OpExtInst $T %glsl {name} {arguments}");
    let tuples = tuples(values, count);
    let scalar = Case {
        text: &text,
        operands: &vec!["f32"; count],
        result: "f32",
        ..Case::default()
    };
    let bits: Vec<Vec<u32>> = tuples
        .iter()
        .map(|tuple| tuple.iter().map(|it| it.to_bits()).collect())
        .collect();
    everywhere(&scalar, &bits, |device, results| {
        for (tuple, result) in tuples.iter().zip(results) {
            let (is, expected) = (result[0], expected(tuple));
            let is_float = f32::from_bits(is);
            assert!(
                is_close(is, expected, tolerance),
                "{name}{tuple:?} is {is_float}, not {expected} on {device}"
            );
        }
    });
    let vector = Case {
        operands: &vec!["v3f32"; count],
        result: "v3f32",
        ..scalar
    };
    let groups: Vec<_> = tuples.chunks_exact(3).collect();
    let operands: Vec<Vec<u32>> = groups
        .iter()
        .map(|group| {
            let of_each = (0..count).flat_map(|at| group.iter().map(move |tuple| tuple[at]));
            of_each.map(f32::to_bits).collect()
        })
        .collect();
    everywhere(&vector, &operands, |device, results| {
        for (group, result) in groups.iter().zip(results) {
            for (tuple, is) in group.iter().zip(result) {
                let is_right = is_close(*is, expected(tuple), tolerance);
                assert!(is_right, "{name}{tuple:?} in a vector on {device}");
            }
        }
    });
}

/// Tests a function of integers with operands and results of either signedness.
fn integers(name: &str, count: usize, expected: impl Fn(&[u32]) -> u32) {
    let arguments = ["$0", "$1", "$2"][..count].join(" ");
    let text = format!("OpExtInst $T %glsl {name} {arguments}");
    let tuples = tuples(INTEGERS, count);
    for (operand, other, result) in [
        ("u32", "u32", "u32"),
        ("i32", "i32", "i32"),
        ("u32", "i32", "u32"),
        ("i32", "u32", "u32"),
    ] {
        let mut operands = vec![other; count];
        operands[0] = operand;
        let case = Case {
            text: &text,
            operands: &operands,
            result,
            ..Case::default()
        };
        everywhere(&case, &tuples, |device, results| {
            for (tuple, is) in tuples.iter().zip(results) {
                assert_eq!(
                    is[0],
                    expected(tuple),
                    "{name}{tuple:x?} of {operands:?} on {device}"
                );
            }
        });
    }
}

#[test]
fn rounding() {
    floats("RoundEven", 1, FLOATS, EXACT, |x| x[0].round_ties_even());
    floats("Round", 1, &[0.2, 0.7, -0.7, 5.0, -1e9], EXACT, |x| {
        x[0].round()
    });
    floats("Trunc", 1, FLOATS, EXACT, |x| x[0].trunc());
    floats("Floor", 1, FLOATS, EXACT, |x| x[0].floor());
    floats("Ceil", 1, FLOATS, EXACT, |x| x[0].ceil());
    floats("Fract", 1, &FLOATS[..17], EXACT, |x| x[0] - x[0].floor());
}

#[test]
fn signs() {
    floats("FAbs", 1, FLOATS, EXACT, |x| x[0].abs());
    let sign = |x: &[f32]| if x[0] == 0.0 { 0.0 } else { x[0].signum() };
    floats("FSign", 1, &FLOATS[..19], EXACT, sign);
    integers("SAbs", 1, |x| {
        x[0].cast_signed().wrapping_abs().cast_unsigned()
    });
    integers("SSign", 1, |x| x[0].cast_signed().signum().cast_unsigned());
}

#[test]
fn angles() {
    floats("Radians", 1, &FLOATS[..16], ROUGH, |x| x[0].to_radians());
    floats("Degrees", 1, &FLOATS[..14], ROUGH, |x| x[0].to_degrees());
    floats("Sin", 1, MODERATE, ROUGH, |x| x[0].sin());
    floats("Cos", 1, MODERATE, ROUGH, |x| x[0].cos());
    floats("Tan", 1, MODERATE, ROUGH, |x| x[0].tan());
    floats("Asin", 1, MODERATE, ROUGH, |x| x[0].asin());
    floats("Acos", 1, MODERATE, ROUGH, |x| x[0].acos());
    floats("Atan", 1, MODERATE, ROUGH, |x| x[0].atan());
    floats("Sinh", 1, MODERATE, ROUGH, |x| x[0].sinh());
    floats("Cosh", 1, MODERATE, ROUGH, |x| x[0].cosh());
    floats("Tanh", 1, MODERATE, ROUGH, |x| x[0].tanh());
    floats("Asinh", 1, MODERATE, ROUGH, |x| x[0].asinh());
    floats("Acosh", 1, &[1.0, 1.5, 10.0], ROUGH, |x| x[0].acosh());
    floats("Atanh", 1, MODERATE, ROUGH, |x| x[0].atanh());
    floats("Atan2", 2, &MODERATE[1..], ROUGH, |x| x[0].atan2(x[1]));
}

#[test]
fn exponents() {
    floats("Pow", 2, &[0.5, 1.0, 1.5, 2.0, 3.0], TOLERANCE, |x| {
        x[0].powf(x[1])
    });
    floats("Exp", 1, MODERATE, TOLERANCE, |x| x[0].exp());
    floats("Exp2", 1, MODERATE, TOLERANCE, |x| x[0].exp2());
    floats("Log", 1, POSITIVE, TOLERANCE, |x| x[0].ln());
    floats("Log2", 1, POSITIVE, TOLERANCE, |x| x[0].log2());
    floats("Sqrt", 1, POSITIVE, TOLERANCE, |x| x[0].sqrt());
    floats("InverseSqrt", 1, POSITIVE, TOLERANCE, |x| {
        x[0].sqrt().recip()
    });
}

#[test]
fn minima_and_maxima() {
    let numbers = &FLOATS[..19];
    floats("FMin", 2, numbers, EXACT, |x| x[0].min(x[1]));
    floats("FMax", 2, numbers, EXACT, |x| x[0].max(x[1]));
    // Rust's `min` and `max` also return the other operand if one is NaN.
    floats("NMin", 2, FLOATS, EXACT, |x| x[0].min(x[1]));
    floats("NMax", 2, FLOATS, EXACT, |x| x[0].max(x[1]));
    integers("SMin", 2, |x| {
        x[0].cast_signed().min(x[1].cast_signed()).cast_unsigned()
    });
    integers("SMax", 2, |x| {
        x[0].cast_signed().max(x[1].cast_signed()).cast_unsigned()
    });
    integers("UMin", 2, |x| x[0].min(x[1]));
    integers("UMax", 2, |x| x[0].max(x[1]));
}

#[test]
fn clamps() {
    // The result is undefined if the bounds are swapped, so the module sorts them.
    let clamp = |name: &str, values: &[f32]| {
        let text = format!(
            "%low = OpExtInst $T %glsl NMin $1 $2
            %high = OpExtInst $T %glsl NMax $1 $2
            %r = OpExtInst $T %glsl {name} $0 %low %high"
        );
        let case = Case {
            text: &text,
            operands: &["f32"; 3],
            result: "f32",
            ..Case::default()
        };
        let tuples = tuples(values, 3);
        let bits: Vec<Vec<u32>> = tuples
            .iter()
            .map(|tuple| tuple.iter().map(|it| it.to_bits()).collect())
            .collect();
        everywhere(&case, &bits, |device, results| {
            for (x, is) in tuples.iter().zip(results) {
                let (low, high) = (x[1].min(x[2]), x[1].max(x[2]));
                assert!(
                    is_close(is[0], x[0].max(low).min(high), EXACT),
                    "{name}{x:?} on {device}"
                );
            }
        });
    };
    clamp("FClamp", &FLOATS[..10]);
    clamp("NClamp", &[0.0, -1.0, 2.0, f32::NAN, f32::INFINITY]);
    let clamp = |name: &str, min: &str, max: &str, expected: &dyn Fn(u32, u32, u32) -> u32| {
        let text = format!(
            "%low = OpExtInst %i32 %glsl {min} $1 $2
            %high = OpExtInst %u32 %glsl {max} $1 $2
            %r = OpExtInst $T %glsl {name} $0 %low %high"
        );
        let case = Case {
            text: &text,
            operands: &["u32", "u32", "i32"],
            result: "i32",
            ..Case::default()
        };
        let tuples = tuples(INTEGERS, 3);
        everywhere(&case, &tuples, |device, results| {
            for (x, is) in tuples.iter().zip(results) {
                assert_eq!(
                    is[0],
                    expected(x[0], x[1], x[2]),
                    "{name}{x:x?} on {device}"
                );
            }
        });
    };
    clamp("SClamp", "SMin", "SMax", &|x, a, b| {
        let (x, a, b) = (x.cast_signed(), a.cast_signed(), b.cast_signed());
        x.clamp(a.min(b), a.max(b)).cast_unsigned()
    });
    clamp("UClamp", "UMin", "UMax", &|x, a, b| {
        x.clamp(a.min(b), a.max(b))
    });
}

#[test]
fn blends() {
    floats("FMix", 3, MODERATE, TOLERANCE, |x| {
        x[0] * (1.0 - x[2]) + x[1] * x[2]
    });
    floats("Step", 2, &FLOATS[..19], EXACT, |x| {
        if x[1] < x[0] { 0.0 } else { 1.0 }
    });
    floats("Fma", 3, MODERATE, TOLERANCE, |x| x[0].mul_add(x[1], x[2]));
    let case = Case {
        text: "OpExtInst $T %glsl SmoothStep $0 $1 $2",
        operands: &["f32"; 3],
        result: "f32",
        ..Case::default()
    };
    let inputs = [
        [0.0f32, 2.0, 1.0],
        [0.0, 2.0, 0.5],
        [1.0, 2.0, 0.0],
        [1.0, 2.0, 9.0],
    ];
    let bits: Vec<_> = inputs
        .iter()
        .map(|it| it.map(f32::to_bits).to_vec())
        .collect();
    everywhere(&case, &bits, |device, results| {
        for (is, expected) in results.iter().zip([0.5f32, 0.15625, 0.0, 1.0]) {
            assert!(is_close(is[0], expected, TOLERANCE), "on {device}");
        }
    });
}

#[test]
fn bits_are_found() {
    integers("FindILsb", 1, |x| match x[0] {
        0 => u32::MAX,
        x => x.trailing_zeros(),
    });
    integers("FindUMsb", 1, |x| x[0].checked_ilog2().unwrap_or(u32::MAX));
    integers("FindSMsb", 1, |x| {
        let x = if x[0] >> 31 == 1 { !x[0] } else { x[0] };
        x.checked_ilog2().unwrap_or(u32::MAX)
    });
}

/// Tests Modf and Frexp with a pointer operand and with a struct result.
fn two_parts(name: &str, second: &str, values: &[f32], expected: impl Fn(f32) -> (f32, u32)) {
    let types = format!(
        "%both = OpTypeStruct %f32 %{second}
        %local = OpTypePointer Function %{second}"
    );
    let struct_text = format!(
        "%s = OpExtInst %both %glsl {name}Struct $0
        %a = OpCompositeExtract %f32 %s 0
        %b = OpCompositeExtract %{second} %s 1"
    );
    let pointer_text = format!(
        "%a = OpExtInst %f32 %glsl {name} $0 %v
        %b = OpLoad %{second} %v"
    );
    for text in [struct_text, pointer_text] {
        let text = format!(
            "{text}
            %aw = OpBitcast %u32 %a
            %bw = OpBitcast %u32 %b
            %r = OpCompositeConstruct $T %aw %bw"
        );
        let case = Case {
            text: &text,
            operands: &["f32"],
            result: "v2u32",
            types: &types,
            locals: "%v = OpVariable %local Function",
            ..Case::default()
        };
        let bits: Vec<_> = values.iter().map(|it| vec![it.to_bits()]).collect();
        everywhere(&case, &bits, |device, results| {
            for (value, is) in values.iter().zip(results) {
                let (first, second) = expected(*value);
                assert!(
                    is_close(is[0], first, EXACT),
                    "{name}({value}): {}",
                    f32::from_bits(is[0])
                );
                assert_eq!(is[1], second, "{name}({value}) on {device}");
            }
        });
    }
}

#[test]
fn modf() {
    two_parts("Modf", "f32", &FLOATS[..19], |x| {
        if x.is_infinite() {
            (0.0, x.to_bits())
        } else {
            (x - x.trunc(), x.trunc().to_bits())
        }
    });
}

#[test]
fn frexp() {
    let values = [0.0, 1.0, -1.0, 0.5, 0.75, 3.0, -1000.0, 1e-30, 1e30];
    let expected = |x: f32| {
        if x == 0.0 {
            return (0.0, 0);
        }
        let mut exponent = 0;
        let mut significand = x;
        while significand.abs() >= 1.0 {
            significand /= 2.0;
            exponent += 1;
        }
        while significand.abs() < 0.5 {
            significand *= 2.0;
            exponent -= 1;
        }
        (significand, i32::cast_unsigned(exponent))
    };
    two_parts("Frexp", "i32", &values, expected);
    two_parts("Frexp", "u32", &values, expected);
}

#[test]
fn ldexp() {
    let case = Case {
        text: "OpExtInst $T %glsl Ldexp $0 $1",
        operands: &["f32", "u32"],
        result: "f32",
        ..Case::default()
    };
    let inputs = [
        (1.5f32, 4i32),
        (-3.0, -2),
        (0.0, 100),
        (1.0, -126),
        (0.75, 128),
    ];
    let bits: Vec<_> = inputs
        .iter()
        .map(|(x, e)| vec![x.to_bits(), e.cast_unsigned()])
        .collect();
    everywhere(&case, &bits, |device, results| {
        for ((x, e), is) in inputs.iter().zip(results) {
            let expected = (f64::from(*x) * 2f64.powi(*e)) as f32;
            assert!(
                is_close(is[0], expected, EXACT),
                "ldexp({x}, {e}) on {device}"
            );
        }
    });
}

#[test]
fn packing_and_back() {
    for (format, count, inputs) in [
        ("Snorm4x8", 4, [0.0f32, 1.0, -1.0, 0.5]),
        ("Unorm4x8", 4, [0.0, 1.0, 0.25, 2.0]),
        ("Snorm2x16", 2, [-1.5, 0.5, 0.0, 0.0]),
        ("Unorm2x16", 2, [1.0, 0.1, 0.0, 0.0]),
        ("Half2x16", 2, [1.5, -65504.0, 0.0, 0.0]),
    ] {
        let vector = format!("v{count}f32");
        let text = format!(
            "%p = OpExtInst %i32 %glsl Pack{format} $0
            %r = OpExtInst $T %glsl Unpack{format} %p"
        );
        let case = Case {
            text: &text,
            operands: &[&vector],
            result: &vector,
            ..Case::default()
        };
        let bits = inputs[..count].iter().map(|it| it.to_bits()).collect();
        everywhere(&case, &[bits], |device, results| {
            let (low, high) = match &format[..1] {
                "S" => (-1.0, 1.0),
                "U" => (0.0, 1.0),
                _ => (f32::MIN, f32::MAX),
            };
            let is: Vec<f32> = results[0].iter().map(|it| f32::from_bits(*it)).collect();
            for (is, input) in is.iter().zip(inputs) {
                assert!(
                    (is - input.clamp(low, high)).abs() <= 0.005,
                    "{format}: {is} from {input} on {device}"
                );
            }
        });
    }
    let case = Case {
        text: "OpExtInst $T %glsl PackUnorm4x8 $0",
        operands: &["v4f32"],
        result: "u32",
        ..Case::default()
    };
    let bits = [1.0f32, 0.0, 0.2, 9.0].map(f32::to_bits).to_vec();
    everywhere(&case, &[bits], |device, results| {
        assert_eq!(results[0], [0xff33_00ff], "on {device}");
    });
}

/// The bits of narrow integers beyond their width must not affect results.
#[test]
fn narrow_integers() {
    let run = |text: &str, operands: &[&str], result: &str, input: &[u32], expected: u32| {
        let case = Case {
            text,
            operands,
            result,
            ..Case::default()
        };
        everywhere(&case, &[input.to_vec()], |device, results| {
            assert_eq!(
                results[0],
                [expected],
                "{text} {operands:?} {input:x?} on {device}"
            );
        });
    };
    run(
        "OpExtInst $T %glsl SAbs $0",
        &["i8"],
        "i8",
        &[0x80],
        0xffff_ff80,
    );
    run("OpExtInst $T %glsl SAbs $0", &["u8"], "u8", &[0xfe], 2);
    run(
        "OpExtInst $T %glsl SMin $0 $1",
        &["u8", "u8"],
        "u8",
        &[0x01, 0xff],
        0xff,
    );
    run(
        "OpExtInst $T %glsl UMin $0 $1",
        &["i8", "i8"],
        "i8",
        &[0x01, 0xff],
        1,
    );
    run(
        "OpExtInst $T %glsl UMax $0 $1",
        &["i16", "u16"],
        "i16",
        &[0x01, 0x8000],
        0xffff_8000,
    );
    run(
        "OpExtInst $T %glsl FindSMsb $0",
        &["u16"],
        "i16",
        &[0xffff],
        u32::MAX,
    );
    run("OpSLessThan $T $0 $1", &["u8", "i8"], "bool", &[0xff, 0], 1);
    run(
        "OpULessThan $T $0 $1",
        &["i8", "u8"],
        "bool",
        &[0xff, 0x7f],
        0,
    );
    run(
        "OpShiftRightLogical $T $0 $1",
        &["i8", "u32"],
        "i8",
        &[0xff, 4],
        0x0f,
    );
    run("OpBitCount $T $0", &["i8"], "i8", &[0xff], 8);
}

/// Instruction sets without semantics are ignored.
#[test]
fn nonsemantic_sets_are_ignored() {
    let case = Case {
        text: "OpIAdd $T $0 $0",
        operands: &["u32"],
        result: "u32",
        ..Case::default()
    };
    let module = case
        .module()
        .replace(
            "%glsl = ",
            "OpExtension \"SPV_KHR_non_semantic_info\"
            %noise = OpExtInstImport \"NonSemantic.Something\"\n%glsl = ",
        )
        .replace("%r = ", "%n = OpExtInst %void %noise 17 %o0\n%r = ");
    let Some(bytes) = crate::families::assembly::assemble(&module) else {
        return;
    };
    assert!(translated(&case).is_some());
    anywarp_spirv::read(&bytes, &Default::default()).unwrap();
}
