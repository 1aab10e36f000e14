//! One graph with every launch mode.

use anywarp_graph::*;
use anywarp_program::Source;
use std::io::Write;

fn devices() -> Vec<(String, wgpu::Device, wgpu::Queue)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = vec![anywarp_adapter::adapter(Default::default())];
    adapters.extend(pollster::block_on(
        instance.enumerate_adapters(wgpu::Backends::VULKAN),
    ));
    adapters
        .into_iter()
        .map(|adapter| {
            let request = adapter.request_device(&Default::default());
            let (device, queue) = pollster::block_on(request).unwrap();
            (adapter.get_info().name, device, queue)
        })
        .collect()
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
                .input("Cell")
                .recursion(3)
                .output(Output::to("split", "Cell", 2))
                .output(Output::to("tile", "Tile", 1)),
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
                .input_with("Tile", Access::Tracked)
                .output(Output::to("leaf", "Cell", 8)),
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
            Node::coalescing("leaf", 3, [4, 1, 1]).input("Cell"),
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

#[test]
fn every_mode() {
    for memory in [1 << 20, 0] {
        for (name, device, queue) in devices() {
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
            let graph = graph();
            let memory = match memory {
                0 => Plan::new(&graph, &PlanOptions::default())
                    .unwrap()
                    .minimum_bytes(),
                memory => memory,
            };
            let runner = pollster::block_on(GraphRunner::new(
                &device,
                &queue,
                &graph,
                GraphOptions {
                    plan: PlanOptions {
                        memory,
                        input_records: 10,
                    },
                    bind_group_layouts: &[&layout],
                    checked: true,
                    counted: true,
                    ..Default::default()
                },
            ))
            .unwrap_or_else(|error| panic!("{error}"));
            let _ = writeln!(std::io::stderr(), "{name}\n{}", runner.plan());
            let values: Vec<u32> = (0..10).collect();
            let input = Input::Cpu(CpuRecords::new("split", 10, bytemuck::cast_slice(&values)));
            let report = pollster::block_on(runner.run(&input, &[&group]));
            let report = report.unwrap_or_else(|error| panic!("{error}"));
            let _ = writeln!(std::io::stderr(), "{report:?}");
            let read = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 64,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&sums, 0, &read, 0, 64);
            queue.submit([encoder.finish()]);
            read.map_async(wgpu::MapMode::Read, .., |_| ());
            device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
            let sums: Vec<u32> = bytemuck::cast_slice(&read.get_mapped_range(..).unwrap()).to_vec();
            let _ = writeln!(std::io::stderr(), "{sums:?}");
            let leaves: Vec<u32> = (0..80).collect();
            let groups: u32 = leaves.iter().map(|v| v % 3 * 2).sum();
            let with: u32 = leaves.iter().filter(|v| *v % 3 > 0).count() as u32;
            assert_eq!(sums[0], 10 + 20 + 40 + 80);
            assert_eq!(sums[1], groups);
            assert_eq!(sums[4], 4 * groups + 4 * with);
            assert_eq!(sums[5], 10 * groups + 400 * with);
        }
    }
}
