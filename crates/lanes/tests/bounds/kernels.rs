//! Shaders with each kind of index check that lowering emits: rows, elements of several words, runtime-sized tails,
//! 16-bit elements, nested arrays with a shared index, indices from memory before and after barriers, loop counters.

use anywarp_lanes::bounds::Extents;
use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::random::Random;
use anywarp_lanes::{BufferSource, CallPolicy, Callee, lower_with_policy};
use anywarp_program::Program;

use super::{Functions, Subject};

pub(crate) struct Kernel<'a> {
    /// The smallest size of each binding in words.
    pub(crate) least: &'a [u32],
    pub(crate) text: &'a str,
}

pub(crate) const ALL: &[Kernel<'static>] = &[
    Kernel {
        least: &[4, 16],
        text: "
            struct Element { a: vec3<u32>, b: array<vec2<u32>, 3> }
            @group(0) @binding(0) var<storage, read> list: array<vec4<u32>>;
            @group(0) @binding(1) var<storage, read_write> out: array<array<vec2<u32>, 2>, 4>;
            @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
                let j = list[id.x].y;
                out[j][j + id.x].y = list[j].z + list[id.x + 1u].w;
                out[id.x][id.y] = list[j + id.x].xy;
            }",
    },
    Kernel {
        least: &[16, 10],
        text: "
            struct Tail { head: array<vec4<u32>, 2>, tail: array<vec2<u32>> }
            @group(0) @binding(0) var<storage, read_write> s: Tail;
            @group(0) @binding(1) var<storage, read> index: array<u32, 10>;
            @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                let j = index[id.x];
                s.tail[j].y = s.tail[id.x].x + s.head[j].z;
                for (var k = 0u; k < arrayLength(&s.tail); k++) { s.tail[k + j].x += index[k & 7u]; }
            }",
    },
    Kernel {
        least: &[1, 1, 1],
        text: "
            enable f16;
            @group(0) @binding(0) var<storage, read_write> h: array<f16>;
            @group(0) @binding(1) var<storage, read> g: array<f16>;
            @group(0) @binding(2) var<storage, read> index: array<u32>;
            @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                h[id.x] = g[id.x + 1u] + h[id.x + id.y];
                h[index[id.x]] = g[index[id.x + 3u] * 2u];
            }",
    },
    Kernel {
        least: &[1, 4],
        text: "
            @group(0) @binding(0) var<storage, read> index: array<u32>;
            @group(0) @binding(1) var<storage, read_write> data: array<vec4<u32>>;
            var<workgroup> w: array<u32, 64>;
            @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
                let j = index[index[id.x]];
                let k = index[id.x + 7u] % 64u;
                let a = data[j].x + data[j].w + w[k];
                workgroupBarrier();
                w[l] = a;
                workgroupBarrier();
                data[j].z = w[k];
                for (var t = 0u; t < 3u; t++) {
                    workgroupBarrier();
                    w[l ^ t] = data[j + t].y + index[j];
                }
                data[j].y = w[l ^ 3u];
            }",
    },
    Kernel {
        least: &[12, 3],
        text: "
            @group(0) @binding(0) var<storage, read_write> m: array<mat2x3<f32>>;
            @group(0) @binding(1) var<storage, read> n: vec3<u32>;
            var<private> own: array<u32, 7>;
            @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                for (var k = 0u; k < 9u; k++) { own[k] = id.x * k; }
                let c = n[id.x];
                m[c][c][c] = f32(own[n.x] + own[id.x]);
                if (n.y < 5u) { own[n.y] = 2u; m[n.y] += m[n.z]; }
                m[id.x + n.x][1] = m[own[c]][0];
            }",
    },
    Kernel {
        least: &[4, 1],
        text: "
            @group(0) @binding(0) var<storage, read_write> data: array<vec4<u32>>;
            @group(0) @binding(1) var<storage, read> index: array<u32>;
            fn step(p: ptr<function, array<u32, 5>>, i: u32) { (*p)[i] += data[i].y + 1u; }
            fn steps(p: ptr<function, array<u32, 5>>, i: u32) {
                for (var k = 0u; k < 3u; k++) { step(p, i + k); }
            }
            @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
                var list: array<u32, 5>;
                steps(&list, index[id.x]);
                if (id.x % 3u == 0u) { steps(&list, id.x); }
                data[list[id.x]].z = list[index[id.y]];
            }",
    },
];

impl Kernel<'_> {
    /// The kernel after all passes.
    pub(crate) fn compiled(&self, lanes: u32, calls: CallPolicy) -> Subject {
        let program = Program::from_wgsl(self.text).unwrap_or_else(|error| panic!("{error}"));
        let mut lowered = lower_with_policy(&program, "main", lanes, calls).unwrap();
        let words = |binding: u32| self.least[binding as usize];
        let extents = Extents::of(&lowered, |_, binding| Some((words(binding), false)));
        let invocations: u32 = lowered.workgroup_size.iter().product();
        let subgroups = invocations.div_ceil(lanes);
        let passes = PassOptions {
            subgroups: if lowered.loops_over_subgroups {
                Subgroups::Looped(subgroups)
            } else {
                Subgroups::Called(subgroups)
            },
            ..PassOptions::default()
        };
        let callees = lowered.callees.into_iter();
        let mut callees: Vec<_> = callees
            .map(|callee| match callee {
                Callee::Function(function) => function,
                _ => panic!("there are no host calls"),
            })
            .collect();
        let mut by_number: Vec<_> = callees.iter_mut().map(Some).collect();
        let calls = match pass::run_kernel(&mut lowered.function, &mut by_number, &passes) {
            Subgroups::Called(calls) => calls,
            _ => 1,
        };
        let bindings: Vec<u32> = (lowered.buffers.iter())
            .map(|bound| match bound {
                BufferSource::Buffer(_, binding) => words(*binding),
                other => panic!("{other:?}"),
            })
            .collect();
        let (workgroup, constants) = (lowered.workgroup_words, lowered.constants.clone());
        let memory = move |seed| memory(&bindings, workgroup, constants.clone(), seed);
        Subject {
            functions: Functions {
                callees,
                entry: lowered.function,
            },
            calls,
            extents,
            memory: Box::new(memory),
        }
    }
}

/// Buffers of the smallest size and larger ones, with small and with arbitrary words.
fn memory(least: &[u32], workgroup: u32, constants: Vec<u32>, seed: u64) -> Memory {
    let mut random = Random::new(seed);
    let mut word = |seed: u64| match seed % 3 {
        0 => random.below(8) as u32,
        1 => random.below(40) as u32,
        _ => random.word(),
    };
    let mut words = |count: u32| (0..count).map(|_| word(seed)).collect::<Vec<_>>();
    let buffers = least.iter().map(|count| count + seed as u32 * 5);
    Memory {
        buffers: buffers.map(&mut words).collect(),
        workgroup: words(workgroup),
        immediates: Vec::new(),
        constants,
    }
}
