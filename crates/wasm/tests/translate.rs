//! Translation: rejected modules, warnings, inlining, and large functions.

use anywarp_wasm::bytecode::{Op, verify};
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, ThreadEnd, Value};
use anywarp_wasm::vm::{self, Instance};
use anywarp_wasm::{
    Reason, TranslateError, TranslateOptions, Translation, Translator, Warning, translate,
};

fn wasm(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("valid text")
}

fn translated(text: &str, options: &TranslateOptions) -> Translation {
    let translation = translate(&wasm(text), options).expect("translates");
    verify(&translation.bytecode).expect("is valid");
    translation
}

fn refused(text: &str) -> String {
    let refused = translate(&wasm(text), &TranslateOptions::default());
    refused.expect_err("is refused").to_string()
}

fn recursive() -> TranslateOptions {
    TranslateOptions::default().allow_recursion(true)
}

/// Calls the first export's launch stub.
fn run(translation: &Translation, args: &[Value]) -> Vec<Value> {
    let mut instance = Instance::new(&translation.bytecode).expect("can be run");
    let launch = translation.bytecode.exports[0].launch;
    instance.invoke(launch, args).expect("does not trap")
}

fn calls(translation: &Translation) -> usize {
    let export = &translation.bytecode.exports[0];
    let function = translation.bytecode.functions[export.function as usize];
    let code = &translation.bytecode.code[function.entry as usize..function.end as usize];
    code.iter()
        .filter(|word| **word & 0xff == Op::Call as u32)
        .count()
}

const RECURSIVE: &str = r#"(module
    (func $main (export "main") (param i32) (result i32) (call $ping (local.get 0)))
    (func $ping (param i32) (result i32)
        (if (result i32) (i32.eqz (local.get 0)) (then (i32.const 7))
            (else (call $pong (i32.sub (local.get 0) (i32.const 1))))))
    (func $pong (param i32) (result i32) (call $ping (local.get 0))))"#;

#[test]
fn recursion_is_refused_by_the_names_of_its_functions() {
    assert_eq!(
        refused(RECURSIVE),
        "Recursion not supported on GPU: `ping` -> `pong` -> `ping`"
    );
    let itself = r#"(module (func $f (export "f") (call $f)))"#;
    assert_eq!(
        refused(itself),
        "Recursion not supported on GPU: `f` -> `f`"
    );
}

#[test]
fn recursion_that_nothing_reaches_is_no_error() {
    let unused = r#"(module (func $unused (call $unused)) (func (export "main")))"#;
    translated(unused, &TranslateOptions::default());
}

#[test]
fn recursion_runs_where_it_is_allowed() {
    let translation = translated(RECURSIVE, &recursive());
    assert_eq!(run(&translation, &[Value::i32(50)]), [Value::i32(7)]);
    let recursion = translation.warnings.iter().any(|warning| {
        matches!(
            warning,
            Warning::NotInlined {
                reason: Reason::Recursion,
                ..
            }
        )
    });
    assert!(recursion, "{:?}", translation.warnings);
}

#[test]
fn functions_are_inlined_without_a_call() {
    let nested = r#"(module
        (func $c (param i32) (result i32) (i32.add (local.get 0) (i32.const 1)))
        (func $b (param i32) (result i32) (i32.add (call $c (local.get 0)) (i32.const 1)))
        (func $a (param i32) (result i32) (i32.mul (call $b (local.get 0)) (call $c (i32.const 4))))
        (func (export "main") (param i32) (result i32) (call $a (local.get 0))))"#;
    let translation = translated(nested, &TranslateOptions::default());
    assert_eq!(calls(&translation), 0);
    assert!(
        translation.warnings.is_empty(),
        "{:?}",
        translation.warnings
    );
    assert_eq!(run(&translation, &[Value::i32(10)]), [Value::i32(60)]);
}

