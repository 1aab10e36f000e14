//! Inspection of a graph with every launch mode: in steps, as a trace, in checked mode, and on a
//! device that is lost.

use anywarp_adapter::AdapterOptions;
use anywarp_graph::device::{Breadcrumbs, Checks, CpuRecords, OutputCounts, Step, TraceClock};
use anywarp_graph::model::{FieldType, Grid, InputAccess, NodeId, Scalar};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::record::FieldValue;
use anywarp_graph::{
    Graph, GraphError, GraphOptions, GraphRunner, Input, Node, Output, Plan, RecordType,
};
use anywarp_program::Source;
use std::time::Duration;

use crate::common::chain;

/// A device, the buffer that its nodes count in, and a bind group of that.
struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    sums: wgpu::Buffer,
    layout: wgpu::BindGroupLayout,
    group: wgpu::BindGroup,
}

impl Gpu {
    fn new(adapter: &wgpu::Adapter, features: wgpu::Features) -> Self {
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: features,
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        let sums = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 64,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: false },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: sums.as_entire_binding(),
            }],
        });
        Self {
            device,
            queue,
            sums,
            layout,
            group,
        }
    }

    fn cpu(features: wgpu::Features) -> Self {
        Self::new(
            &anywarp_adapter::adapter(AdapterOptions::default()),
            features,
        )
    }

    fn runner(&self, graph: &Graph, memory: u64, breadcrumbs: Breadcrumbs) -> GraphRunner {
        let options = GraphOptions {
            plan: PlanOptions::default().memory(memory).input_records(10),
            bind_group_layouts: &[&self.layout],
            checks: Checks::All,
            output_counts: OutputCounts::On,
            breadcrumbs,
            ..Default::default()
        };
        let runner = GraphRunner::new(&self.device, &self.queue, graph, options);
        pollster::block_on(runner).unwrap()
    }

    fn read(&self) -> Vec<u32> {
        let read = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 64,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.sums, 0, &read, 0, 64);
        self.queue.submit([encoder.finish()]);
        read.map_async(wgpu::MapMode::Read, .., |_| ());
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .unwrap();
        bytemuck::cast_slice(&read.get_mapped_range(..).unwrap()).to_vec()
    }
}

const USER: &str = "@group(0) @binding(0) var<storage, read_write> sums: array<atomic<u32>>;\n";

fn node(node: Node, text: &str) -> Node {
    let name = format!("{}.wgsl", node.id.name);
    node.source(Source::new(name, format!("{USER}{text}")))
}

fn graph() -> Graph {
    Graph::builder("smoke")
        .record(RecordType::new("Cell").field("value", FieldType::U32))
        .record(
            RecordType::new("Tile")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::of(Scalar::U16, 3)),
        )
        .node(node(
            Node::thread("split")
                .entry()
                .input_type("Cell")
                .recursion(3)
                .output(Output::of_type("split", "Cell", 2))
                .output(Output::of_type("tile", "Tile", 1)),
            "fn split() {
                atomicAdd(&sums[0], 1u);
                let v = load_input_value();
                if is_valid_split() {
                    let r = alloc_thread_split(2u);
                    store_split_value(r, 0u, 2u * v);
                    store_split_value(r, 1u, 2u * v + 1u);
                    complete_split(r);
                } else {
                    let r = alloc_thread_tile(1u);
                    store_tile_value(r, 0u, v);
                    store_tile_grid(r, 0u, vec3<u32>(v % 3u, 2u, 1u));
                    complete_tile(r);
                }
            }",
        ))
        .node(node(
            Node::broadcasting("tile", Grid::Dynamic { max: [4, 4, 4] }, [4, 1, 1])
                .input_type_with("Tile", InputAccess::Tracked)
                .output(Output::of_type("leaf", "Cell", 8)),
            "fn tile(group_id: vec3<u32>, local_index: u32, grid: vec3<u32>) {
                if local_index == 0u { atomicAdd(&sums[1], 1u); }
                atomicAdd(&sums[2], group_id.x + 10u * group_id.y + grid.x);
                let g = alloc_group_leaf(4u);
                store_leaf_value(g, local_index, local_index + 1u);
                complete_leaf(g);
                if local_index == 1u { atomicAdd(&sums[3], atomic_add_input_value(0u)); }
                if finished_cross_group_sharing() {
                    let r = alloc_thread_leaf(1u);
                    store_leaf_value(r, 0u, 100u);
                    complete_leaf(r);
                }
            }",
        ))
        .node(node(
            Node::coalescing("leaf", 3, [4, 1, 1]).input_type("Cell"),
            "fn leaf(local_index: u32, input_count: u32) {
                if local_index < input_count {
                    atomicAdd(&sums[4], 1u);
                    atomicAdd(&sums[5], load_input_value(local_index));
                }
                if local_index == 0u { atomicAdd(&sums[6], 1u); }
            }",
        ))
        .build()
        .unwrap()
}

