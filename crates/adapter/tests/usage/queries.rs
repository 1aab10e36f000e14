//! Timestamp queries: monotone, in nanoseconds, wherever they are written.

use std::time::Instant;

use wgpu::BufferUsages as Usage;

use crate::usage::program::{DOUBLE, Gpu};

fn timestamps(gpu: &Gpu, count: u32) -> wgpu::QuerySet {
    gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
        label: None,
        ty: wgpu::QueryType::Timestamp,
        count,
    })
}

fn resolve(gpu: &Gpu, queries: &wgpu::QuerySet, count: u32) -> Vec<u64> {
    let buffer = gpu.buffer(u64::from(count) * 8, Usage::QUERY_RESOLVE | Usage::COPY_SRC);
    gpu.submit(|encoder| encoder.resolve_query_set(queries, 0..count, &buffer, 0));
    let words = gpu.read(&buffer);
    let pairs = words.chunks_exact(2);
    pairs
        .map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32)
        .collect()
}

#[test]
fn timestamps_grow_in_order() {
    let gpu = Gpu::full();
    let queries = timestamps(&gpu, 5);
    let pipeline = gpu.pipeline(DOUBLE);
    let buffer = gpu.storage(&vec![1; 4096]);
    let group = gpu.group(&pipeline, &[&buffer]);
    let begin = Instant::now();
    gpu.submit(|encoder| {
        encoder.write_timestamp(&queries, 0);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &queries,
                beginning_of_pass_write_index: Some(1),
                end_of_pass_write_index: Some(3),
            }),
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(1024, 1, 1);
        pass.write_timestamp(&queries, 2);
        drop(pass);
        encoder.write_timestamp(&queries, 4);
    });
    let values = resolve(&gpu, &queries, 5);
    let elapsed = begin.elapsed();
    assert!(values.is_sorted(), "{values:?}");
    let work = values[2] - values[1];
    assert!(work > 0, "4096 invocations take some time");
    assert!(u128::from(values[4] - values[0]) <= elapsed.as_nanos());
}

#[test]
fn queries_that_were_not_written_are_zero() {
    let gpu = Gpu::full();
    let queries = timestamps(&gpu, 2);
    gpu.submit(|encoder| encoder.write_timestamp(&queries, 1));
    let values = resolve(&gpu, &queries, 2);
    assert_eq!(values[0], 0);
    assert_ne!(values[1], 0);
}
