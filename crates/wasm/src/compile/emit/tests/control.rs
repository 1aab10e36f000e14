//! Control flow: random modules against the reference interpreter of the IR, and limits.

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::device::Launch;
use super::emitted;
use crate::compile::build::build;
use crate::compile::emit::emit;
use crate::compile::ir::evaluate::{End, Machine, evaluate};
use crate::compile::ir::{Function, parse};
use crate::compile::{CompileOptions, pass};
use crate::module::{Definitions, LinkedModule, decode};

/// The first exported function of a module, built and cleaned.
fn built(wat: &str) -> Function {
    let wasm = wat::parse_str(wat).unwrap();
    let module = decode(&wasm).unwrap();
    let mut definitions = Definitions::default();
    let linked = LinkedModule::link(&module, &mut definitions).unwrap();
    let index = module.exports[0].index;
    build(&linked, &definitions, index, &CompileOptions::default()).unwrap()
}

/// A multiplicative generator (Steele and Vigna's SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) % end
    }
}

/// The text of a random body: what it does is mixed into `$h`.
struct Text {
    random: Random,
    text: String,
    budget: u32,
}

impl Text {
    fn condition(&mut self) -> String {
        let bit = self.random.below(16);
        format!("(i32.and (i32.shr_u (local.get $h) (i32.const {bit})) (i32.const 1))")
    }

    fn mix(&mut self) {
        let k = self.random.below(1000);
        let _ = writeln!(
            self.text,
            "(local.set $h (i32.add (i32.mul (i32.xor (local.get $h) (i32.shr_u (local.get $h) (i32.const 7))) (i32.const 31)) (i32.const {k})))"
        );
    }

    fn nested(&mut self, labels: u64) {
        match self.random.below(4) {
            0 => self.text.push_str("(block\n"),
            1 => {
                self.text.push_str(
                    "(loop\n(local.set $fuel (i32.sub (local.get $fuel) (i32.const 1)))\n",
                );
                self.text
                    .push_str("(if (i32.eqz (local.get $fuel)) (then (return (local.get $h))))\n");
            }
            _ => {
                let condition = self.condition();
                let _ = writeln!(self.text, "(if {condition} (then");
                self.statements(labels + 1);
                self.text.push_str(") (else\n");
                self.statements(labels + 1);
                self.text.push_str("))\n");
                return;
            }
        }
        self.statements(labels + 1);
        self.text.push_str(")\n");
    }

    fn statements(&mut self, labels: u64) {
        for _ in 0..=self.random.below(4) {
            self.mix();
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            let condition = self.condition();
            let label = self.random.below(labels + 1);
            match self.random.below(12) {
                0..=4 if labels < 8 => self.nested(labels),
                5 | 6 => {
                    let _ = writeln!(self.text, "(br_if {label} {condition})");
                }
                7 => {
                    let _ = writeln!(self.text, "(br {label})");
                    return;
                }
                8 => {
                    let mut table = String::new();
                    for _ in 0..=self.random.below(5) {
                        let _ = write!(table, " {}", self.random.below(labels + 1));
                    }
                    let _ = writeln!(self.text, "(br_table{table} (i32.and (local.get $h) (i32.const 7)))");
                    return;
                }
                9 if self.random.below(3) == 0 => {
                    let _ = writeln!(self.text, "(if {condition} (then (return (local.get $h))))");
                }
                10 if self.random.below(3) == 0 => {
                    let _ = writeln!(self.text, "(if (i32.eq (i32.and (local.get $h) (i32.const 31)) (i32.const 5)) (then unreachable))");
                }
                11 => self.text.push_str("(local.set $h (i32.rem_u (local.get $h) (i32.and (local.get $h) (i32.const 63))))\n"),
                _ => {}
            }
        }
        self.mix();
    }
}

/// A random module, with the seed of `$h` as an argument or from the thread.
fn random_module(seed: u64) -> [String; 2] {
    let mut text = Text {
        random: Random(seed),
        text: String::new(),
        budget: 30,
    };
    text.text.push_str("(block\n");
    text.statements(0);
    text.text.push_str(")\n");
    let body = text.text;
    ["(call $thread)", "(local.get 0)"].map(|start| {
        format!(
            "(module (import \"gpu\" \"get_thread_id\" (func $thread (result i32)))
             (func (export \"k\") (param i32) (result i32) (local $h i32) (local $fuel i32)
             (local.set $fuel (i32.const 50)) (local.set $h (i32.mul {start} (i32.const 7)))
             {body} (local.get $h)))"
        )
    })
}

const THREADS: u32 = 48;

fn compare(seed: u64, device: &Function, reference: &Function) {
    let kernel = emitted(device, [16, 1, 1]);
    let launch = Launch {
        threads: THREADS,
        workgroups: THREADS.div_ceil(16),
        arguments: vec![0],
        ..Launch::default()
    };
    let status = launch.run(&kernel).status;
    let words = kernel.status.unwrap();
    for (thread, found) in (0..THREADS).zip(status.chunks(words.words() as usize)) {
        let mut machine = Machine {
            arguments: vec![thread.into()],
            ..Machine::default()
        };
        let expected = evaluate(reference, &mut machine, 100_000);
        let found = match found[0] {
            0 => End::Returned(vec![u64::from(*found.last().unwrap())]),
            trap => {
                let site = &kernel.traps[trap as usize - 1];
                End::Trapped(site.code, Vec::new())
            }
        };
        assert_eq!(
            found,
            expected,
            "seed {seed}, thread {thread}\n{device}\n{}",
            super::wgsl(&kernel)
        );
    }
}

