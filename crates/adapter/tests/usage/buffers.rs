//! Buffers: making, writing, copying, clearing, mapping, and sizes beyond 4 GiB.

use wgpu::BufferUsages as Usage;

use crate::usage::program::Gpu;

#[test]
fn new_buffers_are_zero() {
    let gpu = Gpu::new();
    let buffer = gpu.buffer(64, Usage::COPY_SRC);
    assert_eq!(gpu.read(&buffer), [0; 16]);
}

#[test]
fn write_buffer_then_read() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2, 3, 4]);
    gpu.queue.write_buffer(&buffer, 8, &7u32.to_le_bytes());
    assert_eq!(gpu.read(&buffer), [1, 2, 7, 4]);
}

#[test]
fn write_buffer_with_a_view() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2, 3]);
    let size = wgpu::BufferSize::new(8).unwrap();
    let mut view = gpu.queue.write_buffer_with(&buffer, 4, size).unwrap();
    view.copy_from_slice(bytemuck::cast_slice(&[8u32, 9]));
    drop(view);
    assert_eq!(gpu.read(&buffer), [1, 8, 9]);
}

#[test]
fn writes_and_submits_keep_their_order() {
    let gpu = Gpu::new();
    let (a, b) = (gpu.storage(&[1]), gpu.storage(&[0, 0]));
    gpu.submit(|encoder| encoder.copy_buffer_to_buffer(&a, 0, &b, 0, 4));
    gpu.queue.write_buffer(&a, 0, &2u32.to_le_bytes());
    gpu.submit(|encoder| encoder.copy_buffer_to_buffer(&a, 0, &b, 4, 4));
    assert_eq!(gpu.read(&b), [1, 2]);
}

/// Neither the order in which encoders were made nor the one in which they were finished counts.
#[test]
fn command_buffers_run_in_the_order_of_the_submit() {
    let gpu = Gpu::new();
    let (a, b) = (gpu.storage(&[1]), gpu.storage(&[2, 2]));
    let record = || gpu.device.create_command_encoder(&Default::default());
    let (mut copy, mut clear) = (record(), record());
    copy.copy_buffer_to_buffer(&a, 0, &b, 0, 4);
    clear.clear_buffer(&b, 0, None);
    copy.copy_buffer_to_buffer(&a, 0, &b, 4, 4);
    let (copy, clear) = (copy.finish(), clear.finish());
    gpu.queue.submit([clear, copy]);
    assert_eq!(gpu.read(&b), [1, 1]);
}

#[test]
fn large_uploads_reuse_memory_without_mixing_it_up() {
    let gpu = Gpu::new();
    let words = 1 << 18;
    for round in 0..4u32 {
        let buffer = gpu.storage(&vec![round; words]);
        assert!(gpu.read(&buffer).iter().all(|word| *word == round));
        // Made from scratch, so zero, whatever memory it sits in.
        let fresh = gpu.buffer(words as u64 * 4, Usage::COPY_SRC);
        assert!(gpu.read(&fresh).iter().all(|word| *word == 0));
    }
}

#[test]
fn copies_of_parts() {
    let gpu = Gpu::new();
    let (a, b) = (gpu.storage(&[1, 2, 3, 4]), gpu.storage(&[9; 4]));
    gpu.submit(|encoder| {
        encoder.copy_buffer_to_buffer(&a, 4, &b, 8, 8);
        encoder.copy_buffer_to_buffer(&a, 0, &b, 0, 4);
    });
    assert_eq!(gpu.read(&b), [1, 9, 2, 3]);
}

#[test]
fn clears_of_parts_and_of_all() {
    let gpu = Gpu::new();
    let buffer = gpu.storage(&[1, 2, 3, 4]);
    gpu.submit(|encoder| encoder.clear_buffer(&buffer, 4, Some(8)));
    assert_eq!(gpu.read(&buffer), [1, 0, 0, 4]);
    gpu.submit(|encoder| encoder.clear_buffer(&buffer, 0, None));
    assert_eq!(gpu.read(&buffer), [0; 4]);
}

#[test]
fn mapped_at_creation() {
    let gpu = Gpu::new();
    for usage in [Usage::COPY_SRC, Usage::COPY_SRC | Usage::MAP_WRITE] {
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage,
            mapped_at_creation: true,
        });
        let mut range = buffer.get_mapped_range_mut(8..16).unwrap();
        range.copy_from_slice(bytemuck::cast_slice(&[5u32, 6]));
        drop(range);
        buffer.unmap();
        assert_eq!(gpu.read(&buffer), [0, 0, 5, 6]);
    }
}

#[test]
fn map_and_unmap_in_cycles() {
    let gpu = Gpu::new();
    let upload = gpu.buffer(16, Usage::MAP_WRITE | Usage::COPY_SRC);
    let download = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    for round in 0..50u32 {
        upload.map_async(wgpu::MapMode::Write, .., |result| result.unwrap());
        gpu.wait();
        let mut range = upload.get_mapped_range_mut(..).unwrap();
        range.copy_from_slice(bytemuck::cast_slice(&[round, round + 1, 0, round * 7]));
        drop(range);
        upload.unmap();
        gpu.submit(|encoder| encoder.copy_buffer_to_buffer(&upload, 0, &download, 0, 16));
        assert_eq!(gpu.read_mapped(&download), [round, round + 1, 0, round * 7]);
    }
}

#[test]
fn unmapping_early_cancels_the_callback() {
    let gpu = Gpu::new();
    let buffer = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        sender.send(result).unwrap();
    });
    buffer.unmap();
    gpu.wait();
    assert!(receiver.recv().unwrap().is_err());
}

#[test]
fn storage_buffers_can_be_mapped_with_the_feature() {
    let gpu = Gpu::full();
    let buffer = gpu.buffer(16, Usage::STORAGE | Usage::MAP_READ | Usage::MAP_WRITE);
    buffer.map_async(wgpu::MapMode::Write, .., |result| result.unwrap());
    gpu.wait();
    let mut range = buffer.get_mapped_range_mut(..).unwrap();
    range.copy_from_slice(bytemuck::cast_slice(&[1u32, 2, 3, 4]));
    drop(range);
    buffer.unmap();
    gpu.run(crate::usage::program::DOUBLE, &[&buffer], 1);
    assert_eq!(gpu.read_mapped(&buffer), [2, 4, 6, 8]);
}

#[test]
fn a_binding_beyond_4_gib() {
    let gpu = Gpu::full();
    let start = 1u64 << 32;
    let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
    let buffer = gpu.buffer(5 << 30, usage);
    gpu.queue
        .write_buffer(&buffer, start, bytemuck::cast_slice(&[3u32, 5]));
    let pipeline = gpu.pipeline(crate::usage::program::DOUBLE);
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &buffer,
                offset: start,
                size: wgpu::BufferSize::new(16),
            }),
        }],
    });
    gpu.pass(|pass| {
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
    });
    let download = gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST);
    gpu.submit(|encoder| encoder.copy_buffer_to_buffer(&buffer, start, &download, 0, 16));
    assert_eq!(gpu.read_mapped(&download), [6, 10, 0, 0]);
}
