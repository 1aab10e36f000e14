//! The virtual machine compared with wasmi on one thread, and its scaling with the number of cores.
//!
//! Target: at most 1.5 times the time of wasmi in the same run. Runs of both alternate, and the
//! fastest run of each is reported, the one that was disturbed least; on Linux only CPU time
//! counts. Both run the same modules, and their results are compared.

#![expect(clippy::print_stdout, reason = "a benchmark speaks to whoever runs it")]

use std::time::{Duration, Instant};

use anywarp_wasm::bytecode::Bytecode;
use anywarp_wasm::runtime::{Launch, MemoryMode, Resources, Value};
use anywarp_wasm::vm::{self, Instance};
use anywarp_wasm::{TranslateOptions, translate};

/// Each program exports `main(n: i32) -> i32`.
const PROGRAMS: [(&str, &str, i32); 6] = [
    ("integer hash", HASH, 3_000_000),
    ("f32 mandelbrot", MANDELBROT, 100),
    ("i64 mix", MIX, 3_000_000),
    ("memory sort", SORT, 100_000),
    ("bytes", BYTES, 200),
    ("fib by calls", FIB, 27),
];

const HASH: &str = r#"(module (func (export "main") (param $n i32) (result i32)
    (local $h i32) (local $i i32)
    (local.set $h (i32.const 0x811c9dc5))
    (loop $l
        (local.set $h (i32.mul (i32.xor (local.get $h) (local.get $i)) (i32.const 0x01000193)))
        (local.set $h (i32.xor (local.get $h) (i32.shr_u (local.get $h) (i32.const 15))))
        (local.set $h (i32.add (i32.rotl (local.get $h) (i32.const 5)) (local.get $i)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $l (i32.lt_u (local.get $i) (local.get $n))))
    (local.get $h)))"#;

const MANDELBROT: &str = r#"(module (func (export "main") (param $n i32) (result i32)
    (local $px i32) (local $py i32) (local $i i32) (local $sum i32)
    (local $x f32) (local $y f32) (local $cx f32) (local $cy f32) (local $t f32)
    (loop $rows
        (local.set $px (i32.const 0))
        (loop $columns
            (local.set $cx (f32.sub (f32.div (f32.mul (f32.convert_i32_s (local.get $px))
                (f32.const 3)) (f32.convert_i32_s (local.get $n))) (f32.const 2)))
            (local.set $cy (f32.sub (f32.div (f32.mul (f32.convert_i32_s (local.get $py))
                (f32.const 2)) (f32.convert_i32_s (local.get $n))) (f32.const 1)))
            (local.set $x (f32.const 0))
            (local.set $y (f32.const 0))
            (local.set $i (i32.const 0))
            (block $out (loop $iterate
                (br_if $out (i32.ge_u (local.get $i) (i32.const 200)))
                (br_if $out (f32.gt (f32.add (f32.mul (local.get $x) (local.get $x))
                    (f32.mul (local.get $y) (local.get $y))) (f32.const 4)))
                (local.set $t (f32.add (f32.sub (f32.mul (local.get $x) (local.get $x))
                    (f32.mul (local.get $y) (local.get $y))) (local.get $cx)))
                (local.set $y (f32.add (f32.mul (f32.mul (f32.const 2) (local.get $x))
                    (local.get $y)) (local.get $cy)))
                (local.set $x (local.get $t))
                (local.set $i (i32.add (local.get $i) (i32.const 1)))
                (br $iterate)))
            (local.set $sum (i32.add (local.get $sum) (local.get $i)))
            (local.set $px (i32.add (local.get $px) (i32.const 1)))
            (br_if $columns (i32.lt_s (local.get $px) (local.get $n))))
        (local.set $py (i32.add (local.get $py) (i32.const 1)))
        (br_if $rows (i32.lt_s (local.get $py) (local.get $n))))
    (local.get $sum)))"#;

