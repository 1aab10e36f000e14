//! Graphs on a device with the user's buffers: typed records in and out, and every error by name.

use anywarp_graph::device::{
    BindingError, BoundGraph, BoundGraphBuilder, Checks, DeviceFaults, EntryRecords, InputError,
    OutputCounts, Recording, SharedArena, Step, Steps, Trace,
};
use anywarp_graph::model::{InputAccess, NodeId};
use anywarp_graph::{
    Graph, GraphError, GraphRunner, Node, Output, Plan, Record, RecordType, Report,
};
use bytemuck::{Pod, Zeroable};
use pollster::block_on;
use wgpu::BufferUsages as Usage;

use crate::common::{Gpu, chain};

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Record)]
#[repr(C)]
struct Number {
    id: u32,
    number: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable, Record)]
#[repr(C)]
#[record(name = "Odd")]
struct OddNumber {
    at: [f32; 3],
    halves: [u16; 2],
    #[record(array)]
    history: [i32; 4],
}

const HALVE: &str = "
@group(0) @binding(0) var<storage, read_write> odd: array<u32>;
@group(1) @binding(2) var<uniform> offset: u32;
fn halve() {
    let number = load_input_number();
    if number % 2u == 1u || !is_valid_halve() {
        odd[load_input_id()] = number + offset;
        let found = alloc_thread_odd(1u);
        store_odd_at(found, 0u, vec3<f32>(0.5, f32(number), -1.0));
        store_odd_halves(found, 0u, vec2<u32>(number, 65535u));
        store_odd_history(found, 0u, 3u, -7);
        complete_odd(found);
        return;
    }
    let next = alloc_thread_halve(1u);
    store_halve_id(next, 0u, load_input_id());
    store_halve_number(next, 0u, number / 2u);
    complete_halve(next);
}";

const ODD: &str = "
@group(1) @binding(0) var<storage, read_write> sum: array<atomic<i32>>;
fn odd() {
    atomicAdd(&sum[0], load_input_history(3u) * i32(load_input_halves().x));
}";

fn halve() -> Node {
    Node::thread("halve")
        .entry()
        .input::<Number>()
        .recursion(8)
        .output(Output::to::<Number>("halve", 1))
        .output(Output::to::<OddNumber>("odd", 1))
        .wgsl("halve.wgsl", HALVE)
}

fn odd() -> Node {
    Node::thread("odd")
        .entry()
        .input::<OddNumber>()
        .wgsl("odd.wgsl", ODD)
}

fn graph() -> Graph {
    Graph::builder("halves")
        .node(halve())
        .node(odd())
        .build()
        .unwrap()
}

struct Buffers {
    odd: wgpu::Buffer,
    sum: wgpu::Buffer,
    offset: wgpu::Buffer,
}

impl Buffers {
    fn new(gpu: &Gpu) -> Self {
        let buffer = |size, usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: usage | Usage::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let offset = buffer(4, Usage::UNIFORM);
        gpu.queue.write_buffer(&offset, 0, &100_u32.to_le_bytes());
        Self {
            odd: buffer(12, Usage::STORAGE | Usage::COPY_SRC),
            sum: buffer(4, Usage::STORAGE | Usage::COPY_SRC),
            offset,
        }
    }

    fn bind<'a>(&self, gpu: &Gpu, graph: &'a Graph) -> BoundGraphBuilder<'a> {
        let builder = graph.on(&gpu.device, &gpu.queue);
        builder
            .bind(0, 0, &self.odd)
            .bind(1, 0, &self.sum)
            .bind(1, 2, &self.offset)
    }
}

fn numbers() -> Vec<Number> {
    let numbers = (0..).zip([12, 7, 40]);
    numbers.map(|(id, number)| Number { id, number }).collect()
}

