//! The wasm32 side: kernels build without `std`, import what the host provides and export themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anywarp_wasm::{Engine, MemoryMode, Module as WasmModule, Resources, Value};
use wasmparser::{ExternalKind, Operator, Parser, Payload, TypeRef, ValType};

const TARGET: &str = "wasm32-unknown-unknown";

/// The name and signature of a function: `f(i32) -> f32`.
type Signatures = BTreeMap<String, String>;

/// Whether the compiler has a standard library for wasm32: not every machine does.
fn has_target() -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", TARGET]);
    let output = rustc.output().ok().filter(|output| output.status.success());
    let path = output.and_then(|output| String::from_utf8(output.stdout).ok());
    path.is_some_and(|path| Path::new(path.trim()).exists())
}

/// Reports a skipped test on stderr and in the file that `cargo xtask test` reads.
fn report_skip() {
    let line = format!("SKIPPED: no kernels for wasm32: `rustup target add {TARGET}` is needed\n");
    // Written to the stream itself: the test harness hides the output of print macros.
    let _ = stderr().write_all(line.as_bytes());
    if let Some(path) = env::var_os("ANYWARP_SKIP_LOG") {
        let mut log = OpenOptions::new();
        let log = log.create(true).append(true).open(path);
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that ANYWARP_SKIP_LOG names can be written");
    }
}

/// Builds a kernel in a package of its own, with the workspace's versions of everything.
fn build(name: &str, source: &str) -> Option<Vec<u8>> {
    if !has_target() {
        report_skip();
        return None;
    }
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n\
         [lib]\npath = \"lib.rs\"\ncrate-type = [\"cdylib\"]\n\
         [dependencies]\ngpu-sdk = {{ path = {:?} }}\n\
         [profile.dev]\nopt-level = 2\npanic = \"abort\"\ndebug = false\noverflow-checks = false\n",
        sdk.display()
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("lib.rs"), source).unwrap();
    let lock = sdk.join("../../Cargo.lock");
    if lock.exists() {
        fs::copy(lock, folder.join("Cargo.lock")).unwrap();
    }

    let target = folder.with_file_name("wasm-target");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["build", "--quiet", "--target", TARGET, "--target-dir"])
        .arg(&target)
        .current_dir(&folder)
        .env_remove("RUSTFLAGS");
    assert!(cargo.status().unwrap().success(), "{name} does not build");
    let module = target.join(TARGET).join(format!("debug/{name}.wasm"));
    Some(fs::read(module).unwrap())
}

fn signature(ty: &wasmparser::FuncType) -> String {
    let list = |types: &[ValType]| {
        let names: Vec<_> = types.iter().map(ToString::to_string).collect();
        names.join(" ")
    };
    format!("({}) -> ({})", list(ty.params()), list(ty.results()))
}

/// The imports, exports and called instructions of a module.
#[derive(Default)]
struct Module {
    imports: Signatures,
    exports: Signatures,
    /// Numbers of the exported functions.
    entries: Vec<u32>,
    /// The names of instructions and the numbers of the functions called, by function.
    bodies: BTreeMap<u32, (BTreeSet<String>, Vec<u32>)>,
}

impl Module {
    /// The names of all instructions that exports can reach by calls that name a function.
    fn reachable(&self) -> BTreeSet<String> {
        let mut instructions = BTreeSet::new();
        let (mut left, mut seen) = (self.entries.clone(), BTreeSet::new());
        while let Some(function) = left.pop() {
            if let Some((words, calls)) = self.bodies.get(&function)
                && seen.insert(function)
            {
                instructions.extend(words.iter().cloned());
                left.extend(calls);
            }
        }
        instructions
    }
}