#[test]
fn random_control_flow() {
    let count = std::env::var("ANYWARP_SEEDS").map_or(60, |count| count.parse().unwrap());
    for seed in 0..count {
        let [device, reference] = random_module(seed).map(|wat| built(&wat));
        compare(seed, &device, &reference);
        let mut cleaned = device.clone();
        pass::clean(&mut cleaned);
        compare(seed, &cleaned, &reference);
        let mut optimized = cleaned;
        pass::optimize(&mut optimized);
        compare(seed, &optimized, &reference);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let nest = |depth: usize| {
        let open = "(if (i32.and (local.get 0) (i32.const 1)) (then (local.set 0 (i32.add (local.get 0) (i32.const 2)))";
        let (open, close) = (open.repeat(depth), "))".repeat(depth));
        let wat = format!(
            "(module (func (export \"k\") (param i32) (result i32) {open} {close} (local.get 0)))"
        );
        built(&wat)
    };
    let kernel = emitted(&nest(110), [1, 1, 1]);
    let launch = Launch {
        threads: 1,
        workgroups: 1,
        arguments: vec![1],
        ..Launch::default()
    };
    assert_eq!(launch.run(&kernel).status, [0, 221]);
    for depth in [130, 3000] {
        let error = emit(&nest(depth), [1, 1, 1]).unwrap_err().to_string();
        assert!(error.contains("nested deeper"), "{error}");
    }
}

#[test]
fn long_code_takes_linear_time() {
    let step = "(if (i32.and (local.get 0) (i32.const 1)) (then (local.set 0 (i32.add (local.get 0) (i32.const 3)))))
        (local.set 0 (i32.add (local.get 0) (i32.const 1)))
        (if (i32.eq (local.get 0) (i32.const 7)) (then (return (local.get 0))))";
    let long = |count: usize| {
        let body = step.repeat(count);
        built(&format!(
            "(module (func (export \"k\") (param i32) (result i32) {body} (local.get 0)))"
        ))
    };
    let function = long(4000);
    let start = Instant::now();
    let kernel = emit(&function, [1, 1, 1]).unwrap();
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
    super::validate(&kernel.module).unwrap();
    let start = Instant::now();
    let wide: String = (0..3000).map(|_| "(block ").collect();
    let ends: String = (0..3000)
        .map(|k| format!("(return (i32.const {k})))"))
        .collect();
    let targets: String = (0..3000).map(|k| format!(" {k}")).collect();
    let wat = format!(
        "(module (func (export \"k\") (param i32) (result i32) {wide} (br_table{targets} (local.get 0)) {ends} (i32.const 9)))"
    );
    let kernel = emit(&built(&wat), [1, 1, 1]).unwrap();
    super::validate(&kernel.module).unwrap();
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_loop_is_readable() {
    let function = parse(
        "kernel sum(i32) -> i32
b0:
  jump b1(0, 0)
b1(v0: i32, v1: i32):
  v2: bool = LtUnsigned v0, arg0
  branch v2, b2, b3
b2:
  v3: i32 = Mul v0, v0
  v4: i32 = Add v1, v3
  v5: i32 = Add v0, 1
  jump b1(v5, v4)
b3:
  return v1
",
    )
    .unwrap();
    let kernel = emitted(&function, [64, 1, 1]);
    let text = super::wgsl(&kernel);
    let expected = include_str!("sum.wgsl");
    if std::env::var_os("ANYWARP_BLESS").is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/compile/emit/tests/sum.wgsl"
        );
        std::fs::write(path, &text).unwrap();
        return;
    }
    assert_eq!(text, expected);
}

/// Jumps out of two loops and a switch, and over blocks.
#[test]
fn exits_of_nested_loops() {
    let module = |start: &str| {
        format!(
            "(module (import \"gpu\" \"get_thread_id\" (func $thread (result i32)))
            (func (export \"k\") (param i32) (result i32) (local $i i32) (local $j i32) (local $sum i32)
              (block $out (block $second
                (loop $outer
                  (local.set $j (i32.const 0))
                  (loop $inner
                    (local.set $sum (i32.add (local.get $sum) (i32.mul (local.get $i) (local.get $j))))
                    (br_if $out (i32.gt_u (local.get $sum) (i32.add (i32.const 40) {start})))
                    (block $a (block $b (block $c
                      (br_table $a $b $c $second $a
                        (i32.and (i32.add (local.get $sum) (i32.add (local.get $j) {start})) (i32.const 31))))
                      (local.set $sum (i32.add (local.get $sum) (i32.const 5))))
                      (local.set $sum (i32.xor (local.get $sum) (i32.const 3))))
                    (local.set $j (i32.add (local.get $j) (i32.const 1)))
                    (br_if $inner (i32.lt_u (local.get $j) (i32.const 5))))
                  (local.set $i (i32.add (local.get $i) (i32.const 1)))
                  (br_if $outer (i32.lt_u (local.get $i) (i32.const 6)))))
                (return (i32.mul (local.get $sum) (i32.const 1000))))
              (i32.add (local.get $sum) (local.get $j))))"
        )
    };
    let device = built(&module("(call $thread)"));
    let reference = built(&module("(local.get 0)"));
    compare(0, &device, &reference);
}
