//! Device loss resolves every pending batch.

use std::time::{Duration, Instant};

use anywarp_adapter::AdapterOptions;
use anywarp_batch::{
    BatchError, BatchPass, BatchRunner, BatchSlots, BatchSlotsDescriptor, SubmitError,
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

#[test]
fn an_endless_shader_loses_the_device() {
    let gpu = Gpu::cpu_with(AdapterOptions {
        watchdog: Duration::from_millis(200),
        ..Default::default()
    });
    let data = gpu.storage(8);
    let slots = BatchSlots::new(&gpu.device, &gpu.queue, BatchSlotsDescriptor::default()).unwrap();
    let (layout, group) = gpu.group(&[&data]);
    let module = gpu.module(&(slots.wgsl() + ENDLESS));
    let pipeline = gpu.pipeline(&module, "endless", &[slots.bind_group_layout(), &layout]);
    let passes = vec![BatchPass {
        pipeline,
        bind_groups: vec![(1, group)],
        workgroups: [1, 1, 1],
    }];
    let descriptor = anywarp_batch::BatchRunnerDescriptor {
        passes,
        ..Default::default()
    };
    let mut runner = BatchRunner::new(slots, descriptor).unwrap();
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