fn read(bytes: &[u8]) -> Module {
    let mut module = Module::default();
    let (mut types, mut functions) = (Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.unwrap() {
            Payload::TypeSection(section) => {
                types.extend(section.into_iter_err_on_gc_types().map(Result::unwrap));
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports().map(Result::unwrap) {
                    let TypeRef::Func(ty) = import.ty else {
                        panic!("{} is no function", import.name);
                    };
                    functions.push(ty);
                    let name = format!("{}.{}", import.module, import.name);
                    module.imports.insert(name, signature(&types[ty as usize]));
                }
            }
            Payload::FunctionSection(section) => {
                functions.extend(section.into_iter().map(Result::unwrap));
            }
            Payload::ExportSection(section) => {
                for export in section.into_iter().map(Result::unwrap) {
                    if export.kind == ExternalKind::Func {
                        let ty = &types[functions[export.index as usize] as usize];
                        module.exports.insert(export.name.to_owned(), signature(ty));
                        module.entries.push(export.index);
                    }
                }
            }
            Payload::CodeSectionEntry(body) => {
                let operators = body.get_operators_reader().unwrap();
                let (mut words, mut calls) = (BTreeSet::new(), Vec::new());
                for operator in operators.into_iter().map(Result::unwrap) {
                    words.insert(word(&operator));
                    if let Operator::Call { function_index } = operator {
                        calls.push(function_index);
                    }
                }
                let number = (module.imports.len() + module.bodies.len()) as u32;
                module.bodies.insert(number, (words, calls));
            }
            _ => {}
        }
    }
    module
}

/// The name of an instruction alone.
fn word(operator: &Operator<'_>) -> String {
    let text = format!("{operator:?}");
    text.split([' ', '(']).next().unwrap_or_default().to_owned()
}

fn signatures(list: &[(&str, &str)]) -> Signatures {
    let owned = list
        .iter()
        .map(|(name, ty)| ((*name).to_owned(), (*ty).to_owned()));
    owned.collect()
}

#[test]
fn kernels_import_from_gpu_and_export_themselves() {
    let Some(bytes) = build("kernel", include_str!("kernel/lib.rs")) else {
        return;
    };
    let module = read(&bytes);
    let imports = signatures(&[
        ("gpu.set_pixel", "(i32 i32 f32 f32 f32 f32) -> ()"),
        ("gpu.get_thread_id", "() -> (i32)"),
        ("gpu.get_time", "() -> (f32)"),
        ("gpu.read_state", "(i32) -> (i32)"),
        ("gpu.write_state", "(i32 i32) -> ()"),
        ("gpu.atomic_add", "(i32 i32) -> (i32)"),
        ("gpu.read_input", "(i32) -> (i32)"),
        ("gpu.read_file", "(i32 i32 i32 i32) -> (i32)"),
        ("gpu.write_file", "(i32 i32 i32 i32) -> (i32)"),
        ("gpu.print", "(i32 i32) -> ()"),
        ("gpu.panic", "(i32 i32) -> ()"),
        ("gpu.global_invocation_id", "(i32) -> (i32)"),
        ("gpu.local_invocation_id", "(i32) -> (i32)"),
        ("gpu.workgroup_id", "(i32) -> (i32)"),
        ("gpu.num_workgroups", "(i32) -> (i32)"),
        ("gpu.workgroup_size", "(i32) -> (i32)"),
        ("gpu.local_invocation_index", "() -> (i32)"),
        ("gpu.workgroup_barrier", "() -> ()"),
        ("gpu.storage_barrier", "() -> ()"),
        ("gpu.workgroup_load", "(i32) -> (i32)"),
        ("gpu.workgroup_store", "(i32 i32) -> ()"),
        ("gpu.workgroup_atomic", "(i32 i32 i32) -> (i32)"),
        ("gpu.workgroup_compare_exchange", "(i32 i32 i32) -> (i32)"),
        ("gpu.buffer_len", "(i32) -> (i32)"),
        ("gpu.buffer_load", "(i32 i32) -> (i32)"),
        ("gpu.buffer_store", "(i32 i32 i32) -> ()"),
        ("gpu.buffer_atomic", "(i32 i32 i32 i32) -> (i32)"),
        ("gpu.buffer_compare_exchange", "(i32 i32 i32 i32) -> (i32)"),
        ("gpu.queue_pop", "() -> (i32)"),
        ("gpu.queue_push", "(i32) -> (i32)"),
    ]);
    assert_eq!(module.imports, imports);
    let exports = signatures(&[
        ("gradient", "(i32) -> (i32)"),
        ("state", "(i32 f64 i64) -> (f32)"),
        ("copy", "() -> ()"),
        ("rounded", "(f32) -> (f32)"),
        ("inverse_root", "(f32) -> (f32)"),
        ("masses", "() -> (f32)"),
        ("work", "() -> (i32)"),
    ]);
    assert_eq!(module.exports, exports);
    for instruction in ["F32Floor", "F32Nearest", "F32Trunc", "F32Sqrt", "F64Sqrt"] {
        let is_used = module.reachable().contains(instruction);
        assert!(is_used, "{instruction} is not used");
    }
}