#[test]
fn the_depth_of_inlining_has_a_limit_and_a_warning() {
    let mut text = String::from("(module (func $f0 (param i32) (result i32) (local.get 0))");
    for depth in 1..10 {
        let below = depth - 1;
        text += &format!(
            "(func $f{depth} (param i32) (result i32) (i32.add (call $f{below} (local.get 0)) (i32.const 1)))"
        );
    }
    text += r#"(export "main" (func $f9)))"#;
    let options = TranslateOptions::default().inline_depth(4);
    let translation = translated(&text, &options);
    assert_eq!(run(&translation, &[Value::i32(1)]), [Value::i32(10)]);
    let texts: Vec<String> = translation
        .warnings
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        texts,
        ["the call of `f4` in `f5` is not inlined: calls are nested too deeply"]
    );
}

#[test]
fn the_size_of_code_has_a_limit_and_a_warning() {
    // Each function calls the one before twice: fully inlined, the last would have 2^20 bodies.
    let body =
        "(local.set 0 (i32.rotl (i32.mul (local.get 0) (i32.const 3)) (i32.const 5)))".repeat(8);
    let mut text = format!("(module (func $f0 (param i32) (result i32) {body} (local.get 0))");
    for level in 1..=20 {
        let below = level - 1;
        text += &format!(
            "(func $f{level} (param i32) (result i32) {body}
                (i32.add (call $f{below} (local.get 0)) (call $f{below} (local.get 0))))"
        );
    }
    text += r#"(export "main" (func $f20)))"#;
    let translation = translated(&text, &TranslateOptions::default());
    let (module, code) = (wasm(&text).len(), 4 * translation.bytecode.code.len());
    assert!(code < 10 * module, "{module} bytes became {code}");
    let too_large = translation
        .warnings
        .iter()
        .find(|warning| {
            matches!(
                warning,
                Warning::NotInlined {
                    reason: Reason::Size,
                    ..
                }
            )
        })
        .expect("a warning")
        .to_string();
    let end = "is not inlined: the code would become too large";
    assert!(too_large.ends_with(end), "{too_large}");
}

#[test]
fn a_call_through_a_table_that_never_changes_is_compared_and_inlined() {
    let table = |extra: &str| {
        format!(
            r#"(module (type $t (func (param i32) (result i32)))
            (table 4 funcref) (elem (i32.const 1) $double $square) {extra}
            (func $double (param i32) (result i32) (i32.shl (local.get 0) (i32.const 1)))
            (func $square (param i32) (result i32) (i32.mul (local.get 0) (local.get 0)))
            (func (export "main") (param i32 i32) (result i32)
                (call_indirect (type $t) (local.get 1) (local.get 0))))"#
        )
    };
    let compares = |translation: &Translation| {
        let code = &translation.bytecode.code;
        code.iter()
            .filter(|word| **word & 0xff == Op::BrI32NeConst as u32)
            .count()
    };
    let fixed = translated(&table(""), &TranslateOptions::default());
    assert_eq!(compares(&fixed), 2);
    let exported = translated(
        &table(r#"(export "t" (table 0))"#),
        &TranslateOptions::default(),
    );
    assert_eq!(compares(&exported), 0);
    for translation in [fixed, exported] {
        assert_eq!(
            run(&translation, &[Value::i32(1), Value::i32(7)]),
            [Value::i32(14)]
        );
        assert_eq!(
            run(&translation, &[Value::i32(2), Value::i32(7)]),
            [Value::i32(49)]
        );
        let mut instance = Instance::new(&translation.bytecode).expect("can be run");
        let launch = translation
            .bytecode
            .exports
            .iter()
            .find(|export| export.name == "main");
        let trap = instance.invoke(launch.expect("is there").launch, &[Value::i32(3)]);
        assert_eq!(
            trap.expect_err("traps")
                .trap()
                .expect("a trap")
                .code
                .to_string(),
            "uninitialized element"
        );
    }
}

