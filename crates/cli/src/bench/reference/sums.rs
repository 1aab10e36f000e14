//! References of the rows that sum arrays.

/// The sum of each chunk.
pub(in crate::bench) fn chunks(numbers: &[f32], chunk: usize) -> Vec<f32> {
    let chunks = numbers.chunks(chunk);
    chunks.map(|chunk| chunk.iter().sum()).collect()
}

/// The sums of workgroups that take turns over the array, a row of elements each.
pub(in crate::bench) fn in_turns(numbers: &[f32], row: usize, groups: usize) -> Vec<f32> {
    let mut sums = vec![0.0; groups];
    for (turn, sum) in chunks(numbers, row).into_iter().enumerate() {
        sums[turn % groups] += sum;
    }
    sums
}

/// The sums of all numbers up to each, itself included.
pub(in crate::bench) fn prefix_sums(numbers: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, number: &u32| {
        *sum = sum.wrapping_add(*number);
        Some(*sum)
    };
    numbers.iter().scan(0, add).collect()
}