#[test]
fn records_have_types() {
    let mut gpus = Gpu::vulkan("typed records");
    gpus.push(Gpu::cpu());
    for gpu in gpus {
        let buffers = Buffers::new(&gpu);
        let graph = graph();
        let built = buffers.bind(&gpu, &graph).checks(Checks::All).build();
        let runner = block_on(built).unwrap();
        let report = block_on(runner.run([("halve", &numbers()[..])])).unwrap();
        assert_eq!(report.sweeps, 1);
        let odd = block_on(runner.read_buffer::<u32>(&buffers.odd)).unwrap();
        assert_eq!(odd, [103, 107, 105]);
        let sum = block_on(runner.read_buffer::<i32>(&buffers.sum)).unwrap();
        assert_eq!(sum, [-7 * (3 + 7 + 5)]);
        // Several entries with records of different types.
        let one = OddNumber {
            at: [0.0; 3],
            halves: [2, 0],
            history: [0, 0, 0, 5],
        };
        let numbers = numbers();
        let inputs = [
            EntryRecords::repeated("odd", &one, 3),
            EntryRecords::new("halve", &numbers),
        ];
        let (report, trace) = block_on(runner.trace(inputs)).unwrap();
        assert_eq!((report.sweeps, trace.graph.as_str()), (1, "halves"));
        let sum = block_on(runner.read_buffer::<i32>(&buffers.sum)).unwrap();
        assert_eq!(sum, [-2 * 105 + 3 * 2 * 5]);
    }
}

#[test]
fn records_of_a_step_have_types() {
    let gpu = Gpu::cpu();
    let buffers = Buffers::new(&gpu);
    let graph = graph();
    let runner = block_on(buffers.bind(&gpu, &graph).build()).unwrap();
    let mut steps = block_on(runner.step([("halve", &numbers())])).unwrap();
    let halve = NodeId::from("halve");
    let mut seen = Vec::new();
    while let Some(step) = block_on(steps.advance()).unwrap() {
        if let Step::LevelRan { level: 0, .. } = step {
            seen = block_on(steps.typed_records::<Number>(&halve, 1, 0..9)).unwrap();
            let wrong = block_on(steps.typed_records::<OddNumber>(&halve, 1, 0..9));
            let message = chain(&wrong.unwrap_err());
            assert!(
                message.contains("`Odd` for node `halve`, which takes `Number`"),
                "{message}"
            );
        }
    }
    seen.sort_by_key(|number| number.id);
    let half = |id, number| Number { id, number };
    assert_eq!(seen, [half(0, 6), half(2, 20)]);
    let odd = block_on(steps.typed_records::<OddNumber>(&NodeId::from("odd"), 0, 0..9));
    assert!(
        odd.unwrap()
            .iter()
            .all(|record| record.history[3] == -7 && record.at[0] == 0.5)
    );
}

/// A record with the name of another.
mod other {
    use super::{Pod, Record, Zeroable};

    #[derive(Clone, Copy, Pod, Zeroable, Record)]
    #[repr(C)]
    pub(super) struct Number {
        pub(super) id: u32,
        pub(super) number: f32,
    }
}

