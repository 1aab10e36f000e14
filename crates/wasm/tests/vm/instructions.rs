//! Every instruction that corresponds to a WebAssembly operator, compared with wasmi.

use anywarp_wasm::bytecode::{Format, Op, Type};
use anywarp_wasm::runtime::{InvokeError, Value};
use anywarp_wasm::vm::Instance;

use super::builder::Builder;

fn parse(name: &str) -> Type {
    match name {
        "i32" => Type::I32,
        "i64" => Type::I64,
        "f32" => Type::F32,
        _ => Type::F64,
    }
}

/// The types of operand and result, from the mnemonic and the operand widths.
fn signature(op: Op) -> Option<(Type, Type)> {
    let (prefix, rest) = op.name().split_once('.')?;
    let known = ["i32", "i64", "f32", "f64"];
    if !known.contains(&prefix) || rest.ends_with("_const") || rest.contains("load") {
        return None;
    }
    let [result, operand, _] = op.widths();
    let from = rest.split('_').find(|part| known.contains(part));
    let from = parse(from.unwrap_or(prefix));
    assert_eq!(from.slots(), u32::from(operand), "{}", op.name());
    let tests = ["eqz", "eq", "ne", "lt", "gt", "le", "ge"];
    let is_test = tests.contains(&rest.split('_').next().unwrap_or(rest));
    let to = if is_test { Type::I32 } else { parse(prefix) };
    assert_eq!(to.slots(), u32::from(result), "{}", op.name());
    Some((from, to))
}

/// Edge cases of a type.
fn interesting(ty: Type) -> Vec<u64> {
    let mut bits: Vec<u64> = vec![
        0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x8000,
    ];
    bits.extend([0x7fff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1234_5678]);
    bits.extend([1 << 63, u64::MAX, u64::MAX >> 1, 0x0123_4567_89ab_cdef]);
    let floats = [
        0.0, 0.5, 1.0, 1.5, 2.5, 0.1, 3e9, 4e9, 1e10, 1e19, 2e19, 1e38, 1e300,
    ];
    let edges = [
        2_147_483_647.0,
        2_147_483_648.0,
        2_147_483_648.9,
        2_147_483_649.0,
    ];
    let more = [
        4_294_967_295.9,
        4_294_967_296.0,
        0.999_999,
        8_388_609.0,
        16_777_217.0,
    ];
    let wide = [9_223_372_036_854_775_807.0, 9_223_372_036_854_774_784.0];
    let ends = [
        9_223_372_036_854_777_856.0,
        f64::INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
    ];
    let all = floats
        .into_iter()
        .chain(edges)
        .chain(more)
        .chain(wide)
        .chain(ends);
    for float in all.flat_map(|float: f64| [float, -float]) {
        match ty {
            Type::F32 => bits.push(u64::from((float as f32).to_bits())),
            _ => bits.push(float.to_bits()),
        }
    }
    match ty.slots() {
        1 => bits.iter().map(|&bits| u64::from(bits as u32)).collect(),
        _ => bits,
    }
}

fn canonical(value: Value) -> Value {
    let is_nan = match value.ty() {
        Type::F32 => f32::from_bits(value.bits() as u32).is_nan(),
        Type::F64 => f64::from_bits(value.bits()).is_nan(),
        _ => false,
    };
    let bits = if is_nan { u64::MAX } else { value.bits() };
    Value::from_bits(value.ty(), bits)
}

/// wasmi's function for an instruction.
struct Oracle {
    store: wasmi::Store<()>,
    function: wasmi::Func,
    result: Type,
}

