//! Guard pages: buffers lie directly before or after inaccessible pages, and no access leaves its buffer.
//!
//! An access that does ends the process, and so fails the test.

use std::ptr::NonNull;

use anywarp_codegen::{Code, Target, compile};
use anywarp_lanes::ir::{
    AtomicOp, AtomicScope, BufferEntry, CallOutcome, Context, Function, LaneCompare, Op, Row,
    Space, Type, Value, WordBinary, WordCompare,
};

use crate::kernel::{Kernel, PLAIN, Random};
use crate::run::targets;
use crate::run_time_rows;

const PAGE: usize = 4096;

/// The position of a buffer in its page.
#[derive(Clone, Copy, Debug)]
enum Side {
    Start,
    End,
}

/// A page between two inaccessible ones.
struct Guarded {
    pages: NonNull<u8>,
}

impl Guarded {
    fn new() -> Self {
        // SAFETY: a fresh private mapping is asked for, at no given place.
        let pages = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                3 * PAGE,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(pages, libc::MAP_FAILED);
        let pages = NonNull::new(pages.cast::<u8>()).unwrap();
        // SAFETY: the middle page of the mapping is ours.
        let result = unsafe {
            libc::mprotect(
                pages.as_ptr().add(PAGE).cast(),
                PAGE,
                libc::PROT_READ | libc::PROT_WRITE,
            )
        };
        assert_eq!(result, 0);
        Self { pages }
    }

    /// A buffer of this many words in the page.
    fn buffer(&self, words: usize, side: Side) -> *mut u32 {
        let skipped = match side {
            Side::Start => 0,
            Side::End => PAGE - words * 4,
        };
        // SAFETY: it stays inside the middle page.
        unsafe { self.pages.as_ptr().add(PAGE + skipped).cast() }
    }

