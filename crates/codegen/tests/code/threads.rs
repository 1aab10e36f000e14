//! Atomic instructions on words that several threads update at once lose no update.

use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_codegen::{Code, compile};
use anywarp_lanes::ir::{AtomicOp, AtomicScope, BufferEntry, Context, Op, Type};

use crate::kernel::Kernel;
use crate::run::targets;

const CALLS: u32 = 20_000;
const THREADS: u32 = 4;

/// Every lane changes the same word; the result is used where `is_wanted`.
fn code(target: anywarp_codegen::Target, op: AtomicOp, value: u32, is_wanted: bool) -> Code {
    let mut kernel = Kernel::new(target.lanes());
    let base = kernel.buffer(0);
    let index = kernel.splat(0);
    let value = kernel.splat(value);
    let all = kernel.function.all_lanes();
    let mask = kernel.put(Op::Mask(all), &[], Type::Mask);
    let atomic = Op::Atomic(op, AtomicScope::Threads, 0);
    let old = kernel.put(atomic, &[base, index, value, mask], Type::Lanes);
    if is_wanted {
        let first = kernel.word(0);
        let own = kernel.put(
            Op::Base(anywarp_lanes::ir::Space::Workgroup),
            &[],
            Type::Pointer,
        );
        kernel.effect(Op::StoreRow(crate::kernel::PLAIN), &[own, first, old]);
    }
    compile(&kernel.finish(), target).unwrap()
}

/// The value of a word after all threads have made their calls.
fn run(code: &Code, start: u32) -> u32 {
    #[repr(align(64))]
    struct Lines([u32; 128]);
    let word = AtomicU32::new(start);
    let call = || {
        let (mut workgroup, mut frame) = (Lines([0; 128]), Lines([0; 128]));
        assert!(code.frame_bytes() <= 512);
        let entry = BufferEntry {
            start: word.as_ptr(),
            words: 1,
        };
        let (zeros, cancelled) = (vec![0; Context::ZEROS / 4], 0);
        let context = Context {
            workgroup_id: [0; 3],
            workgroup_count: [1; 3],
            subgroup: 0,
            padding: 0,
            cancelled: &raw const cancelled,
            workgroup: workgroup.0.as_mut_ptr(),
            zeros: zeros.as_ptr(),
            immediates: zeros.as_ptr(),
            constants: zeros.as_ptr(),
            buffers: &raw const entry,
            functions: std::ptr::null(),
            data: std::ptr::null(),
        };
        for _ in 0..CALLS {
            // SAFETY: everything that the kernel reaches is there; the shared word is changed by atomic instructions
            // only, and the rest belongs to this thread.
            unsafe { code.call(&raw const context, frame.0.as_mut_ptr().cast(), 0) };
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(call);
        }
    });
    word.load(Ordering::Relaxed)
}

#[test]
fn nothing_is_lost() {
    for target in targets() {
        let changes = CALLS * THREADS * target.lanes();
        for is_wanted in [false, true] {
            let sum = run(&code(target, AtomicOp::Add, 3, is_wanted), 5);
            assert_eq!(sum, changes.wrapping_mul(3).wrapping_add(5));
            let difference = run(&code(target, AtomicOp::Sub, 1, is_wanted), 0);
            assert_eq!(difference, changes.wrapping_neg());
        }
        // Every sum is exact, and so is every one on the way to it.
        let (start, half) = (0f32.to_bits(), 0.5f32.to_bits());
        let sum = run(&code(target, AtomicOp::AddF, half, false), start);
        assert_eq!(f32::from_bits(sum), changes as f32 / 2.0);
        // An even number of changes cancels out; one that is lost does not.
        assert_eq!(run(&code(target, AtomicOp::Xor, 1, true), 6), 6);
    }
}
