// A product of two square matrices, tile by tile through workgroup memory:
//
//   cargo run --release -- run examples/matmul.wgsl --workgroups 2,2 --constant SIZE=16 --bind 0:0=random:1024 --bind 0:1=random:1024:1 --out 0:2=print:f32:16
//
// Each workgroup makes one 8x8 tile of the product; SIZE is a multiple of 8, and SIZE / 8 tiles go in each direction.
// The elements are whole numbers from 0 to 7, the lowest bits of the words given, so that the sums are exact.

override SIZE: u32 = 16u;
const TILE = 8u;

@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> product: array<f32>;

var<workgroup> tile_of_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_of_b: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(8, 8)
fn multiply(
    @builtin(global_invocation_id) place: vec3u,
    @builtin(local_invocation_id) local: vec3u,
) {
    var sum = 0.0;
    for (var start = 0u; start < SIZE; start += TILE) {
        // Every invocation fetches one element of each tile, and all of them use all of them.
        tile_of_a[local.y][local.x] = f32(a[place.y * SIZE + start + local.x] & 7u);
        tile_of_b[local.y][local.x] = f32(b[(start + local.y) * SIZE + place.x] & 7u);
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += tile_of_a[local.y][k] * tile_of_b[k][local.x];
        }
        // Nobody overwrites a tile that others still read.
        workgroupBarrier();
    }
    product[place.y * SIZE + place.x] = sum;
}
