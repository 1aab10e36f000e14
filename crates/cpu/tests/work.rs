//! Compilation within work limits: a kernel over the limit is interpreted and says why, one that can be neither
//! compiled nor interpreted is one error, and a switch with many cases gives the same results in every engine.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, Buffer, COMPILE_LIMITS, CallPolicy, Engine,
    Executor, ExecutorOptions, Kernel, KernelError, KernelOptions, OffsetKind, ResolvedBindings,
    Runner, Target, WorkLimits, resolve_bindings,
};
use anywarp_program::{Program, ProgramError};

const BUFFER: &str = "@group(0) @binding(0) var<storage, read_write> out_: array<u32>;\n";
const MAIN: &str = "@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n";

fn lines(count: u32, line: impl Fn(u32) -> String) -> String {
    let mut text = String::new();
    for number in 0..count {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", line(number));
    }
    text
}

fn kernel(text: &str, engine: Engine, work: WorkLimits) -> Result<Kernel, KernelError> {
    let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}"));
    let options = KernelOptions {
        engine,
        work,
        ..KernelOptions::default()
    };
    Kernel::with_options(&program, "main", options)
}

/// The results of one workgroup.
fn results(kernel: &Kernel) -> Vec<u32> {
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..Default::default()
    });
    let buffer = Buffer::new(64 * 4).unwrap();
    let bound = BoundBuffer {
        binding: 0,
        size: buffer.size(),
        buffer,
        offset: 0,
        offset_kind: OffsetKind::Fixed,
    };
    let group = BindGroup::new(vec![bound.clone()]);
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = ResolvedBindings::default();
    resolve_bindings(kernel.resources(), &groups, &mut views).unwrap();
    let arguments = views.arguments(&[], [1, 1, 1]);
    executor
        .dispatch(&mut Runner::new(kernel), &arguments)
        .unwrap();
    let words = bound.buffer.words(0..64 * 4, Access::Read);
    words
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect()
}

fn limited(steps: u64) -> WorkLimits {
    WorkLimits::UNLIMITED.with_steps(steps)
}

#[test]
fn a_kernel_over_the_limit_is_interpreted_and_says_why() {
    let line = |n| format!("v = v * {}u + (v ^ {n}u);", n * 2 + 1);
    let lines = lines(100, line);
    let text = format!("{BUFFER}{MAIN}var v = g.x;\n{lines}out_[g.x] = v; }}");
    for target in Target::all() {
        let compiled = kernel(&text, Engine::Code(target), limited(1 << 20)).unwrap();
        assert!(compiled.code().is_ok());
        let steps = compiled.compile_steps().unwrap();
        let tight = kernel(&text, Engine::Code(target), limited(steps / 2)).unwrap();
        let reason = tight.code().unwrap_err().to_string();
        let expected = format!(
            "compiling `main` takes more than {} steps of work",
            steps / 2
        );
        assert_eq!(reason, expected);
        assert_eq!(results(&compiled), results(&tight));
    }
}

/// Inlined, seven hundred calls have five million live ranges, for which the backtracking allocator takes
/// 370 MB; with fewer lanes they need too much stack.
#[test]
fn over_the_limits_of_bytes_and_stack_functions_are_called() {
    let callee = "struct Body { place: vec2<i32>, numbers: array<i32, 3>, flag: bool }
        fn turned(body: Body, by: i32) -> Body {
            var result = body;
            if body.flag { result.place = vec2(body.place.y, -body.place.x); } else { result.place.x += by; }
            for (var i = 0; i < 3; i++) { result.numbers[i] *= by; }
            result.flag = !body.flag;
            return result;
        }\n";
    let text = |calls| {
        let calls = lines(calls, |_| "body = turned(body, 5);".to_owned());
        format!(
            "{BUFFER}{callee}{MAIN}let i = i32(g.x);
             var body = Body(vec2(i, 2 * i), array(i, i + 1, i + 2), i % 2 == 0);
             {calls}out_[g.x] = u32(body.place.x + body.place.y + body.numbers[1]); }}"
        )
    };
    for target in Target::all() {
        let all = kernel(&text(700), Engine::Code(target), COMPILE_LIMITS).unwrap();
        assert!(all.code().is_ok(), "{:?}", all.code().err());
        let interpreted = kernel(&text(700), Engine::Interpreter, COMPILE_LIMITS).unwrap();
        assert_eq!(results(&all), results(&interpreted));
    }
}

