//! 16-bit and 64-bit numbers: every `f16`, and memory that many threads change concurrently.

mod every_type;
mod integers;

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, SpuriousFailures, Worker};
use anywarp_program::Program;
use half::f16;

const THREADS: u32 = 8;

/// Runs `count` workgroups on each of several threads, over the same buffers.
fn run_on_threads(wgsl: &str, buffers: &[Vec<AtomicU32>], count: u32, limits: &Limits<'_>) {
    let program = Program::from_wgsl(wgsl).expect("valid WGSL");
    let kernel = Kernel::new(&program, "main").expect("a kernel");
    let views: Vec<BufferView<'_>> = buffers.iter().map(|words| BufferView { words }).collect();
    let arguments = Arguments {
        buffers: &views,
        textures: &[],
        arrays: &[],
        immediates: &[],
        workgroup_count: [count * THREADS, 1, 1],
    };
    let start = Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (kernel, arguments, start) = (&kernel, &arguments, &start);
            scope.spawn(move || {
                let mut worker = Worker::new(kernel);
                start.wait();
                for x in 0..count {
                    let result = worker.run(arguments, [x * THREADS + thread, 0, 0], limits);
                    result.expect("no fault");
                }
            });
        }
    });
}

fn zeros(words: usize) -> Vec<AtomicU32> {
    (0..words).map(|_| AtomicU32::new(0)).collect()
}

fn u64_at(words: &[AtomicU32], index: usize) -> u64 {
    let [low, high] = [0, 1].map(|i| u64::from(words[2 * index + i].load(Relaxed)));
    high << 32 | low
}

#[test]
fn no_atomic_step_of_64_bits_is_lost_or_torn() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> a: array<atomic<u64>, 4>;
        @group(0) @binding(1) var<storage, read_write> torn: atomic<u32>;
        @compute @workgroup_size(32)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            for (var i = 0u; i < 512u; i++) {
                atomicAdd(&a[0], 0x1234567890lu);
                loop {
                    let old = atomicLoad(&a[1]);
                    let exchange = atomicCompareExchangeWeak(&a[1], old, old + 0x100000001lu);
                    if exchange.exchanged { break; }
                }
                let n = u64(id.x);
                atomicStore(&a[2], n << 32u | n);
                let seen = atomicLoad(&a[2]);
                if (seen >> 32u) != (seen & 0xfffffffflu) { atomicAdd(&torn, 1u); }
                atomicMax(&a[3], n << 33u);
            }
        }";
    let buffers = [zeros(8), zeros(1)];
    let failures = SpuriousFailures::new(7, 0.25);
    let limits = Limits {
        spurious_failures: Some(&failures),
        ..Limits::default()
    };
    run_on_threads(wgsl, &buffers, 16, &limits);
    let steps = u64::from(THREADS) * 16 * 32 * 512;
    assert_eq!(u64_at(&buffers[0], 0), steps * 0x12_3456_7890);
    assert_eq!(u64_at(&buffers[0], 1), steps * 0x1_0000_0001);
    assert_eq!(u64_at(&buffers[0], 3), (steps / 512 - 1) << 33);
    assert_eq!(buffers[1][0].load(Relaxed), 0);
}

#[test]
fn no_atomic_sum_of_f32_is_lost() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read_write> sum: atomic<f32>;
        @compute @workgroup_size(64)
        fn main() {
            for (var i = 0; i < 64; i++) { atomicAdd(&sum, 0.5); }
        }";
    let buffers = [zeros(1)];
    run_on_threads(wgsl, &buffers, 64, &Limits::default());
    let sum = f32::from_bits(buffers[0][0].load(Relaxed));
    assert_eq!(sum, (THREADS * 64 * 64 * 64) as f32 * 0.5);
}

/// The halves of a word belong to different threads.
#[test]
fn threads_that_write_halves_of_a_word_do_not_disturb_each_other() {
    let wgsl = "
        enable wgpu_int16;
        @group(0) @binding(0) var<storage, read_write> a: array<u16, 8>;
        @compute @workgroup_size(1)
        fn main(@builtin(workgroup_id) id: vec3u) {
            for (var i = 0u; i < 4095u; i++) { a[id.x % 8u] += u16(id.x * 3u + 1u); }
        }";
    let buffers = [zeros(THREADS as usize / 2)];
    run_on_threads(wgsl, &buffers, 64, &Limits::default());
    for thread in 0..THREADS {
        let word = buffers[0][thread as usize / 2].load(Relaxed);
        let ids = (0..64).map(|x| x * THREADS + thread);
        let sum = ids.map(|id| (id * 3 + 1) * 4095).sum::<u32>();
        assert_eq!((word >> (thread % 2 * 16)) as u16, sum as u16, "{thread}");
    }
}

/// Every `f16` with several others, compared with `half` in `f32`: an `f32` has more than twice the significand
/// bits of an `f16` plus two, so double rounding is innocuous.
#[test]
fn arithmetic_of_every_f16_is_rounded_correctly() {
    let wgsl = "
        enable f16;
        @group(0) @binding(0) var<storage, read> a: array<f16>;
        @group(0) @binding(1) var<storage, read> b: f16;
        @group(0) @binding(2) var<storage, read_write> out: array<array<f16, 6>>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) id: vec3u) {
            let x = a[id.x];
            out[id.x] = array(x + b, x - b, x * b, x / b, sqrt(x), f16(f32(x)));
        }";
    let all = || (0..1 << 15).map(|i| AtomicU32::new((2 * i + 1) << 16 | (2 * i)));
    // Powers of two, the largest, the smallest, and numbers with many bits.
    for b in [0x3c00, 0x3555, 0x7bff, 0x0001, 0x8400, 0xd2a3, 0x13ff] {
        let buffers = [all().collect(), vec![AtomicU32::new(b)], zeros(3 << 16)];
        run_on_threads(wgsl, &buffers, (1 << 10) / THREADS, &Limits::default());
        let b = f16::from_bits(b as u16).to_f32();
        for bits in 0..=u16::MAX {
            let x = f16::from_bits(bits).to_f32();
            let expected = [x + b, x - b, x * b, x / b, x.sqrt(), x].map(f16::from_f32);
            for (i, expected) in expected.into_iter().enumerate() {
                let at = usize::from(bits) * 6 + i;
                let word = buffers[2][at / 2].load(Relaxed);
                let got = f16::from_bits((word >> (at % 2 * 16)) as u16);
                let same = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
                assert!(same, "operation {i} of {x} and {b}: {got}, not {expected}");
            }
        }
    }
}
