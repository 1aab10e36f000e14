//! Calls: the instruction, random functions with callees before and after all passes, and the choice between calls and
//! inlining.

use std::fmt::Write as _;

use anywarp_lanes::evaluate::{
    EvaluateError, Evaluator, InstructionError, Memory, WorkgroupInputs,
};
use anywarp_lanes::ir::{CallOutcome, CalleeWrites, Function, Op};
use anywarp_lanes::pass::{self, PassOptions};
use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;
use anywarp_lanes::{CallPolicy, Callee, LoweredKernel, lower, lower_with_policy, random};
use anywarp_program::Program;

/// The number of random functions; `ANYWARP_SEEDS` overrides it.
fn seeds() -> u64 {
    let asked = std::env::var("ANYWARP_SEEDS").ok();
    asked.map_or(300, |text| text.parse().expect("a number of seeds"))
}

fn evaluate(function: &Function, callees: &[Function], seed: u64) -> (CallOutcome, Memory) {
    let mut memory = random::memory(seed);
    let run = WorkgroupInputs::default();
    let outcome = Evaluator::with_callees(function, callees)
        .and_then(|evaluator| evaluator.run_workgroup(&run, 2, &mut memory, &mut 100_000_000))
        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
    (outcome, memory)
}

#[test]
fn random_functions_do_the_same_behind_all_passes() {
    for seed in 0..seeds() {
        let lanes = if seed % 2 == 0 { 16 } else { 8 };
        let (function, callees) = random::functions(seed, lanes, 60 + seed as usize % 60);
        let (mut after, mut after_callees) = (function.clone(), callees.clone());
        let mut all: Vec<_> = after_callees.iter_mut().map(Some).collect();
        pass::run_kernel(&mut after, &mut all, &PassOptions::default());
        let expected = evaluate(&function, &callees, seed);
        let found = evaluate(&after, &after_callees, seed);
        assert!(
            expected == found,
            "seed {seed}:\n{function}\nbecame\n{after}"
        );
        let frames = after_callees.iter().map(|callee| callee.frame_bytes);
        assert!(frames.chain([after.frame_bytes]).min() == Some(after.frame_bytes));
    }
}

#[test]
fn random_functions_that_call_come_back_from_text() {
    let mut calls = 0;
    for seed in 0..100 {
        let (function, callees) = random::functions(seed, 16, 60);
        for function in callees.iter().chain([&function]) {
            verify(function).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{function}"));
            let text = function.to_string();
            assert!(parse(&text).unwrap() == *function, "seed {seed}:\n{text}");
            calls += text.matches("call ").count();
        }
    }
    assert!(calls > 200, "only {calls} calls");
}

#[test]
fn what_is_wrong_is_named() {
    let barrier = parse(
        "kernel lanes=8 frame=0 barriers=1\nb0:\n v0 = activelanes\n suspend 1, b1\nb1:\n return finished",
    );
    let error = verify(&barrier.unwrap()).unwrap_err().to_string();
    assert!(
        error.contains("a function with barriers is not called"),
        "{error}"
    );
    let text = "kernel lanes=8 frame=0 barriers=0\nb0:\n v0 = word 1\n call 3 nothing v0\n return finished";
    let error = parse(text).unwrap_err().to_string();
    assert!(error.contains("`frame` or `everything`"), "{error}");

    let text = |number: u32| {
        format!(
            "kernel lanes=8 frame=0 barriers=0\nb0:\n v0 = word 1\n call {number} frame v0\n return finished"
        )
    };
    let function = parse(&text(1)).unwrap();
    // The second one calls itself, which is not allowed.
    let callees = [parse(&text(0)).unwrap(), parse(&text(1)).unwrap()];
    for callees in [&callees[..1], &callees] {
        let evaluator = Evaluator::with_callees(&function, callees).unwrap();
        let ended = evaluator.run_workgroup(
            &WorkgroupInputs::default(),
            1,
            &mut Memory::default(),
            &mut 1000,
        );
        let Err(EvaluateError::Instruction { source, .. }) = ended else {
            panic!("{ended:?}");
        };
        assert_eq!(source, InstructionError::NoFunction(1));
    }
}

fn lowered(text: &str, calls: CallPolicy) -> LoweredKernel {
    let program = Program::from_wgsl(text).unwrap();
    let lowered = lower_with_policy(&program, "main", 16, calls).unwrap();
    for function in functions(&lowered) {
        verify(function).unwrap_or_else(|error| panic!("{error}\n{function}"));
    }
    lowered
}

fn functions(lowered: &LoweredKernel) -> Vec<&Function> {
    let callees = lowered.callees.iter().map(|callee| match callee {
        Callee::Function(function) => function,
        other => panic!("{other:?} is not vector code"),
    });
    callees.chain([&lowered.function]).collect()
}

fn values(lowered: &LoweredKernel) -> usize {
    functions(lowered)
        .iter()
        .map(|function| function.types.len())
        .sum()
}

