//! The work of lowering and of all passes grows linearly with the size of a program, and inlining that cannot be
//! avoided stops at a limit. Work is counted, never timed.

use std::fmt::Write;

use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::work::{Meter, OverBudget, WorkLimits};
use anywarp_lanes::{CallPolicy, Callee, LowerError, lower_within};
use anywarp_program::Program;

const BUFFER: &str = "@group(0) @binding(0) var<storage, read_write> out_: array<u32>;\n";
const MAIN: &str = "@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n";

/// Lines for each number below a limit.
fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    let mut text = String::new();
    for number in 0..count {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line(number));
    }
    text
}

/// Steps for `main`, and the blocks and values that it has before the passes.
#[derive(Clone, Copy, Debug)]
struct Work {
    steps: u64,
    blocks: usize,
    values: usize,
}

fn work(text: &str) -> Work {
    let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
    let meter = Meter::unlimited();
    let mut lowered = lower_within(&program, "main", 16, CallPolicy::Large, &meter).unwrap();
    let (blocks, values) = (lowered.function.blocks.len(), lowered.function.types.len());
    let callees = lowered.callees.iter_mut().map(|callee| match callee {
        Callee::Function(function) => Some(function),
        _ => None,
    });
    let mut callees: Vec<_> = callees.collect();
    let passes = PassOptions {
        subgroups: if lowered.loops_over_subgroups {
            Subgroups::Looped(4)
        } else {
            Subgroups::Called(4)
        },
        ..PassOptions::default()
    };
    let run = pass::run_kernel_within(
        &mut lowered.function,
        &mut callees,
        &passes,
        &meter,
        &mut |_, _, _| {},
    );
    run.unwrap();
    let steps = meter.steps();
    Work {
        steps,
        blocks,
        values,
    }
}

/// Twice the size takes twice the steps, blocks and values.
fn is_linear(name: &str, make: impl Fn(u32) -> String, size: u32) {
    let (one, two) = (work(&make(size)), work(&make(2 * size)));
    let pairs = [
        (one.steps, two.steps),
        (one.blocks as u64, two.blocks as u64),
        (one.values as u64, two.values as u64),
    ];
    for (one_count, two_count) in pairs {
        let is_twice = two_count as f64 <= 2.2 * one_count as f64;
        assert!(is_twice, "{name}: {one:?}, twice the size {two:?}");
    }
}

#[test]
fn lines_in_one_function_are_linear() {
    let line = |index| format!("v = v * {}u + (v ^ {index}u);", index * 2 + 1);
    let text = |count| {
        format!(
            "{BUFFER}{MAIN}var v = g.x;\n{}out_[g.x] = v; }}",
            lines(count, line)
        )
    };
    is_linear("lines", text, 200);
}

#[test]
fn switches_are_linear() {
    let case = |index| format!("case {index}u: {{ v = {}u; }}", index * 7);
    for selector in ["g.x", "arrayLength(&out_)"] {
        let text = |count| {
            let cases = lines(count, case);
            format!(
                "{BUFFER}{MAIN}var v = 0u; switch ({selector}) {{ {cases} default: {{ v = 1u; }} }}\nout_[g.x] = v; }}"
            )
        };
        is_linear(selector, text, 200);
    }
}

#[test]
fn branches_with_variables_are_linear() {
    for condition in ["g.x", "arrayLength(&out_)"] {
        let branch = |index| {
            format!("var v{index}: u32; if ({condition} > {index}u) {{ v{index} = {index}u; }}")
        };
        let sum = |index| format!("s = s + v{index} * {index}u;");
        let text = |count| {
            let (branches, sums) = (lines(count, branch), lines(count, sum));
            format!("{BUFFER}{MAIN}var s = 0u;\n{branches}{sums}out_[g.x] = s; }}")
        };
        is_linear(condition, text, 200);
    }
}

#[test]
fn loops_that_are_left_in_many_places_are_linear() {
    for start in ["g.x", "arrayLength(&out_)"] {
        let leave = |index| format!("s = s * 3u + {index}u; if (s > {index}u) {{ break; }}");
        let text = |count| {
            let all = lines(count, leave);
            format!("{BUFFER}{MAIN}var s = {start};\nloop {{ {all} }}\nout_[g.x] = s; }}")
        };
        is_linear(start, text, 200);
    }
}

