//! What the runtime itself costs: a table for every device.
//!
//! `levels`: 32 levels that pass one empty record on; microseconds of a level, by the host's clock over a
//! whole run and by the device's over its passes. `edge`: records of 16 bytes through one edge, each
//! made and read by an invocation of its own, next to the same as two passes written by hand, with one
//! counter and one indirect dispatch. Every number is the median of several runs, both in turns. Words
//! given as arguments choose among the devices by name; one that fits none is an error.

#![expect(clippy::print_stdout, reason = "the table is the result")]

#[path = "devices/mod.rs"]
mod devices;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{FieldType, Grid, NodeId, Scalar};
use anywarp_graph::plan::PlanOptions;
use anywarp_graph::{Graph, GraphOptions, GraphRunner, Input, Node, Output, RecordType};
use anywarp_program::Source;

const ROUNDS: usize = 15;
/// Records of one workgroup.
const WIDTH: u32 = 256;

struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
}

impl Gpu {
    fn open(adapter: &wgpu::Adapter) -> Self {
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).expect("a device");
        Self { device, queue }
    }

    fn runner(&self, graph: &Graph, options: GraphOptions<'_>) -> GraphRunner {
        let runner = GraphRunner::new(&self.device, &self.queue, graph, options);
        pollster::block_on(runner).unwrap_or_else(|error| panic!("{error}"))
    }

    fn storage(&self, size: u64) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::INDIRECT
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    fn wait(&self) {
        let waited = self.device.poll(wgpu::PollType::wait_indefinitely());
        waited.expect("the device lives");
    }

    fn layout(&self, read_only: &[bool]) -> wgpu::BindGroupLayout {
        let entries: Vec<_> = (0..)
            .zip(read_only)
            .map(|(binding, &read_only)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        (self.device).create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        })
    }

    fn group(&self, layout: &wgpu::BindGroupLayout, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    fn pipeline(
        &self,
        module: &wgpu::ShaderModule,
        entry: &str,
        layout: &wgpu::BindGroupLayout,
    ) -> wgpu::ComputePipeline {
        let layout = self
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(layout)],
                immediate_size: 0,
            });
        (self.device).create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module,
            entry_point: Some(entry),
            compilation_options: Default::default(),
            cache: None,
        })
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn timed(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// A chain as long as is allowed.
fn chain() -> Graph {
    let levels = 32;
    let name = |level: u32| format!("n{level}");
    let mut builder = Graph::builder("levels");
    for level in 0..levels {
        let next = name(level + 1);
        let id = name(level);
        let mut node = Node::thread(id.as_str());
        let body = if level + 1 < levels {
            node = node.output(Output::empty_to(next.as_str(), 1));
            format!("count_thread_{next}(1u);")
        } else {
            String::new()
        };
        node.entry = level == 0;
        let text = format!("fn {id}() {{ {body} }}");
        builder = builder.node(node.source(Source::new("chain.wgsl", text)));
    }
    builder.build().expect("a chain")
}

fn levels(gpu: &Gpu) {
    let graph = chain();
    let runner = gpu.runner(&graph, GraphOptions::default());
    let input = Input::Cpu(CpuRecords::new("n0", 1, &[]));
    let run = || {
        let report = pollster::block_on(runner.run(&input, &[]));
        assert_eq!(report.unwrap_or_else(|error| panic!("{error}")).sweeps, 1);
    };
    run();
    let host = median((0..ROUNDS).map(|_| timed(run)).collect());
    let device = median(
        (0..ROUNDS)
            .map(|_| {
                let traced = pollster::block_on(runner.trace(&input, &[]));
                let (_, trace) = traced.unwrap_or_else(|error| panic!("{error}"));
                let spans = trace.spans.iter().filter(|span| span.stage.is_none());
                Duration::from_nanos(spans.map(|span| span.duration).sum::<f64>() as u64)
            })
            .collect(),
    );
    let levels = f64::from(graph.levels());
    println!(
        "levels: {:8.1} us a level for a whole run, {:8.1} us in passes between levels",
        host / levels,
        device / levels
    );
}

const HASH: &str =
    "fn mix(x: u32) -> u32 { let y = (x ^ (x >> 16u)) * 0x7feb352du; return y ^ (y >> 15u); }\n";

fn edge_graph(groups: u32) -> Graph {
    let users = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n";
    let make = format!(
        "{HASH}fn make(global_id: vec3<u32>) {{
            let i = global_id.x;
            let r = alloc_thread_take(1u);
            store_take_id(r, 0u, i);
            store_take_v(r, 0u, vec3<u32>(mix(i), i + 1u, i ^ 5u));
            complete_take(r);
        }}"
    );
    let take = format!(
        "{users}fn take() {{
            let v = load_input_v();
            out[load_input_id()] = v.x + v.y * v.z;
        }}"
    );
    Graph::builder("edge")
        .record(
            RecordType::new("R")
                .field("id", FieldType::U32)
                .field("v", FieldType::of(Scalar::U32, 3)),
        )
        .node(
            Node::broadcasting("make", Grid::Fixed([groups, 1, 1]), [WIDTH, 1, 1])
                .entry()
                .output(Output::of_type("take", "R", WIDTH))
                .source(Source::new("make.wgsl", make)),
        )
        .node(
            Node::thread("take")
                .input_type("R")
                .source(Source::new("take.wgsl", take)),
        )
        .build()
        .expect("an edge")
}