fn minimum(graph: &Graph) -> u64 {
    let plan = Plan::new(graph, &PlanOptions::default()).unwrap();
    plan.minimum_bytes()
}

fn check(sums: &[u32]) {
    let groups: u32 = (0..80).map(|v| v % 3 * 2).sum();
    let tiles = (0..80).filter(|v| v % 3 > 0).count() as u32;
    assert_eq!(sums[0], 10 + 20 + 40 + 80);
    assert_eq!(sums[1], groups);
    assert_eq!(sums[4], 4 * groups + 4 * tiles);
    assert_eq!(sums[5], 10 * groups + 400 * tiles);
}

const VALUES: [u32; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

fn input() -> Input<'static> {
    Input::Cpu(CpuRecords::new("split", 10, bytemuck::cast_slice(&VALUES)))
}

#[test]
fn a_level_at_a_time() {
    let graph = graph();
    for memory in [1 << 20, minimum(&graph)] {
        let gpu = Gpu::cpu(wgpu::Features::empty());
        let runner = gpu.runner(&graph, memory, Breadcrumbs::Off);
        let groups = [&gpu.group];
        let mut steps = pollster::block_on(runner.step(&input(), &groups)).unwrap();
        let mut sweeps = 0;
        while let Some(step) = pollster::block_on(steps.advance()).unwrap() {
            match step {
                Step::SweepBegan { sweep: 0 } if memory == 1 << 20 => {
                    let records =
                        pollster::block_on(steps.records(&NodeId::from("split"), 0, 0..99));
                    let values = records.unwrap();
                    let values: Vec<_> = values.iter().map(|record| record.get("value")).collect();
                    let expected: Vec<_> =
                        VALUES.iter().map(|v| FieldValue::U32(vec![*v])).collect();
                    assert_eq!(values, expected.iter().map(Some).collect::<Vec<_>>());
                    for range in [2..5, 8..99, 10..11, 20..30, 3..3] {
                        let split = NodeId::from("split");
                        let some = steps.records(&split, 0, range.clone());
                        let some = pollster::block_on(some).unwrap();
                        let some: Vec<_> = some.iter().map(|record| record.get("value")).collect();
                        let end = range.end.min(10) as usize;
                        let expected = expected.get(range.start as usize..end).unwrap_or_default();
                        assert_eq!(some, expected.iter().map(Some).collect::<Vec<_>>());
                    }
                }
                Step::LevelRan {
                    level: 3, stages, ..
                } if memory == 1 << 20 => {
                    assert_eq!(stages.len(), 1);
                    assert_eq!(
                        (stages[0].records, stages[0].launched, stages[0].held),
                        (80, 80, 0)
                    );
                    let tile = NodeId::from("tile");
                    let mut tiles =
                        pollster::block_on(steps.records(&tile, 0, 0..u32::MAX)).unwrap();
                    tiles.sort_by_key(|tile| tile.to_string());
                    assert_eq!(tiles.len(), 80);
                    assert_eq!(tiles[0].to_string(), "{ value: 0, grid: (0, 2, 1) }");
                    // The level has consumed its own records, but they can still be read.
                    let split = pollster::block_on(steps.records(&NodeId::from("split"), 3, 0..80));
                    assert_eq!(split.unwrap().len(), 80);
                }
                Step::SweepEnded { .. } => sweeps += 1,
                _ => {}
            }
        }
        assert_eq!(steps.report().unwrap().sweeps, sweeps);
        assert!(memory == 1 << 20 || sweeps > 100);
        let unknown = pollster::block_on(steps.records(&NodeId::from("split"), 4, 0..1));
        let error = unknown.unwrap_err();
        assert_eq!(
            chain(&error),
            "graph `smoke`: invalid input or option: there is no node `split` at recursion step 4"
        );
        drop(steps);
        check(&gpu.read());
    }
}

#[test]
fn empty_records_are_only_counted() {
    let graph = Graph::builder("ticks")
        .node(node(
            Node::broadcasting("tick", Grid::Fixed([1, 1, 1]), [1, 1, 1]).entry(),
            "fn tick() { atomicAdd(&sums[0], 1u); }",
        ))
        .build()
        .unwrap();
    let gpu = Gpu::cpu(wgpu::Features::empty());
    let runner = gpu.runner(&graph, 1 << 20, Breadcrumbs::Off);
    let input = Input::Cpu(CpuRecords::new("tick", 10, &[]));
    let groups = [&gpu.group];
    let mut steps = pollster::block_on(runner.step(&input, &groups)).unwrap();
    pollster::block_on(steps.advance()).unwrap();
    let tick = NodeId::from("tick");
    // There may be 2^31 empty records, so they are only counted.
    assert_eq!(steps.count(&tick, 0).unwrap(), 10);
    let records = pollster::block_on(steps.records(&tick, 0, 0..u32::MAX));
    assert_eq!(records.unwrap(), []);
}

