//! The differential oracle: calls every exported function once, here and in wasmi, and compares
//! results, traps, globals and memories.

use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::comparable::is_comparable;
use anywarp_wasm::bytecode::{TrapCode, Type, verify};
use anywarp_wasm::runtime::Value;
use anywarp_wasm::vm::Instance;
use anywarp_wasm::{TranslateOptions, Translator};
use wasmi::{Engine, Module, Nullable, Store, Val};

/// Maximum bytes of a memory that are compared; modules that grow theirs leave most of it unused.
const MAX_BYTES: usize = 16 << 20;

/// The outcome of a call: values as bits, or the trap.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Values(Vec<u64>),
    Trap(String),
}

/// How much was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Compared {
    pub(crate) modules: usize,
    pub(crate) calls: usize,
    pub(crate) traps: usize,
    pub(crate) globals: usize,
    pub(crate) bytes: usize,
}

impl AddAssign for Compared {
    fn add_assign(&mut self, other: Self) {
        self.modules += other.modules;
        self.calls += other.calls;
        self.traps += other.traps;
        self.globals += other.globals;
        self.bytes += other.bytes;
    }
}

/// Runs the module in both; returns how much was compared.
pub(crate) fn compare(seed: u64, wasm: &[u8]) -> Compared {
    if !is_comparable(wasm) {
        return Compared::default();
    }
    let options = TranslateOptions::default().allow_recursion(true);
    let mut translator = Translator::new(options);
    let id = translator
        .add(wasm)
        .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let program = translator.bytecode();
    verify(program).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut ours = Instance::new(program).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let engine = Engine::default();
    let module = Module::new(&engine, wasm).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let mut store = Store::new(&engine, ());
    let theirs = wasmi::Linker::new(&engine).instantiate_and_start(&mut store, &module);
    let set_up = ours.invoke(program.inits[id as usize], &[]);
    let theirs = match (set_up, theirs) {
        (Ok(_), Ok(instance)) => instance,
        (Err(_), Err(_)) => {
            return Compared {
                modules: 1,
                calls: 1,
                ..Compared::default()
            };
        }
        (ours, theirs) => panic!(
            "seed {seed}: setting up: {ours:?}, wasmi {:?}",
            theirs.map(|_| ())
        ),
    };
    let mut compared = Compared {
        modules: 1,
        ..Compared::default()
    };
    for export in &program.exports {
        let function = theirs
            .get_func(&store, &export.name)
            .expect("the same exports");
        let ty = function.ty(&store);
        let types = &program.types[program.functions[export.function as usize].type_index as usize];
        let args: Vec<Value> = types
            .params
            .iter()
            .enumerate()
            .map(|(at, ty)| argument(seed, at, *ty))
            .collect();
        let their_args: Vec<Val> = args.iter().map(their_value).collect();
        let mut results: Vec<Val> = ty
            .results()
            .iter()
            .map(|ty| Val::default_for_ty(*ty))
            .collect();
        let found = match ours.invoke(export.function, &args) {
            Ok(values) => End::Values(
                values
                    .iter()
                    .map(|value| normal(value.ty(), value.bits()))
                    .collect(),
            ),
            Err(error) => {
                let trap = error.trap().expect("a call that ends");
                End::Trap(as_in_wasmi(trap.code).to_string())
            }
        };
        // wasmi 2.0.0 panics while it translates certain stores (`choose_store_op_vt`), which says
        // nothing about our result.
        let called = catch_unwind(AssertUnwindSafe(|| {
            function.call(&mut store, &their_args, &mut results)
        }));
        let Ok(called) = called else {
            return compared;
        };
        let expected = match called {
            Ok(()) => End::Values(results.iter().map(their_bits).collect()),
            Err(error) => End::Trap(
                error
                    .as_trap_code()
                    .map_or_else(String::new, |code| ours_for(code).to_string()),
            ),
        };
        // The stack limits differ, and the state until then is not comparable.
        let exhausted = TrapCode::StackExhausted.to_string();
        if [&found, &expected]
            .into_iter()
            .any(|end| matches!(end, End::Trap(text) if *text == exhausted))
        {
            return compared;
        }
        assert_eq!(
            found, expected,
            "seed {seed}: `{}` with {args:?}",
            export.name
        );
        compared.calls += 1;
        compared.traps += usize::from(matches!(found, End::Trap(_)));
        let globals = globals(&theirs, &store);
        for (name, expected) in &globals {
            let global = translator.global(id, name).expect("the same exports");
            let slots = global.slot..global.slot + global.ty.slots();
            let slots: Option<Vec<u32>> = slots.map(|slot| ours.global(slot)).collect();
            let found = Value::from_slots(&[global.ty], &slots.expect("a global"));
            let found = normal(global.ty, found[0].bits());
            let call = &export.name;
            assert_eq!(
                found, *expected,
                "seed {seed}: global `{name}` after `{call}`"
            );
        }
        compared.globals += globals.len();
    }
    compared.bytes = same_memory(seed, &ours, &theirs, &store);
    compared
}

