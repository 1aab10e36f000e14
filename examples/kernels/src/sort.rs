//! A bitonic sort in workgroup memory (Batcher 1968): each workgroup sorts its own tile.

use gpu_sdk::{Binding, local_invocation_index, workgroup, workgroup_barrier, workgroup_id};

/// Numbers that a workgroup sorts, with half as many invocations.
pub const TILE_LEN: usize = 128;

/// The numbers, sorted in place.
pub static NUMBERS: Binding<u32> = Binding::new(0, 0);

workgroup! {
    static TILE: [u32; TILE_LEN];
}

/// Sorts the tile of this workgroup, which has `TILE_LEN / 2` invocations.
#[gpu_sdk::kernel]
pub fn sort() {
    let lane = local_invocation_index() as usize;
    let first = workgroup_id().x * TILE_LEN as u32;
    for i in [lane, lane + TILE_LEN / 2] {
        TILE.store(i, NUMBERS.load(first + i as u32));
    }
    // Alternately ascending and descending runs grow from 2 to the whole tile.
    let mut run = 2;
    while run <= TILE_LEN {
        let mut distance = run / 2;
        while distance > 0 {
            workgroup_barrier();
            compare_and_swap(lane, distance, run);
            distance /= 2;
        }
        run *= 2;
    }
    workgroup_barrier();
    for i in [lane, lane + TILE_LEN / 2] {
        NUMBERS.store(first + i as u32, TILE.load(i));
    }
}

/// Compare-exchange of this invocation's pair of elements, which are `distance` apart.
fn compare_and_swap(lane: usize, distance: usize, run: usize) {
    let low = lane / distance * distance * 2 + lane % distance;
    let high = low + distance;
    let (first, second) = (TILE.load(low), TILE.load(high));
    let goes_up = low & run == 0;
    if (first > second) == goes_up {
        TILE.store(low, second);
        TILE.store(high, first);
    }
}