#[test]
fn recursion_through_a_table_is_a_warning() {
    let through = |called: &str| {
        format!(
            r#"(module (type $t (func (param i32))) (table (export "t") 2 funcref) (elem (i32.const 0) {called})
            (func $main (export "main") (param i32) (call $step (local.get 0)))
            (func $step (param i32) (call_indirect (type $t) (local.get 0) (i32.const 0)))
            (func $leaf (param i32) (drop (local.get 0))))"#
        )
    };
    let possible = |text: &str| -> Vec<String> {
        let warnings = translated(text, &TranslateOptions::default()).warnings;
        warnings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        possible(&through("$step")),
        ["recursion is possible in `step` through table 0 with type (i32) -> ()"]
    );
    // `main` has the type too, and an exported function can be put into an exported table.
    assert_eq!(possible(&through("$leaf")).len(), 1);
    let other = through("$leaf").replace(
        "(func $main (export \"main\") (param i32)",
        "(func $main (export \"main\") (param i32 i32)",
    );
    assert_eq!(possible(&other), Vec::<String>::new());
}

#[test]
fn imports_that_nobody_has_are_named() {
    assert_eq!(
        refused(r#"(module (import "gpu" "teleport" (func)))"#),
        "unknown import `gpu`.`teleport`"
    );
    assert_eq!(
        refused(r#"(module (import "wasi" "get_thread_id" (func (result i32))))"#),
        "unknown import `wasi`.`get_thread_id`"
    );
    assert_eq!(
        refused(r#"(module (import "env" "get_thread_id" (func (result f32))))"#),
        "incompatible import type for `env`.`get_thread_id`: expected () -> (f32), found () -> (i32)"
    );
}

#[test]
fn invalid_modules_are_refused_with_the_byte() {
    let error = translate(b"\0asm\x01\0\0\0\x01\x7f", &TranslateOptions::default());
    assert!(
        matches!(error, Err(TranslateError::Invalid { offset: 9 | 10, .. })),
        "{error:?}"
    );
}

/// Each supported feature, and a module that uses it.
const SUPPORTED: &[(&str, &str)] = &[
    (
        "WebAssembly 1.0, all of it",
        r#"(module (memory 1) (table 1 funcref) (func (result f64) (f64.load (i32.const 0))))"#,
    ),
    (
        "mutable globals that are imported or exported",
        r#"(module (global (export "g") (mut i32) (i32.const 0)))"#,
    ),
    (
        "sign extension",
        r#"(module (func (param i64) (result i64) (i64.extend32_s (local.get 0))))"#,
    ),
    (
        "saturating conversions from floats to integers",
        r#"(module (func (param f64) (result i64) (i64.trunc_sat_f64_u (local.get 0))))"#,
    ),
    (
        "bulk memory",
        r#"(module (memory 1) (data "a") (func
            (memory.init 0 (i32.const 0) (i32.const 0) (i32.const 1)) (data.drop 0)
            (memory.copy (i32.const 0) (i32.const 0) (i32.const 1))
            (memory.fill (i32.const 0) (i32.const 0) (i32.const 1))))"#,
    ),
    (
        "multiple results and block parameters",
        r#"(module (func (result i32 i64) (i32.const 1)
            (block (param i32) (result i32 i64) (i64.const 2))))"#,
    ),
    (
        "reference types: several tables, `funcref`, `externref`",
        r#"(module (table 1 funcref) (table 1 externref)
            (func (param externref) (table.set 1 (i32.const 0) (local.get 0))
                (drop (table.grow 0 (ref.null func) (i32.const 1)))))"#,
    ),
];