#[test]
fn barriers_are_linear() {
    let turn = |index| {
        format!(
            "w[g.x % 64u] = s; workgroupBarrier(); s = s + w[(g.x + {index}u) % 64u]; workgroupBarrier();"
        )
    };
    let text = |count| {
        let turns = lines(count, turn);
        format!(
            "{BUFFER}var<workgroup> w: array<u32, 64>;\n{MAIN}var s = g.x;\n{turns}out_[g.x] = s; }}"
        )
    };
    is_linear("barriers", text, 50);
}

#[test]
fn private_variables_are_linear() {
    let variable = |index| format!("var<private> p{index}: u32;");
    let access = |index| format!("p{index} = v; v = f(v) + p{index};");
    let text = |count| {
        let (variables, accesses) = (lines(count, variable), lines(count, access));
        let function = "fn f(x: u32) -> u32 { return x + 1u; }\n";
        format!("{BUFFER}{variables}{function}{MAIN}var v = g.x;\n{accesses}out_[g.x] = v; }}")
    };
    is_linear("private variables", text, 100);
}

/// Many small loops, each of which a pass changes or looks at closely.
#[test]
fn many_loops_are_linear() {
    let counted = |_| {
        "for (var y = 0u; y < 5u; y++) { for (var k = 0u; k < n; k++) { out_[y] += in_[k]; } }"
            .to_owned()
    };
    let blocked = |index| {
        format!(
            "for (var y = 0u; y < 4u; y++) {{ var s = 0u; for (var k = 0u; k < n * {index}u; k++) {{ \
             s += in_[y * 64u + k] * in_[k * 16u + g.x]; }} out_[y * 64u + g.x + {index}u] = s; }}"
        )
    };
    let strided = |index| {
        format!("for (var i = g.x + {index}u; i < n; i += 64u) {{ t += in_[i]; }} out_[g.x] += t;")
    };
    let peeled = |index| {
        format!(
            "{{ var a: array<u32, 5>; for (var i = 0u; i < 5u; i++) {{ a[i] = in_[i * 7u + {index}u + g.x]; }} \
             var p = in_[g.x]; out_[g.x] += a[p]; }}"
        )
    };
    let rotated = |index| {
        format!(
            "for (var i = 0u; i < 8u; i++) {{ let c = t; t = u; u = c * n; n += {index}u; }} out_[g.x] = t;"
        )
    };
    let all: [(&str, &dyn Fn(u32) -> String); 5] = [
        ("counted", &counted),
        ("blocked", &blocked),
        ("strided", &strided),
        ("peeled", &peeled),
        ("rotated", &rotated),
    ];
    let input = "@group(0) @binding(1) var<storage> in_: array<u32>;\n";
    for (name, nest) in all {
        let text = |count| {
            let nests = lines(count, nest);
            let variables = "var n = arrayLength(&in_); var t = 0u; var u = 1u;";
            format!("{BUFFER}{input}{MAIN}{variables}\n{nests}out_[g.x] = t; }}")
        };
        is_linear(name, text, 50);
    }
}

/// A tree of calls, each function calling the one before twice; the first has a barrier that is never reached.
fn call_tree(levels: u32) -> String {
    let level = |index| {
        format!(
            "fn g{}(x: u32) -> u32 {{ return g{index}(g{index}(x)); }}",
            index + 1
        )
    };
    let first = "fn g0(x: u32) -> u32 { if (false) { workgroupBarrier(); } return x; }\n";
    let functions = lines(levels, level);
    format!("{BUFFER}{first}{functions}{MAIN}out_[g.x] = g{levels}(g.x); }}")
}

#[test]
fn trees_of_calls_that_must_be_inlined_end_at_the_limit() {
    let program = Program::from_wgsl(&call_tree(26)).unwrap();
    let lower = |limits| {
        let meter = Meter::new(limits);
        lower_within(&program, "main", 16, CallPolicy::Large, &meter)
    };
    let steps = lower(WorkLimits::UNLIMITED.with_steps(200_000)).unwrap_err();
    let LowerError::OverBudget {
        entry_point,
        function,
        limit,
        inlines,
    } = steps
    else {
        panic!("{steps}");
    };
    assert_eq!(entry_point, "main");
    assert!(function.starts_with('g'), "{function}");
    assert_eq!(limit, OverBudget::Steps(200_000));
    // None of its functions can be a callee.
    assert!(!inlines);
    let bytes = lower(WorkLimits::UNLIMITED.with_bytes(1 << 20)).unwrap_err();
    assert!(
        bytes
            .to_string()
            .contains("more than 1048576 bytes, in function `g")
    );
}

