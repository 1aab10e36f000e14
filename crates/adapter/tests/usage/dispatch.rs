//! Compute passes: dispatches of every kind, and the state that shaders see.

use anywarp_adapter::AdapterOptions;
use wgpu::BufferUsages as Usage;

use crate::usage::program::{DOUBLE, Gpu};

/// Writes which workgroup and how many there are.
const IDS: &str = "
    @group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
    @compute @workgroup_size(1) fn main(
        @builtin(workgroup_id) id: vec3<u32>,
        @builtin(num_workgroups) count: vec3<u32>,
    ) {
        let number = id.x + count.x * (id.y + count.y * id.z);
        out[number] = vec4(id, count.x * 10000u + count.y * 100u + count.z);
    }";

#[test]
fn a_dispatch() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2, 3, 4, 5]);
    gpu.run(DOUBLE, &[&buffer], 2);
    assert_eq!(gpu.read(&buffer), [2, 4, 6, 8, 10]);
}

#[test]
fn three_dimensions() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[0; 3 * 4 * 5 * 4]);
    let pipeline = gpu.pipeline(IDS);
    let group = gpu.group(&pipeline, &[&buffer]);
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(3, 4, 5);
    });
    let words = gpu.read(&buffer);
    for (number, id) in words.chunks_exact(4).enumerate() {
        let n = number as u32;
        assert_eq!(id, [n % 3, n / 3 % 4, n / 12, 30405]);
    }
}

#[test]
fn dispatches_of_a_pass_see_each_other() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 3]);
    let pipeline = gpu.pipeline(DOUBLE);
    let group = gpu.group(&pipeline, &[&buffer]);
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        for _ in 0..10 {
            pass.dispatch_workgroups(1, 1, 1);
        }
        pass.dispatch_workgroups(0, 1, 1);
    });
    assert_eq!(gpu.read(&buffer), [1024, 3072]);
}

#[test]
fn pipelines_and_groups_alternate() {
    let gpu = Gpu::new();
    let increment = "
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(1) fn main() { data[0] += 1u; }";
    let (a, b) = (gpu.storage(&[1]), gpu.storage(&[10]));
    let (double, increment) = (gpu.pipeline(DOUBLE), gpu.pipeline(increment));
    gpu.pass(|pass| {
        for _ in 0..3 {
            for buffer in [&a, &b] {
                for pipeline in [&double, &increment] {
                    pass.set_pipeline(pipeline);
                    pass.set_bind_group(0, &gpu.group(pipeline, &[buffer]), &[]);
                    pass.dispatch_workgroups(1, 1, 1);
                }
            }
        }
    });
    assert_eq!((gpu.read(&a), gpu.read(&b)), (vec![15], vec![87]));
}

#[test]
fn groups_of_different_numbers() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "@group(2) @binding(3) var<uniform> a: vec4<u32>;
         @group(0) @binding(1) var<storage, read_write> b: array<u32>;
         @compute @workgroup_size(1) fn main() { b[0] = a.y; }",
    );
    let a = gpu.buffer(16, Usage::UNIFORM | Usage::COPY_DST);
    gpu.queue
        .write_buffer(&a, 0, bytemuck::cast_slice(&[1u32, 42, 3, 4]));
    let b = gpu.storage(&[0]);
    let group = |index, binding, buffer: &wgpu::Buffer| {
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(index),
            entries: &[wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            }],
        })
    };
    gpu.pass(|pass| {
        pass.set_bind_group(2, &group(2, 3, &a), &[]);
        pass.set_bind_group(0, &group(0, 1, &b), &[]);
        pass.set_pipeline(&pipeline);
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert_eq!(gpu.read(&b), [42]);
}

#[test]
fn dynamic_offsets() {
    let gpu = Gpu::new();
    let entry = |binding, read_only| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: true,
            min_binding_size: None,
        },
        count: None,
    };
    let layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[entry(0, true), entry(1, false)],
        });
    let pipeline_layout = gpu
        .device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
    let pipeline = gpu
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &gpu.shader(
                "@group(0) @binding(0) var<storage> source: array<u32>;
                 @group(0) @binding(1) var<storage, read_write> target_: array<u32>;
                 @compute @workgroup_size(1) fn main() {
                     target_[0] = source[0] + arrayLength(&source) * 100u;
                     target_[arrayLength(&target_)] = 77u; // past the binding: no effect
                 }",
            ),
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
    let words: Vec<u32> = (0..256).collect();
    let (source, target) = (gpu.storage(&words), gpu.storage(&[0; 256]));
    let bind = |buffer| wgpu::BufferBinding {
        buffer,
        offset: 0,
        size: wgpu::BufferSize::new(16),
    };
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &layout,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(bind(&source)),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: wgpu::BindingResource::Buffer(bind(&target)),
            },
        ],
    });
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        for offsets in [[0, 256], [256, 512], [512, 0]] {
            pass.set_bind_group(0, &group, &offsets);
            pass.dispatch_workgroups(1, 1, 1);
        }
    });
    let target = gpu.read(&target);
    assert_eq!((target[64], target[128], target[0]), (400, 464, 528));
    assert_eq!(target.iter().filter(|word| **word != 0).count(), 3);
}