/// Each unsupported feature, a module that needs only it, and words of the message that names it.
const UNSUPPORTED: &[(&str, &str, &str)] = &[
    (
        "SIMD",
        r#"(module (func (drop (v128.const i64x2 0 0))))"#,
        "SIMD",
    ),
    (
        "tail calls",
        r#"(module (func $f (return_call $f)))"#,
        "tail calls",
    ),
    ("threads", r#"(module (memory 1 1 shared))"#, "threads"),
    ("64-bit memories", r#"(module (memory i64 1))"#, "memory64"),
    (
        "several memories in one module",
        r#"(module (memory 1) (memory 1))"#,
        "multiple memories",
    ),
    ("exceptions", r#"(module (tag))"#, "exceptions"),
    (
        "extended constant expressions",
        r#"(module (global i32 (i32.add (i32.const 1) (i32.const 2))))"#,
        "constant expression required: non-constant operator: i32.add",
    ),
    (
        "typed function references",
        r#"(module (type $t (func)) (func (param (ref $t))))"#,
        "function references",
    ),
    (
        "garbage collection",
        r#"(module (type (struct)))"#,
        "gc feature",
    ),
    (
        "wide arithmetic",
        r#"(module (func (param i64 i64) (result i64 i64) (i64.mul_wide_u (local.get 0) (local.get 1))))"#,
        "wide arithmetic",
    ),
    (
        "custom page sizes",
        r#"(module (memory 1 (pagesize 1)))"#,
        "custom page sizes",
    ),
    (
        "stack switching",
        r#"(module (type $f (func)) (type (cont $f)))"#,
        "stack switching",
    ),
    ("the component model", "(component)", "component"),
];

/// The list items of a section of the document.
fn listed(section: &str) -> Vec<String> {
    let document = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/wasm-support.md"
    ))
    .expect("the document is there");
    let (_, list) = document
        .split_once(&format!("## {section}\n"))
        .expect("the section");
    let list = list.split("\n## ").next().expect("its end");
    let items = list.lines().filter_map(|line| line.strip_prefix("- "));
    items.map(str::to_owned).collect()
}

#[test]
fn the_document_lists_exactly_the_features_that_are_refused() {
    let refused: Vec<&str> = UNSUPPORTED.iter().map(|(feature, ..)| *feature).collect();
    assert_eq!(listed("Not supported"), refused);
    for (feature, text, words) in UNSUPPORTED {
        let error = translate(&wasm(text), &TranslateOptions::default()).expect_err(feature);
        let message = error.to_string();
        assert!(
            matches!(error, TranslateError::Invalid { .. }),
            "{feature}: {error:?}"
        );
        assert!(message.contains(words), "{feature}: {message}");
        assert!(message.contains("(at byte 0x"), "{feature}: {message}");
    }
}

#[test]
fn the_document_lists_the_features_that_are_supported() {
    let supported: Vec<&str> = SUPPORTED.iter().map(|(feature, _)| *feature).collect();
    assert_eq!(listed("Supported"), supported);
    for (_, text) in SUPPORTED {
        translated(text, &TranslateOptions::default());
    }
}

#[test]
fn imported_functions_are_counted_before_defined_ones() {
    // The calls are by index, and all three functions have the same type: in any other index order
    // the module is valid too, but returns something else.
    let text = r#"(module
        (import "gpu" "read_state" (func (param i32) (result i32)))
        (import "gpu" "read_input" (func (param i32) (result i32)))
        (func (param i32) (result i32) (i32.mul (local.get 0) (local.get 0)))
        (func (export "main") (result i32 i32 i32)
            (call 0 (i32.const 3)) (call 1 (i32.const 3)) (call 2 (i32.const 3))))"#;
    let launch = Launch {
        kernel: "main".to_owned(),
        args: Vec::new(),
        workgroups: [1, 1, 1],
        workgroup_size: [1, 1, 1],
        threads: None,
        memory: MemoryMode::Private,
        max_pages: 1,
        stack_slots: 64,
        ..Launch::default()
    };
    let mut resources = Resources {
        state: vec![10, 11, 12, 13],
        input: vec![20, 21, 22, 23],
        ..Resources::default()
    };
    for inline_depth in [0, 8] {
        let options = TranslateOptions::default().inline_depth(inline_depth);
        let program = translated(text, &options).bytecode;
        let outcome = vm::run(&program, &launch, &mut resources).expect("runs");
        let end = ThreadEnd::Done([13, 23, 9].map(Value::i32).to_vec());
        assert_eq!(outcome.threads, [end]);
    }
}

#[test]
fn names_from_modules_cannot_act_on_a_terminal() {
    let import = "(module (import \"gpu\" \"a\\nerror: fake\\1b[2J\" (func)))";
    assert_eq!(
        refused(import),
        r"unknown import `gpu`.`a\u{a}error: fake\u{1b}[2J`"
    );
    let recursion = "(module (func $f (export \"x\\0d\\e2\\80\\aey\") (call $f)))";
    let mut bytes = wasm(recursion);
    // Without the name section, the export name is used.
    let section = bytes.windows(4).position(|bytes| bytes == b"name");
    bytes.truncate(section.expect("names") - 3);
    let error = translate(&bytes, &TranslateOptions::default()).expect_err("is refused");
    assert_eq!(
        error.to_string(),
        r"Recursion not supported on GPU: `x\u{d}\u{202e}y` -> `x\u{d}\u{202e}y`"
    );
}

