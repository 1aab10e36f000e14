//! The reordering queue ([`Misbehaviour`]): the guarantees that it breaks, and those that it keeps.

use std::collections::HashSet;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anywarp_adapter::{AdapterOptions, Misbehaviour, lost_message};
use wgpu::BufferUsages as Usage;

use crate::usage::program::{DOUBLE, Gpu};

fn reordering(misbehaviour: Misbehaviour) -> Gpu {
    Gpu::full_with(AdapterOptions::default().misbehaviour(misbehaviour))
}

fn seeded(seed: u64) -> Gpu {
    reordering(Misbehaviour {
        seed,
        ..Default::default()
    })
}

/// A pipeline with its buffers.
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

impl Kernel {
    fn new(gpu: &Gpu, wgsl: &str, buffers: &[&wgpu::Buffer]) -> Self {
        let pipeline = gpu.pipeline(wgsl);
        let group = gpu.group(&pipeline, buffers);
        Self { pipeline, group }
    }

    fn dispatch(&self, encoder: &mut wgpu::CommandEncoder, workgroups: u32) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(workgroups, 1, 1);
    }
}

/// Eight submissions that each read a number, and in a later pass write it back plus one.
fn count_to_eight(gpu: &Gpu) -> u32 {
    let state = gpu.storage(&[0]);
    gpu.wait_for_writes();
    for _ in 0..8 {
        let seen = gpu.buffer(4, Usage::STORAGE | Usage::COPY_DST);
        let write = "
            @group(0) @binding(0) var<storage, read_write> state: u32;
            @group(0) @binding(1) var<storage, read_write> seen: u32;
            @compute @workgroup_size(1) fn main() { state = seen + 1u; }";
        let write = Kernel::new(gpu, write, &[&state, &seen]);
        gpu.submit(|encoder| {
            encoder.copy_buffer_to_buffer(&state, 0, &seen, 0, 4);
            write.dispatch(encoder, 1);
        });
    }
    gpu.wait();
    gpu.read(&state)[0]
}

impl Gpu {
    /// Flushes `write_buffer` and waits, so that what follows cannot overtake it.
    fn wait_for_writes(&self) {
        self.queue.submit([]);
        self.wait();
    }
}

#[test]
fn a_race_between_submissions_is_seen() {
    let results: HashSet<u32> = (0..40).map(|seed| count_to_eight(&seeded(seed))).collect();
    assert!(results.len() > 3, "{results:?}");
    assert!(results.iter().any(|count| *count < 5), "{results:?}");
}

#[test]
fn without_misbehaviour_there_is_no_race() {
    for _ in 0..40 {
        assert_eq!(count_to_eight(&Gpu::full()), 8);
    }
}

#[test]
fn one_submission_at_a_time_is_no_race() {
    for (seed, overlap) in (0..20).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let gpu = reordering(Misbehaviour {
            seed,
            overlap,
            ..Default::default()
        });
        assert_eq!(count_to_eight(&gpu), 8, "seed {seed}");
    }
}

/// A dispatch, a copy of its result, a dispatch on the copy, a clear, and an indirect dispatch: each
/// needs the one before to be over. Every submission has buffers of its own.
#[test]
fn the_order_inside_a_submission_holds() {
    for seed in 0..300 {
        let gpu = seeded(seed);
        let mut expected = Vec::new();
        let mut results = Vec::new();
        for number in 1..=6u32 {
            let words: Vec<u32> = (0..16).map(|i| i * 100 + number).collect();
            let [first, second] = [gpu.storage(&words), gpu.storage(&[0; 16])];
            let grid = gpu.storage(&[4, 1, 1]);
            let double = Kernel::new(&gpu, DOUBLE, &[&first]);
            let again = Kernel::new(&gpu, DOUBLE, &[&second]);
            gpu.submit(|encoder| {
                double.dispatch(encoder, 4);
                encoder.copy_buffer_to_buffer(&first, 0, &second, 0, 64);
                encoder.clear_buffer(&first, 0, None);
                again.dispatch(encoder, 4);
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&again.pipeline);
                pass.set_bind_group(0, &again.group, &[]);
                pass.dispatch_workgroups_indirect(&grid, 0);
                drop(pass);
                encoder.copy_buffer_to_buffer(&second, 0, &first, 0, 32);
            });
            let eightfold: Vec<u32> = words.iter().map(|word| word * 8).collect();
            let mut copied = eightfold[..8].to_vec();
            copied.resize(16, 0);
            expected.extend([copied, eightfold]);
            results.extend([first, second]);
        }
        gpu.wait();
        for (result, expected) in results.iter().zip(&expected) {
            assert_eq!(&gpu.read(result), expected, "seed {seed}");
        }
    }
}