    /// Every word of the page.
    fn words(&mut self) -> &mut [u32] {
        // SAFETY: the middle page is ours, readable and writable, and borrowed as long as `self`.
        unsafe { std::slice::from_raw_parts_mut(self.pages.as_ptr().add(PAGE).cast(), PAGE / 4) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours.
        unsafe { libc::munmap(self.pages.as_ptr().cast(), 3 * PAGE) };
    }
}

/// Accesses buffer 0 with every kind of access, at an index and under a mask from immediate data.
fn kernel(lanes: u32) -> Function {
    let mut kernel = Kernel::new(lanes);
    let told = kernel.put(Op::Base(Space::Immediates), &[], Type::Pointer);
    let index = kernel.put(Op::LoadWord(0), &[told], Type::Word);
    let mask = kernel.put(Op::LoadWord(1), &[told], Type::Word);
    let mask = kernel.put(Op::FromBallot, &[mask], Type::Mask);
    let own = kernel.word(4);
    let own = kernel.put(Op::LoadRow(PLAIN), &[told, own], Type::Lanes);
    let base = kernel.buffer(0);
    let length = kernel.put(Op::Length(0), &[], Type::Word);
    let mut sum = rows(&mut kernel, base, index, length, mask);
    let exists = kernel.put(
        Op::WordCompare(WordCompare::LtU),
        &[index, length],
        Type::Word,
    );
    let address = kernel.put(Op::AdvanceOrZeros, &[base, index, exists], Type::Pointer);
    let splat = kernel.put(Op::LoadSplat(0), &[address], Type::Lanes);
    sum = add(&mut kernel, sum, splat);
    let lengths = kernel.put(Op::Broadcast, &[length], Type::Lanes);
    let compare = Op::MaskedCompare(LaneCompare::Int(WordCompare::LtU));
    let inside = kernel.put(compare, &[own, lengths, mask], Type::Mask);
    let gathered = kernel.put(Op::Gather(0), &[base, own, inside], Type::Lanes);
    sum = add(&mut kernel, sum, gathered);
    kernel.effect(Op::Scatter(0), &[base, own, sum, inside]);
    for step in [1, 2, 4] {
        let pattern: Vec<_> = (0..lanes).map(|lane| lane * step).collect();
        let pattern = kernel.function.pattern(&pattern);
        let pattern = kernel.put(Op::Pattern(pattern), &[], Type::Lanes);
        let index = kernel.put(Op::Broadcast, &[index], Type::Lanes);
        let index = add(&mut kernel, index, pattern);
        let inside = kernel.put(compare, &[index, lengths, mask], Type::Mask);
        let gathered = kernel.put(Op::Gather(0), &[base, index, inside], Type::Lanes);
        sum = add(&mut kernel, sum, gathered);
        kernel.effect(Op::Scatter(0), &[base, index, sum, inside]);
    }
    for index in run_time_rows::indices(&mut kernel, told) {
        let inside = kernel.put(compare, &[index, lengths, mask], Type::Mask);
        let gathered = kernel.put(Op::Gather(0), &[base, index, inside], Type::Lanes);
        sum = add(&mut kernel, sum, gathered);
        kernel.effect(Op::Scatter(0), &[base, index, sum, inside]);
    }
    for sharing in [AtomicScope::Thread, AtomicScope::Threads] {
        let atomic = Op::Atomic(AtomicOp::Add, sharing, 0);
        let old = kernel.put(atomic, &[base, own, sum, inside], Type::Lanes);
        sum = add(&mut kernel, sum, old);
    }
    let base = kernel.put(Op::Base(Space::Workgroup), &[], Type::Pointer);
    let zero = kernel.word(0);
    kernel.effect(Op::StoreRow(PLAIN), &[base, zero, sum]);
    kernel.finish()
}

fn add(kernel: &mut Kernel, a: Value, b: Value) -> Value {
    let op = Op::Binary(anywarp_lanes::ir::LaneBinary::Int(WordBinary::Add));
    kernel.put(op, &[a, b], Type::Lanes)
}

/// Loads and stores of rows with a limit, with and without a mask.
fn rows(kernel: &mut Kernel, base: Value, index: Value, length: Value, mask: Value) -> Value {
    let mut sum = kernel.splat(0);
    kernel.effect(Op::StoreRowNonTemporal(0), &[base, index, sum, length]);
    for is_masked in [false, true] {
        let row = Row {
            offset: 0,
            is_limited: true,
            is_masked,
        };
        let masks = [mask];
        let masks = &masks[..usize::from(is_masked)];
        let operands = [&[base, index, length], masks].concat();
        let loaded = kernel.put(Op::LoadRow(row), &operands, Type::Lanes);
        sum = add(kernel, sum, loaded);
        let operands = [&[base, index, sum, length], masks].concat();
        kernel.effect(Op::StoreRow(row), &operands);
    }
    sum
}

#[test]
fn no_access_leaves_its_buffer() {
    for target in targets() {
        let code = compile(&kernel(target.lanes()), target).unwrap();
        let mut random = Random::new(77);
        for words in (0..40).chain([60, 63, 64, 65, 90]) {
            for index in -20..44 {
                for side in [Side::Start, Side::End] {
                    try_buffer(&code, target, words, index as u32, side, &mut random);
                }
            }
            for index in [i32::MIN as u32, i32::MAX as u32, 0x4000_0000, 0xc000_0000] {
                try_buffer(&code, target, words, index, Side::End, &mut random);
            }
        }
    }
}

fn try_buffer(
    code: &Code,
    target: Target,
    words: usize,
    index: u32,
    side: Side,
    random: &mut Random,
) {
    thread_local! {
        static PAGE_OF_BUFFER: std::cell::RefCell<Guarded> = std::cell::RefCell::new(Guarded::new());
    }
    const UNTOUCHED: u32 = 0xa5a5_a5a5;
    let mask = match random.below(2) {
        0 => u32::MAX,
        _ => random.word(),
    };
    let changed = match random.below(3) {
        0 => 0,
        1 => random.word() & random.word() & random.word(),
        _ => 1 << random.below(target.lanes() as usize),
    };
    let mut immediates = vec![index, mask, changed, random.below(44) as u32];
    immediates.extend((0..target.lanes()).map(|_| match random.below(4) {
        0 => random.word(),
        _ => random.below(44) as u32,
    }));
    PAGE_OF_BUFFER.with_borrow_mut(|page| {
        page.words().fill(UNTOUCHED);
        let entry = BufferEntry {
            start: page.buffer(words, side),
            words: words as u64,
        };
        run(code, &immediates, &entry);
        let buffer = match side {
            Side::Start => 0..words,
            Side::End => PAGE / 4 - words..PAGE / 4,
        };
        let mut outside = page
            .words()
            .iter()
            .enumerate()
            .filter(|(at, _)| !buffer.contains(at));
        assert!(
            outside.all(|(_, word)| *word == UNTOUCHED),
            "{words} words, index {index}"
        );
    });
}

fn run(code: &Code, immediates: &[u32], entry: &BufferEntry) {
    #[repr(align(64))]
    struct Lines<const N: usize>([u32; N]);
    let zeros = Lines([0; Context::ZEROS / 4]);
    let mut workgroup = Lines([0; 16]);
    let mut frame = Lines([0; 256]);
    assert!(code.frame_bytes() <= 1024);
    let cancelled = 0;
    let context = Context {
        workgroup_id: [0; 3],
        workgroup_count: [1; 3],
        subgroup: 0,
        padding: 0,
        cancelled: &raw const cancelled,
        workgroup: workgroup.0.as_mut_ptr(),
        zeros: zeros.0.as_ptr(),
        immediates: immediates.as_ptr(),
        constants: std::ptr::null(),
        buffers: entry,
        functions: std::ptr::null(),
        data: std::ptr::null(),
    };
    // SAFETY: everything that the kernel reaches is there, and lives until the call ends.
    let outcome = unsafe { code.call(&raw const context, frame.0.as_mut_ptr().cast(), 0) };
    assert_eq!(outcome, CallOutcome::FINISHED);
}
