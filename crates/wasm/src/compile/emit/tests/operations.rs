//! Every operation of every type on operands at the edges, bit for bit.

use super::device::Launch;
use super::operands::operands;
use super::{emitted, reference};
use crate::compile::emit::scan::words_of;
use crate::compile::ir::{
    Binary, Builtin, Element, Function, Object, ObjectData, ObjectKind, Op, Terminator, Type,
    Unary, Value,
};

const TYPES: [Type; 5] = [Type::Bool, Type::I32, Type::I64, Type::F32, Type::F64];

/// A function that is being built: its entry block.
struct Body(Function);

impl Body {
    fn new(name: &str, result: Type) -> Self {
        let mut function = Function::default();
        function.name = name.to_owned();
        function.results = vec![result];
        function.add_block();
        function.add_object(ObjectData {
            name: "operands".to_owned(),
            kind: ObjectKind::Binding {
                group: 0,
                binding: 0,
            },
            element: Element::U32,
            words: None,
            written: false,
        });
        Self(function)
    }

    fn op(&mut self, op: Op, ty: Type) -> Value {
        self.0.push(Function::ENTRY, op, ty)
    }

    fn binary(&mut self, op: Binary, left: Value, right: Value) -> Value {
        let ty = op.result(self.0.ty(left));
        self.op(Op::Binary(op, left, right), ty)
    }

    /// An operand of the thread, of four words.
    fn operand(&mut self, at: u32, ty: Type) -> Value {
        let thread = self.op(Op::Builtin(Builtin::ThreadId), Type::I32);
        let four = self.0.word(4);
        let from = self.binary(Binary::Mul, thread, four);
        let mut word = |at: u32| {
            let at = self.0.word(at);
            let index = self.binary(Binary::Add, from, at);
            let object = Object(0);
            self.op(Op::ObjectLoad { object, index }, Type::I32)
        };
        let (low, high) = (word(2 * at), word(2 * at + 1));
        if ty == Type::Bool {
            let zero = self.0.word(0);
            return self.binary(Binary::Ne, low, zero);
        }
        let mut bits = low;
        if words_of(ty) == 2 {
            let [low, high] =
                [low, high].map(|half| self.op(Op::Unary(Unary::ZeroExtend, half), Type::I64));
            let count = self.0.constant(Type::I64, 32);
            let high = self.binary(Binary::Shl, high, count);
            bits = self.binary(Binary::Or, low, high);
        }
        if ty.is_float() {
            bits = self.op(Op::Unary(Unary::Reinterpret(ty), bits), ty);
        }
        bits
    }

    fn results(mut self, value: Value, pairs: &[[u64; 2]]) -> Vec<u64> {
        self.0.block_mut(Function::ENTRY).terminator = Terminator::Return(vec![value]);
        let words = words_of(self.0.ty(value)) as usize;
        let kernel = emitted(&self.0, [64, 1, 1]);
        let operands = pairs
            .iter()
            .flatten()
            .flat_map(|&bits| [bits as u32, (bits >> 32) as u32]);
        let launch = Launch {
            threads: pairs.len() as u32,
            workgroups: (pairs.len() as u32).div_ceil(64),
            buffers: [((0, 0), operands.collect())].into(),
            ..Launch::default()
        };
        let status = launch.run(&kernel).status;
        let results = status.chunks(1 + words).map(|words| {
            assert_eq!(words[0], 0);
            words[1..]
                .iter()
                .rev()
                .fold(0, |bits, &word| bits << 32 | u64::from(word))
        });
        results.collect()
    }
}

/// Whether two results are equal: any NaN of arithmetic is as good as another.
fn is_equal(ty: Type, exact: bool, found: u64, expected: u64) -> bool {
    let both_nan = match ty {
        Type::F32 => {
            f32::from_bits(found as u32).is_nan() && f32::from_bits(expected as u32).is_nan()
        }
        Type::F64 => f64::from_bits(found).is_nan() && f64::from_bits(expected).is_nan(),
        _ => false,
    };
    found == expected || !exact && both_nan
}

fn unary_ops() -> Vec<Unary> {
    let mut ops = vec![
        Unary::Not,
        Unary::BoolToI32,
        Unary::CountLeadingZeros,
        Unary::CountTrailingZeros,
        Unary::CountOnes,
        Unary::Extend8,
        Unary::Extend16,
        Unary::Extend32,
        Unary::Wrap,
        Unary::SignExtend,
        Unary::ZeroExtend,
        Unary::Abs,
        Unary::Neg,
        Unary::Ceil,
        Unary::Floor,
        Unary::Truncate,
        Unary::Nearest,
        Unary::Sqrt,
        Unary::Demote,
        Unary::Promote,
    ];
    for ty in TYPES {
        ops.extend([
            Unary::TruncateSaturateSigned(ty),
            Unary::TruncateSaturateUnsigned(ty),
            Unary::ConvertSigned(ty),
            Unary::ConvertUnsigned(ty),
            Unary::Reinterpret(ty),
        ]);
    }
    ops
}

