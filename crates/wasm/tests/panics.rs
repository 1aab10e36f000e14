//! Kernels that panic, as compiled by rustc, debug and release, on both executors: the message is
//! in the trap. That works although recursion is disabled, and recursion of the kernel itself is
//! still rejected. `cargo xtask fixtures` compiles `fixtures/panics`.

use anywarp_wasm::bytecode::verify;
use anywarp_wasm::{
    LaunchOutcome, Module, Resources, ThreadEnd, TranslateOptions, Translation, TrapCode, Value,
    translate,
};

use super::engines;

const BUILDS: [(&str, &[u8]); 2] = [
    ("debug", include_bytes!("fixtures/panics_debug.wasm")),
    ("release", include_bytes!("fixtures/panics_release.wasm")),
];

fn translated(wasm: &[u8]) -> Translation {
    let translation = translate(wasm, &TranslateOptions::default()).unwrap();
    verify(&translation.bytecode).unwrap();
    translation
}

/// A module on both engines.
fn modules(wasm: &[u8]) -> [Module; 2] {
    engines::modules(wasm, &TranslateOptions::default()).unwrap()
}

fn run(module: &Module, kernel: &str, argument: Value) -> LaunchOutcome {
    let kernel = module.kernel(kernel).unwrap().args([argument]).unwrap();
    let kernel = kernel.stack_slots(1024);
    kernel.run(&mut Resources::new()).unwrap()
}

/// How a kernel's thread ended, on both engines.
fn end(modules: &[Module; 2], kernel: &str, argument: Value) -> ThreadEnd {
    let [first, second] = modules
        .each_ref()
        .map(|module| run(module, kernel, argument));
    assert_eq!(first.threads, second.threads, "{kernel}");
    first.threads[0].clone()
}

#[test]
fn messages_are_in_the_trap() {
    let at = |line: &str, message: &str| format!("panicked at lib.rs:{line}: {message}");
    for (build, wasm) in BUILDS {
        let modules = modules(wasm);
        let mut panics = vec![
            (
                "index",
                Value::i32(7),
                at(
                    "10:5",
                    "index out of bounds: the len is 5 but the index is 7",
                ),
            ),
            (
                "unwrap",
                Value::i32(0),
                at("16:22", "called `Option::unwrap()` on a `None` value"),
            ),
            (
                "expect",
                Value::i32(256),
                at("22:21", "a small number: TryFromIntError(())"),
            ),
            (
                "formatted",
                Value::i32(5),
                at("29:9", "bad 5: 0.5 is too much"),
            ),
            (
                "double",
                Value::f64(1.25e-300_f64.recip()),
                at("37:5", "8e299 is no part of one"),
            ),
            (
                "equal",
                Value::i32(-3),
                at(
                    "44:5",
                    "assertion `left == right` failed: of all numbers\n  left: -3\n right: 7",
                ),
            ),
            (
                "divide",
                Value::i32(0),
                at("57:5", "attempt to divide by zero"),
            ),
        ];
        if build == "debug" {
            panics.push((
                "overflow",
                Value::i32(-1),
                at("51:5", "attempt to add with overflow"),
            ));
        }
        for (kernel, argument, message) in panics {
            match end(&modules, kernel, argument) {
                ThreadEnd::Trapped(trap) => {
                    assert_eq!(trap.code, TrapCode::Panic, "{build}");
                    assert_eq!(trap.to_string(), message, "{build}");
                }
                other => panic!("{kernel}, {build}: {other:?}"),
            }
        }
    }
}

#[test]
fn kernels_that_could_panic_give_their_results() {
    for (build, wasm) in BUILDS {
        let modules = modules(wasm);
        for (kernel, argument, result) in [
            ("index", Value::i32(2), Value::i32(4)),
            ("unwrap", Value::i32(9), Value::i32(8)),
            ("formatted", Value::i32(-1), Value::i32(-1)),
            ("double", Value::f64(0.5), Value::f64(0.5)),
            ("divide", Value::i32(-7), Value::i32(-14)),
        ] {
            let end = end(&modules, kernel, argument);
            assert_eq!(end, ThreadEnd::Done(vec![result]), "{kernel}, {build}");
        }
    }
}

