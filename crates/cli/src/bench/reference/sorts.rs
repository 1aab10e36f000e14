//! References of the rows that order numbers.

/// The pseudo-random keys of `bitonic_fill.wgsl` in ascending order.
pub(in crate::bench) fn sorted_keys(count: u32) -> Vec<u32> {
    let key = |id: u32| {
        let key = id.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let key = ((key >> ((key >> 28) + 4)) ^ key).wrapping_mul(277_803_737);
        (key >> 22) ^ key
    };
    let mut keys: Vec<u32> = (0..count).map(key).collect();
    keys.sort_unstable();
    keys
}

/// The largest scores of each row, in descending order.
pub(in crate::bench) fn largest(scores: &[f32], columns: usize, count: usize) -> Vec<f32> {
    let largest = |row: &[f32]| {
        let mut row = row.to_vec();
        row.sort_unstable_by(|a, b| b.total_cmp(a));
        row.truncate(count);
        row
    };
    scores.chunks(columns).flat_map(largest).collect()
}