/// Every workgroup writes down which submission it belongs to and its number there.
const TRACE: &str = "
@group(0) @binding(0) var<storage, read_write> trace: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> submission: u32;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
    atomicStore(&trace[atomicAdd(&trace[0], 1u) + 1u], submission * 100u + id.x);
}";

/// Six submissions of ten workgroups, with fence queries in between; returns the order in which the workgroups ran.
fn trace(gpu: &Gpu) -> Vec<u32> {
    let trace = gpu.storage(&[0; 61]);
    let numbers: Vec<_> = (0..6).map(|number| gpu.storage(&[number])).collect();
    gpu.wait_for_writes();
    for number in &numbers {
        let kernel = Kernel::new(gpu, TRACE, &[&trace, number]);
        let index = gpu.submit(|encoder| kernel.dispatch(encoder, 10));
        if number == &numbers[2] {
            gpu.device.poll(wgpu::PollType::Poll).unwrap();
        } else if number == &numbers[4] {
            let wait = wgpu::PollType::Wait {
                submission_index: Some(index),
                timeout: None,
            };
            gpu.device.poll(wait).unwrap();
        }
    }
    gpu.wait();
    gpu.read(&trace)[1..].to_vec()
}

#[test]
fn a_seed_gives_the_same_schedule_each_time() {
    let mut traces = HashSet::new();
    for seed in 0..30 {
        let first = trace(&seeded(seed));
        assert_eq!(first, trace(&seeded(seed)), "seed {seed}");
        let mut sorted = first.clone();
        sorted.sort_unstable();
        let all: Vec<u32> = (0..60).map(|i| i / 10 * 100 + i % 10).collect();
        assert_eq!(sorted, all, "seed {seed}: every workgroup once");
        traces.insert(first);
    }
    assert_eq!(traces.len(), 30, "seeds differ");
}

#[test]
fn workgroups_of_submissions_mix_and_submissions_overtake() {
    let [mut mixed, mut overtaken, mut shuffled] = [0; 3];
    for seed in 0..50 {
        let trace = trace(&seeded(seed));
        let submissions: Vec<u32> = trace.iter().map(|word| word / 100).collect();
        let place = |number| submissions.iter().position(|s| *s == number).unwrap();
        let end = |number| submissions.iter().rposition(|s| *s == number).unwrap();
        mixed += u32::from((0..5).any(|n| place(n + 1) < end(n) && place(n) < end(n + 1)));
        overtaken += u32::from((0..5).any(|n| end(n + 1) < place(n)));
        let first: Vec<_> = trace.iter().filter(|word| **word < 10).collect();
        shuffled += u32::from(!first.is_sorted());
    }
    assert!(mixed > 20 && overtaken > 5, "{mixed} {overtaken}");
    assert!(shuffled > 40, "{shuffled}");
}