#[test]
fn a_kernel_that_may_panic_is_no_reason_to_warn() {
    for (build, wasm) in BUILDS {
        let warnings = translated(wasm).warnings;
        assert!(warnings.is_empty(), "{build}: {warnings:?}");
    }
}

/// A module with a panic that formats its message, and formatting that may panic.
fn with_panic(functions: &str) -> String {
    format!(
        r#"(module
        (import "gpu" "panic" (func $host_panic (param i32 i32)))
        (memory 1) (data (i32.const 0) "no")
        (func $panic (call $handler) unreachable)
        (func $handler (call $format (i32.const 3)) (call $host_panic (i32.const 0) (i32.const 2)) unreachable)
        (func $format (param i32) (if (i32.eqz (local.get 0)) (then (call $panic) unreachable)))
        {functions})"#
    )
}

fn error(functions: &str) -> Option<String> {
    let wasm = wat::parse_str(with_panic(functions)).unwrap();
    let translated = translate(&wasm, &TranslateOptions::default());
    translated.err().map(|error| error.to_string())
}

#[test]
fn only_the_way_to_a_panic_may_recurse() {
    let panicking = r#"(func (export "main") (param i32)
        (if (local.get 0) (then (call $panic) unreachable)))"#;
    assert_eq!(error(panicking), None);
    // A function that can return may not be recursive, even on the path to a panic.
    let own = r#"(func $count (export "main") (param i32)
        (if (i32.eqz (local.get 0)) (then (call $panic) unreachable))
        (call $count (i32.sub (local.get 0) (i32.const 1))))"#;
    let message = "Recursion not supported on GPU: `count` -> `count`";
    assert_eq!(error(own).as_deref(), Some(message));
    // Nor may a function that never returns, if it ends only by a recursive call.
    let endless = own.replace("(i32.const 1))))", "(i32.const 1))) unreachable)");
    assert_eq!(error(&endless).as_deref(), Some(message));
    // Or one with an infinite loop.
    let looping = r#"(func $spin (export "main") (loop $again (call $step) (br $again)))
        (func $step (call $spin))"#;
    let message = "Recursion not supported on GPU: `spin` -> `step` -> `spin`";
    assert_eq!(error(looping).as_deref(), Some(message));
    // A kernel that always panics may not be recursive either.
    let always = r#"(func (export "main") (call $count (i32.const 3)) (call $panic) unreachable)
        (func $count (param i32) (if (local.get 0)
            (then (call $count (i32.sub (local.get 0) (i32.const 1))))))"#;
    let message = "Recursion not supported on GPU: `count` -> `count`";
    assert_eq!(error(always).as_deref(), Some(message));
}

/// The standard library's handler may end by a panic of its own, and so recursively.
#[test]
fn the_way_to_rusts_handler_is_known_by_name() {
    let module = |name: &str| {
        format!(
            r#"(module
            (func ${name} (call $hook (i32.const 0)) unreachable)
            (func $hook (param i32)
                (if (local.get 0) (then (call ${name}) unreachable))
                unreachable)
            (func (export "main") (param i32)
                (if (local.get 0) (then (call ${name}) unreachable))))"#
        )
    };
    let translated = |name: &str| {
        translate(
            &wat::parse_str(module(name)).unwrap(),
            &TranslateOptions::default(),
        )
        .map(|_| ())
    };
    assert_eq!(translated("core::panicking::panic_fmt"), Ok(()));
    assert_eq!(translated("__rustc::rust_begin_unwind"), Ok(()));
    assert_eq!(
        translated("mine").unwrap_err().to_string(),
        "Recursion not supported on GPU: `mine` -> `hook` -> `mine`"
    );
}

#[test]
fn a_panic_in_a_panic_ends_by_the_stack() {
    let functions = r#"(func (export "main") (param i32)
        (if (local.get 0) (then (call $panic) unreachable)))"#;
    let text = with_panic(functions).replace(
        "(call $format (i32.const 3))",
        "(call $format (i32.const 0))",
    );
    // How many frames fit depends on the engine.
    for module in modules(&wat::parse_str(text).unwrap()) {
        let outcome = run(&module, "main", Value::i32(1));
        let end = &outcome.threads[0];
        match end {
            ThreadEnd::Trapped(trap) => assert_eq!(trap.code, TrapCode::StackExhausted),
            other => panic!("{other:?}"),
        }
    }
}