/// Functions of some length, each of which calls the one before twice.
fn nested(functions: u32) -> String {
    let mut text = "@group(0) @binding(0) var<storage, read_write> out: array<f32>;\n".to_owned();
    for number in 0..functions {
        let _ = writeln!(
            text,
            "fn step{number}(x: f32, y: f32) -> f32 {{\n  var a = x; var b = y;"
        );
        for step in 0..40 {
            let _ = writeln!(
                text,
                "  a = a * {step}.5 + b; b = sqrt(abs(a - b)) + {number}.0;"
            );
        }
        if let Some(called) = number.checked_sub(1) {
            let _ = writeln!(text, "  a = step{called}(a, b) + step{called}(b, a);");
        }
        text += "  return a + b;\n}\n";
    }
    text + &format!(
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) g: vec3<u32>) {{
           out[g.x] = step{}(f32(g.x), 1.0);
         }}",
        functions - 1
    )
}

#[test]
fn nested_calls_take_linear_room() {
    let [few, many] = [15, 60].map(|count| values(&lowered(&nested(count), CallPolicy::Large)));
    assert!(many < few * 5, "{few} values of 15 functions, {many} of 60");
    // No function is duplicated: each has as many values as the others, except the last, which is called once.
    assert!(lowered(&nested(60), CallPolicy::Large).callees.len() > 50);
}

/// Short functions, and functions with a single call, are inlined.
#[test]
fn only_large_shared_functions_are_called() {
    let small = "
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        fn f(x: f32) -> f32 { return sqrt(x) + 1.0; }
        fn g(x: f32) -> f32 { return f(x) * f(x + 1.0); }
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3<u32>) {
          out[i.x] = g(1.0) + g(2.0) + g(out[i.x]);
        }";
    assert_eq!(lowered(small, CallPolicy::Large).callees.len(), 0);
    assert_eq!(lowered(small, CallPolicy::All).callees.len(), 2);
    let mut once = "@group(0) @binding(0) var<storage, read_write> out: array<f32>;\n".to_owned();
    once += "fn f(x: f32) -> f32 {\n  var a = x;\n";
    once += &"  a = sin(a) * cos(a) + tan(a);\n".repeat(200);
    once += "  return a;\n}\n";
    let main = |calls: u32| {
        let body = (0..calls).map(|index| format!("out[i.x + {index}u] = f(f32({index})); "));
        let body: String = body.collect();
        format!(
            "{once}@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3<u32>) {{ {body} }}"
        )
    };
    assert_eq!(lowered(&main(1), CallPolicy::Large).callees.len(), 0);
    assert_eq!(lowered(&main(2), CallPolicy::Large).callees.len(), 1);
    let (two, eight) = (
        lowered(&main(2), CallPolicy::Large),
        lowered(&main(8), CallPolicy::Large),
    );
    assert!(values(&eight) < values(&two) + 200);
}

/// Functions with barriers, or with pointer arguments that are more than an address, are inlined.
#[test]
fn some_functions_cannot_be_called() {
    let text = "
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        var<workgroup> shared_: array<f32, 64>;
        fn waits(x: f32) -> f32 { workgroupBarrier(); return x; }
        fn outer(x: f32) -> f32 { return waits(x); }
        fn plain(x: f32) -> f32 { return x; }
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {
          out[i] = outer(1.0) + outer(2.0) + plain(1.0);
        }";
    assert_eq!(lowered(text, CallPolicy::All).callees.len(), 1);
}

/// A callee that writes only its own memory does not invalidate what the caller knows about buffers.
#[test]
fn reach_is_what_is_written() {
    let text = |body: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
             @group(0) @binding(1) var<storage, read_write> count: atomic<u32>;
             var<private> own: f32;
             fn f(x: f32) -> f32 {{ {body} }}
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3<u32>) {{
               out[i.x] = f(1.0);
             }}"
        )
    };
    let reach = |body: &str| {
        let lowered = lowered(&text(body), CallPolicy::All);
        let blocks = lowered.function.blocks.iter();
        let mut ops = blocks.flat_map(|block| &block.insts).map(|inst| inst.op);
        let found = ops.find_map(|op| match op {
            Op::Call(_, reach) => Some(reach),
            _ => None,
        });
        found.unwrap_or_else(|| panic!("no call: {}", lowered.function))
    };
    assert_eq!(reach("return x + 1.0;"), CalleeWrites::Frame);
    assert_eq!(reach("own += x; return own;"), CalleeWrites::Frame);
    assert_eq!(reach("return x + out[3];"), CalleeWrites::Frame);
    assert_eq!(reach("out[3] = x; return x;"), CalleeWrites::Everything);
    assert_eq!(
        reach("return x + f32(atomicAdd(&count, 1u));"),
        CalleeWrites::Everything
    );
}

/// An argument that is uniform at every call is a word in the callee.
#[test]
fn arguments_that_are_the_same_stay_words() {
    let text = |second: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             fn f(n: u32) -> u32 {{
               var sum = 0u;
               for (var i = 0u; i < n; i++) {{ sum += out[i]; }}
               return sum;
             }}
             @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3<u32>) {{
               out[i.x] = f(out[0]) + f({second});
             }}"
        )
    };
    let callee = |second: &str| {
        let program = Program::from_wgsl(&text(second)).unwrap();
        let lowered = lower_with_policy(&program, "main", 16, CallPolicy::All).unwrap();
        functions(&lowered)[0].to_string()
    };
    assert!(callee("7u").contains("frameload word"));
    assert!(!callee("i.x").contains("frameload word"));
    // Without a choice nothing changes.
    assert_eq!(
        lower(&Program::from_wgsl(&text("1u")).unwrap(), "main", 16)
            .unwrap()
            .callees
            .len(),
        0
    );
}