#[test]
fn a_tree_of_calls_with_a_barrier_is_interpreted() {
    let level = |n| format!("fn g{}(x: u32) -> u32 {{ return g{n}(g{n}(x)); }}", n + 1);
    let first = "fn g0(x: u32) -> u32 { if (false) { workgroupBarrier(); } return x; }\n";
    let levels = lines(26, level);
    let text = format!("{BUFFER}{first}{levels}{MAIN}out_[g.x] = g26(g.x); }}");
    for target in Target::all() {
        let kernel = kernel(&text, Engine::Code(target), limited(1 << 20)).unwrap();
        let reason = kernel.code().unwrap_err().to_string();
        assert!(
            reason.contains("more than 1048576 steps of work, in function `g"),
            "{reason}"
        );
    }
}

#[test]
fn over_the_limit_functions_are_called_rather_than_inlined() {
    // Small functions, which are inlined by default, with many call sites.
    let body = "var y = x; y = y * 3u + 1u; y = y ^ (y >> 3u); y = y * 5u + 7u; y = y ^ (y >> 5u); return y;";
    let function = |n| format!("fn f{n}(x: u32) -> u32 {{ {body} }}");
    let calls = |n| format!("v = f{}(v) + f{}(v + {n}u);", n % 4, (n + 1) % 4);
    let (functions, calls) = (lines(4, function), lines(200, calls));
    let text = format!("{BUFFER}{functions}{MAIN}var v = g.x;\n{calls}out_[g.x] = v; }}");
    for target in Target::all() {
        let inlined = kernel(&text, Engine::Code(target), WorkLimits::UNLIMITED).unwrap();
        let steps = inlined.compile_steps().unwrap();
        let called = kernel(&text, Engine::Code(target), limited(steps / 2)).unwrap();
        called.code().unwrap();
        assert!(called.compile_steps().unwrap() <= steps / 2);
        assert_eq!(results(&inlined), results(&called));
    }
}

/// Functions that call each other in a chain. Each keeps this many values alive across its call, and no registers
/// survive a call, so all of them are on the stack at once.
fn chain(functions: u32, values: u32) -> String {
    let value = |n| format!("let a{n} = {} * 1664525u + x;", before(n));
    let fold = |n| format!("r = (r ^ a{n}) * 3u;");
    let (all, folded) = (lines(values, value), lines(values, fold));
    let function = |n| match n {
        0 => "fn f0(x: u32) -> u32 { return x; }".to_owned(),
        _ => format!(
            "fn f{n}(x: u32) -> u32 {{ {all} var r = f{}(a{}); {folded} return r; }}",
            n - 1,
            values - 1
        ),
    };
    let all = lines(functions, function);
    let last = functions - 1;
    format!("{BUFFER}{all}{MAIN}let r = f{last}(g.x); out_[g.x] = r; }}")
}

/// The value that a value of [`chain`] is computed from.
fn before(value: u32) -> String {
    value
        .checked_sub(1)
        .map_or("x".into(), |last| format!("a{last}"))
}

/// The result of the last function of [`chain`].
fn chained(functions: u32, values: u32, x: u32) -> u32 {
    let Some(inner) = functions.checked_sub(1).filter(|inner| *inner > 0) else {
        return x;
    };
    let next = |a: &u32| Some(a.wrapping_mul(1_664_525).wrapping_add(x));
    let all: Vec<u32> = std::iter::successors(next(&x), next)
        .take(values as usize)
        .collect();
    let r = chained(inner, values, all[all.len() - 1]);
    all.iter().fold(r, |r, a| (r ^ a).wrapping_mul(3))
}

#[test]
fn a_kernel_whose_code_needs_too_much_stack_is_interpreted_with_the_right_results() {
    const VALUES: u32 = 300;
    let of_chain = ("nested calls need ", " bytes of stack, more than 524288");
    for (functions, refusal) in [(4, None), (80, Some(of_chain))] {
        let program = Program::from_wgsl(&chain(functions, VALUES)).unwrap();
        let expected: Vec<u32> = (0..64).map(|x| chained(functions, VALUES, x)).collect();
        for target in Target::all() {
            let options = KernelOptions {
                engine: Engine::Code(target),
                work: WorkLimits::UNLIMITED,
                calls: CallPolicy::All,
                ..KernelOptions::default()
            };
            let kernel = Kernel::with_options(&program, "main", options).unwrap();
            let case = format!("{functions} functions on {target}");
            let reason = kernel.code().err().map(ToString::to_string);
            assert_eq!(reason.is_some(), refusal.is_some(), "{case}: {reason:?}");
            if let (Some(reason), Some((start, end))) = (reason, refusal) {
                let bytes = reason.strip_prefix(start);
                let bytes = bytes.and_then(|text| text.strip_suffix(end)?.parse::<u32>().ok());
                assert!(bytes.is_some(), "{case}: {reason}");
            }
            assert_eq!(results(&kernel), expected, "{case}");
        }
    }
}