#[test]
fn a_brief_panic_handler_calls_through_no_table() {
    let source = r#"//! A kernel that may panic.
        #![no_std]
        #![forbid(unsafe_code)]
        gpu_sdk::panic_handler!(brief);
        #[gpu_sdk::kernel]
        fn pick(n: u32) -> i32 {
            [3, 1, 4, 1, 5][n as usize]
        }
    "#;
    let Some(bytes) = build("brief", source) else {
        return;
    };
    let module = read(&bytes);
    assert_eq!(
        module.imports,
        signatures(&[("gpu.panic", "(i32 i32) -> ()")])
    );
    assert_eq!(module.exports, signatures(&[("pick", "(i32) -> (i32)")]));
    assert!(!module.reachable().contains("CallIndirect"));
}

#[test]
fn no_count_of_an_atomic_is_lost_where_memory_is_shared() {
    let source = r#"//! Counts in memory.
        #![no_std]
        #![forbid(unsafe_code)]
        use gpu_sdk::Atomic;
        gpu_sdk::panic_handler!(brief);
        static COUNT: Atomic<u32> = Atomic::new_u32(0);
        static LOWEST: Atomic<i32> = Atomic::new_i32(7);
        static LOCKED: Atomic<u32> = Atomic::new_u32(0);
        #[gpu_sdk::kernel]
        fn count(n: u32) -> i32 {
            for _ in 0..n {
                COUNT.add(1);
                while !LOCKED.compare_exchange_weak(LOCKED.load(), 3).exchanged {}
            }
            LOWEST.min(-(COUNT.load() as i32));
            LOWEST.load() * 10 + LOCKED.exchange(3) as i32
        }
    "#;
    let Some(bytes) = build("counter", source) else {
        return;
    };
    let imports = signatures(&[
        ("gpu.memory_atomic", "(i32 i32 i32) -> (i32)"),
        ("gpu.memory_compare_exchange", "(i32 i32 i32) -> (i32)"),
    ]);
    assert_eq!(read(&bytes).imports, imports);
    let module = WasmModule::new(&Engine::vm(), &bytes).unwrap();
    let kernel = module.kernel("count").unwrap().args([500]).unwrap();
    let kernel = kernel
        .workgroups([16, 1, 1])
        .workgroup_size([8, 1, 1])
        .memory(MemoryMode::Shared { stack: 256 });
    let outcome = kernel.run(&mut Resources::new()).unwrap().ok().unwrap();
    // The last thread has seen all counts.
    let counts = (0..16 * 8).filter_map(|thread| outcome.results(thread)?[0].as_i32());
    let lowest = counts.min();
    assert_eq!(lowest, Some(-10 * 16 * 8 * 500 + 3));
}

#[test]
fn a_crate_with_std_panics_with_its_message() {
    let source = r#"//! A kernel with the standard library.
        #![forbid(unsafe_code)]
        gpu_sdk::panic_handler!(std);
        #[gpu_sdk::kernel]
        pub fn last(n: u32) -> u32 {
            let all: Vec<u32> = (1..n).collect();
            *all.last().unwrap_or_else(|| panic!("nothing below {n}"))
        }
    "#;
    let Some(bytes) = build("with_std", source) else {
        return;
    };
    let module = WasmModule::new(&Engine::vm(), &bytes).unwrap();
    let run = |argument: i32| {
        let kernel = module.kernel("last").unwrap().args([argument]).unwrap();
        kernel.run(&mut Resources::new()).unwrap().ok()
    };
    assert_eq!(run(9).unwrap().results(0), Some(&[Value::i32(8)][..]));
    let text = run(1).unwrap_err().trap.to_string();
    assert_eq!(text, "panicked at lib.rs:7:43: nothing below 1");
}