#[test]
fn small_trees_of_calls_are_inlined() {
    let program = Program::from_wgsl(&call_tree(6)).unwrap();
    let meter = Meter::new(WorkLimits::UNLIMITED.with_steps(200_000));
    let lowered = lower_within(&program, "main", 16, CallPolicy::Large, &meter).unwrap();
    assert!(lowered.callees.is_empty() && !lowered.inlines);
}

#[test]
fn analyses_that_go_round_for_long_end_at_the_limit() {
    // The uniformity analysis finds one varying variable in each round.
    let declare = |index| format!("var v{index} = 0u;");
    let pass_on = |index: u32| format!("v{index} = v{};", index + 1);
    let (count, mut text) = (400, format!("{BUFFER}{MAIN}"));
    text += &lines(count + 1, declare);
    text += &format!(
        "for (var i = 0u; i < 9u; i++) {{ {} v{count} = g.x; }}",
        lines(count, pass_on)
    );
    text += "out_[g.x] = v0; }";
    let program = Program::from_wgsl(&text).unwrap();
    let meter = Meter::new(WorkLimits::UNLIMITED.with_steps(100_000));
    let error = lower_within(&program, "main", 16, CallPolicy::Large, &meter).unwrap_err();
    let expected = "compiling `main` takes more than 100000 steps of work, in function `main`";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn constants_that_double_with_each_level_end_at_the_limit() {
    let level = |index| format!("const a{} = array(a{index}, a{index});", index + 1);
    let index = "[g.x & 1u]".repeat(17);
    let text = format!(
        "{BUFFER}const a0 = array(1u, 2u);\n{}{MAIN}out_[g.x] = a16{index}; }}",
        lines(16, level)
    );
    let program = Program::from_wgsl(&text).unwrap();
    let meter = Meter::new(WorkLimits::UNLIMITED.with_bytes(1 << 16));
    let error = lower_within(&program, "main", 16, CallPolicy::Large, &meter).unwrap_err();
    assert!(
        error.to_string().contains("more than 65536 bytes"),
        "{error}"
    );
}

/// A kernel with this many nested loops in each of this many functions, of which each calls the one before, and this many
/// `continue` statements in each loop.
fn nested_loops(functions: u32, loops: u32, continues: u32) -> String {
    let body = |call: &str| {
        let open = lines(loops, |number| {
            let continues = lines(continues, |value| {
                format!("if x == {value}u {{ x += 3u; continue; }}")
            });
            format!("for (var k{number} = 0u; k{number} < x % 2u; k{number}++) {{ {continues}")
        });
        format!("{{ {open} {call} {} }}\n", "}".repeat(loops as usize))
    };
    let functions = lines(functions, |number| {
        let call = match number {
            0 => "x += 1u;".to_owned(),
            _ => format!("f{}();", number - 1),
        };
        format!("fn f{number}() {}", body(&call))
    });
    let last = functions.matches("fn ").count() - 1;
    format!(
        "{BUFFER}var<private> x: u32;\n{functions}\n{MAIN} x = g.x; f{last}(); out_[g.x] = x; }}"
    )
}

#[test]
fn deep_nesting_does_not_overflow_a_small_stack() {
    // As much as an ordinary thread has, and less in use.
    let lower = |text: String| {
        let thread = std::thread::Builder::new().stack_size(1536 << 10);
        let lower = move || {
            let program = Program::from_wgsl(&text).unwrap();
            lower_within(&program, "main", 16, CallPolicy::Large, &Meter::unlimited()).map(|_| ())
        };
        thread.spawn(lower).unwrap().join().unwrap()
    };
    for (functions, loops, continues) in [(1, 20, 0), (1, 60, 16), (1, 100, 2), (30, 60, 1)] {
        lower(nested_loops(functions, loops, continues)).unwrap();
    }
    let error = lower(nested_loops(200, 60, 0)).unwrap_err();
    assert!(error.to_string().contains("at a depth of "), "{error}");
}