const MIX: &str = r#"(module (func (export "main") (param $n i32) (result i32)
    (local $s i64) (local $z i64) (local $sum i64)
    (loop $l
        (local.set $s (i64.add (local.get $s) (i64.const 0x9e3779b97f4a7c15)))
        (local.set $z (i64.mul (i64.xor (local.get $s) (i64.shr_u (local.get $s) (i64.const 30)))
            (i64.const 0xbf58476d1ce4e5b9)))
        (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27)))
            (i64.const 0x94d049bb133111eb)))
        (local.set $sum (i64.add (local.get $sum)
            (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31)))))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $l (local.get $n)))
    (i32.wrap_i64 (i64.xor (local.get $sum) (i64.shr_u (local.get $sum) (i64.const 32))))))"#;

/// Shell sort of random numbers.
const SORT: &str = r#"(module (memory 16) (func (export "main") (param $n i32) (result i32)
    (local $i i32) (local $j i32) (local $gap i32) (local $x i32) (local $y i32) (local $h i32)
    (local.set $x (i32.const 12345))
    (loop $fill
        (local.set $x (i32.add (i32.mul (local.get $x) (i32.const 1664525)) (i32.const 1013904223)))
        (i32.store (i32.shl (local.get $i) (i32.const 2)) (local.get $x))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $fill (i32.lt_u (local.get $i) (local.get $n))))
    (local.set $gap (i32.div_u (local.get $n) (i32.const 2)))
    (loop $gaps
        (local.set $i (local.get $gap))
        (loop $each
            (local.set $x (i32.load (i32.shl (local.get $i) (i32.const 2))))
            (local.set $j (local.get $i))
            (block $there (loop $down
                (br_if $there (i32.lt_u (local.get $j) (local.get $gap)))
                (local.set $y (i32.load
                    (i32.shl (i32.sub (local.get $j) (local.get $gap)) (i32.const 2))))
                (br_if $there (i32.le_u (local.get $y) (local.get $x)))
                (i32.store (i32.shl (local.get $j) (i32.const 2)) (local.get $y))
                (local.set $j (i32.sub (local.get $j) (local.get $gap)))
                (br $down)))
            (i32.store (i32.shl (local.get $j) (i32.const 2)) (local.get $x))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $each (i32.lt_u (local.get $i) (local.get $n))))
        (local.set $gap (i32.div_u (local.get $gap) (i32.const 2)))
        (br_if $gaps (local.get $gap)))
    (local.set $i (i32.const 0))
    (loop $sum
        (local.set $h (i32.add (i32.mul (local.get $h) (i32.const 31))
            (i32.load (i32.shl (local.get $i) (i32.const 2)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $sum (i32.lt_u (local.get $i) (local.get $n))))
    (local.get $h)))"#;

/// A byte histogram, repeated.
const BYTES: &str = r#"(module (memory 2) (func (export "main") (param $n i32) (result i32)
    (local $i i32) (local $at i32) (local $h i32)
    (loop $again
        (local.set $i (i32.const 0))
        (loop $each
            (local.set $at (i32.and (i32.load8_u offset=4096 (local.get $i)) (i32.const 255)))
            (i32.store8 (local.get $at)
                (i32.add (i32.load8_u (local.get $at)) (i32.const 1)))
            (i32.store8 offset=4096 (local.get $i)
                (i32.add (local.get $at) (i32.add (local.get $i) (local.get $n))))
            (local.set $i (i32.add (local.get $i) (i32.const 1)))
            (br_if $each (i32.lt_u (local.get $i) (i32.const 10000))))
        (local.set $n (i32.sub (local.get $n) (i32.const 1)))
        (br_if $again (local.get $n)))
    (loop $sum
        (local.set $i (i32.sub (local.get $i) (i32.const 1)))
        (local.set $h (i32.add (i32.mul (local.get $h) (i32.const 31))
            (i32.load8_u (local.get $i))))
        (br_if $sum (local.get $i)))
    (local.get $h)))"#;

const FIB: &str = r#"(module (func $fib (export "main") (param $n i32) (result i32)
    (if (result i32) (i32.lt_s (local.get $n) (i32.const 2))
        (then (local.get $n))
        (else (i32.add (call $fib (i32.sub (local.get $n) (i32.const 1)))
            (call $fib (i32.sub (local.get $n) (i32.const 2))))))))"#;

