//! The level below the runner: guard and readback in the user's own encoder.

use anywarp_batch::{
    BatchBindings, BatchInfo, BatchOrder, BatchSlots, BatchSlotsDescriptor, ResultRange, SlotStatus,
};

use crate::gpu::{Gpu, words};

const WGSL: &str = "
@group(1) @binding(7) var<uniform> step: u32;
@group(0) @binding(0) var<storage, read_write> total: u32;
@compute @workgroup_size(1) fn main() {
    if !batch_is_active() { return; }
    total += step + batch.epoch;
}";

#[test]
fn a_batch_by_hand_with_bindings_of_ones_own() {
    Gpu::each("encoders", |gpu| {
        let total = gpu.storage(4);
        let descriptor = BatchSlotsDescriptor {
            order: BatchOrder::Ordered,
            params_size: 4,
            results: vec![ResultRange::whole(&total)],
            bindings: BatchBindings {
                group: 1,
                lock: 5,
                info: 3,
                params: 7,
            },
            ..Default::default()
        };
        let slots = BatchSlots::new(&gpu.device, &gpu.queue, descriptor).unwrap();
        let module = gpu.module(&(slots.wgsl() + WGSL));
        let (layout, group) = gpu.group(&[&total]);
        let pipeline = gpu.pipeline(&module, "main", &[&layout, slots.bind_group_layout()]);

        let run = |slot: usize, info: BatchInfo, params: &[u8]| {
            let mut encoder = gpu.device.create_command_encoder(&Default::default());
            (slots.queue_params(&mut encoder, slot, info, params)).expect("the device is there");
            slots.queue_guard_pass(&mut encoder, slot);
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.set_bind_group(1, slots.bind_group(slot), &[]);
            pass.dispatch_workgroups(1, 1, 1);
            drop(pass);
            slots.queue_results_readback(&mut encoder, slot);
            gpu.queue.submit([encoder.finish()]);
            let readback = slots.readback_buffer(slot);
            readback.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
            gpu.settle();
            let bytes = readback.get_mapped_range(..).unwrap().to_vec();
            readback.unmap();
            let status = SlotStatus::read(&bytes).unwrap();
            (status, words(&bytes[SlotStatus::SIZE as usize..])[0])
        };
        let info = |ticket, serial| BatchInfo {
            ticket,
            serial,
            epoch: 100,
        };
        let (status, result) = run(0, info(0, 11), &1_u32.to_le_bytes());
        assert_eq!((status.serial, status.is_applied, result), (11, true, 101));
        let (status, _) = run(1, info(2, 12), &2_u32.to_le_bytes());
        assert_eq!(
            (status.serial, status.is_applied),
            (12, false),
            "not its turn"
        );
        assert_eq!((status.counters.collisions, status.counters.early), (1, 1));
        let (status, result) = run(1, info(1, 13), &3_u32.to_le_bytes());
        assert_eq!((status.serial, status.is_applied, result), (13, true, 204));
        assert_eq!(status.counters.applied, 2);
        let (_, result) = run(1, info(2, 14), &[4]);
        assert_eq!(result, 204 + 104, "missing bytes are zero");
        let (_, result) = run(1, info(3, 15), &[5, 0, 0, 0, 6, 7]);
        assert_eq!(result, 308 + 105, "further bytes are nothing");

        let lock = gpu.read(slots.lock().buffer());
        let word = |offset: u64| lock[offset as usize / 4];
        let layout = slots.lock_layout();
        assert_eq!(lock[..4], [0, 0, 0, 1], "the four words");
        assert_eq!(word(layout.next_ticket(0)), 4);
        assert_eq!(word(layout.applied_count()), 4);
    });
}
