//! An instance keeps its state on the device between calls, also when modules are added.

use anywarp_wasm::bytecode::{Bytecode, TrapCode};
use anywarp_wasm::gpu::{Instance, Interpreter, InvokeError};
use anywarp_wasm::runtime::Value;
use anywarp_wasm::{TranslateOptions, Translator};

use super::devices;

const COUNTER: &str = r#"(module
    (memory (export "memory") 1)
    (table (export "table") 3 funcref)
    (global $calls (mut i64) (i64.const 40))
    (data $text "xyz")
    (elem (i32.const 1) $two)
    (func $two (result i32) (i32.const 2))
    (func (export "count") (param i32) (result i64)
        (memory.init $text (i32.const 70000) (i32.const 0) (i32.const 3))
        (i32.store (i32.const 8) (i32.add (i32.load (i32.const 8)) (local.get 0)))
        (global.set $calls (i64.add (global.get $calls) (i64.const 1)))
        (i64.add (global.get $calls) (i64.extend_i32_u (i32.load (i32.const 8)))))
    (func (export "grow") (param i32) (result i32) (memory.grow (local.get 0)))
    (func (export "peek") (result i32) (i32.load (i32.const 8)))
    (func (export "drop") (data.drop $text)))"#;

const USER: &str = r#"(module
    (import "counter" "peek" (func $peek (result i32)))
    (import "counter" "table" (table 3 funcref))
    (memory 1)
    (data $more "abc")
    (func (export "look") (result i32)
        (i32.store (i32.const 8) (i32.const 77))
        (memory.init $more (i32.const 100) (i32.const 0) (i32.const 3))
        (i32.add (call $peek) (call_indirect (result i32) (i32.const 1)))))"#;

fn call(
    instance: &mut Instance<'_>,
    program: &Bytecode,
    name: &str,
    args: &[Value],
) -> Result<u64, TrapCode> {
    let export = program
        .exports
        .iter()
        .find(|export| export.name == name)
        .unwrap();
    match pollster::block_on(instance.invoke(export.function, args)) {
        Ok(values) => Ok(values.first().map_or(0, |value| value.bits())),
        Err(InvokeError::Trap(trap)) => Err(trap.code),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn an_instance_keeps_its_state_and_takes_more_modules() {
    devices::each("an instance", |interpreter: &mut Interpreter| {
        let mut translator = Translator::new(TranslateOptions::default());
        translator
            .module("counter", &wat::parse_str(COUNTER).unwrap())
            .unwrap();
        let first = translator.bytecode().clone();
        let mut instance = Instance::new(interpreter, &first).unwrap();
        let init = |instance: &mut Instance<'_>, function: u32| {
            pollster::block_on(instance.invoke(function, &[])).unwrap();
        };
        init(&mut instance, first.inits[0]);
        let count = |instance: &mut Instance<'_>| call(instance, &first, "count", &[Value::i32(5)]);
        assert_eq!(count(&mut instance), Err(TrapCode::OutOfBoundsMemory));
        assert_eq!(call(&mut instance, &first, "grow", &[Value::i32(1)]), Ok(1));
        assert_eq!(count(&mut instance), Ok(41 + 5));
        assert_eq!(count(&mut instance), Ok(42 + 10));
        assert_eq!(call(&mut instance, &first, "drop", &[]), Ok(0));

        translator
            .module("user", &wat::parse_str(USER).unwrap())
            .unwrap();
        let both = translator.bytecode().clone();
        instance.extend(&both).unwrap();
        init(&mut instance, both.inits[1]);
        assert_eq!(call(&mut instance, &both, "look", &[]), Ok(10 + 2));
        // The dropped segment stays dropped, and the store before the trap is kept.
        assert_eq!(count(&mut instance), Err(TrapCode::OutOfBoundsMemory));
        assert_eq!(call(&mut instance, &both, "look", &[]), Ok(10 + 2));
        assert_eq!(call(&mut instance, &both, "grow", &[Value::i32(1)]), Ok(2));
    });
}