impl Oracle {
    fn new(op: Op, from: Type, to: Type, two: bool) -> Self {
        let text = |ty: Type| format!("{ty:?}").to_lowercase();
        let param = format!("(param {})", text(from));
        let second = if two { "local.get 1" } else { "" };
        let wat = format!(
            "(module (func (export \"f\") {param} {} (result {}) local.get 0 {second} {}))",
            if two { &param } else { "" },
            text(to),
            op.name()
        );
        let engine = wasmi::Engine::default();
        let module = wasmi::Module::new(&engine, wat::parse_str(&wat).unwrap()).unwrap();
        let mut store = wasmi::Store::new(&engine, ());
        let linker = wasmi::Linker::new(&engine);
        let instance = linker.instantiate_and_start(&mut store, &module).unwrap();
        Self {
            function: instance.get_func(&store, "f").unwrap(),
            store,
            result: to,
        }
    }

    fn call(&mut self, args: &[Value]) -> Option<Value> {
        let args: Vec<wasmi::Val> = args.iter().map(|value| to_wasmi(*value)).collect();
        let mut results = [wasmi::Val::I32(0)];
        self.function
            .call(&mut self.store, &args, &mut results)
            .ok()?;
        let bits = match &results[0] {
            wasmi::Val::I32(value) => u64::from(*value as u32),
            wasmi::Val::I64(value) => *value as u64,
            wasmi::Val::F32(value) => u64::from(value.to_bits()),
            wasmi::Val::F64(value) => value.to_bits(),
            other => panic!("{other:?}"),
        };
        let ty = self.result;
        Some(canonical(Value::from_bits(ty, bits)))
    }
}

fn to_wasmi(value: Value) -> wasmi::Val {
    match value.ty() {
        Type::I32 => wasmi::Val::I32(value.bits() as i32),
        Type::I64 => wasmi::Val::I64(value.bits() as i64),
        Type::F32 => wasmi::Val::F32(wasmi::F32::from_bits(value.bits() as u32)),
        _ => wasmi::Val::F64(wasmi::F64::from_bits(value.bits())),
    }
}

fn first(result: Result<Vec<Value>, InvokeError>) -> Option<Value> {
    result.ok().map(|values| canonical(values[0]))
}

#[test]
fn arithmetic_is_right_to_the_bit() {
    let mut tested = 0;
    for &op in Op::ALL {
        let two = op.format() == Format::Dxy;
        let Some((from, to)) = signature(op) else {
            continue;
        };
        let mut b = Builder::new();
        let params = [from, from];
        let function = b.function(&params[..1 + usize::from(two)], &[to], 16);
        b.op(op, [8, 0, from.slots() as u8]);
        b.op(Op::Move64, [0, 8, 0]).ret();
        let mut instance = Instance::new(&b.finish()).unwrap();
        let mut oracle = Oracle::new(op, from, to, two);
        let values = interesting(from);
        for &x in &values {
            for &y in if two { values.as_slice() } else { &[0] } {
                let args = [x, y].map(|bits| Value::from_bits(from, bits));
                let args = &args[..1 + usize::from(two)];
                let got = first(instance.invoke(function, args));
                assert_eq!(got, oracle.call(args), "{} of {args:x?}", op.name());
            }
        }
        tested += 1;
    }
    assert_eq!(
        tested, 131,
        "the table has as many instructions of this kind"
    );
}

