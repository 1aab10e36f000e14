//! Every arithmetic opcode over edge cases and random operands, compared bit by bit with Rust's
//! results. Any NaN equals any other.

use anywarp_wasm::bytecode::{
    Bytecode, Export, Format, Function, FunctionType, Op, TrapCode, Type,
};
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, ThreadEnd};

use super::devices;

/// Operands; all pairs are tested.
const EDGES: [u64; 44] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
    0xffff_ffff_8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x0080_0000,
    0x007f_ffff,
    0x7f7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x4f00_0000,
    0xcf00_0001,
    0x3ff0_0000_0000_0000,
    0xbff8_0000_0000_0000,
    0x0010_0000_0000_0000,
    0x000f_ffff_ffff_ffff,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x41e0_0000_0000_0000,
    0xc3e0_0000_0000_0000,
    0x380f_ffff_f000_0000,
];

/// Immediates of the opcodes that have one.
const CONSTANTS: [u32; 5] = [0, 1, 37, 0x8000_0000, 0xffff_fff6];

fn pairs() -> Vec<[u64; 2]> {
    let mut pairs: Vec<_> = EDGES.iter().flat_map(|&x| EDGES.map(|y| [x, y])).collect();
    // A deterministic generator, so that failures are reproducible.
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    for _ in 0..700 {
        pairs.push([next(), next()]);
        // Floats of moderate magnitude, whose sums and products are neither zero nor infinite.
        let double =
            |bits: u64| (bits & 0x800f_ffff_ffff_ffff) | (0x3f0 + (bits >> 54 & 0x3f)) << 52;
        pairs.push([double(next()), double(next())]);
        let single = |bits: u64| (bits & 0x807f_ffff) | (0x7c + (bits >> 40 & 0x1f)) << 23;
        pairs.push([single(next()), single(next())]);
        // Single floats near both ends of the range.
        pairs.push([next() & 0x81ff_ffff, next() & 0x40ff_ffff]);
        // Small integers and shifts.
        pairs.push([next(), next() >> 40]);
    }
    pairs
}

fn word(op: Op, a: u32, b: u32, c: u32) -> u32 {
    op as u32 | a << 8 | b << 16 | c << 24
}

/// An opcode, and the immediate of those that have one.
#[derive(Clone, Copy)]
struct Case {
    op: Op,
    constant: u32,
}

/// Cases of one program: as many as there are slots for.
const MAX_CASES: usize = 100;

/// A program that loads two operands by the thread's index and computes each case. Only the last
/// one may trap.
fn program(cases: &[Case]) -> Bytecode {
    let results = 2 * cases.len() as u32;
    // The operands are after the results, followed by the slots with which they are loaded.
    let (x, y, at) = (results, results + 2, results + 4);
    let mut code = vec![word(Op::End, 0, 0, 0)];
    code.extend([word(Op::Gid, at, 0, 0), word(Op::I32ShlConst, at, at, 0), 2]);
    for part in 0..4 {
        code.extend([
            word(Op::LdIn, x + part, at, 0),
            word(Op::I32AddConst, at, at, 0),
            1,
        ]);
    }
    for (to, &Case { op, constant }) in (0..).step_by(2).zip(cases) {
        code.extend([word(Op::Const64, to, 0, 0), 0, 0]);
        match op.format() {
            Format::Xyt | Format::Xit => {
                code.extend([word(Op::Const, to, 0, 0), 1]);
                code.push(word(op, x, y, 0));
                if op.format() == Format::Xit {
                    code.push(constant);
                }
                code.push(code.len() as u32 + 3);
                code.extend([word(Op::Const, to, 0, 0), 0]);
            }
            Format::Dxi => code.extend([word(op, to, x, 0), constant]),
            _ => code.push(word(op, to, x, y)),
        }
    }
    code.push(word(Op::Return, 0, 0, 0));
    Bytecode {
        functions: vec![Function {
            entry: 1,
            end: code.len() as u32,
            frame: at + 2,
            type_index: 0,
        }],
        code,
        types: vec![FunctionType {
            params: Vec::new(),
            results: vec![Type::I64; cases.len()],
        }],
        exports: vec![Export {
            module: 0,
            name: "main".to_owned(),
            function: 0,
            launch: 0,
        }],
        ..Bytecode::default()
    }
}

fn launch(threads: u32) -> Launch {
    Launch {
        kernel: "main".to_owned(),
        args: Vec::new(),
        workgroups: [threads.div_ceil(64), 1, 1],
        workgroup_size: [64, 1, 1],
        threads: Some(threads),
        memory: MemoryMode::Private,
        max_pages: 1,
        stack_slots: 256,
        ..Launch::default()
    }
}

