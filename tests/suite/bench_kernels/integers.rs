//! Benchmark kernels with integer results: equal on every executor.

use anywarp_tests::Executor;

use super::lowered::{kernel, run, xorshift};

pub(crate) fn empty(executor: &dyn Executor) {
    let [] = run(executor, &kernel("empty", &[]), [1, 1], []);
}

pub(crate) fn counter(executor: &dyn Executor) {
    let wgsl = kernel("counter", &[]);
    let [first] = run(executor, &wgsl, [1, 1], [(0..64).collect()]);
    let [second] = run(executor, &wgsl, [1, 1], [first]);
    assert_eq!(second, (2..66).collect::<Vec<u32>>());
}

pub(crate) fn hash(executor: &dyn Executor) {
    const COUNT: u32 = 512;
    let [got] = run(
        executor,
        &kernel("hash", &[]),
        [COUNT / 64, 1],
        [vec![0; COUNT as usize]],
    );
    assert_eq!(got, (0..COUNT).map(hash_on_host).collect::<Vec<u32>>());
}

fn hash_on_host(id: u32) -> u32 {
    let mut state: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    let mut word = id.wrapping_mul(2_654_435_761).wrapping_add(1);
    for _ in 0..64 {
        word ^= word << 13;
        word ^= word >> 17;
        word ^= word << 5;
        let [a, b, c, d, e, f, g, h] = state;
        let big_1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let big_0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let first = [big_1, choice, 0x428a_2f98, word]
            .into_iter()
            .fold(h, u32::wrapping_add);
        let second = big_0.wrapping_add(majority);
        state = [
            first.wrapping_add(second),
            a,
            b,
            c,
            d.wrapping_add(first),
            e,
            f,
            g,
        ];
    }
    state.into_iter().fold(0, |all, word| all ^ word)
}

pub(crate) fn histogram(executor: &dyn Executor) {
    // 8 elements for each of 256 invocations instead of 64.
    let wgsl = kernel("histogram", &[("16384u", "2048u"), ("k < 64u", "k < 8u")]);
    let source: Vec<u32> = xorshift().take(4 * 2048).collect();
    let mut expected = vec![0; 256];
    for word in &source {
        expected[(word & 255) as usize] += 1;
    }
    let [_, bins] = run(executor, &wgsl, [4, 1], [source, vec![0; 256]]);
    assert_eq!(bins, expected);
}

/// Two levels: 64 blocks of 512 are scanned, then their totals, and those are added back.
pub(crate) fn scan(executor: &dyn Executor) {
    const COUNT: u32 = 64 * 512;
    let block = kernel("scan_block", &[]);
    let add = kernel("scan_add", &[]);
    let source: Vec<u32> = (0..COUNT).map(|i| i & 3).collect();
    let expected: Vec<u32> = source
        .iter()
        .scan(0, |sum, word| {
            let before = *sum;
            *sum += word;
            Some(before)
        })
        .collect();
    let [data, sums] = run(executor, &block, [16, 4], [source, vec![0; 512]]);
    let [sums, _] = run(executor, &block, [1, 1], [sums, vec![0]]);
    let [data, _] = run(executor, &add, [16, 4], [data, sums]);
    assert_eq!(data, expected);
}
