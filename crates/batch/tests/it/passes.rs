//! Passes: indirect workgroup counts, and bind groups of their own.

use std::sync::Arc;

use anywarp_batch::{
    BatchError, BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots, BatchSlotsDescriptor,
    BuildError, ResultRange, Workgroups,
};
use wgpu::BufferUsages as Usage;

use crate::gpu::{Gpu, words};

const WGSL: &str = "
@group(1) @binding(0) var<storage, read_write> count: array<u32, 3>;
@group(1) @binding(1) var<storage, read_write> total: array<atomic<u32>, 1>;
@compute @workgroup_size(1) fn double() {
    if !batch_is_active() { return; }
    count[0] *= 2u;
}
@compute @workgroup_size(1) fn add() {
    if !batch_is_active() { return; }
    atomicAdd(&total[0], 1u);
}";

fn slots(gpu: &Gpu, results: Vec<ResultRange>) -> BatchSlots {
    let descriptor = BatchSlotsDescriptor {
        results,
        ..Default::default()
    };
    BatchSlots::new(&gpu.device, &gpu.queue, descriptor).unwrap()
}

fn runner(slots: BatchSlots, passes: Vec<BatchPass>) -> Result<BatchRunner, BuildError> {
    let descriptor = BatchRunnerDescriptor {
        passes,
        ..Default::default()
    };
    BatchRunner::new(slots, descriptor)
}

/// Each batch doubles the number of workgroups, and each workgroup adds one.
#[test]
fn workgroups_that_the_batch_before_decided() {
    Gpu::each("indirect passes", |gpu| {
        let usage = Usage::STORAGE | Usage::INDIRECT | Usage::COPY_DST;
        // The words follow four bytes with other data.
        let count = gpu.buffer(256 + 16, usage);
        let words_at = 256;
        let start = bytemuck::cast_slice(&[1_u32, 1, 1]);
        gpu.queue.write_buffer(&count, words_at, start);
        let total = gpu.storage(4);
        let slots = slots(gpu, vec![ResultRange::whole(&total)]);
        let module = gpu.module(&(slots.wgsl() + WGSL));
        let (layout, _) = gpu.group(&[&count, &total]);
        let entry = |binding, buffer, offset| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset,
                size: None,
            }),
        };
        let group = |buffer, offset| {
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: &[entry(0, buffer, offset), entry(1, &total, 0)],
            })
        };
        let pipeline = |name| gpu.pipeline(&module, name, &[slots.bind_group_layout(), &layout]);
        // A buffer cannot be written and be the count of the same dispatch.
        let other = gpu.storage(16);
        let passes = vec![
            BatchPass {
                pipeline: pipeline("add"),
                bind_groups: vec![(1, group(&other, 0))],
                workgroups: Workgroups::Indirect {
                    buffer: count.clone(),
                    offset: words_at,
                },
            },
            BatchPass {
                pipeline: pipeline("double"),
                bind_groups: vec![(1, group(&count, words_at))],
                workgroups: Workgroups::Direct([1, 1, 1]),
            },
        ];
        let mut runner = runner(slots, passes).unwrap();
        let mut totals = Vec::new();
        for _ in 0..6 {
            while runner.submit(&[]).is_err() {
                totals.push(words(&runner.wait().unwrap().unwrap().results[0])[0]);
            }
        }
        while let Some(outcome) = runner.wait() {
            totals.push(words(&outcome.unwrap().results[0])[0]);
        }
        assert_eq!(totals, [1, 3, 7, 15, 31, 63], "{}", gpu.name);
    });
}

#[test]
fn a_pass_does_not_inherit_the_groups_of_the_one_before() {
    Gpu::each("groups", |gpu| {
        gpu.device.on_uncaptured_error(Arc::new(|_| {}));
        let slots = slots(gpu, Vec::new());
        let module = gpu.module(&(slots.wgsl() + WGSL));
        let (layout, group) = gpu.group(&[&gpu.storage(16), &gpu.storage(4)]);
        let pass = |name, bind_groups| BatchPass {
            pipeline: gpu.pipeline(&module, name, &[slots.bind_group_layout(), &layout]),
            bind_groups,
            workgroups: [1, 1, 1].into(),
        };
        let passes = vec![pass("double", vec![(1, group)]), pass("add", Vec::new())];
        let mut runner = runner(slots, passes).unwrap();
        runner.submit(&[]).unwrap();
        let failed = runner.wait().unwrap().unwrap_err();
        assert_eq!(failed.error, BatchError::Refused, "{}", gpu.name);
    });
}

#[test]
fn the_group_of_the_batch_is_its_own() {
    let gpu = Gpu::cpu();
    let slots = slots(&gpu, Vec::new());
    let module = gpu.module(&(slots.wgsl() + WGSL));
    let (layout, group) = gpu.group(&[&gpu.storage(16), &gpu.storage(4)]);
    let pass = |bind_groups| BatchPass {
        pipeline: gpu.pipeline(&module, "add", &[slots.bind_group_layout(), &layout]),
        bind_groups,
        workgroups: [1, 1, 1].into(),
    };
    let passes = vec![
        pass(vec![(1, group.clone())]),
        pass(vec![(1, group.clone()), (0, group.clone())]),
    ];
    let error = runner(slots, passes).err();
    let expected = matches!(error, Some(BuildError::GroupTaken { pass: 1, group: 0 }));
    assert!(expected, "{error:?}");
}