/// All arithmetic opcodes, with each immediate, divided into programs.
fn programs(pairs: &[[u64; 2]]) -> Vec<Vec<Case>> {
    let mut programs = Vec::new();
    let mut quiet = Vec::new();
    for &op in Op::ALL {
        let constants: &[u32] = match op.format() {
            Format::Dxi | Format::Xit => &CONSTANTS,
            _ => &[0],
        };
        for &constant in constants {
            let mut answers = pairs
                .iter()
                .map(|&pair| expected(op, pair, constant))
                .take_while(Option::is_some)
                .flatten()
                .peekable();
            if answers.peek().is_none() {
                continue;
            }
            let case = Case { op, constant };
            // A trap ends a thread, so it is the last case of its program.
            if answers.any(|answer| answer.is_err()) {
                programs.push(vec![case]);
            } else {
                quiet.push(case);
            }
        }
    }
    programs.extend(quiet.chunks(MAX_CASES).map(<[Case]>::to_vec));
    programs
}

#[test]
fn every_arithmetic_opcode_is_exact() {
    let pairs = pairs();
    let input: Vec<_> = pairs
        .iter()
        .flatten()
        .flat_map(|&x| [x as u32, (x >> 32) as u32])
        .collect();
    let programs = programs(&pairs);
    let tried: usize = programs.iter().map(Vec::len).sum();
    assert!(tried > 200, "{tried}");
    devices::each("every arithmetic opcode", |interpreter| {
        for cases in &programs {
            interpreter.load(&program(cases));
            let mut resources = Resources {
                input: input.clone(),
                ..Resources::default()
            };
            let launch = launch(pairs.len() as u32);
            let run = interpreter.run(&launch, &mut resources);
            let outcome = pollster::block_on(run).unwrap();
            assert_eq!(outcome.threads.len(), pairs.len());
            for (&pair, end) in pairs.iter().zip(&outcome.threads) {
                check(cases, pair, end);
            }
        }
    });
}

/// Compares the results of a thread with the expected ones.
fn check(cases: &[Case], pair: [u64; 2], end: &ThreadEnd) {
    for (index, &Case { op, constant }) in cases.iter().enumerate() {
        let expected = expected(op, pair, constant).unwrap();
        let found = match end {
            ThreadEnd::Done(values) => Ok(values[index].bits()),
            ThreadEnd::Trapped(trap) => Err(trap.code),
        };
        assert!(
            is_same(op, expected, found),
            "{} of {pair:x?}, {constant:#x}: expected {expected:x?}, found {found:x?}",
            op.name()
        );
    }
}

type FileReply = Result<u64, TrapCode>;

fn is_same(op: Op, expected: FileReply, found: FileReply) -> bool {
    let (Ok(a), Ok(b)) = (expected, found) else {
        return expected == found;
    };
    let is_bits = ["abs", "neg", "copysign"]
        .iter()
        .any(|name| op.name().ends_with(name));
    if a == b || is_bits {
        return a == b;
    }
    let is_single = op.name().starts_with("f32.") && op.widths()[0] == 1;
    let is_double = op.name().starts_with("f64.") && op.widths()[0] == 2;
    let single = |bits: u64| f32::from_bits(bits as u32).is_nan() && bits >> 32 == 0;
    (is_single && single(a) && single(b))
        || (is_double && f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan())
}

/// The expected result, by Rust's arithmetic; `None` for opcodes that are not arithmetic.
fn expected(op: Op, [x, y]: [u64; 2], constant: u32) -> Option<FileReply> {
    let name = op.name();
    let (name, y) = match name.strip_suffix("_const") {
        Some(name) => (name, i64::from(constant as i32) as u64),
        None => (name, y),
    };
    let name = name.strip_prefix("br_").unwrap_or(name);
    let (ty, operation) = name.split_once('.')?;
    match ty {
        "i32" => i32_op(operation, x, y),
        "i64" => i64_op(operation, x, y),
        "f32" => f32_op(operation, x, y).map(Ok),
        "f64" => f64_op(operation, x, y).map(Ok),
        _ => None,
    }
}

