//! Rows of 16-bit numbers in buffers: every row of words has a limit, and rows that begin before a buffer or end after it
//! touch the words that exist.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{Function, Op};
use anywarp_lanes::pass::{self, PassOptions};
use anywarp_lanes::{BufferSource, LoweredKernel, lower};
use anywarp_program::Program;

const COUNT: u32 = 37;

/// Lane `i` stores `i + 1` at `first + i`, and loads the element at `first + i` of a second array.
fn lowered(kind: &str, lanes: u32) -> LoweredKernel {
    let enable = match kind {
        "f16" => "enable f16;",
        _ => "enable wgpu_int16;",
    };
    let wgsl = format!(
        "{enable}
         @group(0) @binding(0) var<storage, read_write> out: array<{kind}>;
         @group(0) @binding(1) var<storage, read> first: u32;
         @group(0) @binding(2) var<storage, read_write> loaded: array<{kind}>;
         @compute @workgroup_size({lanes}) fn main(@builtin(local_invocation_index) i: u32) {{
             out[first + i] = {kind}(i + 1u) + loaded[first + i];
         }}"
    );
    lower(&Program::from_wgsl(&wgsl).unwrap(), "main", lanes).unwrap()
}

/// Rows of buffers that are guarded only by a mask.
fn unlimited(function: &Function) -> usize {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    let is_unlimited =
        |op: Op| matches!(op, Op::LoadRow(row) | Op::StoreRow(row) if !row.is_limited);
    insts.filter(|inst| is_unlimited(inst.op)).count()
}

#[test]
fn rows_of_halves_are_limited() {
    for kind in ["f16", "i16", "u16"] {
        for lanes in [8, 16] {
            let mut lowered = lowered(kind, lanes);
            assert_eq!(unlimited(&lowered.function), 0, "{kind}");
            pass::run_kernel(&mut lowered.function, &mut [], &PassOptions::default());
            assert_eq!(unlimited(&lowered.function), 0, "{kind} after passes");
        }
    }
}

#[test]
fn rows_at_the_ends_of_a_buffer_touch_what_exists() {
    let end = COUNT + COUNT % 2;
    let starts = (0..end + 2).chain((1..40).map(|distance| 0u32.wrapping_sub(distance)));
    let far = [0x7fff_fff0, 0x7fff_ffff, 0x8000_0000, 0x8000_0001];
    for lanes in [8, 16] {
        let lowered = lowered("u16", lanes);
        let evaluator = Evaluator::new(&lowered.function).unwrap();
        for first in starts.clone().chain(far) {
            let buffer = |bound: &BufferSource| match bound {
                BufferSource::Buffer(_, 1) => vec![first],
                _ => vec![0; end as usize / 2],
            };
            let mut memory = Memory {
                buffers: lowered.buffers.iter().map(buffer).collect(),
                ..Memory::default()
            };
            let done = evaluator.run_workgroup(
                &WorkgroupInputs::default(),
                1,
                &mut memory,
                &mut 1_000_000,
            );
            done.unwrap_or_else(|error| panic!("{first:#x}: {error}"));
            let out = lowered.buffers.iter();
            let mut out = out.zip(&memory.buffers);
            let (_, words) = out
                .find(|buffer| *buffer.0 == BufferSource::Buffer(0, 0))
                .unwrap();
            for index in 0..end {
                let stored = (words[index as usize / 2] >> (16 * (index % 2))) & 0xffff;
                let lane = index.wrapping_sub(first);
                let expected = if lane < lanes { lane + 1 } else { 0 };
                assert_eq!(stored, expected, "{first:#x}, element {index}");
            }
        }
    }
}
