//! Device loss resolves every pending batch.

use std::time::{Duration, Instant};

use anywarp_adapter::AdapterOptions;
use anywarp_batch::{
    BatchError, BatchPass, BatchRunner, BatchRunnerDescriptor, BatchSlots, BatchSlotsDescriptor,
    Failed, SubmitError,
};

use crate::gpu::Gpu;
use crate::machine::{Setup, machine, run_all};

const ENDLESS: &str = "
@group(1) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(1) fn endless() {
    if !batch_is_active() { return; }
    loop {
        data[0] += 1u;
        if data[0] == 0u && data[1] == 1u { break; }
    }
}";

fn assert_lost(outcome: Option<anywarp_batch::Outcome>) {
    let failed = outcome.expect("a batch was pending").unwrap_err();
    let is_loss = matches!(failed.error, BatchError::DeviceLost { .. });
    assert!(is_loss, "{failed}");
}

/// A runner whose batches never end.
pub(crate) fn endless(gpu: &Gpu, timeout: Option<Duration>) -> BatchRunner {
    let data = gpu.storage(8);
    let slots = BatchSlots::new(&gpu.device, &gpu.queue, BatchSlotsDescriptor::default()).unwrap();
    let (layout, group) = gpu.group(&[&data]);
    let module = gpu.module(&(slots.wgsl() + ENDLESS));
    let pipeline = gpu.pipeline(&module, "endless", &[slots.bind_group_layout(), &layout]);
    let passes = vec![BatchPass {
        pipeline,
        bind_groups: vec![(1, group)],
        workgroups: [1, 1, 1].into(),
    }];
    let descriptor = BatchRunnerDescriptor {
        passes,
        timeout,
        ..Default::default()
    };
    BatchRunner::new(slots, descriptor).unwrap()
}

pub(crate) fn watched(watchdog: Duration) -> Gpu {
    Gpu::cpu_with(AdapterOptions::default().watchdog(watchdog))
}

#[test]
fn an_endless_shader_loses_the_device() {
    let gpu = watched(Duration::from_millis(200));
    let mut runner = endless(&gpu, None);
    let begin = Instant::now();
    runner.submit(&[]).unwrap();
    runner.submit(&[]).unwrap();
    assert_lost(runner.wait());
    assert_lost(runner.wait());
    assert_eq!(runner.wait(), None);
    assert!(begin.elapsed() < Duration::from_secs(5));
    let refused = runner.submit(&[]);
    assert!(matches!(refused, Err(SubmitError::DeviceLost { .. })));
}

#[test]
fn a_timeout_does_not_wait_for_the_device() {
    let watchdog = Duration::from_secs(2);
    let gpu = watched(watchdog);
    let mut runner = endless(&gpu, Some(Duration::from_millis(50)));
    let begin = Instant::now();
    let ids = [0, 1].map(|_| runner.submit(&[]).unwrap());
    for id in ids {
        let error = BatchError::TimedOut;
        assert_eq!(runner.wait(), Some(Err(Failed { id, error })));
    }
    assert_eq!(runner.wait(), None);
    assert!(begin.elapsed() < watchdog, "it waited for the device");
    assert_eq!(runner.stats().in_flight, 1, "one is still there");
}

#[test]
fn a_device_lost_before_the_first_batch() {
    Gpu::each("a loss before the first batch", |gpu| {
        let mut runner = machine(gpu, Setup::default());
        gpu.device.destroy();
        if runner.submit(&[0; 4]).is_ok() {
            assert_lost(runner.wait());
        }
        assert_eq!(runner.wait(), None);
    });
}

#[test]
fn a_destroyed_device_is_lost() {
    Gpu::each("a destroyed device", |gpu| {
        let mut runner = machine(gpu, Setup::default());
        run_all(&mut runner, 3);
        gpu.device.destroy();
        // Whether the loss shows at once or only when the batch is encoded.
        if runner.submit(&[0; 4]).is_ok() {
            assert_lost(pollster::block_on(runner.next()));
        }
        assert_eq!(pollster::block_on(runner.next()), None);
        let refused = runner.submit(&[0; 4]);
        assert!(matches!(refused, Err(SubmitError::DeviceLost { .. })));
    });
}

#[test]
fn whoever_knows_of_the_loss_can_tell() {
    let gpu = Gpu::cpu();
    let mut runner = machine(&gpu, Setup::default());
    runner.submit(&[0; 4]).unwrap();
    runner.submit(&[0; 4]).unwrap();
    runner.loss_notifier().notify("the cable fell out");
    // The first may have come back before anybody looked.
    let mut outcomes = Vec::new();
    while let Some(outcome) = runner.wait() {
        outcomes.push(outcome);
    }
    assert_eq!(outcomes.len(), 2);
    let last = outcomes.pop().unwrap().unwrap_err();
    assert!(last.to_string().contains("the cable fell out"), "{last}");
}
