//! The ten programs of the document that this crate started from, on both executors. Their sources
//! are next to the modules; `cargo xtask fixtures` compiles them without optimization, so that
//! calls are not inlined.

use anywarp_wasm::bytecode::{Instruction, Op};
use anywarp_wasm::{
    Module, Resources, ThreadEnd, TranslateError, TranslateOptions, TrapCode, Value, translate,
};

use super::engines;

/// The WebAssembly module of a program.
fn module(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    std::fs::read(format!("{folder}/{name}.wasm")).unwrap()
}

/// A program on both engines.
fn program(name: &str, allow_recursion: bool) -> Result<[Module; 2], TranslateError> {
    let options = TranslateOptions::default().allow_recursion(allow_recursion);
    engines::modules(&module(name), &options)
}

/// Runs a program on both engines, which must agree, and returns how its threads ended.
fn run(
    program: &[Module; 2],
    argument: i32,
    threads: u32,
    resources: &mut Resources,
) -> Vec<ThreadEnd> {
    let launch = |module: &Module, resources: &mut Resources| {
        let kernel = module
            .kernel("main")
            .unwrap()
            .args([argument])
            .unwrap()
            .workgroups([threads.div_ceil(64), 1, 1])
            .workgroup_size([threads.min(64), 1, 1])
            .threads(threads)
            .stack_slots(1024);
        kernel.run(resources).unwrap().threads
    };
    let mut others = resources.clone();
    let ends = launch(&program[0], resources);
    assert_eq!(ends, launch(&program[1], &mut others));
    assert_eq!(resources.picture, others.picture);
    ends
}

/// The result of a program's `main` in one thread.
fn result(name: &str, argument: i32, allow_recursion: bool) -> i32 {
    let program = program(name, allow_recursion).unwrap();
    let ends = run(&program, argument, 1, &mut Resources::new());
    match &ends[..] {
        [ThreadEnd::Done(values)] if values.len() == 1 => values[0].as_i32().unwrap(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn programs_give_what_the_document_says() {
    for (name, argument, expected) in [
        ("helper", 3, 25),
        ("helpers", 3, 20),
        ("nested", 10, 13),
        ("parameters", 0, 50),
        ("locals", 5, 159),
        ("deep_chain", 0, 8),
    ] {
        assert_eq!(result(name, argument, false), expected, "{name}");
    }
}

#[test]
fn helpers_are_inlined() {
    for name in ["helper", "helpers", "nested", "locals", "deep_chain"] {
        let options = TranslateOptions::default();
        let program = translate(&module(name), &options).unwrap().bytecode;
        let export = &program.exports[0];
        let main = program.functions[export.function as usize];
        let mut at = main.entry as usize;
        while at < main.end as usize {
            let instruction = Instruction::read(&program.code, at).unwrap();
            assert_ne!(instruction.op, Op::Call, "{name}");
            at += instruction.words();
        }
    }
}

#[test]
fn threads_know_their_number() {
    let program = program("thread_id", false).unwrap();
    let ends = run(&program, 0, 100, &mut Resources::new());
    assert_eq!(ends.len(), 100);
    for (number, end) in ends.iter().enumerate() {
        let value = Value::i32(number as i32);
        assert_eq!(*end, ThreadEnd::Done(vec![value]));
    }
}

#[test]
fn pixels_make_a_gradient() {
    let program = program("pixels", false).unwrap();
    let mut resources = Resources::new().picture(800, 2);
    run(&program, 0, 1600, &mut resources);
    let picture = resources.picture.unwrap();
    for (i, pixel) in picture.pixels.iter().enumerate() {
        let red = (i % 800) as f32 / 800.0;
        assert_eq!(*pixel, [red, 0.0, 0.0, 1.0], "pixel {i}");
    }
}

#[test]
fn recursion_is_refused_by_name() {
    let error = |name| program(name, false).unwrap_err().to_string();
    assert_eq!(
        error("recursion"),
        "Recursion not supported on GPU: `recursion::factorial` -> `recursion::factorial`"
    );
    let mutual = error("mutual_recursion");
    assert!(
        mutual.starts_with("Recursion not supported on GPU: "),
        "{mutual}"
    );
    for name in ["`mutual_recursion::ping`", "`mutual_recursion::pong`"] {
        assert!(mutual.contains(name), "{mutual}");
    }
}

#[test]
fn recursion_runs_where_it_is_allowed() {
    assert_eq!(result("recursion", 5, true), 120);
    assert_eq!(result("recursion", 10, true), 3_628_800);
    assert_eq!(result("mutual_recursion", 7, true), 0);
}

#[test]
fn recursion_without_end_traps() {
    let program = program("recursion", true).unwrap();
    let ends = run(&program, 100_000, 1, &mut Resources::new());
    match &ends[..] {
        [ThreadEnd::Trapped(trap)] => {
            assert_eq!(trap.code, TrapCode::StackExhausted);
            assert_eq!(trap.function, "recursion::factorial");
        }
        other => panic!("{other:?}"),
    }
}