#[test]
fn of_a_long_cycle_the_beginning_is_shown() {
    let mut text = String::from("(module");
    for function in 0..50_000 {
        let next = (function + 1) % 50_000;
        text += &format!("(func $f{function} (call $f{next}))");
    }
    text += r#"(export "main" (func $f0)))"#;
    let message = refused(&text);
    assert!(message.len() < 400, "{} bytes", message.len());
    let end = "`f15` -> 49984 more -> `f0`";
    assert!(message.ends_with(end), "{message}");
}

#[test]
fn tables_and_globals_have_limits() {
    let tables = |first: u32, second: u32| {
        format!(r#"(module (table {first} funcref) (table {second} externref))"#)
    };
    translated(&tables(5_000_000, 5_000_000), &TranslateOptions::default());
    assert_eq!(
        refused(&tables(4_294_967_290, 1)),
        "the module has tables of 4294967291 elements, including those of linked modules; 10000000 are supported"
    );
    assert!(refused(&tables(5_000_000, 5_000_001)).contains("10000001 elements"));
    let globals = |count| format!("(module {})", "(global i64 (i64.const 1))".repeat(count));
    translated(&globals(32_767), &TranslateOptions::default());
    assert_eq!(
        refused(&globals(32_768)),
        "the module has globals of 65536 slots, including those of linked modules; 65535 are supported"
    );
    // The limits apply to all linked modules together.
    let mut translator = Translator::new(TranslateOptions::default());
    let half = wasm(&tables(5_000_000, 1_000_000));
    translator.module("first", &half).expect("is linked");
    let error = translator.module("second", &half).expect_err("is refused");
    assert!(error.to_string().contains("12000000 elements"), "{error}");
}

#[test]
fn the_largest_frame_is_accepted() {
    // Locals up to the limit, and a call with its window after them.
    let text = format!(
        "(module (func $main (export \"main\") (result i64) {} (call $id (i64.const 3)))
            (func $id (param i64) (result i64) (local.get 0)))",
        "(local i64)".repeat(32_490)
    );
    let options = TranslateOptions::default().inline_depth(0);
    let translation = translated(&text, &options);
    let largest = translation
        .bytecode
        .functions
        .iter()
        .map(|function| function.frame)
        .max();
    assert!(largest > Some(65_000), "{largest:?}");
}

#[test]
fn a_stack_pointer_is_a_mutable_integer() {
    let pointer = |globals: &str| {
        let text = format!("(module (memory 1) {globals} (func (export \"main\")))");
        translated(&text, &TranslateOptions::default()).bytecode
    };
    let right = r#"(global (export "__stack_pointer") (mut i32) (i32.const 1024))"#;
    assert_eq!(pointer(right).stack_pointer, Some(0));
    let named =
        r#"(global i64 (i64.const 1)) (global $__stack_pointer (mut i32) (i32.const 1024))"#;
    assert_eq!(pointer(named).stack_pointer, Some(2));
    for wrong in [
        r#"(global (export "__stack_pointer") f32 (f32.const 1.5))"#,
        r#"(global (export "__stack_pointer") (mut f32) (f32.const 1.5))"#,
        r#"(global (export "__stack_pointer") (mut i64) (i64.const 1024))"#,
        r#"(global (export "__stack_pointer") i32 (i32.const 1024))"#,
        r#"(global $__stack_pointer (mut i64) (i64.const 1024))"#,
    ] {
        assert_eq!(pointer(wrong).stack_pointer, None, "{wrong}");
    }
    let end = |ty: &str| {
        pointer(&format!(
            "(global (export \"__heap_base\") {ty}.const 4096))"
        ))
        .statics
    };
    assert_eq!(end("i32 (i32"), [1024, 4096]);
    assert_eq!(end("i64 (i64"), [0, 65_536]);
}

