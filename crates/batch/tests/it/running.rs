//! Batches without interference: every number of slots, results of every size, both ways to wait.

use anywarp_batch::{
    BatchLock, BatchOrder, BatchRunner, BatchSlots, BatchSlotsDescriptor, ResultRange, SubmitError,
};

use crate::gpu::{Gpu, words};
use crate::machine::{Setup, State, assert_sequential, machine, parameter, run_all};

#[test]
fn any_number_of_slots_is_sequential_execution() {
    Gpu::each("batches", |gpu| {
        for slots in [1, 2, 3, 8] {
            let mut runner = machine(
                gpu,
                Setup {
                    slots,
                    cells: 1000,
                    ..Default::default()
                },
            );
            let outcomes = run_all(&mut runner, 20);
            assert_sequential(&outcomes, &[1; 1000], &gpu.name);
            let stats = runner.stats();
            assert_eq!((stats.submitted, stats.completed), (20, 20));
            assert_eq!((stats.pending, stats.in_flight), (0, 0));
            assert_eq!(stats.device.applied, 20);
            // Queues of WebGPU keep the order: nothing ever collides.
            assert_eq!((stats.skipped, stats.device.collisions), (0, 0));
        }
    });
}

#[test]
fn the_future_gives_the_same() {
    Gpu::each("the future", |gpu| {
        let mut runner = machine(gpu, Setup::default());
        let outcomes = pollster::block_on(async {
            let mut outcomes = Vec::new();
            for number in 0..20 {
                while runner.submit(&parameter(number).to_le_bytes()).is_err() {
                    outcomes.push(runner.next().await.unwrap().unwrap());
                }
            }
            while let Some(outcome) = runner.next().await {
                outcomes.push(outcome.unwrap());
            }
            outcomes
        });
        assert_sequential(&outcomes, &[1; 40], &gpu.name);
    });
}

/// A runner whose batches only read back this buffer, from byte four on.
fn reader(gpu: &Gpu, buffer: &wgpu::Buffer, size: u64) -> BatchRunner {
    let descriptor = BatchSlotsDescriptor {
        results: vec![ResultRange {
            buffer: buffer.clone(),
            offset: 4,
            size,
        }],
        ..Default::default()
    };
    let slots = BatchSlots::new(&gpu.device, &gpu.queue, descriptor).unwrap();
    BatchRunner::new(slots, Default::default()).unwrap()
}

#[test]
fn results_from_4_bytes_to_64_mib() {
    Gpu::each("results", |gpu| {
        for size in [4, 8, 1020, 4096, 1 << 20, 64 << 20] {
            let buffer = gpu.storage(size + 4);
            let expected: Vec<u32> = (0..size as u32 / 4 + 1)
                .map(|i| i.wrapping_mul(0x9E37_79B9))
                .collect();
            gpu.queue
                .write_buffer(&buffer, 0, bytemuck::cast_slice(&expected));
            let mut runner = reader(gpu, &buffer, size);
            runner.submit(&[]).unwrap();
            runner.submit(&[]).unwrap();
            for _ in 0..2 {
                let completed = runner.wait().unwrap().unwrap();
                assert!(
                    words(&completed.results[0]) == expected[1..],
                    "{size} bytes on {}",
                    gpu.name
                );
            }
        }
    });
}

#[test]
fn several_ranges_come_back_apart() {
    Gpu::each("ranges", |gpu| {
        let [first, second] = [[1_u32, 2, 3, 4], [5, 6, 7, 8]].map(|content| {
            let buffer = gpu.storage(16);
            gpu.queue
                .write_buffer(&buffer, 0, bytemuck::cast_slice(&content));
            buffer
        });
        let range = |buffer: &wgpu::Buffer, offset, size| ResultRange {
            buffer: buffer.clone(),
            offset,
            size,
        };
        let results = vec![
            range(&second, 12, 4),
            range(&first, 4, 8),
            range(&second, 0, 4),
        ];
        let descriptor = BatchSlotsDescriptor {
            results,
            ..Default::default()
        };
        let slots = BatchSlots::new(&gpu.device, &gpu.queue, descriptor).unwrap();
        let mut runner = BatchRunner::new(slots, Default::default()).unwrap();
        runner.submit(&[]).unwrap();
        let completed = runner.wait().unwrap().unwrap();
        let results: Vec<_> = completed.results.iter().map(|bytes| words(bytes)).collect();
        assert_eq!(results, [vec![8], vec![2, 3], vec![5]]);
    });
}

#[test]
fn every_slot_taken_is_an_answer() {
    Gpu::each("backpressure", |gpu| {
        for slots in [1, 3] {
            let mut runner = machine(
                gpu,
                Setup {
                    slots,
                    ..Default::default()
                },
            );
            let parameter = 1_u32.to_le_bytes();
            for _ in 0..slots {
                runner.submit(&parameter).unwrap();
            }
            // Uncollected results count too: the number of batches that it accepts is bounded.
            let mut taken = slots;
            for _ in 0..10 {
                while runner.submit(&parameter).is_ok() {
                    taken += 1;
                    assert!(taken < 2 * slots || slots == 1, "{taken} in {slots} slots");
                }
                gpu.settle();
                runner.poll();
            }
            assert_eq!(runner.submit(&parameter), Err(SubmitError::Full));
            for _ in 0..taken {
                runner.wait().unwrap().unwrap();
            }
            assert_eq!(runner.wait(), None);
            runner.submit(&parameter).unwrap();
        }
    });
}

#[test]
fn two_runners_on_one_state_do_not_collide() {
    Gpu::each("two runners", |gpu| {
        let lock = BatchLock::new(&gpu.device, &gpu.queue, 4).unwrap();
        let state = State::new(gpu, 40);
        let setup = |order| Setup {
            order,
            lock: Some(lock.clone()),
            ..Default::default()
        };
        let mut first = state.runner(gpu, setup(BatchOrder::Unordered));
        let mut second = state.runner(gpu, setup(BatchOrder::Unordered));
        run_all(&mut first, 5);
        for number in 0..10_u32 {
            for runner in [&mut first, &mut second] {
                while runner.submit(&number.to_le_bytes()).is_err() {
                    runner.wait().unwrap().unwrap();
                }
            }
        }
        while let Some(outcome) = first.wait().or_else(|| second.wait()) {
            outcome.unwrap();
        }
        let before = (0..5).map(parameter).fold(1, u32::wrapping_add);
        assert_eq!(gpu.read(&state.state), [before.wrapping_add(2 * 45); 40]);
        assert_eq!(first.stats().completed + second.stats().completed, 25);
    });
}