/// The exported globals as bits.
fn globals(instance: &wasmi::Instance, store: &Store<()>) -> Vec<(String, u64)> {
    let exports = instance.exports(store);
    let globals = exports.filter_map(|export| {
        let name = export.name().to_owned();
        let global = export.into_global()?;
        Some((name, their_bits(&global.get(store))))
    });
    globals.collect()
}

/// Compares the size and contents of the exported memory; returns the number of bytes compared.
fn same_memory(seed: u64, ours: &Instance, theirs: &wasmi::Instance, store: &Store<()>) -> usize {
    let memory = theirs
        .exports(store)
        .find_map(|export| export.into_memory());
    let Some(memory) = memory else { return 0 };
    let expected = memory.data(store);
    let end = expected.len();
    let has = |at: usize| u32::try_from(at).is_ok_and(|at| ours.read(at, 1).is_some());
    assert!(
        !has(end) && (end == 0 || has(end - 1)),
        "seed {seed}: pages"
    );
    let expected = &expected[..end.min(MAX_BYTES)];
    let found = ours.read(0, expected.len() as u32).expect("as large");
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    assert_eq!(differs, None, "seed {seed}: memory");
    expected.len()
}

fn argument(seed: u64, at: usize, ty: Type) -> Value {
    let bits = super::generate::bytes(seed.wrapping_add(at as u64 * 77), 8);
    let bits = u64::from_le_bytes(bits.try_into().expect("eight bytes"));
    match ty {
        Type::I32 => Value::i32(bits as i32 >> (bits >> 59)),
        Type::I64 => Value::i64(bits as i64 >> (bits >> 58)),
        Type::F32 => Value::f32(bits as i32 as f32 / 1024.0),
        Type::F64 => Value::f64(bits as i64 as f64 / 65_536.0),
        Type::FuncRef | Type::ExternRef => Value::from_bits(ty, 0),
    }
}

fn their_value(value: &Value) -> Val {
    match value.ty() {
        Type::I32 => Val::I32(value.bits() as i32),
        Type::I64 => Val::I64(value.bits() as i64),
        Type::F32 => Val::F32(f32::from_bits(value.bits() as u32).into()),
        Type::F64 => Val::F64(f64::from_bits(value.bits()).into()),
        Type::FuncRef => Val::FuncRef(Nullable::Null),
        Type::ExternRef => Val::ExternRef(Nullable::Null),
    }
}

/// Normalizes NaNs; of references only whether they are null is compared.
fn normal(ty: Type, bits: u64) -> u64 {
    match ty {
        Type::F32 if f32::from_bits(bits as u32).is_nan() => u64::MAX,
        Type::F64 if f64::from_bits(bits).is_nan() => u64::MAX,
        Type::FuncRef | Type::ExternRef => u64::from(bits != 0),
        _ => bits,
    }
}

fn their_bits(value: &Val) -> u64 {
    match value {
        Val::I32(number) => u64::from(*number as u32),
        Val::I64(number) => *number as u64,
        Val::F32(number) => normal(Type::F32, u64::from(number.to_bits())),
        Val::F64(number) => normal(Type::F64, number.to_bits()),
        Val::FuncRef(Nullable::Null) | Val::ExternRef(Nullable::Null) => 0,
        _ => 1,
    }
}

/// Only we have trap codes of our own for indirect calls.
fn as_in_wasmi(code: TrapCode) -> TrapCode {
    match code {
        TrapCode::UndefinedElement => TrapCode::OutOfBoundsTable,
        code => code,
    }
}

/// Our code for what wasmi reports.
fn ours_for(code: wasmi::TrapCode) -> TrapCode {
    match code {
        wasmi::TrapCode::UnreachableCodeReached => TrapCode::Unreachable,
        wasmi::TrapCode::MemoryOutOfBounds => TrapCode::OutOfBoundsMemory,
        wasmi::TrapCode::TableOutOfBounds => TrapCode::OutOfBoundsTable,
        wasmi::TrapCode::IndirectCallToNull => TrapCode::UninitializedElement,
        wasmi::TrapCode::IntegerDivisionByZero => TrapCode::DivideByZero,
        wasmi::TrapCode::IntegerOverflow => TrapCode::IntegerOverflow,
        wasmi::TrapCode::BadConversionToInteger => TrapCode::InvalidConversion,
        wasmi::TrapCode::StackOverflow => TrapCode::StackExhausted,
        wasmi::TrapCode::BadSignature => TrapCode::IndirectCallType,
        _ => TrapCode::Panic,
    }
}
