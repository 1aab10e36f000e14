//! Calls: of compiled functions, and of host functions.

use std::ffi::c_void;

use anywarp_codegen::compile;
use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{CallOutcome, CalleeWrites, Context, Function};
use anywarp_lanes::pass::{self, PassOptions};
use anywarp_lanes::{random, text};

use crate::run::{agree_calling, run_code, targets};

/// The number of functions that are tried; `ANYWARP_CODEGEN_SEEDS` overrides it.
const SEEDS: u64 = 150;

#[test]
fn random_functions_call_others() {
    let seeds = std::env::var("ANYWARP_CODEGEN_SEEDS")
        .ok()
        .map_or(SEEDS, |text| text.parse().unwrap());
    for target in targets() {
        for seed in 0..seeds {
            let (mut function, mut callees) = random::functions(seed, target.lanes(), 80);
            let memory = random::memory(seed);
            if seed % 2 == 0 {
                let mut all: Vec<_> = callees.iter_mut().map(Some).collect();
                pass::run_kernel(&mut function, &mut all, &PassOptions::default());
            } else {
                pass::barrier_split::run(&mut function);
                for callee in &mut callees {
                    callee.frame_bytes = function.frame_bytes;
                }
            }
            agree_calling(&function, &callees, target, &memory, 2);
        }
    }
}

/// Values of every type that live across a call, more than a machine has registers.
#[test]
fn values_live_across_calls() {
    for target in targets() {
        let lanes = target.lanes();
        let callee = text::parse(&format!(
            "kernel lanes={lanes} frame=128 barriers=0
             b0:
               v0 = activelanes
               v1 = broadcast v0
               v2 = base workgroup
               v3 = word 0
               storerow +0 v2, v3, v1
               return finished"
        ))
        .unwrap();
        let mut body = String::new();
        for number in 0..40u32 {
            let (word, row, mask) = (number * 3 + 10, number * 3 + 11, number * 3 + 12);
            body.push_str(&format!(
                "v{word} = loadword +{} v0\nv{row} = broadcast v{word}\nv{mask} = fromballot v{word}\n",
                number + 16
            ));
        }
        body.push_str("call 0 everything v1\n");
        for number in 0..40u32 {
            let (word, row, mask) = (number * 3 + 10, number * 3 + 11, number * 3 + 12);
            let (sum, both, all, at) = (
                number * 4 + 200,
                number * 4 + 201,
                number * 4 + 202,
                number * 4 + 203,
            );
            body.push_str(&format!(
                "v{sum} = broadcast v{word}\nv{both} = vadd v{sum}, v{row}\nv{at} = word {}\nv{all} = \
                 vselect v{mask}, v{both}, v{row}\nstorerow +0 v0, v{at}, v{all}\n",
                64 + 16 * number
            ));
        }
        let function = text::parse(&format!(
            "kernel lanes={lanes} frame=128 barriers=0\nb0:\nv0 = base workgroup\nv1 = loadword +1 v0\n{body}\
             return finished"
        ))
        .unwrap();
        let memory = Memory {
            workgroup: (0..64 + 16 * 41u32).map(|number| number * 77 + 5).collect(),
            ..Memory::default()
        };
        agree_calling(&function, &[callee], target, &memory, 1);
    }
}

/// A callee that is cancelled ends its callers.
#[test]
fn outcomes_go_through() {
    for target in targets() {
        let lanes = target.lanes();
        let make = |body: &str| {
            let text = format!("kernel lanes={lanes} frame=0 barriers=0\nb0:\n{body}");
            text::parse(&text).unwrap()
        };
        let inner = make("poll 7\nreturn finished");
        let middle = make("v0 = word 1\ncall 0 frame v0\nreturn finished");
        let outer = make(
            "v0 = word 1\ncall 1 frame v0\nv1 = base buffer 0\nv2 = splat 9\nstorerow +0 v1, v0, v2\nreturn \
             finished",
        );
        let callees = [inner, middle];
        let codes = callees
            .each_ref()
            .map(|callee| compile(callee, target).unwrap());
        let code = compile(&outer, target).unwrap();
        for is_cancelled in [false, true] {
            let run = WorkgroupInputs {
                is_cancelled,
                ..WorkgroupInputs::default()
            };
            let before = Memory {
                buffers: vec![vec![0; 32]],
                ..Memory::default()
            };
            let (mut expected, mut found) = (before.clone(), before.clone());
            let evaluator = Evaluator::with_callees(&outer, &callees).unwrap();
            let outcome = evaluator
                .run_workgroup(&run, 1, &mut expected, &mut 1000)
                .unwrap();
            assert_eq!(outcome.cancelled_in(), is_cancelled.then_some(7));
            assert_eq!(run_code(&code, &codes, &run, &mut found, 1), outcome);
            assert_eq!(expected, found);
            assert_eq!(found == before, is_cancelled);
        }
    }
}