#[test]
fn wrong_imports_name_their_types() {
    let mut translator = Translator::new(TranslateOptions::default());
    let table = wasm(r#"(module (table (export "t") 1 funcref))"#);
    translator.module("first", &table).expect("is linked");
    let import = wasm(r#"(module (import "first" "t" (table 1 externref)))"#);
    assert_eq!(
        translator.add(&import).expect_err("is refused").to_string(),
        "incompatible import type for `first`.`t`: \
         expected a table of at least 1 externref, found one of at least 1 funcref"
    );
}

#[test]
fn a_frame_larger_than_instructions_can_name_works() {
    // Alternating i64 and f32 locals, set from the parameter, summed up with a call in between.
    let mut text = String::from(
        "(module (func $id (param i64 i32) (result i64) (local i64) (loop (br_if 0 (i32.const 0))) (local.get 0))\n",
    );
    text += r#"(func (export "main") (param i64) (result i64 i32) (local $sum i64)"#;
    for local in 0..300 {
        text += if local % 2 == 0 {
            "(local i64)"
        } else {
            "(local f32)"
        };
    }
    for local in (0..300).step_by(2) {
        let index = local + 2;
        text += &format!("(local.set {index} (i64.add (local.get 0) (i64.const {local})))\n");
    }
    for local in (0..300).step_by(2) {
        let index = local + 2;
        text += &format!(
            "(local.set $sum (i64.add (local.get $sum) (call $id (local.get {index}) (i32.const 5))))\n"
        );
    }
    text += "(local.get $sum) (i32.wrap_i64 (local.get 300))))";
    let no_inlining = TranslateOptions::default().inline_depth(0);
    let expected = (0..300).step_by(2).map(|local| 1000 + local).sum::<i64>();
    for options in [TranslateOptions::default(), no_inlining] {
        let translation = translated(&text, &options);
        let far = translation
            .bytecode
            .code
            .iter()
            .any(|word| *word & 0xff == Op::FarGet as u32);
        assert!(far, "the frame is too small to show anything");
        let found = run(&translation, &[Value::i64(1000)]);
        assert_eq!(found, [Value::i64(expected), Value::i32(1298)]);
    }
}

#[test]
fn a_refused_module_leaves_a_linker_as_it_was() {
    let mut translator = Translator::new(TranslateOptions::default());
    let first =
        wasm(r#"(module (memory (export "m") 1) (func (export "f") (result i32) (i32.const 5)))"#);
    translator.module("first", &first).expect("is linked");
    let before = translator.bytecode().clone();
    let bad = wasm(
        r#"(module (import "first" "m" (memory 1)) (global i32 (i32.const 1)) (table 1 funcref)
            (func $f (export "g") (call $f)))"#,
    );
    assert!(matches!(
        translator.add(&bad),
        Err(TranslateError::Recursion { .. })
    ));
    assert_eq!(*translator.bytecode(), before);
}

#[test]
fn hostile_sizes_are_errors_or_cheap() {
    // Deeply nested blocks.
    let mut deep = String::from("(module (func (export \"main\") (result i32)");
    deep += &"(block ".repeat(5_000);
    deep += &")".repeat(5_000);
    deep += "(i32.const 3)))";
    let translation = translated(&deep, &TranslateOptions::default());
    assert_eq!(run(&translation, &[]), [Value::i32(3)]);
    let locals = format!(
        "(module (func $big (export \"main\") {}))",
        "(local i64)".repeat(40_000)
    );
    assert_eq!(
        refused(&locals),
        "function `big` has more than 65000 slots of local variables"
    );
    let params = format!("(module (func {}))", "(param i64)".repeat(150));
    assert!(refused(&params).contains("300 slots of parameters or results; 200 are supported"));
}

#[test]
fn what_is_no_module_is_told_in_one_line() {
    let error = translate(b"garbage", &TranslateOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("bad magic number"), "{text}");
    assert!(!text.contains('\n'), "{text}");
}