#[test]
fn constants_and_branches_agree_with_plain_instructions() {
    let plain = |name: &str| Op::ALL.iter().copied().find(|op| op.name() == name);
    let mut tested = 0;
    for &op in Op::ALL {
        let name = op.name().trim_start_matches("br_");
        let base = name.trim_end_matches("_const");
        let branches = op.name().starts_with("br_i32");
        let Some(base) = plain(base).filter(|_| branches || name.ends_with("_const")) else {
            continue;
        };
        let (from, to) = signature(base).unwrap();
        tested += 1;
        for y in interesting(Type::I32) {
            let constant = i64::from(y as u32 as i32) as u64;
            // Slots 0 and 2 are the operands of both variants; results in 4 and 6.
            let mut b = Builder::new();
            let function = b.function(&[from, from], &[to, to], 16);
            let second = from.slots() as u8;
            b.op(base, [4, 0, second]);
            let [over, back] = [b.label(), b.label()];
            match op.format() {
                Format::Dxi => b.with(op, [6, 0, 0], y as u32),
                Format::Xyt => b
                    .constant(6, 1)
                    .jump(op, [0, second, 0], over)
                    .constant(6, 0),
                // Once as a forward branch, and again as a back edge.
                _ => {
                    let start = b.label();
                    b.constant(6, 1).jump(Op::Jump, [0; 3], start).place(back);
                    b.op(op, [0, 0, 0])
                        .word(y as u32)
                        .to(over)
                        .op(Op::Unreachable, [0; 3]);
                    b.place(start)
                        .op(op, [0, 0, 0])
                        .word(y as u32)
                        .to(back)
                        .constant(6, 0)
                }
            };
            b.place(over).op(Op::Move64, [0, 4, 0]);
            b.op(Op::Move64, [to.slots() as u8, 6, 0]).ret();
            let mut instance = Instance::new(&b.finish()).unwrap();
            for x in interesting(from) {
                let args = [x, constant].map(|bits| Value::from_bits(from, bits));
                let results = instance.invoke(function, &args).unwrap();
                assert_eq!(results[0], results[1], "{} of {x:#x} and {y:#x}", op.name());
            }
        }
    }
    assert_eq!(
        tested, 48,
        "the table has as many instructions of this kind"
    );
}

#[test]
fn loads_and_stores_of_every_width() {
    let loads: [(Op, u32, bool, bool); 12] = [
        (Op::I32Load, 4, false, false),
        (Op::I32Load8S, 1, true, false),
        (Op::I32Load8U, 1, false, false),
        (Op::I32Load16S, 2, true, false),
        (Op::I32Load16U, 2, false, false),
        (Op::I64Load, 8, false, true),
        (Op::I64Load8S, 1, true, true),
        (Op::I64Load8U, 1, false, true),
        (Op::I64Load16S, 2, true, true),
        (Op::I64Load16U, 2, false, true),
        (Op::I64Load32S, 4, true, true),
        (Op::I64Load32U, 4, false, true),
    ];
    for memory in [0, 1] {
        for (load, bytes, signed, wide) in loads {
            let store = match bytes {
                1 => Op::Store8,
                2 => Op::Store16,
                4 => Op::Store32,
                _ => Op::Store64,
            };
            let to = if wide { Type::I64 } else { Type::I32 };
            let mut b = Builder::new();
            b.memory(1, None).memory(1, None);
            let function = b.function(&[Type::I32, Type::I64], &[to], 16);
            b.with(store, [0, 1, memory], 3)
                .with(load, [4, 0, memory], 3);
            b.op(Op::Move64, [0, 4, 0]).ret();
            let mut instance = Instance::new(&b.finish()).unwrap();
            let last = 0x1_0000 - 3 - bytes;
            let value = 0xf1e2_d3c4_b5a6_9788_u64;
            let shift = 64 - 8 * bytes;
            let expected = if signed {
                ((value << shift) as i64 >> shift) as u64
            } else {
                value << shift >> shift
            };
            let expected = if wide {
                expected
            } else {
                expected & 0xffff_ffff
            };
            for address in [0, 1, 2, 3, 0xffb, 0xffd, last] {
                let args = [Value::i32(address as i32), Value::i64(value as i64)];
                let result = instance.invoke(function, &args).unwrap();
                assert_eq!(
                    result[0].bits(),
                    expected,
                    "{} at {address:#x}",
                    load.name()
                );
            }
            for address in [last + 1, 0x1_0000, u32::MAX, u32::MAX - 2] {
                let args = [Value::i32(address as i32), Value::i64(0)];
                let error = instance.invoke(function, &args).unwrap_err();
                let trap = error.trap().unwrap();
                assert_eq!(trap.code.to_string(), "out of bounds memory access");
            }
        }
    }
}