#[test]
fn every_error_names_what_is_wrong() {
    let gpu = Gpu::cpu();
    gpu.device.on_uncaptured_error(std::sync::Arc::new(|_| ()));
    let buffers = Buffers::new(&gpu);
    let graph = graph();
    let unbound = || graph.on(&gpu.device, &gpu.queue);
    let bound = || buffers.bind(&gpu, &graph);
    let built = |builder: BoundGraphBuilder<'_>| match block_on(builder.build()) {
        Ok(_) => "no error".to_owned(),
        Err(error) => chain(&error),
    };
    let of_graph = |graph: Result<Graph, _>| match graph {
        Ok(graph) => built(buffers.bind(&gpu, &graph)),
        Err(error) => chain(&GraphError::Rule(error)),
    };
    let runner = block_on(bound().build()).unwrap();
    let ran = |input: EntryRecords<'_>| match block_on(runner.run([input])) {
        Ok(_) => "no error".to_owned(),
        Err(error) => chain(&error),
    };
    let wrong = [other::Number { id: 0, number: 1.0 }];
    let (sum, odd_buffer) = (&buffers.sum, &buffers.odd);
    let large = "@group(0) @binding(0) var<storage, read_write> words: array<u32, 4>;
        fn odd() { words[3] = 1u; }";
    let read_only = "@group(0) @binding(0) var<storage, read> words: array<u32>;
        @group(1) @binding(0) var<storage, read_write> sum: u32;
        fn odd() { sum = words[0]; }";
    let texture = "@group(1) @binding(0) var picture: texture_2d<f32>;
        fn odd() { _ = textureDimensions(picture); }";
    let wide = Node::coalescing("odd", 1, [1025, 1, 1])
        .entry()
        .input::<OddNumber>();
    let with = |text: &str| {
        let node = Node::thread("odd")
            .entry()
            .input::<OddNumber>()
            .wgsl("odd.wgsl", text);
        of_graph(Graph::builder("g").node(halve()).node(node).build())
    };
    let cases = [
        (
            built(unbound().bind(0, 0, odd_buffer).bind(1, 0, sum)),
            "graph `halves`: the bindings do not match: node `halve`: `offset` (group 1, binding 2) is not bound",
        ),
        (
            built(bound().bind(1, 1, sum)),
            "graph `halves`: the bindings do not match: no node uses group 1, binding 1",
        ),
        (
            built(bound().bind(1, 0, sum)),
            "graph `halves`: the bindings do not match: group 1, binding 0 is bound twice",
        ),
        (
            built(bound().bind(3, 0, sum)),
            "graph `halves`: the bindings do not match: group 3 belongs to the graph; use groups 0 to 2",
        ),
        (
            built(
                unbound()
                    .bind(0, 0, odd_buffer)
                    .bind(1, 0, sum)
                    .bind(1, 2, sum),
            ),
            "graph `halves`: the bindings do not match: node `halve`: the buffer of `offset` (group 1, binding 2) lacks the usage UNIFORM",
        ),
        (
            with(large),
            "graph `g`: the bindings do not match: node `odd`: `words` (group 0, binding 0) needs 16 bytes, but its buffer has 12",
        ),
        (
            with(read_only),
            "graph `g`: the bindings do not match: group 0, binding 0 is `var<storage, read_write>` in node `halve`, but `var<storage, read>` in node `odd`",
        ),
        (
            with(texture),
            "graph `g`: the bindings do not match: node `odd`: `picture` (group 1, binding 0) is not a buffer; give a whole bind group with `bind_group`",
        ),
        (
            with("fn even() {}"),
            "node `odd`: `odd.wgsl` has no function `odd`",
        ),
        (
            of_graph(Graph::builder("g").node(halve()).node(wide).build()),
            "node `odd`: a workgroup of 1025x1x1 does not have between 1 and 1024 invocations",
        ),
        (
            of_graph(Graph::builder("g").node(halve()).build()),
            "node `halve`: output `odd`: there is no node `odd`",
        ),
        (
            of_graph(
                Graph::builder("g")
                    .node(halve())
                    .node(Node::thread("odd").input_with::<other::Number>(InputAccess::ReadWrite))
                    .build(),
            ),
            "record `Number`: is declared differently by another node: field `number`: expected u32, found f32",
        ),
        (
            of_graph(
                Graph::builder("g")
                    .record(RecordType::of::<Number>())
                    .node(halve())
                    .node(Node::thread("odd").input::<Number>())
                    .build(),
            ),
            "node `halve`: output `odd`: sends `Odd`, but the input of `odd` is `Number`",
        ),
        (
            ran(EntryRecords::new("half", &numbers())),
            "graph `halves`: invalid input or option: input 0: there is no node `half`",
        ),
        (
            ran(EntryRecords::new("halve", &wrong)),
            "graph `halves`: invalid input or option: records of type `Number` for node `halve`, which takes `Number`: field `number`: expected u32, found f32",
        ),
        (
            ran(EntryRecords::empty("halve", 3)),
            "graph `halves`: invalid input or option: empty records for node `halve`, which takes `Number`",
        ),
        (
            match block_on(runner.read_buffer::<[u32; 2]>(odd_buffer)) {
                Ok(_) => "no error".to_owned(),
                Err(error) => chain(&error),
            },
            "a buffer cannot be read back: its size is not a multiple of the size of the elements",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

#[test]
fn public_handles_go_to_other_threads() {
    fn is_sendable<T: Send + Sync>() {}
    is_sendable::<BindingError>();
    is_sendable::<BoundGraph>();
    is_sendable::<BoundGraphBuilder<'_>>();
    is_sendable::<DeviceFaults>();
    is_sendable::<EntryRecords<'_>>();
    is_sendable::<Graph>();
    is_sendable::<GraphError>();
    is_sendable::<GraphRunner>();
    is_sendable::<InputError>();
    is_sendable::<OutputCounts>();
    is_sendable::<Plan>();
    is_sendable::<Recording<'_>>();
    is_sendable::<Report>();
    is_sendable::<SharedArena>();
    is_sendable::<Steps<'_>>();
    is_sendable::<Trace>();
}
