//! Runs a kernel over textures of random texels, and compares what is in memory afterwards.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use anywarp_cpu::{
    Arguments, BufferView, CallPolicy, Engine, Executor, ExecutorOptions, Kernel, KernelOptions,
    ResourceKind, Runner, Target, TextureView,
};
use anywarp_program::Program;
use anywarp_texture::{
    Dimension, Extent, Format, Kind, Layout, Subresource, TexelAddress, TextureShape, View,
};

use crate::bounds::guarded::{Guarded, Honesty, Side};

/// Invocations along each axis.
pub(super) const GRID: [u32; 3] = [48, 8, 2];

/// Words of a buffer.
const WORDS: usize = (GRID[0] * GRID[1] * GRID[2] * 4) as usize;

/// A view of a texture whose size is not a power of two along any axis, where there may be layers before it behind some, and the
/// words up to its last texel.
fn texture(format: Format, dimension: Dimension) -> (usize, View) {
    let (extent, layers) = match dimension {
        Dimension::D1 => (Extent { x: 37, y: 1, z: 1 }, 1),
        Dimension::D3 => (Extent { x: 37, y: 5, z: 3 }, 1),
        _ => (Extent { x: 37, y: 5, z: 1 }, 3),
    };
    let shape = TextureShape {
        extent,
        layers,
        levels: 3,
        samples: 1,
    };
    let layout = Layout::new(format, shape).unwrap();
    let (layer, layers) = match dimension {
        Dimension::D2 => (2, 1),
        Dimension::D2Array => (1, 2),
        _ => (0, 1),
    };
    let part = Subresource {
        layer,
        layers,
        ..layout.whole()
    };
    let view = layout.part(dimension, layout.planes()[0].format, part);
    let level = view.levels[2];
    let last = TexelAddress {
        position: Extent {
            x: level.extent.x - 1,
            y: level.extent.y - 1,
            z: level.extent.z - 1,
        },
        layer: layers - 1,
        level: 2,
        sample: 0,
    };
    let end = view.offset(last).unwrap() + u64::from(view.format.bytes());
    (end.div_ceil(4) as usize, view)
}

fn words(count: usize, seed: u32) -> Vec<u32> {
    let number = |index: u32| (index + seed).wrapping_mul(0x9e37_79b9) ^ index >> 3;
    (1..=count as u32).map(number).collect()
}

/// The memory of every buffer and texture after a kernel has run; `sampled` is the format of textures that are not
/// storage textures.
fn run(text: &str, options: KernelOptions, sampled: Format, side: Side) -> Vec<Vec<u32>> {
    let program = Program::from_wgsl(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let kernel = Kernel::with_options(&program, "main", options).unwrap();
    assert_eq!(kernel.code().is_ok(), options.engine != Engine::Interpreter);
    let mut memory = Vec::new();
    let mut views = Vec::new();
    for resource in kernel.resources() {
        let (count, view) = match resource.kind {
            ResourceKind::Texture(wanted) => {
                let format = wanted.storage.unwrap_or(sampled);
                let (count, view) = texture(format, wanted.dimension);
                (count, Some(view))
            }
            _ => (WORDS, None),
        };
        let contents = words(count, resource.binding * 7777);
        memory.push(Guarded::new(&contents, side, Honesty::Honest));
        views.push(view);
    }
    let all: Vec<&[AtomicU32]> = memory.iter().map(Guarded::words).collect();
    let bound = || all.iter().copied().zip(&views);
    let textures = bound().filter_map(|(words, view)| {
        let view = view.as_ref()?;
        Some(TextureView { words, view })
    });
    let buffers = bound().filter(|(_, view)| view.is_none());
    let arguments = Arguments {
        buffers: &buffers
            .map(|(words, _)| BufferView { words })
            .collect::<Vec<_>>(),
        textures: &textures.collect::<Vec<_>>(),
        arrays: &[],
        immediates: &[],
        workgroup_count: [GRID[0] / 16, GRID[1] / 2, GRID[2]],
    };
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        ..Default::default()
    });
    executor
        .dispatch(&mut Runner::new(&kernel), &arguments)
        .unwrap();
    assert!(memory.iter().all(Guarded::is_rest_untouched));
    let load = |words: &&[AtomicU32]| words.iter().map(|word| word.load(Relaxed)).collect();
    all.iter().map(load).collect()
}

/// Runs a kernel by the interpreter and by code for every target, and compares all memory. Which NaN a float becomes is
/// left open.
pub(super) fn agree(text: &str, sampled: Format, all_calls: &[CallPolicy]) {
    let run = |engine, calls, side| {
        let options = KernelOptions {
            engine,
            calls,
            ..Default::default()
        };
        run(text, options, sampled, side)
    };
    let expected = run(Engine::Interpreter, CallPolicy::default(), Side::End);
    let is_nan = |word: u32| f32::from_bits(word).is_nan() && sampled.kind() == Kind::Float;
    for target in Target::all() {
        for &calls in all_calls {
            for side in [Side::Start, Side::End] {
                let found = run(Engine::Code(target), calls, side);
                for (place, (expected, found)) in expected.iter().zip(&found).enumerate() {
                    let mut pairs = expected.iter().zip(found);
                    let wrong = pairs.position(|(a, b)| a != b && !(is_nan(*a) && is_nan(*b)));
                    assert_eq!(
                        wrong, None,
                        "{sampled:?}, {target}, {calls:?}, resource {place}\n{text}"
                    );
                }
            }
        }
    }
}