#[test]
fn a_trace_has_every_stage() {
    for (features, clock) in [
        (wgpu::Features::TIMESTAMP_QUERY, TraceClock::Device),
        (wgpu::Features::empty(), TraceClock::Host),
    ] {
        let gpu = Gpu::cpu(features);
        let runner = gpu.runner(&graph(), 1 << 20, Breadcrumbs::Off);
        let traced = pollster::block_on(runner.trace(&input(), &[&gpu.group]));
        let (report, trace) = traced.unwrap();
        check(&gpu.read());
        assert_eq!(trace.clock, clock);
        // Six admissions and six stages; the host fed the input.
        assert_eq!(trace.spans.len(), 12);
        let tile = trace.spans.iter().find(|span| span.name == "tile").unwrap();
        assert_eq!(tile.counts, report.stages[4]);
        assert_eq!(
            (tile.counts.records_in, tile.bytes_in, tile.level),
            (80, 1280, Some(4))
        );
        assert!(trace.spans.iter().map(|span| span.duration).sum::<f64>() > 0.0);
        assert!(trace.to_string().contains("split +3"), "{trace}");
        let json: serde_json::Value = serde_json::from_str(&trace.to_perfetto()).unwrap();
        // Five tracks, including the runtime's and the process, have names.
        assert_eq!(json["traceEvents"].as_array().unwrap().len(), 12 + 4 + 1);
    }
}

#[test]
fn nodes_called_as_the_runtimes_work_are_traced_apart() {
    let names = ["begin", "admission", "runtime", "copy"];
    let mut builder = Graph::builder("names");
    for name in names {
        let text = format!("fn {name}() {{ atomicAdd(&sums[0], 1u); }}");
        builder = builder.node(node(Node::thread(name).entry(), &text));
    }
    let gpu = Gpu::cpu(wgpu::Features::empty());
    let runner = gpu.runner(&builder.build().unwrap(), 1 << 20, Breadcrumbs::Off);
    let inputs = names.map(|name| CpuRecords::new(name, 3, &[]));
    let traced = pollster::block_on(runner.trace(&Input::MultiCpu(&inputs), &[&gpu.group]));
    let (_, trace) = traced.unwrap();
    assert_eq!(gpu.read()[0], 12);
    // Two lines of heading, admission, four nodes.
    assert_eq!(trace.to_string().lines().count(), 2 + 1 + 4, "{trace}");
    let json: serde_json::Value = serde_json::from_str(&trace.to_perfetto()).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let tracks = |category: &str| -> Vec<_> {
        let events = events.iter().filter(|event| event["cat"] == category);
        events.map(|event| event["tid"].as_u64().unwrap()).collect()
    };
    assert_eq!(tracks("runtime"), [0]);
    assert_eq!(tracks("node"), [1, 2, 3, 4]);
}

#[test]
fn a_lost_device_names_graph_level_and_node() {
    let endless = Graph::builder("endless")
        .node(node(
            Node::thread("first")
                .entry()
                .output(Output::empty_to("second", 1)),
            "fn first() { count_thread_second(1u); }",
        ))
        .node(node(
            Node::thread("second"),
            "fn second() { loop { if atomicAdd(&sums[0], 1u) == 0xffffffffu { break; } } }",
        ))
        .build()
        .unwrap();
    let adapter =
        anywarp_adapter::adapter(AdapterOptions::default().watchdog(Duration::from_millis(100)));
    for (breadcrumbs, place) in [
        (Breadcrumbs::PerNode, "at level 1 in node `second`"),
        (
            Breadcrumbs::Off,
            "somewhere in levels 0 to 1; use breadcrumbs or steps to find the level",
        ),
    ] {
        let gpu = Gpu::new(&adapter, wgpu::Features::empty());
        gpu.device.on_uncaptured_error(std::sync::Arc::new(|_| ()));
        let runner = gpu.runner(&endless, 1 << 20, breadcrumbs);
        let input = Input::Cpu(CpuRecords::new("first", 1, &[]));
        let error = pollster::block_on(runner.run(&input, &[&gpu.group])).unwrap_err();
        let message = chain(&error);
        assert!(matches!(error, GraphError::Lost { .. }), "{message}");
        let start = format!("graph `endless`: the device was lost {place}: ");
        assert!(message.starts_with(&start), "{message}");
    }
}

#[test]
fn wrong_bind_groups_are_an_error() {
    let gpu = Gpu::cpu(wgpu::Features::empty());
    let runner = gpu.runner(&graph(), 1 << 20, Breadcrumbs::Off);
    let error = pollster::block_on(runner.run(&input(), &[])).unwrap_err();
    assert_eq!(
        chain(&error),
        "graph `smoke`: invalid input or option: 0 bind groups were given, but there are 1 layouts"
    );
}
