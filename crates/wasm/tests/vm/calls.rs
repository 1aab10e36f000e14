//! Calls, frames, jumps, and the persistent state of an instance.

use anywarp_wasm::bytecode::{Op, TrapCode, Type};
use anywarp_wasm::runtime::{InvokeError, Value};
use anywarp_wasm::vm::Instance;

use super::builder::Builder;

/// fib(n) with two recursive calls.
fn fib() -> Builder {
    let mut b = Builder::new();
    let fib = b.function(&[Type::I32], &[Type::I32], 16);
    let small = b.label();
    b.op(Op::BrI32LtSConst, [0, 0, 0]).word(2).to(small);
    b.with(Op::I32AddConst, [6, 0, 0], -1_i32 as u32)
        .call(fib, 6);
    b.with(Op::I32AddConst, [9, 0, 0], -2_i32 as u32)
        .call(fib, 9);
    b.op(Op::I32Add, [0, 6, 9]).place(small).ret();
    b
}

#[test]
fn calls_have_frames_of_their_own() {
    let mut instance = Instance::new(&fib().finish()).unwrap();
    let fib = |instance: &mut Instance, n| instance.invoke(0, &[Value::i32(n)]).unwrap();
    assert_eq!(fib(&mut instance, 20), [Value::i32(6765)]);
    assert_eq!(fib(&mut instance, 1), [Value::i32(1)]);
}

#[test]
fn endless_recursion_exhausts_the_stack() {
    let mut b = Builder::new();
    let f = b.function(&[], &[], 4);
    b.call(f, 4).ret();
    let trap = Instance::new(&b.finish())
        .unwrap()
        .invoke(f, &[])
        .unwrap_err()
        .trap()
        .unwrap();
    assert_eq!(trap.code, TrapCode::StackExhausted);
    assert_eq!(trap.to_string(), "call stack exhausted in `f0` at 0x1");
}

#[test]
fn a_long_loop_does_not_grow_the_stack() {
    let mut b = Builder::new();
    let f = b.function(&[Type::I32], &[Type::I32], 4);
    let top = b.label();
    b.constant(1, 0).place(top);
    b.with(Op::I32AddConst, [1, 1, 0], 3);
    b.with(Op::I32AddConst, [0, 0, 0], u32::MAX);
    b.jump(Op::BrIf, [0, 0, 0], top);
    b.op(Op::Move, [0, 1, 0]).ret();
    let result = Instance::new(&b.finish())
        .unwrap()
        .invoke(f, &[Value::i32(5_000_000)]);
    assert_eq!(result, Ok(vec![Value::i32(15_000_000)]));
}

#[test]
fn far_slots_hold_values() {
    let mut b = Builder::new();
    let f = b.function(&[Type::I32], &[Type::I32], 1000);
    b.op(Op::FarSet, [0, 0xe7, 3]);
    b.constant(0, 0);
    b.op(Op::FarGet, [0, 0xe7, 3]).ret();
    let result = Instance::new(&b.finish())
        .unwrap()
        .invoke(f, &[Value::i32(77)]);
    assert_eq!(result, Ok(vec![Value::i32(77)]));
}

#[test]
fn an_extended_instance_keeps_what_it_has() {
    let mut b = Builder::new();
    b.memory(1, None);
    b.program.globals = 1;
    let set = b.function(&[Type::I32], &[], 4);
    b.op(Op::GlobalSet, [0, 0, 0]);
    b.with(Op::Store32, [0, 0, 0], 8).ret();
    let first = b.program.clone();
    let mut instance = Instance::new(&first).unwrap();
    instance.invoke(set, &[Value::i32(40)]).unwrap();

    b.program.globals = 2;
    b.memory(1, None);
    let get = b.function(&[], &[Type::I32, Type::I32, Type::I32], 8);
    b.constant(3, 40);
    b.op(Op::GlobalGet, [0, 0, 0]);
    b.with(Op::I32Load, [1, 3, 0], 8);
    b.with(Op::I32Load, [2, 3, 1], 8).ret();
    instance.extend(&b.finish()).unwrap();
    let result = instance.invoke(get, &[]).unwrap();
    assert_eq!(result, [40, 40, 0].map(Value::i32));
}

#[test]
fn wrong_bytecode_is_refused() {
    for (code, what) in [
        (
            vec![0xff],
            "the bytecode is invalid at word 0: 0xff is not an opcode",
        ),
        (
            vec![Op::Const as u32],
            "the bytecode is invalid at word 0: `const` runs past the end",
        ),
        (
            vec![0, Op::Jump as u32, 2],
            "the bytecode is invalid at word 1: there is no instruction at word 2",
        ),
        (
            vec![0, Op::Call as u32 | 2 << 8, 1],
            "the bytecode is invalid at word 1: there is no function 1",
        ),
        (
            vec![0, Op::BrTable as u32, u32::MAX, 0],
            "the bytecode is invalid at word 1: `br_table` runs past the end",
        ),
    ] {
        let mut b = Builder::new();
        b.program.code = code;
        let error = Instance::new(&b.program).unwrap_err();
        assert_eq!(error.to_string(), what);
    }
}

#[test]
fn tables_grow_with_a_value_and_call_by_type() {
    let mut b = Builder::new();
    b.program.tables.push(anywarp_wasm::bytecode::Limits {
        initial: 1,
        maximum: Some(4),
    });
    let seven = b.function(&[], &[Type::I32], 4);
    b.constant(0, 7).ret();
    let nothing = b.function(&[], &[], 4);
    b.ret();
    // Grows by 2 with a reference to the first, and to the second at index 0; then calls by index.
    let main = b.function(&[Type::I32], &[Type::I32], 16);
    b.constant(1, seven + 1)
        .constant(2, 2)
        .with(Op::TableGrow, [3, 1, 2], 0);
    b.constant(2, 0)
        .constant(1, nothing + 1)
        .with(Op::TableSet, [2, 1, 0], 0);
    b.op(Op::CallIndirect, [8, 0, 0]).word(0).word(0);
    b.op(Op::Move, [0, 8, 0]).ret();
    let program = b.finish();
    let call = |index| {
        Instance::new(&program)
            .unwrap()
            .invoke(main, &[Value::i32(index)])
    };
    assert_eq!(call(2), Ok(vec![Value::i32(7)]));
    assert_eq!(code(call(0)), TrapCode::IndirectCallType);
    assert_eq!(code(call(3)), TrapCode::UndefinedElement);
    let mut instance = Instance::new(&program).unwrap();
    instance.invoke(main, &[Value::i32(1)]).unwrap();
    // Not enough space for two more: the table is unchanged.
    assert_eq!(
        instance.invoke(main, &[Value::i32(2)]),
        Ok(vec![Value::i32(7)])
    );
    assert_eq!(
        code(instance.invoke(main, &[Value::i32(4)])),
        TrapCode::UndefinedElement
    );
}

/// The trap code of a call.
fn code(result: Result<Vec<Value>, InvokeError>) -> TrapCode {
    result.unwrap_err().trap().unwrap().code
}