/// A kernel for scaling tests: a f32 loop in every thread, depending on its index.
const SCALING: &str = r#"(module
    (import "gpu" "get_thread_id" (func $id (result i32)))
    (func (export "main")
        (local $h i32) (local $i i32)
        (local.set $h (call $id))
        (local.set $i (i32.const 2000))
        (loop $l
            (local.set $h (i32.mul (i32.xor (local.get $h) (local.get $i)) (i32.const 16777619)))
            (local.set $h (i32.xor (local.get $h) (i32.shr_u (local.get $h) (i32.const 15))))
            (local.set $i (i32.sub (local.get $i) (i32.const 1)))
            (br_if $l (local.get $i)))))"#;

const ROUNDS: usize = 25;

fn compile(text: &str) -> (Vec<u8>, Bytecode) {
    let wasm = wat::parse_str(text).expect("the text is WebAssembly");
    let options = TranslateOptions::default().allow_recursion(true);
    let program = translate(&wasm, &options).expect("a module that can be translated");
    (wasm, program.bytecode)
}

/// The run that was disturbed least.
fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}

fn time<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed(), result)
}

/// As `time`, but only the CPU time of this thread, if the system reports it.
fn on_cpu<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let used = || {
        // The kernel updates the CPU time lazily; this forces an update.
        std::thread::yield_now();
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanos = text.split(' ').next()?.parse().ok()?;
        Some(Duration::from_nanos(nanos))
    };
    let before = used();
    let (took, result) = time(run);
    let used = before.zip(used()).map(|(before, after)| after - before);
    (used.unwrap_or(took), result)
}

fn against_wasmi(wanted: Option<&str>) {
    println!("| program | wasmi | virtual machine | ratio |\n|---|---|---|---|");
    let wanted = |name: &str| wanted.is_none_or(|wanted| name.contains(wanted));
    for (name, text, n) in PROGRAMS.into_iter().filter(|(name, ..)| wanted(name)) {
        let (wasm, program) = compile(text);
        let engine = wasmi::Engine::default();
        let module = wasmi::Module::new(&engine, &wasm).expect("a module");
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let mut store = wasmi::Store::new(&engine, ());
            let linker = wasmi::Linker::new(&engine);
            let instance = linker
                .instantiate_and_start(&mut store, &module)
                .expect("an instance");
            let main = instance
                .get_typed_func::<i32, i32>(&store, "main")
                .expect("the function");
            let (their_time, expected) = on_cpu(|| main.call(&mut store, n).expect("a result"));
            let mut instance = Instance::new(&program).expect("an instance");
            for &init in &program.inits {
                instance.invoke(init, &[]).expect("no trap");
            }
            let function = program.exports[0].function;
            let (our_time, got) = on_cpu(|| instance.invoke(function, &[Value::i32(n)]));
            assert_eq!(got, Ok(vec![Value::i32(expected)]), "{name}");
            theirs.push(their_time);
            ours.push(our_time);
        }
        let (theirs, ours) = (least(theirs), least(ours));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        println!("| {name} | {theirs:.1?} | {ours:.1?} | {ratio:.2} |");
    }
}

fn by_cores() {
    let (_, program) = compile(SCALING);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!("\n| cores | 16384 threads in workgroups of 64 | times one |\n|---|---|---|");
    let mut one = None;
    for used in 1..=cores {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(used)
            .build()
            .expect("a pool");
        let launch = Launch {
            kernel: "main".to_owned(),
            args: Vec::new(),
            workgroups: [256, 1, 1],
            workgroup_size: [64, 1, 1],
            threads: None,
            memory: MemoryMode::Private,
            max_pages: 16,
            stack_slots: 1024,
            ..Launch::default()
        };
        let run = || vm::run(&program, &launch, &mut Resources::default()).expect("a launch");
        let times = (0..ROUNDS).map(|_| pool.install(|| time(run).0)).collect();
        let took = least(times);
        let one = *one.get_or_insert(took);
        let speedup = one.as_secs_f64() / took.as_secs_f64();
        println!("| {used} | {took:.1?} | {speedup:.2} |");
    }
}

fn main() {
    // `cargo bench` adds options of its own; a part of a name means only those programs.
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    against_wasmi(wanted.as_deref());
    if wanted.is_none() {
        by_cores();
    }
}