#[test]
fn immediates() {
    let gpu = Gpu::full();
    let layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
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
    let pipeline_layout = gpu
        .device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 16,
        });
    let pipeline = gpu
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &gpu.shader(
                "struct Values { place: u32, a: u32, b: vec2<f32> }
                 var<immediate> values: Values;
                 @group(0) @binding(0) var<storage, read_write> out: array<u32>;
                 @compute @workgroup_size(1) fn main() {
                     out[values.place] = values.a + u32(values.b.y);
                 }",
            ),
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
    let out = gpu.storage(&[0; 3]);
    let group = gpu.group(&pipeline, &[&out]);
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_immediates(0, bytemuck::cast_slice(&[0, 7, 0, 2.0f32.to_bits()]));
        pass.dispatch_workgroups(1, 1, 1);
        // A part changes, the rest stays.
        pass.set_immediates(0, bytemuck::cast_slice(&[2u32]));
        pass.dispatch_workgroups(1, 1, 1);
    });
    assert_eq!(gpu.read(&out), [9, 0, 9]);
}

#[test]
fn pipeline_constants() {
    let gpu = Gpu::new();
    let shader = gpu.shader(
        "override width: u32 = 2u;
         @id(7) override scale: f32;
         @group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @compute @workgroup_size(width) fn main(@builtin(local_invocation_index) i: u32) {
             out[i] = u32(scale * 10.0) + width;
         }",
    );
    let run = |constants: &[(&str, f64)]| {
        let pipeline = gpu
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &shader,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    ..Default::default()
                },
                cache: None,
            });
        let out = gpu.storage(&[0; 4]);
        let group = gpu.group(&pipeline, &[&out]);
        gpu.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        gpu.read(&out)
    };
    assert_eq!(run(&[("7", 1.5)]), [17, 17, 0, 0]);
    assert_eq!(run(&[("7", 2.0), ("width", 3.0)]), [23, 23, 23, 0]);
    // A fraction for an integer is cut off, as WebGPU says.
    assert_eq!(run(&[("7", 0.25), ("width", 1.75)]), [3, 0, 0, 0]);
}

#[test]
fn indirect_dispatches() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
         @compute @workgroup_size(2) fn main() { atomicAdd(&count, 1u); }",
    );
    let limit = gpu.device.limits().max_compute_workgroups_per_dimension;
    // Four sets of arguments: ordinary, empty, over the limit, and at an offset after them.
    let arguments = gpu.storage(&[2, 3, 1, 5, 0, 1, 1, limit + 1, 1, 0, 1, 1, 1]);
    let run = |offset: u64| {
        let out = gpu.storage(&[0]);
        let group = gpu.group(&pipeline, &[&out]);
        gpu.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups_indirect(&arguments, offset);
        });
        gpu.read(&out)[0]
    };
    assert_eq!([run(0), run(12), run(24), run(40)], [12, 0, 0, 2]);
}

