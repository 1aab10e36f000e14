//! The work between two polls is bounded, also in shaders that try to hide it, and the checker detects where it is not.

use std::fmt::Write as _;

use anywarp_lanes::ir::{Function, Inst, Op};
use anywarp_lanes::pass::alias::BufferAliasing;
use anywarp_lanes::pass::polls::check::longest_unpolled_path;
use anywarp_lanes::pass::polls::{self, BUDGET};
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::{Callee, lower, text};
use anywarp_program::Program;

/// A function after all passes, and its callees, by number.
struct Compiled {
    function: Function,
    callees: Vec<Option<Function>>,
}

impl Compiled {
    fn new(text: &str, lanes: u32) -> Self {
        let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let lowered = lower(&program, "main", lanes).unwrap();
        let invocations: u32 = lowered.workgroup_size.iter().product();
        let subgroups = invocations.div_ceil(lanes);
        let passes = PassOptions {
            aliasing: BufferAliasing::Written,
            subgroups: if lowered.loops_over_subgroups {
                Subgroups::Looped(subgroups)
            } else {
                Subgroups::Called(subgroups)
            },
            fills_lines: true,
        };
        let callees = lowered.callees.into_iter().map(|callee| match callee {
            Callee::Function(function) => Some(function),
            _ => None,
        });
        let mut compiled = Self {
            function: lowered.function,
            callees: callees.collect(),
        };
        let mut all: Vec<_> = compiled.callees.iter_mut().map(Option::as_mut).collect();
        pass::run_kernel(&mut compiled.function, &mut all, &passes);
        compiled
    }

    fn functions(&self) -> impl Iterator<Item = &Function> {
        self.callees.iter().flatten().chain([&self.function])
    }

    fn polls(&self) -> usize {
        let blocks = self.functions().flat_map(|function| &function.blocks);
        let insts = blocks.flat_map(|block| &block.insts);
        insts.filter(|inst| is_poll(inst)).count()
    }

    fn longest(&self) -> Option<u64> {
        let callees: Vec<_> = self.callees.iter().map(Option::as_ref).collect();
        longest_unpolled_path(&self.function, &callees)
    }

    fn without_polls(mut self) -> Self {
        let all = self.callees.iter_mut().flatten();
        for function in all.chain([&mut self.function]) {
            for block in &mut function.blocks {
                block.insts.retain(|inst| !is_poll(inst));
            }
        }
        self
    }
}

fn is_poll(inst: &Inst) -> bool {
    matches!(inst.op, Op::Poll(_))
}

/// Two statements, neither of which can be removed.
const PAIR: &str = "a = a * 1664525u + b; b = (b ^ a) + 0x9e3779b9u;\n";

fn kernel(functions: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
         @group(0) @binding(1) var picture: texture_storage_2d<rgba8unorm, write>;
         var<workgroup> shared_word: u32;
         {functions}
         @compute @workgroup_size(1024) fn main(@builtin(local_invocation_index) i: u32) {{
            var a = i;
            var b = data[i];
            {body}
            data[i] = a ^ b;
         }}"
    )
}

/// Functions each of which calls the one before twice.
fn doubling(levels: u32) -> String {
    let body = PAIR.repeat(20);
    let mut functions =
        format!("fn f0(x: u32) -> u32 {{ var a = x; var b = 1u;\n{body} return a ^ b; }}\n");
    for level in 1..levels {
        let inner = level - 1;
        writeln!(
            functions,
            "fn f{level}(x: u32) -> u32 {{ return f{inner}(x) + f{inner}(x + 1u); }}"
        )
        .unwrap();
    }
    functions
}

/// Large amounts of work without endless loops. Without polls it exceeds the budget.
fn large() -> Vec<(&'static str, String)> {
    let loop_of =
        |turns: u32, body: &str| format!("for (var n = 0u; n < {turns}u; n++) {{ {body} }}\n");
    let barrier = "shared_word = a; workgroupBarrier(); b += shared_word;";
    let nested = loop_of(
        300,
        &loop_of(300, &loop_of(300, PAIR).replace('n', "m")).replace('n', "k"),
    );
    vec![
        (
            "a long body",
            kernel("", &loop_of(65535, &PAIR.repeat(400))),
        ),
        (
            "loops in sequence",
            kernel("", &loop_of(65535, PAIR).repeat(60)),
        ),
        ("nested loops", kernel("", &nested)),
        ("calls", kernel(&doubling(26), "a = f25(b);")),
        (
            "calls in a loop",
            kernel(&doubling(10), &loop_of(60000, "a += f9(b);")),
        ),
        (
            "barriers",
            kernel("", &loop_of(65535, &(PAIR.repeat(50) + barrier))),
        ),
        (
            "texels",
            kernel(
                "",
                &loop_of(
                    9999,
                    "textureStore(picture, vec2(a, b), vec4f(f32(b))); b += a;",
                ),
            ),
        ),
    ]
}

