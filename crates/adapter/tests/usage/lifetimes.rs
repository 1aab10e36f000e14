//! Orders of dropping: whatever is dropped first, submitted work ends and nothing is accessed after it is freed.

use wgpu::BufferUsages as Usage;

use crate::usage::program::{DOUBLE, Gpu};

/// A submission that takes some milliseconds.
fn busy(gpu: &Gpu) -> wgpu::Buffer {
    let buffer = gpu.storage(&vec![1; 1 << 14]);
    gpu.run(DOUBLE, &[&buffer], 1 << 12);
    buffer
}

#[test]
fn buffers_first() {
    let gpu = Gpu::new();
    drop(busy(&gpu));
    busy(&gpu).destroy();
    gpu.wait();
}

#[test]
fn device_first() {
    let Gpu { device, queue } = Gpu::new();
    let gpu = Gpu {
        device: device.clone(),
        queue: queue.clone(),
    };
    let buffer = busy(&gpu);
    drop(gpu);
    drop(device);
    queue.write_buffer(&buffer, 0, &[0; 4]);
    queue.submit([]);
    drop(queue);
    drop(buffer);
}

#[test]
fn queue_first() {
    let gpu = Gpu::new();
    let buffer = busy(&gpu);
    let Gpu { device, queue } = gpu;
    drop(queue);
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    drop(device);
    drop(buffer);
}

#[test]
fn pipelines_and_groups_before_the_submit() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2]);
    let pipeline = gpu.pipeline(DOUBLE);
    let group = gpu.group(&pipeline, &[&buffer]);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop((pipeline, group));
    drop(pass);
    gpu.queue.submit([encoder.finish()]);
    assert_eq!(gpu.read(&buffer), [2, 4]);
}

#[test]
fn encoders_and_command_buffers_that_are_never_submitted() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2]);
    let mut abandoned = gpu.device.create_command_encoder(&Default::default());
    abandoned.clear_buffer(&buffer, 0, None);
    drop(abandoned);
    let mut finished = gpu.device.create_command_encoder(&Default::default());
    finished.clear_buffer(&buffer, 0, None);
    drop(finished.finish());
    assert_eq!(gpu.read(&buffer), [1, 2]);
}

#[test]
fn mapped_buffers_and_pending_mappings() {
    let gpu = Gpu::new();
    let mapped = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    gpu.try_map(&mapped).unwrap();
    let pending = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    pending.map_async(wgpu::MapMode::Read, .., |_| {});
    drop((mapped, pending));
    drop(gpu);
}

#[test]
fn destroyed_devices() {
    let gpu = Gpu::new();
    let buffer = busy(&gpu);
    gpu.device.destroy();
    gpu.wait();
    drop(buffer);
    assert_eq!(anywarp_adapter::lost_message(&gpu.device), None);
}

#[test]
fn many_devices_come_and_go() {
    for _ in 0..50 {
        let gpu = Gpu::new();
        let buffer = gpu.storage(&[3]);
        assert_eq!(gpu.read(&buffer), [3]);
    }
}
