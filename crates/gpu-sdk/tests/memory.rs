//! Storage buffers and atomics, alone and under threads.

use std::thread;

use gpu_sdk::{Atomic, HostBuffer, Vec3f, vec3f};

const THREADS: u32 = 8;
const ROUNDS: u32 = 10_000;

/// Runs the same function on many threads at once.
fn on_threads(f: impl Fn(u32) + Sync) {
    thread::scope(|scope| {
        for i in 0..THREADS {
            let f = &f;
            scope.spawn(move || f(i));
        }
    });
}

#[test]
fn outside_reads_give_zero_and_writes_vanish() {
    let buffer = HostBuffer::from_slice(&[vec3f(1.0, 2.0, 3.0)]);
    buffer.store(1, Vec3f::ONE);
    buffer.store(-1, Vec3f::ONE);
    buffer.store(u32::MAX, Vec3f::ONE);
    buffer.store(usize::MAX, Vec3f::ONE);
    assert_eq!(buffer.to_vec(), [vec3f(1.0, 2.0, 3.0)]);
    assert_eq!(buffer.load(1), Vec3f::ZERO);
    assert_eq!(buffer.load(i32::MIN), Vec3f::ZERO);
    assert_eq!(buffer.load(usize::MAX), Vec3f::ZERO);
    assert_eq!(HostBuffer::<u32>::new(0).load(0), 0);
}

#[test]
fn words_left_over_are_not_reachable() {
    let buffer = HostBuffer::<Vec3f>::from_words(&[0; 7]);
    assert_eq!(buffer.len(), 1);
    buffer.store(1, Vec3f::ONE);
    assert_eq!(buffer.to_words(), [0; 7]);
}

#[test]
fn atomics_outside_give_zero() {
    let buffer = HostBuffer::from_slice(&[7i32]);
    assert_eq!(buffer.atomic_add(1, 5), 0);
    assert_eq!(buffer.atomic_exchange(-1, 5), 0);
    let result = buffer.atomic_compare_exchange_weak(1, 0, 5);
    assert_eq!((result.old_value, result.exchanged), (0, false));
    assert_eq!(buffer.to_vec(), [7]);
}

#[test]
fn each_atomic_gives_the_old_value() {
    let buffer = HostBuffer::from_slice(&[-6i32]);
    assert_eq!(buffer.atomic_add(0, i32::MIN), -6);
    assert_eq!(buffer.atomic_sub(0, i32::MIN), i32::MAX - 5);
    assert_eq!(buffer.atomic_max(0, -3), -6);
    assert_eq!(buffer.atomic_min(0, 5), -3);
    assert_eq!(buffer.atomic_min(0, -4), -3);
    assert_eq!(buffer.atomic_and(0, 0xff), -4);
    assert_eq!(buffer.atomic_or(0, 3), 0xfc);
    assert_eq!(buffer.atomic_xor(0, 0xf0), 0xff);
    assert_eq!(buffer.atomic_exchange(0, 1), 0x0f);
    assert_eq!(buffer.atomic_load(0), 1);
    buffer.atomic_store(0, 2);
    let failed = buffer.atomic_compare_exchange_weak(0, 3, 4);
    assert_eq!((failed.old_value, failed.exchanged), (2, false));
    while !buffer.atomic_compare_exchange_weak(0, 2, 4).exchanged {}
    assert_eq!(buffer.to_vec(), [4]);
}

#[test]
fn unsigned_comparisons_are_unsigned() {
    let word = Atomic::new(1u32);
    assert_eq!(word.max(u32::MAX), 1);
    assert_eq!(word.min(2), u32::MAX);
    assert_eq!(word.load(), 2);
    word.store(9);
    assert_eq!(format!("{word:?}"), "9");
}

#[test]
fn no_step_is_lost_under_threads() {
    let buffer = HostBuffer::<u32>::new(4);
    on_threads(|thread| {
        for round in 0..ROUNDS {
            buffer.atomic_add(0, 1);
            buffer.atomic_max(1, thread * ROUNDS + round);
            buffer.atomic_xor(2, 1 << thread);
            while {
                let old = buffer.atomic_load(3);
                !buffer
                    .atomic_compare_exchange_weak(3, old, old + 1)
                    .exchanged
            } {}
        }
    });
    let sum = THREADS * ROUNDS;
    // Each bit was flipped an even number of times.
    assert_eq!(buffer.to_vec(), [sum, sum - 1, 0, sum]);
}

#[test]
fn words_are_never_torn() {
    let buffer = HostBuffer::<Vec3f>::new(1);
    on_threads(|thread| {
        let mine = Vec3f::splat(thread as f32 + 1.0);
        for _ in 0..ROUNDS {
            buffer.store(0, mine);
            let seen = buffer.load(0).to_array();
            let is_whole = |word: f32| word.fract() == 0.0 && (1.0..=8.0).contains(&word);
            assert!(seen.into_iter().all(is_whole), "{seen:?}");
        }
    });
}