#[test]
fn work_is_done_in_the_order_of_submission() {
    for seed in 0..50 {
        let gpu = seeded(seed);
        let (done, ends) = channel();
        let downloads: Vec<_> = (0..12u32)
            .map(|number| {
                let download = gpu.buffer(4, Usage::MAP_READ | Usage::COPY_DST);
                let data = gpu.storage(&[number + 1]);
                gpu.submit(|encoder| {
                    encoder.copy_buffer_to_buffer(&data, 0, &download, 0, 4);
                });
                let done = done.clone();
                let mapped = download.clone();
                // A mapping resolves when its submission is done, and shows what that wrote.
                download.map_async(wgpu::MapMode::Read, .., move |result| {
                    result.unwrap();
                    let view = mapped.get_mapped_range(..).unwrap();
                    done.send(bytemuck::cast_slice::<u8, u32>(&view)[0])
                        .unwrap();
                });
                download
            })
            .collect();
        // Fence queries alone bring every submission to its end.
        while !gpu
            .device
            .poll(wgpu::PollType::Poll)
            .unwrap()
            .is_queue_empty()
        {}
        assert_eq!(ends.try_iter().collect::<Vec<_>>(), Vec::from_iter(1..=12));
        drop(downloads);
    }
}

#[test]
fn a_wait_ends_what_it_waits_for() {
    let mut left_behind = 0;
    for seed in 0..50 {
        let gpu = seeded(seed);
        let (done, ends) = channel();
        let data = gpu.storage(&[0; 64]);
        let indices: Vec<_> = (0..6)
            .map(|number| {
                let index = gpu.submit(|encoder| encoder.clear_buffer(&data, 0, None));
                let done = done.clone();
                gpu.queue
                    .on_submitted_work_done(move || done.send(number).unwrap());
                index
            })
            .collect();
        let wait = wgpu::PollType::Wait {
            submission_index: Some(indices[3].clone()),
            timeout: None,
        };
        gpu.device.poll(wait).unwrap();
        let ended: Vec<_> = ends.try_iter().collect();
        assert!(ended.len() >= 4 && ended.is_sorted(), "{ended:?}");
        left_behind += u32::from(ended.len() < 6);
        gpu.wait();
        assert_eq!(ended.len() + ends.try_iter().count(), 6);
    }
    assert!(left_behind > 0, "a wait for one must not wait for all");
}

/// Compare-exchanges that would all succeed: each invocation has a word of its own. Returns how many
/// failed, in a buffer and in workgroup memory.
fn failures(gpu: &Gpu) -> [u32; 2] {
    let kernel = "
        @group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> failed: array<atomic<u32>, 3>;
        var<workgroup> local: array<atomic<u32>, 64>;
        @compute @workgroup_size(64) fn main(
            @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32,
        ) {
            let shared_word = atomicCompareExchangeWeak(&words[id.x], 7u, 8u);
            if shared_word.old_value != 7u { atomicAdd(&failed[2], 1u); }
            if !shared_word.exchanged { atomicAdd(&failed[0], 1u); }
            let own_word = atomicCompareExchangeWeak(&local[i], 0u, 1u);
            if own_word.old_value != 0u { atomicAdd(&failed[2], 1u); }
            if !own_word.exchanged { atomicAdd(&failed[1], 1u); }
            if own_word.exchanged != (atomicLoad(&local[i]) == 1u) { atomicAdd(&failed[2], 1u); }
            // Values that differ never become equal by random.
            if atomicCompareExchangeWeak(&words[id.x], 1u, 2u).exchanged { atomicAdd(&failed[2], 1u); }
        }";
    let (words, failed) = (gpu.storage(&[7; 4096]), gpu.storage(&[0; 3]));
    gpu.run(kernel, &[&words, &failed], 64);
    gpu.wait();
    let words = gpu.read(&words);
    let [shared, own, wrong] = gpu.read(&failed).try_into().unwrap();
    assert_eq!(wrong, 0);
    let kept = words.iter().filter(|word| **word == 7).count();
    assert_eq!(kept as u32, shared, "a failure stores nothing");
    assert!(words.iter().all(|word| [7, 8].contains(word)));
    [shared, own]
}

