//! Arrays of buffers: the code reads entries that hold the address and size of each element.

use anywarp_codegen::{Target, compile};
use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{
    AtomicScope, BufferEntry, CallOutcome, Context, Function, Op, Type, WordBinary,
};

use crate::kernel::{Kernel, PLAIN};
use crate::run::targets;

/// The words of an entry, and the offset of its word count.
const ENTRY: u32 = 4;
const COUNT: i32 = 2;

/// Reads the entry that a word of buffer 0 selects, adds its words to a row of the buffer, and an atomic sum of it to
/// the first word of buffer 2, which is also an element.
fn kernel(lanes: u32) -> Function {
    let mut kernel = Kernel::new(lanes);
    let (chosen, table) = (kernel.buffer(0), kernel.buffer(1));
    let number = kernel.put(Op::LoadWord(0), &[chosen], Type::Word);
    let entry_words = kernel.word(ENTRY);
    let offset = kernel.binary(WordBinary::Mul, number, entry_words);
    let entry = kernel.put(Op::Advance, &[table, offset], Type::Pointer);
    let element = kernel.put(Op::LoadPointer(0), &[entry], Type::Pointer);
    let count = kernel.put(Op::LoadWord(COUNT), &[entry], Type::Word);
    let zero = kernel.word(0);
    let row = kernel.put(Op::LoadRow(PLAIN), &[element, zero], Type::Lanes);
    let counts = kernel.put(Op::Broadcast, &[count], Type::Lanes);
    let add = Op::Binary(anywarp_lanes::ir::LaneBinary::Int(WordBinary::Add));
    let sum = kernel.put(add, &[row, counts], Type::Lanes);
    kernel.effect(Op::StoreRow(PLAIN), &[element, zero, sum]);
    let other = kernel.put(Op::LoadPointer(ENTRY as i32), &[table], Type::Pointer);
    let index = kernel.splat(0);
    let all = kernel.function.all_lanes();
    let mask = kernel.put(Op::Mask(all), &[], Type::Mask);
    let atomic = Op::Atomic(anywarp_lanes::ir::AtomicOp::Add, AtomicScope::Threads, 0);
    kernel.put(atomic, &[other, index, sum, mask], Type::Lanes);
    kernel.finish()
}

/// The elements after a run of the evaluator, for which entries name buffers by numbers.
fn evaluated(function: &Function, number: u32, elements: &[Vec<u32>; 2]) -> Vec<Vec<u32>> {
    let entry = |(number, words): (usize, &Vec<u32>)| [number as u32 + 2, 0, words.len() as u32, 0];
    let table: Vec<u32> = elements.iter().enumerate().flat_map(entry).collect();
    let mut memory = Memory {
        buffers: vec![vec![number], table],
        ..Memory::default()
    };
    memory.buffers.extend(elements.iter().cloned());
    let outcome = Evaluator::new(function).unwrap().run_workgroup(
        &WorkgroupInputs::default(),
        1,
        &mut memory,
        &mut 1000,
    );
    assert_eq!(outcome, Ok(CallOutcome::FINISHED));
    memory.buffers.split_off(2)
}

/// The same by machine code.
fn run(
    function: &Function,
    target: Target,
    number: u32,
    elements: &[Vec<u32>; 2],
) -> Vec<Vec<u32>> {
    #[repr(align(64))]
    struct Lines([u32; 256]);
    let code = compile(function, target).unwrap();
    let mut frame = Lines([0; 256]);
    assert!(code.frame_bytes() <= 1024);
    let mut elements = elements.to_vec();
    let entry = |words: &mut Vec<u32>| BufferEntry {
        start: words.as_mut_ptr(),
        words: words.len() as u64,
    };
    let mut table: Vec<_> = elements.iter_mut().map(entry).collect();
    let mut chosen = vec![number];
    let buffers = [
        entry(&mut chosen),
        BufferEntry {
            start: table.as_mut_ptr().cast(),
            words: u64::from(ENTRY) * 2,
        },
    ];
    let (zeros, cancelled) = (vec![0; Context::ZEROS / 4], 0);
    let context = Context {
        workgroup_id: [0; 3],
        workgroup_count: [1; 3],
        subgroup: 0,
        padding: 0,
        cancelled: &raw const cancelled,
        workgroup: std::ptr::null_mut(),
        zeros: zeros.as_ptr(),
        immediates: zeros.as_ptr(),
        constants: zeros.as_ptr(),
        buffers: buffers.as_ptr(),
        functions: std::ptr::null(),
        data: std::ptr::null(),
    };
    // SAFETY: everything that the kernel reaches is there, and nobody else has it.
    let outcome = unsafe { code.call(&raw const context, frame.0.as_mut_ptr().cast(), 0) };
    assert_eq!(outcome, CallOutcome::FINISHED);
    elements
}

#[test]
fn entries_say_where_buffers_begin() {
    for target in targets() {
        let function = kernel(target.lanes());
        let words = |start: u32, count: u32| (start..start + count).collect::<Vec<u32>>();
        let elements = [words(100, 20), words(500, 33)];
        for number in 0..2 {
            let found = run(&function, target, number, &elements);
            assert_eq!(evaluated(&function, number, &elements), found);
            assert_ne!(found[number as usize], elements[number as usize]);
        }
    }
}
