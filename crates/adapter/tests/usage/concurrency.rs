//! Several threads, several devices, many submissions in flight; under many seeds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use wgpu::BufferUsages as Usage;

use crate::commands::random::Random;
use crate::usage::program::{DOUBLE, Gpu};

#[test]
fn several_devices_on_several_threads() {
    thread::scope(|scope| {
        for number in 0..6u32 {
            scope.spawn(move || {
                let gpu = Gpu::new();
                let buffer = gpu.storage(&[number, 100]);
                for _ in 0..5 {
                    gpu.run(DOUBLE, &[&buffer], 1);
                }
                assert_eq!(gpu.read(&buffer), [number * 32, 3200]);
            });
        }
    });
}

#[test]
fn hundreds_of_submissions_in_flight() {
    let gpu = Gpu::new();
    let pipeline = gpu.pipeline(
        "@group(0) @binding(0) var<storage, read_write> x: u32;
         @compute @workgroup_size(1) fn main() { x = x * 3u + 1u; }",
    );
    let buffer = gpu.storage(&[1]);
    let group = gpu.group(&pipeline, &[&buffer]);
    let done = Arc::new(AtomicU32::new(0));
    let mut expected = 1u32;
    for number in 0..500 {
        gpu.pass(|pass| {
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        });
        expected = expected.wrapping_mul(3).wrapping_add(1);
        let done = Arc::clone(&done);
        gpu.queue.on_submitted_work_done(move || {
            assert_eq!(done.fetch_add(1, Ordering::Relaxed), number, "in order");
        });
    }
    assert_eq!(gpu.read(&buffer), [expected]);
    assert_eq!(done.load(Ordering::Relaxed), 500);
}

/// One thread of the random test: a buffer of its own, random commands on it, and a model of what it
/// must hold.
fn play(gpu: &Gpu, pipeline: &wgpu::ComputePipeline, seed: u64) {
    const WORDS: u64 = 64;
    let mut random = Random::new(seed);
    let mut model = vec![0u32; WORDS as usize];
    let usage = Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST;
    let mut buffer = gpu.buffer(WORDS * 4, usage);
    for _ in 0..40 {
        match random.below(6) {
            0 => {
                gpu.run_on(pipeline, &buffer, WORDS as u32 / 4);
                model
                    .iter_mut()
                    .for_each(|word| *word = word.wrapping_mul(2));
            }
            1 => {
                let (at, value) = (random.below(WORDS), random.below(1 << 32) as u32);
                gpu.queue
                    .write_buffer(&buffer, at * 4, &value.to_le_bytes());
                model[at as usize] = value;
            }
            2 => {
                let start = random.below(WORDS);
                let count = 1 + random.below(WORDS - start);
                gpu.submit(|encoder| encoder.clear_buffer(&buffer, start * 4, Some(count * 4)));
                model[start as usize..(start + count) as usize].fill(0);
            }
            3 => {
                let copy = gpu.buffer(WORDS * 4, usage);
                gpu.submit(|encoder| {
                    encoder.copy_buffer_to_buffer(&buffer, 0, &copy, 0, WORDS * 4);
                });
                buffer = copy;
            }
            4 => {
                let _ = gpu.device.poll(wgpu::PollType::Poll);
            }
            _ => assert_eq!(gpu.read(&buffer), model, "seed {seed}"),
        }
    }
    assert_eq!(gpu.read(&buffer), model, "seed {seed}");
}

impl Gpu {
    fn run_on(&self, pipeline: &wgpu::ComputePipeline, buffer: &wgpu::Buffer, workgroups: u32) {
        let group = self.group(pipeline, &[buffer]);
        self.pass(|pass| {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(workgroups, 1, 1);
        });
    }
}

#[test]
fn threads_share_a_device_under_many_seeds() {
    for seed in 1..=12u64 {
        let gpu = Gpu::new();
        let pipeline = gpu.pipeline(DOUBLE);
        thread::scope(|scope| {
            for number in 0..4 {
                let (gpu, pipeline) = (&gpu, &pipeline);
                scope.spawn(move || play(gpu, pipeline, seed * 1000 + number));
            }
        });
    }
}

#[test]
fn submissions_race_with_the_loss_of_their_device() {
    for seed in 1..=4u64 {
        let gpu = Gpu::full_with(anywarp_adapter::AdapterOptions::default().loop_iterations(5_000));
        // What is made after the loss is invalid, and its use a validation error.
        gpu.device.on_uncaptured_error(Arc::new(|_| {}));
        let fatal = gpu.pipeline(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
             @compute @workgroup_size(1) fn main() { loop { data[0] += 1u; if data[1] == 9u { break; } } }",
        );
        thread::scope(|scope| {
            for number in 0..3 {
                let (gpu, fatal) = (&gpu, &fatal);
                scope.spawn(move || {
                    let mut random = Random::new(seed * 77 + number);
                    let buffer = gpu.storage(&[1, 2]);
                    for _ in 0..30 {
                        match random.below(5) {
                            0 => gpu.run_on(fatal, &buffer, 1),
                            1 => drop(
                                gpu.try_map(&gpu.buffer(16, Usage::MAP_READ | Usage::COPY_DST)),
                            ),
                            2 => gpu.queue.write_buffer(&buffer, 0, &[1; 4]),
                            _ => drop(gpu.submit(|encoder| encoder.clear_buffer(&buffer, 0, None))),
                        }
                    }
                });
            }
        });
        gpu.run_on(&fatal, &gpu.storage(&[0, 0]), 1);
        gpu.wait();
        assert!(anywarp_adapter::lost_message(&gpu.device).is_some());
    }
}

/// Each workgroup writes a message and reads its neighbour's, if it is already there: stores before a barrier are
/// visible to any thread that sees the stores after it.
#[test]
fn coherent_memory_is_seen_in_order() {
    let wgsl = "
        @group(0) @binding(0) @coherent @volatile var<storage, read_write> messages: array<u32>;
        @group(0) @binding(1) var<storage, read_write> sent: array<atomic<u32>>;
        @group(0) @binding(2) var<storage, read_write> read: array<u32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
            let own = id.x;
            messages[own] = own + 100u;
            storageBarrier();
            atomicStore(&sent[own], 1u);
            let other = own ^ 1u;
            let is_sent = atomicLoad(&sent[other]);
            storageBarrier();
            read[own] = select(0u, messages[other], is_sent == 1u);
        }";
    let gpu = Gpu::full();
    let count = 4096;
    for _ in 0..8 {
        let [messages, sent, read] = [(); 3].map(|()| gpu.storage(&vec![0; count as usize]));
        gpu.run(wgsl, &[&messages, &sent, &read], count);
        let read = gpu.read(&read);
        for (own, message) in (0..).zip(&read) {
            let sent = (own ^ 1) + 100;
            assert!([0, sent].contains(message), "{own} read {message}");
        }
        // The second of each pair finds the first one's message, unless both run at once.
        assert!(read.iter().any(|message| *message != 0));
    }
}

#[test]
fn memory_decorations_must_be_asked_for() {
    let gpu = Gpu::new();
    for decoration in ["coherent", "volatile"] {
        let wgsl = format!(
            "@group(0) @binding(0) @{decoration} var<storage, read_write> x: u32;
            @compute @workgroup_size(1) fn main() {{ x = 1u; }}"
        );
        let message = gpu.error_of(|| gpu.pipeline(&wgsl));
        assert!(message.contains(decoration), "{message}");
    }
}
