// Each invocation reads what its neighbour wrote into workgroup memory, but a barrier is missing. In order nothing seems
// wrong; an order drawn from a seed shows it, and the same seed shows it again.
//
//   cargo run --release -- run examples/race.wgsl --schedule random:7 --out 0:0=print:u32

var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> neighbours: array<u32, 8>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    tile[i] = i + 1;
    // Here workgroupBarrier() is missing.
    neighbours[i] = tile[max(i, 1) - 1];
}