#[test]
fn indirect_arguments_from_a_shader_of_the_same_pass() {
    let gpu = Gpu::new();
    let arguments = gpu.storage(&[0; 3]);
    let writer = gpu.pipeline(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         @compute @workgroup_size(1) fn main() { a[0] = 2u; a[1] = 2u; a[2] = 1u; }",
    );
    let reader = gpu.pipeline(IDS);
    let out = gpu.storage(&[0; 16]);
    let groups = (
        gpu.group(&writer, &[&arguments]),
        gpu.group(&reader, &[&out]),
    );
    gpu.pass(|pass| {
        pass.set_pipeline(&writer);
        pass.set_bind_group(0, &groups.0, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.set_pipeline(&reader);
        pass.set_bind_group(0, &groups.1, &[]);
        pass.dispatch_workgroups_indirect(&arguments, 0);
    });
    assert_eq!(gpu.read(&out)[12..], [1, 1, 0, 20201]);
}

#[test]
fn debug_groups_and_labels_are_accepted() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[4]);
    let pipeline = gpu.pipeline(DOUBLE);
    let group = gpu.group(&pipeline, &[&buffer]);
    gpu.submit(|encoder| {
        encoder.push_debug_group("outer");
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("pass"),
            timestamp_writes: None,
        });
        pass.push_debug_group("inner");
        pass.insert_debug_marker("here");
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        pass.pop_debug_group();
        drop(pass);
        encoder.insert_debug_marker("there");
        encoder.pop_debug_group();
    });
    assert_eq!(gpu.read(&buffer), [8]);
}

#[test]
fn workgroup_memory_and_barriers() {
    let gpu = Gpu::new();
    let reverse = "
        var<workgroup> shared_: array<u32, 64>;
        @group(0) @binding(0) var<storage, read_write> data: array<u32>;
        @compute @workgroup_size(64) fn main(
            @builtin(local_invocation_index) i: u32,
            @builtin(workgroup_id) group: vec3<u32>,
        ) {
            shared_[i] += data[group.x * 64u + i];
            workgroupBarrier();
            data[group.x * 64u + i] = shared_[63u - i];
        }";
    let words: Vec<u32> = (0..256).collect();
    let buffer = gpu.storage(&words);
    gpu.run(reverse, &[&buffer], 4);
    let expected: Vec<u32> = words
        .chunks(64)
        .flat_map(|part| part.iter().rev().copied())
        .collect();
    assert_eq!(gpu.read(&buffer), expected);
}

/// Work that differs from workgroup to workgroup, with atomics and barriers.
const UNEVEN: &str = "
    var<workgroup> sum: atomic<u32>;
    @group(0) @binding(0) var<storage, read_write> data: array<u32>;
    @group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
    @compute @workgroup_size(8) fn main(
        @builtin(local_invocation_index) i: u32,
        @builtin(workgroup_id) group: vec3<u32>,
    ) {
        var value = group.x * 8u + i;
        for (var step = 0u; step < group.x % 97u; step++) { value = value * 1664525u + 1013904223u; }
        atomicAdd(&sum, value);
        workgroupBarrier();
        data[group.x * 8u + i] = atomicLoad(&sum) ^ value;
        if i == 0u { atomicAdd(&total, atomicLoad(&sum)); }
    }";

#[test]
fn results_do_not_depend_on_threads() {
    let workgroups = 500;
    let results: Vec<_> = [1, 2, 4]
        .map(|threads| {
            let gpu = Gpu::full_with(AdapterOptions::default().threads(threads));
            let data = gpu.storage(&vec![0; workgroups * 8]);
            let total = gpu.storage(&[0]);
            gpu.run(UNEVEN, &[&data, &total], workgroups as u32);
            (gpu.read(&data), gpu.read(&total))
        })
        .into();
    assert!(results[0] == results[1] && results[0] == results[2]);
    assert_ne!(results[0].1, [0]);
}