#[test]
fn large_work_is_polled_within_the_budget() {
    for lanes in [8, 16] {
        for (name, text) in large() {
            let compiled = Compiled::new(&text, lanes);
            let longest = compiled.longest();
            assert!(
                longest.is_some_and(|cost| cost <= BUDGET),
                "{name}: {longest:?}\n{}",
                compiled.function
            );
            assert!(compiled.polls() > 0, "{name}");
            let longest = compiled.without_polls().longest();
            assert!(
                longest.is_none_or(|cost| cost > BUDGET),
                "{name}: {longest:?}"
            );
        }
    }
}

/// Short loops do not poll: in loops over subgroups, and in loops with calls.
#[test]
fn small_work_is_not_polled() {
    let texts = [
        kernel("", &PAIR.repeat(100)),
        kernel("", &format!("for (var n = 0u; n < 256u; n++) {{ {PAIR} }}")),
        kernel(
            &doubling(4),
            "for (var n = 0u; n < 4u; n++) { a += f3(b); }",
        ),
    ];
    for text in texts {
        let compiled = Compiled::new(&text, 16);
        assert_eq!(compiled.polls(), 0, "{}", compiled.function);
    }
}

/// Code without loops is polled in parts; no part is much smaller than it may be.
#[test]
fn long_code_without_loops_is_polled() {
    let text = kernel("", &PAIR.repeat(2000)).replace("workgroup_size(1024)", "workgroup_size(8)");
    let Compiled { mut function, .. } = Compiled::new(&text, 8);
    let all = longest_unpolled_path(&function, &[]).unwrap();
    let budget = 1000;
    polls::run_with(&mut function, &[], budget);
    let longest = longest_unpolled_path(&function, &[]).unwrap();
    assert!(longest <= budget, "{longest}");
    let polls = function.blocks.iter().flat_map(|block| &block.insts);
    let polls = polls.filter(|inst| is_poll(inst)).count() as u64;
    let fewest = all / budget;
    assert!(
        (fewest..fewest + fewest / 8).contains(&polls),
        "{polls} for {all}"
    );
}

/// An irreducible cycle is not a natural loop, and has no trip count.
#[test]
fn cycles_that_are_no_loops_poll() {
    let cycle = "kernel lanes=8 frame=0 barriers=0
         b0:
           v0 = field workgroup.x
           branch v0, b1, b2
         b1:
           v1 = field workgroup.y
           branch v1, b2, b3
         b2:
           v2 = field workgroup.z
           branch v2, b1, b3
         b3:
           return finished";
    let mut function = text::parse(cycle).unwrap();
    assert_eq!(longest_unpolled_path(&function, &[]), None);
    polls::run(&mut function);
    assert!(
        longest_unpolled_path(&function, &[]).is_some(),
        "{function}"
    );
    let polls = function.blocks.iter().flat_map(|block| &block.insts);
    assert_eq!(polls.filter(|inst| is_poll(inst)).count(), 1, "{function}");
}

#[test]
fn counted_loops_do_not_poll_however_they_are_tested() {
    let polls = |text: &str| Compiled::new(&kernel("", text), 16).polls();
    for head in [
        "var n = 0u; loop { BODY continuing { n++; break if n >= 16u; } }",
        "var n = 0u; loop { BODY n += 3u; if n > 15u { break; } }",
        "var n = 4u; loop { if n == 16u { break; } BODY n += 2u; }",
        "for (var n = 0u; n != 16u; n++) { BODY }",
        "for (var n = 0; n <= 15; n += 5) { BODY }",
        "for (var n = 0u; 16u > n; n++) { BODY }",
    ] {
        assert_eq!(polls(&head.replace("BODY", PAIR)), 0, "{head}");
    }
    for head in [
        "for (var n = 0u; n != 16u; n += 3u) { BODY }",
        "for (var n = 17u; n != 16u; n++) { BODY }",
        "var n = 16u; loop { BODY continuing { n++; break if n == 16u; } }",
        "var n = 0u; loop { BODY if b % 2u == data[0] { n++; if n == 16u { break; } } }",
        "for (var n = 0u; n < data[0]; n++) { BODY }",
    ] {
        assert_ne!(polls(&head.replace("BODY", PAIR)), 0, "{head}");
    }
}
