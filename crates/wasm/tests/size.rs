//! Size and speed limits of the translation: bytecode below ten times the module's size, and less
//! than 100 ms, for the programs of the document, the example kernels, and compiled modules of some
//! 50 KB. `cargo bench --bench translate` reports the numbers.

use std::time::{Duration, Instant};

use anywarp_wasm::bytecode::{Bytecode, assemble, disassemble, verify};
use anywarp_wasm::{TranslateOptions, translate};

/// All modules that `cargo xtask fixtures` builds.
fn modules() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let modules = files.filter(|file| file.extension().is_some_and(|kind| kind == "wasm"));
    modules
        .map(|file| (file.display().to_string(), std::fs::read(file).unwrap()))
        .collect()
}

fn program(wasm: &[u8]) -> Bytecode {
    let options = TranslateOptions::default().allow_recursion(true);
    translate(wasm, &options).unwrap().bytecode
}

#[test]
fn bytecode_is_below_ten_times_the_module() {
    let modules = modules();
    assert!(modules.len() > 12, "{} modules", modules.len());
    let large = modules.iter().filter(|(_, wasm)| wasm.len() > 40_000);
    assert!(large.count() >= 2, "no module of a realistic size");
    for (name, wasm) in modules {
        let program = program(&wasm);
        let (module, code) = (wasm.len(), 4 * program.code.len());
        // The file also has names, data and source positions.
        let file = program.to_bytes().len();
        assert!(code < 10 * module, "{name}: {module} bytes became {code}");
        assert!(file < 10 * module, "{name}: {module} bytes became {file}");
    }
}

#[test]
fn translation_takes_less_than_a_tenth_of_a_second() {
    for (name, wasm) in modules() {
        // The minimum of several runs, as other processes may use the machine too.
        let times = (0..5).map(|_| {
            let start = Instant::now();
            program(&wasm);
            start.elapsed()
        });
        let best = times.min().unwrap();
        assert!(best < Duration::from_millis(100), "{name}: {best:?}");
    }
}

#[test]
fn bytecode_of_real_modules_is_right_as_file_and_as_text() {
    for (name, wasm) in modules() {
        let program = program(&wasm);
        verify(&program).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            Bytecode::from_bytes(&program.to_bytes()).unwrap() == program,
            "{name}"
        );
        assert!(
            assemble(&disassemble(&program)).unwrap() == program,
            "{name}"
        );
    }
}