#[test]
fn spurious_failures_come_as_often_as_asked() {
    for (seed, probability) in [(1, 0.05), (2, 0.25), (3, 0.5), (4, 0.9)] {
        let gpu = reordering(Misbehaviour {
            seed,
            spurious_failures: probability,
            ..Default::default()
        });
        for count in failures(&gpu) {
            let rate = f64::from(count) / 4096.0;
            assert!((rate - probability).abs() < 0.04, "{rate} {probability}");
        }
    }
}

#[test]
fn spurious_failures_come_only_when_asked_for() {
    assert_eq!(failures(&Gpu::full()), [0, 0]);
    assert_eq!(failures(&seeded(1)), [0, 0]);
    let always = reordering(Misbehaviour {
        spurious_failures: 1.0,
        ..Default::default()
    });
    assert_eq!(failures(&always), [4096, 4096]);
}

/// A submission that fails while others are open.
#[test]
fn the_loss_of_the_device_resolves_everything() {
    for seed in 0..30 {
        let gpu = Gpu::full_with(
            AdapterOptions::default()
                .loop_iterations(10_000)
                .misbehaviour(Misbehaviour {
                    seed,
                    overlap: 1 + seed as usize % 5,
                    ..Default::default()
                }),
        );
        gpu.device.on_uncaptured_error(std::sync::Arc::new(|_| {}));
        let data = gpu.storage(&[0; 64]);
        let double = Kernel::new(&gpu, DOUBLE, &[&data]);
        let endless = "
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(1) fn main() { loop { if data[0] == 1u { break; } } }";
        let endless = Kernel::new(&gpu, endless, &[&data]);
        let download = gpu.buffer(256, Usage::MAP_READ | Usage::COPY_DST);
        let (done, ends) = channel();
        for number in 0..10 {
            let kernel = if number == 5 { &endless } else { &double };
            gpu.submit(|encoder| {
                kernel.dispatch(encoder, 16);
                encoder.copy_buffer_to_buffer(&data, 0, &download, 0, 256);
            });
            let done = done.clone();
            gpu.queue
                .on_submitted_work_done(move || done.send(number).unwrap());
        }
        assert!(gpu.try_map(&download).is_err(), "seed {seed}");
        assert_eq!(ends.try_iter().count(), 10, "seed {seed}");
        let message = lost_message(&gpu.device).unwrap();
        assert!(message.contains("10000 iterations"), "{message}");
    }
}

/// One submission waits in a loop for another: the watchdog ends it, and nothing hangs.
#[test]
fn a_submission_that_waits_for_another_ends_by_the_watchdog() {
    let gpu = Gpu::full_with(
        AdapterOptions::default()
            .watchdog(Duration::from_millis(100))
            .misbehaviour(Misbehaviour::default()),
    );
    let flag = gpu.storage(&[0]);
    let wait = "
        @group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
        @compute @workgroup_size(1) fn main() { while atomicLoad(&flag) == 0u {} }";
    gpu.run(wait, &[&flag], 1);
    gpu.wait();
    let message = lost_message(&gpu.device).unwrap();
    assert!(message.contains("endless loop"), "{message}");
}

#[test]
fn dropped_in_flight() {
    for seed in 0..30 {
        let gpu = seeded(seed);
        let data = gpu.storage(&[1; 64]);
        let double = Kernel::new(&gpu, DOUBLE, &[&data]);
        for _ in 0..5 {
            gpu.submit(|encoder| double.dispatch(encoder, 16));
        }
        drop((gpu, data, double));
    }
}

/// Work that one thread waited for is over before its next submission, whatever other threads do.
#[test]
fn threads_that_wait_for_their_own_work() {
    for seed in 0..6 {
        let gpu = seeded(seed);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let data = gpu.storage(&[1; 16]);
                    let double = Kernel::new(&gpu, DOUBLE, &[&data]);
                    gpu.wait_for_writes();
                    for power in 1..10 {
                        gpu.submit(|encoder| double.dispatch(encoder, 4));
                        gpu.wait();
                        assert_eq!(gpu.read(&data), [1 << power; 16]);
                    }
                });
            }
        });
    }
}