#[test]
fn unary_operations() {
    let mut wrong = Vec::new();
    for ty in TYPES {
        let pairs: Vec<_> = operands(ty).into_iter().map(|bits| [bits, 0]).collect();
        for op in unary_ops() {
            if reference::unary(op, ty, pairs[0][0]).is_none() {
                continue;
            }
            let result = op.result(ty);
            let mut body = Body::new("unary", result);
            let operand = body.operand(0, ty);
            let value = body.op(Op::Unary(op, operand), result);
            let exact = matches!(op, Unary::Abs | Unary::Neg | Unary::Reinterpret(_));
            for ([a, _], found) in pairs.iter().zip(body.results(value, &pairs)) {
                let expected = reference::unary(op, ty, *a).unwrap();
                if !is_equal(result, exact, found, expected) {
                    wrong.push(format!(
                        "{op:?} {ty:?} {a:#x}: {found:#x}, not {expected:#x}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const BINARY: [Binary; 28] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::DivSigned,
    Binary::DivUnsigned,
    Binary::RemSigned,
    Binary::RemUnsigned,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::ShrSigned,
    Binary::ShrUnsigned,
    Binary::RotateLeft,
    Binary::RotateRight,
    Binary::Min,
    Binary::Max,
    Binary::CopySign,
    Binary::Eq,
    Binary::Ne,
    Binary::LtSigned,
    Binary::LtUnsigned,
    Binary::LeSigned,
    Binary::LeUnsigned,
    Binary::Lt,
    Binary::Le,
    Binary::Xor,
];

fn pairs(ty: Type) -> Vec<[u64; 2]> {
    let operands = operands(ty);
    let all = operands
        .iter()
        .flat_map(|&a| operands.iter().map(move |&b| [a, b]));
    all.collect()
}

#[test]
fn binary_operations() {
    let mut wrong = Vec::new();
    for ty in TYPES {
        let pairs = pairs(ty);
        for op in BINARY {
            // 0 and 1 are operands of every operation.
            if reference::binary(op, ty, 0, 1).is_none() {
                continue;
            }
            let result = op.result(ty);
            let mut body = Body::new("binary", result);
            let [left, right] = [0, 1].map(|at| body.operand(at, ty));
            let value = body.binary(op, left, right);
            compare_binary(op, ty, &pairs, &body.results(value, &pairs), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn compare_binary(
    op: Binary,
    ty: Type,
    pairs: &[[u64; 2]],
    found: &[u64],
    wrong: &mut Vec<String>,
) {
    for ([a, b], &found) in pairs.iter().zip(found) {
        // A division by 0 gives any number.
        let Some(expected) = reference::binary(op, ty, *a, *b) else {
            continue;
        };
        if !is_equal(op.result(ty), op == Binary::CopySign, found, expected) {
            wrong.push(format!(
                "{op:?} {ty:?} {a:#x} {b:#x}: {found:#x}, not {expected:#x}"
            ));
        }
    }
}

/// Constants on the right, which have forms of their own.
#[test]
fn operations_with_constants() {
    let mut wrong = Vec::new();
    for ty in [Type::I32, Type::I64, Type::F32, Type::F64] {
        let all = operands(ty);
        for op in [
            Binary::DivSigned,
            Binary::RemSigned,
            Binary::DivUnsigned,
            Binary::Shl,
            Binary::ShrSigned,
            Binary::RotateLeft,
            Binary::RotateRight,
            Binary::LtSigned,
            Binary::Min,
            Binary::Add,
        ] {
            if reference::binary(op, ty, 0, 1).is_none() {
                continue;
            }
            for &b in all.iter().step_by(all.len() / 9).chain(all.last()) {
                let pairs: Vec<_> = all.iter().map(|&a| [a, b]).collect();
                let mut body = Body::new("constant", op.result(ty));
                let left = body.operand(0, ty);
                let right = body.0.constant(ty, b);
                let value = body.binary(op, left, right);
                compare_binary(op, ty, &pairs, &body.results(value, &pairs), &mut wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A result that only arithmetic uses has naga's own functions.
#[test]
fn signs_under_arithmetic() {
    for ty in [Type::F32, Type::F64] {
        for op in [Unary::Abs, Unary::Neg] {
            let pairs: Vec<_> = operands(ty).into_iter().map(|bits| [bits, 0]).collect();
            let mut body = Body::new("signs", ty);
            let operand = body.operand(0, ty);
            let value = body.op(Op::Unary(op, operand), ty);
            let one = body.0.constant(
                ty,
                if ty == Type::F32 {
                    0x3f80_0000
                } else {
                    0x3ff0 << 48
                },
            );
            let value = body.binary(Binary::Mul, value, one);
            for ([a, _], found) in pairs.iter().zip(body.results(value, &pairs)) {
                let expected = reference::unary(op, ty, *a).unwrap();
                assert!(
                    is_equal(ty, false, found, expected),
                    "{op:?} {ty:?} {a:#x}: {found:#x}, not {expected:#x}"
                );
            }
        }
    }
}