#[test]
fn what_cannot_be_interpreted_within_the_limit_is_an_error_with_a_function() {
    let text =
        format!("{BUFFER}fn f(x: u32) -> u32 {{ return x * 3u; }}\n{MAIN}out_[g.x] = f(g.x); }}");
    let error = kernel(&text, Engine::Interpreter, limited(12)).unwrap_err();
    let KernelError::OverBudget { function, .. } = &error else {
        panic!("{error}");
    };
    assert!(["f", "main"].contains(&function.as_str()), "{error}");
    assert!(
        error
            .to_string()
            .ends_with("takes more than 12 steps of work"),
        "{error}"
    );
}

#[test]
fn constants_that_are_used_often_are_made_once() {
    let level = |n| format!("const a{} = array(a{n}, a{n});", n + 1);
    let index = "[g.x & 1u]".repeat(11);
    let text = |uses| {
        let use_it = |_| format!("s += a10{index};");
        let (levels, all) = (lines(10, level), lines(uses, use_it));
        format!(
            "{BUFFER}const a0 = array(1u, 2u);\n{levels}{MAIN}var s = 0u;\n{all}out_[g.x] = s; }}"
        )
    };
    let steps = |uses| {
        let program = Program::from_wgsl(&text(uses)).unwrap();
        let meter = anywarp_program::work::Meter::unlimited();
        anywarp_interpret::Kernel::within(&program, "main", &meter).unwrap();
        meter.steps()
    };
    assert!(steps(200) <= 2 * steps(100));
}

#[test]
fn switches_with_many_cases_agree() {
    let case = |n: u32| {
        // Values are far apart, and not in order.
        let value = (n * 7919) % 1009;
        format!(
            "case {value}u, {}u: {{ v = v * 3u + {n}u; if (v > 900u) {{ break; }} v += 5u; }}",
            value + 2000
        )
    };
    for count in [3, 15, 16, 17, 40, 150] {
        for selector in [
            "(g.x * 7919u) % 1009u",
            "arrayLength(&out_) * 7919u % 1009u",
            "g.x + 2000u",
        ] {
            for (before, after) in [("default: { v = 77u; }", ""), ("", "default: { v = 77u; }")] {
                let cases = lines(count, case);
                let half = lines(count / 2, case).len();
                let (first, second) = cases.split_at(half);
                let text = format!(
                    "{BUFFER}{MAIN}var v = g.x;\nswitch ({selector}) {{ {first} {before} {second} {after} }}\nout_[g.x] = v; }}"
                );
                let interpreted = kernel(&text, Engine::Interpreter, WorkLimits::UNLIMITED);
                let expected = results(&interpreted.unwrap());
                for target in Target::all() {
                    let compiled = kernel(&text, Engine::Code(target), WorkLimits::UNLIMITED);
                    let compiled = compiled.unwrap();
                    compiled.code().unwrap();
                    assert_eq!(results(&compiled), expected, "{count} {selector} {target}");
                }
            }
        }
    }
}

#[test]
fn a_signed_switch_with_many_cases_agrees() {
    let case = |n: u32| format!("case {}: {{ v = {n}u; }}", n as i32 - 30);
    let cases = lines(60, case);
    for selector in ["i32(g.x) - 32", "-i32(arrayLength(&out_)) + 40"] {
        let text = format!(
            "{BUFFER}{MAIN}var v = 0u;\nswitch ({selector}) {{ {cases} default: {{ v = 99u; }} }}\nout_[g.x] = v; }}"
        );
        let expected = results(&kernel(&text, Engine::Interpreter, limited(1 << 20)).unwrap());
        for target in Target::all() {
            let compiled = kernel(&text, Engine::Code(target), limited(1 << 20)).unwrap();
            compiled.code().unwrap();
            assert_eq!(results(&compiled), expected, "{selector} {target}");
        }
    }
}

#[test]
fn a_function_that_is_too_long_for_naga_is_refused_with_its_place() {
    let text = format!(
        "{BUFFER}{MAIN}var v = g.x;\n{}out_[g.x] = v; }}",
        "v = v + 1u;\n".repeat(42_501)
    );
    let error = Program::from_wgsl(&text).unwrap_err();
    assert!(matches!(error, ProgramError::TooLarge(_)));
    let expected = "the function at shader.wgsl:2:1 has more than 170000 words, numbers and operators, \
                    and naga takes time quadratic in them";
    assert_eq!(error.to_string(), expected);
}