/// Writes its lanes and the word at the context's data pointer into the frame, and clobbers caller-saved registers.
unsafe extern "sysv64" fn host(context: *const Context, frame: *mut u8, lanes: u32) -> u32 {
    let words: *mut u32 = frame.cast();
    // SAFETY: the test passes a frame of 64 bytes and a word as data.
    unsafe {
        *words = lanes;
        *words.add(1) = *(*context).data.cast::<u32>();
        std::arch::asm!(
            "vpxor xmm0, xmm0, xmm0", "vpxor xmm1, xmm1, xmm1", "vpxor xmm15, xmm15, xmm15",
            out("xmm0") _, out("xmm1") _, out("xmm15") _, out("rdi") _, out("rsi") _, out("rcx") _,
            in("rax") 0, out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    CallOutcome::FINISHED.0
}

#[test]
fn functions_of_the_host_are_called() {
    for target in targets() {
        let function = text::parse(&format!(
            "kernel lanes={} frame=64 barriers=0
             b0:
               v0 = word 0x2b
               v1 = base frame 0
               v2 = loadword +2 v1
               call 0 frame v0
               v3 = loadword +0 v1
               v4 = loadword +1 v1
               v5 = base workgroup
               v6 = add v3, v4
               v7 = add v6, v2
               v8 = broadcast v7
               v9 = word 0
               storerow +0 v5, v9, v8
               return finished",
            target.lanes()
        ))
        .unwrap();
        let mut passed = function.clone();
        pass::run(&mut passed, &PassOptions::default());
        for function in [&function, &passed] {
            assert_eq!(run_host(function, target), 0x2b + 1000 + 7);
        }
    }
}

#[repr(align(64))]
struct Lines<const N: usize>([u32; N]);

fn run_host(function: &Function, target: anywarp_codegen::Target) -> u32 {
    let code = compile(function, target).unwrap();
    let mut frame = Lines([7; 64]);
    let mut workgroup = Lines([0; 16]);
    let (cancelled, data) = (0u32, 1000u32);
    let functions = [host as *const c_void];
    let context = Context {
        workgroup_id: [0; 3],
        workgroup_count: [1; 3],
        subgroup: 0,
        padding: 0,
        cancelled: &raw const cancelled,
        workgroup: workgroup.0.as_mut_ptr(),
        zeros: std::ptr::null(),
        immediates: std::ptr::null(),
        constants: std::ptr::null(),
        buffers: std::ptr::null(),
        functions: functions.as_ptr(),
        data: (&raw const data).cast(),
    };
    assert!(code.frame_bytes() <= 256);
    // SAFETY: the function touches the frame and 16 words of the workgroup's memory, and calls a function of the table.
    let outcome = unsafe { code.call(&raw const context, frame.0.as_mut_ptr().cast(), 0) };
    assert_eq!(outcome, CallOutcome::FINISHED);
    workgroup.0[0]
}

/// A call that only accesses the frame leaves loaded buffer values valid; one that may access everything does not.
#[test]
fn reach_is_respected() {
    for (reach, loads) in [(CalleeWrites::Frame, 1), (CalleeWrites::Everything, 2)] {
        let name = match reach {
            CalleeWrites::Frame => "frame",
            CalleeWrites::Everything => "everything",
        };
        let mut function = text::parse(&format!(
            "kernel lanes=8 frame=64 barriers=0
             b0:
               v0 = word 0
               v1 = base buffer 0
               v2 = loadrow +0 v1, v0
               call 0 {name} v0
               v3 = loadrow +0 v1, v0
               v4 = vaddf v2, v3
               storerow +8 v1, v0, v4
               return finished"
        ))
        .unwrap();
        pass::run(&mut function, &PassOptions::default());
        let text = function.to_string();
        assert_eq!(text.matches("loadrow").count(), loads, "{text}");
    }
}