/// The same as two passes.
struct ByHand {
    make: wgpu::ComputePipeline,
    plan: wgpu::ComputePipeline,
    take: wgpu::ComputePipeline,
    made: wgpu::BindGroup,
    planned: wgpu::BindGroup,
    taken: wgpu::BindGroup,
    counter: wgpu::Buffer,
    arguments: wgpu::Buffer,
}

impl ByHand {
    fn new(gpu: &Gpu, records: u32, out: &wgpu::Buffer) -> Self {
        let text = format!(
            "{HASH}struct R {{ id: u32, a: u32, b: u32, c: u32 }}
            @group(0) @binding(0) var<storage, read_write> counter: atomic<u32>;
            @group(0) @binding(1) var<storage, read_write> made: array<R>;
            @group(0) @binding(0) var<storage, read> count: u32;
            @group(0) @binding(1) var<storage, read_write> arguments: array<u32, 3>;
            @group(0) @binding(1) var<storage, read> records: array<R>;
            @group(0) @binding(2) var<storage, read_write> out: array<u32>;
            @group(0) @binding(3) var<storage, read> x: array<u32, 3>;
            @compute @workgroup_size({WIDTH}) fn make(@builtin(global_invocation_id) id: vec3<u32>) {{
                let i = id.x;
                made[atomicAdd(&counter, 1u)] = R(i, mix(i), i + 1u, i ^ 5u);
            }}
            @compute @workgroup_size(1) fn plan() {{
                let groups = (count + 63u) / 64u;
                let y = (groups + 65534u) / 65535u;
                arguments[0] = (groups + y - 1u) / max(y, 1u);
                arguments[1] = y;
                arguments[2] = 1u;
            }}
            @compute @workgroup_size(64) fn take(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {{
                let i = (group.y * x[0] + group.x) * 64u + me;
                if i >= count {{ return; }}
                let r = records[i];
                out[r.id] = r.a + r.b * r.c;
            }}"
        );
        let module = gpu
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
        let counter = gpu.storage(4);
        let arguments = gpu.storage(12);
        let made = gpu.storage(16 * u64::from(records));
        let make_layout = gpu.layout(&[false, false]);
        let plan_layout = gpu.layout(&[true, false]);
        let take_layout = gpu.layout(&[true, true, false, true]);
        Self {
            make: gpu.pipeline(&module, "make", &make_layout),
            plan: gpu.pipeline(&module, "plan", &plan_layout),
            take: gpu.pipeline(&module, "take", &take_layout),
            made: gpu.group(&make_layout, &[&counter, &made]),
            planned: gpu.group(&plan_layout, &[&counter, &arguments]),
            taken: gpu.group(&take_layout, &[&counter, &made, out, &arguments]),
            counter,
            arguments,
        }
    }

    fn run(&self, gpu: &Gpu, groups: u32) {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&self.counter, 0, None);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.make);
        pass.set_bind_group(0, &self.made, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        pass.set_pipeline(&self.plan);
        pass.set_bind_group(0, &self.planned, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&self.take);
        pass.set_bind_group(0, &self.taken, &[]);
        pass.dispatch_workgroups_indirect(&self.arguments, 0);
        drop(pass);
        gpu.queue.submit([encoder.finish()]);
        gpu.wait();
    }
}

fn edge(gpu: &Gpu, records: u32) {
    let groups = records / WIDTH;
    let graph = edge_graph(groups);
    let out = gpu.storage(4 * u64::from(records));
    let layout = gpu.layout(&[false]);
    let group = gpu.group(&layout, &[&out]);
    let options = GraphOptions {
        plan: PlanOptions::default()
            .memory(16 * u64::from(records))
            .input_records(1),
        bind_group_layouts: &[&layout],
        ..Default::default()
    };
    let runner = gpu.runner(&graph, options);
    let input = Input::Cpu(CpuRecords::new(NodeId::from("make"), 1, &[]));
    let by_graph = || {
        let report = pollster::block_on(runner.run(&input, &[&group]));
        assert_eq!(report.unwrap_or_else(|error| panic!("{error}")).sweeps, 1);
    };
    let hand = ByHand::new(gpu, records, &out);
    let by_hand = || hand.run(gpu, groups);
    by_graph();
    by_hand();
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        times.0.push(timed(by_graph));
        times.1.push(timed(by_hand));
    }
    let (graph_time, hand_time) = (median(times.0), median(times.1));
    println!(
        "edge:   {records} records: graph {graph_time:.0} us, by hand {hand_time:.0} us, {:.2} times; {} bytes a record",
        graph_time / hand_time,
        runner.plan().bytes() / u64::from(records)
    );
}

fn main() -> ExitCode {
    let adapters = match devices::chosen() {
        Ok(adapters) => adapters,
        Err(error) => {
            println!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    for adapter in adapters {
        let info = adapter.get_info();
        println!("{}", info.name);
        let gpu = Gpu::open(&adapter);
        levels(&gpu);
        // The evaluator behind our own adapter takes its time.
        let is_ours = info.driver == "anywarp";
        let records = if is_ours { 1 << 16 } else { 6 << 20 };
        edge(&gpu, records);
    }
    ExitCode::SUCCESS
}
