//! Invalid descriptors, and submissions that the device refuses.

use std::sync::Arc;
use std::time::Duration;

use anywarp_batch::{
    BatchBindings, BatchError, BatchLock, BatchPass, BatchRunner, BatchRunnerDescriptor,
    BatchSlots, BatchSlotsDescriptor, BuildError, ResultRange, SubmitError,
};

use crate::gpu::Gpu;
use crate::machine::{Setup, machine};

fn build(gpu: &Gpu, descriptor: BatchSlotsDescriptor) -> Option<BuildError> {
    BatchSlots::new(&gpu.device, &gpu.queue, descriptor).err()
}

/// The message of an error.
fn message(error: Option<BuildError>) -> Option<String> {
    error.map(|error| error.to_string())
}

#[test]
fn results_that_cannot_be_read() {
    let gpu = Gpu::cpu();
    let storage = gpu.storage(16);
    let other = gpu.buffer(16, wgpu::BufferUsages::COPY_SRC);
    for (buffer, offset, size) in [
        (&storage, 0, 0),
        (&storage, 2, 4),
        (&storage, 4, 6),
        (&storage, 8, 12),
        (&storage, u64::MAX - 3, 8),
        (&other, 0, 4),
    ] {
        let range = ResultRange {
            buffer: buffer.clone(),
            offset,
            size,
        };
        let results = vec![ResultRange::whole(&storage), range];
        let descriptor = BatchSlotsDescriptor {
            results,
            ..Default::default()
        };
        let error = build(&gpu, descriptor);
        assert!(matches!(error, Some(BuildError::Results { index: 1, .. })));
    }
}

#[test]
fn slots_that_there_are_not() {
    let gpu = Gpu::cpu();
    let with = |slots, lock| BatchSlotsDescriptor {
        slots,
        lock,
        ..Default::default()
    };
    assert!(matches!(
        build(&gpu, with(0, None)),
        Some(BuildError::NoSlots)
    ));
    let lock = BatchLock::new(&gpu.device, &gpu.queue, 3).unwrap();
    assert_eq!(message(build(&gpu, with(2, Some(lock.clone())))), None);
    let too_few = build(&gpu, with(2, Some(lock.clone())));
    let expected = "2 slots requested, but the lock has 1 left";
    assert_eq!(message(too_few).as_deref(), Some(expected));
    assert_eq!(message(build(&gpu, with(1, Some(lock)))), None);
}

#[test]
fn bindings_that_are_the_same() {
    let gpu = Gpu::cpu();
    let bindings = BatchBindings {
        params: 1,
        ..Default::default()
    };
    let with = |params_size| BatchSlotsDescriptor {
        bindings,
        params_size,
        ..Default::default()
    };
    assert!(matches!(
        build(&gpu, with(4)),
        Some(BuildError::SameBindings)
    ));
    assert_eq!(
        message(build(&gpu, with(0))),
        None,
        "without params it does not matter"
    );
}

#[test]
fn more_than_the_device_allows() {
    let gpu = Gpu::cpu_limited(|limits| {
        limits.max_uniform_buffer_binding_size = 1000;
        limits.max_storage_buffer_binding_size = 4096;
        limits.min_storage_buffer_offset_alignment = 256;
    });
    let params = |params_size| BatchSlotsDescriptor {
        params_size,
        ..Default::default()
    };
    let limited = |error| match error {
        Some(BuildError::Limit { what, limit, .. }) => Some((what, limit)),
        Some(other) => panic!("{other}"),
        None => None,
    };
    assert_eq!(limited(build(&gpu, params(992))), None);
    // Rounded up to 16 it is too large.
    let error = limited(build(&gpu, params(996)));
    assert_eq!(error, Some(("params", 1000)));
    let error = limited(build(&gpu, params(u32::MAX)));
    assert_eq!(error, Some(("params", 1000)));

    let buffer = gpu.storage(8192);
    let results = |offset, size| BatchSlotsDescriptor {
        results: vec![ResultRange {
            buffer: buffer.clone(),
            offset,
            size,
        }],
        ..Default::default()
    };
    assert_eq!(limited(build(&gpu, results(0, 4096 - 32))), None);
    let error = limited(build(&gpu, results(0, 4096)));
    assert_eq!(error, Some(("results", 4096)), "no room for the status");
    let alignment = u64::from(gpu.device.limits().min_storage_buffer_offset_alignment);
    assert!(
        alignment > 36,
        "{alignment}: the next line would show nothing"
    );
    let error = limited(build(&gpu, results(alignment - 4, 4096 - 32)));
    assert_eq!(error, Some(("results", 4096)), "the binding begins before");
    let many = BatchSlotsDescriptor {
        slots: 1000,
        ..Default::default()
    };
    assert_eq!(limited(build(&gpu, many)), Some(("lock", 4096)));
}

#[test]
fn a_timeout_without_a_clock() {
    let gpu = Gpu::cpu();
    let slots = BatchSlots::new(&gpu.device, &gpu.queue, Default::default()).unwrap();
    let descriptor = BatchRunnerDescriptor {
        timeout: Some(Duration::from_secs(1)),
        clock: None,
        ..Default::default()
    };
    let error = BatchRunner::new(slots, descriptor).err();
    assert!(matches!(error, Some(BuildError::NoClock)));
}

#[test]
fn parameters_of_another_size() {
    let gpu = Gpu::cpu();
    let mut runner = machine(&gpu, Setup::default());
    let (given, expected) = (5, 4);
    let error = SubmitError::ParamsSize { given, expected };
    assert_eq!(runner.submit(&[0; 5]), Err(error));
}

#[test]
fn a_submission_that_the_device_refuses() {
    Gpu::each("refusal", |gpu| {
        gpu.device.on_uncaptured_error(Arc::new(|_| {}));
        let slots = BatchSlots::new(&gpu.device, &gpu.queue, Default::default()).unwrap();
        let wgsl = "
            @group(1) @binding(0) var<storage, read_write> data: u32;
            @compute @workgroup_size(1) fn main() { if batch_is_active() { data = 1u; } }";
        let module = gpu.module(&(slots.wgsl() + wgsl));
        let (layout, _) = gpu.group(&[&gpu.storage(4)]);
        let pass = BatchPass {
            pipeline: gpu.pipeline(&module, "main", &[slots.bind_group_layout(), &layout]),
            // Group 1 is missing.
            bind_groups: Vec::new(),
            workgroups: [1, 1, 1].into(),
        };
        let descriptor = BatchRunnerDescriptor {
            passes: vec![pass],
            ..Default::default()
        };
        let mut runner = BatchRunner::new(slots, descriptor).unwrap();
        for _ in 0..3 {
            runner.submit(&[]).unwrap();
            let failed = runner.wait().unwrap().unwrap_err();
            assert_eq!(failed.error, BatchError::Refused, "{}", gpu.name);
        }
    });
}
