//! What an invocation costs: with barriers, with derivatives, with neither.
//!
//! The peer is `wgsl-rs`, whose invocations are threads; for kernels without barriers it is a plain
//! rayon loop. Times are per dispatch; `thrpt` counts invocations.

use std::hint::black_box;

use anywarp_dispatch::{DispatchOptions, dispatch_fragments, dispatch_image};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::prelude::*;

fn one_thread() -> DispatchOptions {
    DispatchOptions::default().threads(1)
}

fn barriers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("two barriers");
    for (size, ours, theirs) in [(64, 256, 4), (256, 64, 1), (1024, 16, 0)] {
        group.throughput(Throughput::Elements(u64::from(size * ours)));
        group.bench_function(format!("anywarp, one thread/{size}"), |bencher| {
            bencher.iter(|| {
                let result = one_thread().workgroups((ours, 1, 1), (size, 1, 1), |builtins| {
                    black_box(builtins.local_invocation_index);
                    anywarp_dispatch::workgroup_barrier();
                    black_box(builtins.global_invocation_id);
                    anywarp_dispatch::workgroup_barrier();
                });
                result.expect("no failure");
            });
        });
        // Its threads number as many as the invocations; 1024 take seconds.
        if theirs == 0 {
            continue;
        }
        group.throughput(Throughput::Elements(u64::from(size * theirs)));
        group.bench_function(format!("wgsl-rs/{size}"), |bencher| {
            bencher.iter(|| {
                wgsl_rs::std::dispatch_workgroups((theirs, 1, 1), (size, 1, 1), |builtins| {
                    black_box(builtins.local_invocation_index);
                    wgsl_rs::std::workgroup_barrier();
                    black_box(builtins.local_invocation_index);
                    wgsl_rs::std::workgroup_barrier();
                });
            });
        });
    }
    group.finish();
}

fn fragments(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("one fwidth");
    let side = 128u32;
    group.throughput(Throughput::Elements(u64::from(side * side)));
    group.bench_function("anywarp, one thread, rows of options", |bencher| {
        bencher.iter(|| {
            let input = |x, y| (x + y) as f32;
            let shader = |_, v| anywarp_dispatch::fwidth(v);
            one_thread().fragments(side, side, input, shader)
        });
    });
    let mut pixels = vec![0.0f32; (side * side) as usize];
    group.bench_function("anywarp, one thread, picture", |bencher| {
        bencher.iter(|| {
            let result = one_thread().image(side, &mut pixels, |builtins| {
                anywarp_dispatch::fwidth(builtins.position.x + builtins.position.y)
            });
            result.expect("no failure");
        });
    });
    group.bench_function("anywarp, all threads, picture", |bencher| {
        bencher.iter(|| {
            dispatch_image(side, &mut pixels, |builtins| {
                anywarp_dispatch::fwidth(builtins.position.x + builtins.position.y)
            });
        });
    });
    group.bench_function("anywarp, all threads, rows of options", |bencher| {
        bencher.iter(|| {
            let input = |x, y| (x + y) as f32;
            dispatch_fragments(side, side, input, |_, v| anywarp_dispatch::fwidth(v))
        });
    });
    let small = 8u32;
    group.throughput(Throughput::Elements(u64::from(small * small)));
    group.bench_function("wgsl-rs", |bencher| {
        bencher.iter(|| {
            let input = |x, y| (x + y) as f32;
            wgsl_rs::std::dispatch_fragments(small, small, input, |_, v| wgsl_rs::std::fwidth(v))
        });
    });
    group.finish();
}

/// Some 50 ns of arithmetic.
fn kernel(id: u32) -> u32 {
    let mut x = id.wrapping_mul(2_654_435_761) | 1;
    for _ in 0..48 {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

fn no_barriers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("no barrier");
    let workgroups = 8_192u32;
    group.throughput(Throughput::Elements(u64::from(workgroups) * 64));
    group.bench_function("anywarp", |bencher| {
        bencher.iter(|| {
            anywarp_dispatch::dispatch_workgroups((workgroups, 1, 1), (64, 1, 1), |builtins| {
                black_box(kernel(builtins.global_invocation_id.x));
            });
        });
    });
    group.bench_function("rayon", |bencher| {
        bencher.iter(|| {
            (0..workgroups).into_par_iter().for_each(|group| {
                for local in 0..64 {
                    black_box(kernel(group * 64 + local));
                }
            });
        });
    });
    group.finish();
}

criterion_group!(benches, barriers, fragments, no_barriers);
criterion_main!(benches);