macro_rules! integer {
    ($name:ident, $signed:ident, $unsigned:ident) => {
        fn $name(operation: &str, x: u64, y: u64) -> Option<FileReply> {
            let (a, b) = (x as $unsigned, y as $unsigned);
            let (s, t) = (a as $signed, b as $signed);
            let divided = |value: Option<$unsigned>| match value {
                _ if b == 0 => Err(TrapCode::DivideByZero),
                Some(value) => Ok(value as u64),
                None => Err(TrapCode::IntegerOverflow),
            };
            let value = match operation {
                "eqz" => u64::from(a == 0),
                "clz" => u64::from(a.leading_zeros()),
                "ctz" => u64::from(a.trailing_zeros()),
                "popcnt" => u64::from(a.count_ones()),
                "extend8_s" => (a as i8 as $unsigned) as u64,
                "extend16_s" => (a as i16 as $unsigned) as u64,
                "extend32_s" => (a as i32 as $unsigned) as u64,
                "extend_i32_s" => x as i32 as u64,
                "extend_i32_u" => u64::from(x as u32),
                "add" => a.wrapping_add(b) as u64,
                "sub" => a.wrapping_sub(b) as u64,
                "mul" => a.wrapping_mul(b) as u64,
                "div_s" => return Some(divided(s.checked_div(t).map(|value| value as $unsigned))),
                "div_u" => return Some(divided(a.checked_div(b))),
                "rem_s" if b == 0 => return Some(Err(TrapCode::DivideByZero)),
                "rem_s" => s.wrapping_rem(t) as $unsigned as u64,
                "rem_u" => return Some(divided(a.checked_rem(b))),
                "and" => (a & b) as u64,
                "or" => (a | b) as u64,
                "xor" => (a ^ b) as u64,
                "shl" => a.wrapping_shl(b as u32) as u64,
                "shr_s" => s.wrapping_shr(b as u32) as $unsigned as u64,
                "shr_u" => a.wrapping_shr(b as u32) as u64,
                "rotl" => a.rotate_left(b as u32 % $unsigned::BITS) as u64,
                "rotr" => a.rotate_right(b as u32 % $unsigned::BITS) as u64,
                "eq" => u64::from(a == b),
                "ne" => u64::from(a != b),
                "lt_s" => u64::from(s < t),
                "lt_u" => u64::from(a < b),
                "gt_s" => u64::from(s > t),
                "gt_u" => u64::from(a > b),
                "le_s" => u64::from(s <= t),
                "le_u" => u64::from(a <= b),
                "ge_s" => u64::from(s >= t),
                "ge_u" => u64::from(a >= b),
                _ => {
                    let (name, saturates) = match operation.strip_prefix("trunc_sat_") {
                        Some(name) => (name, true),
                        None => (operation.strip_prefix("trunc_")?, false),
                    };
                    let (source, sign) = name.split_once('_')?;
                    let value = match source {
                        "f32" => f64::from(f32::from_bits(x as u32)),
                        _ => f64::from_bits(x),
                    };
                    let value = value.trunc();
                    let saturated = match sign {
                        "s" => value as $signed as $unsigned as u64,
                        _ => value as $unsigned as u64,
                    };
                    let limit = match sign {
                        "s" => 2_f64.powi($unsigned::BITS as i32 - 1),
                        _ => 2_f64.powi($unsigned::BITS as i32),
                    };
                    let least = if sign == "s" { -limit } else { 0.0 };
                    let fault = match () {
                        () if value.is_nan() => Some(TrapCode::InvalidConversion),
                        () if value < least || value >= limit => Some(TrapCode::IntegerOverflow),
                        () => None,
                    };
                    return Some(match fault {
                        Some(code) if !saturates => Err(code),
                        _ => Ok(saturated),
                    });
                }
            };
            Some(Ok(value))
        }
    };
}

integer!(i32_op, i32, u32);
integer!(i64_op, i64, u64);

macro_rules! float {
    ($name:ident, $float:ident, $bits:ident) => {
        fn $name(operation: &str, x: u64, y: u64) -> Option<u64> {
            let (a, b) = ($float::from_bits(x as $bits), $float::from_bits(y as $bits));
            let either_nan = a.is_nan() || b.is_nan();
            let value: $float = match operation {
                "abs" => a.abs(),
                "neg" => -a,
                "ceil" => a.ceil(),
                "floor" => a.floor(),
                "trunc" => a.trunc(),
                "nearest" => a.round_ties_even(),
                "sqrt" => a.sqrt(),
                "add" => a + b,
                "sub" => a - b,
                "mul" => a * b,
                "div" => a / b,
                "min" | "max" if either_nan => $float::NAN,
                // Zeros differ in their sign only.
                "min" if a == b => $float::from_bits(a.to_bits() | b.to_bits()),
                "max" if a == b => $float::from_bits(a.to_bits() & b.to_bits()),
                "min" => a.min(b),
                "max" => a.max(b),
                "copysign" => a.copysign(b),
                "eq" => return Some(u64::from(a == b)),
                "ne" => return Some(u64::from(a != b)),
                "lt" => return Some(u64::from(a < b)),
                "gt" => return Some(u64::from(a > b)),
                "le" => return Some(u64::from(a <= b)),
                "ge" => return Some(u64::from(a >= b)),
                "convert_i32_s" => x as i32 as $float,
                "convert_i32_u" => x as u32 as $float,
                "convert_i64_s" => x as i64 as $float,
                "convert_i64_u" => x as $float,
                "demote_f64" => f64::from_bits(x) as $float,
                "promote_f32" => f32::from_bits(x as u32) as $float,
                _ => return None,
            };
            Some(value.to_bits().into())
        }
    };
}

float!(f32_op, f32, u32);
float!(f64_op, f64, u64);
