//! A wgpu program and its test, without a GPU.

use anywarp::wgpu;
use wgpu::BufferUsages as Usage;

const SHADER: &str = "
    @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
    @compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&numbers) { numbers[id.x] *= numbers[id.x]; }
    }";

#[test]
fn numbers_are_squared() {
    let instance = anywarp::instance(); // was: wgpu::Instance::new(..)
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let (device, queue) = pollster::block_on(adapter.request_device(&Default::default())).unwrap();

    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage,
            mapped_at_creation: false,
        })
    };
    let numbers = buffer(Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC);
    let result = buffer(Usage::MAP_READ | Usage::COPY_DST);
    queue.write_buffer(&numbers, 0, bytemuck::cast_slice(&[1_u32, 2, 3, 4]));

    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("square.wgsl"),
        source: wgpu::ShaderSource::Wgsl(SHADER.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("square"),
        compilation_options: Default::default(),
        cache: None,
    });
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: numbers.as_entire_binding(),
        }],
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&numbers, 0, &result, 0, 16);
    queue.submit([encoder.finish()]);

    result.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let bytes = result.get_mapped_range(..).unwrap();
    assert_eq!(
        bytemuck::pod_collect_to_vec::<u8, u32>(&bytes),
        [1, 4, 9, 16]
    );
}
