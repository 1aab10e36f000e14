// Indices that many invocations have in common: quotients by values that are known at run time only.
//: in  0:0 u32 3 1 4 1 5 9 2 6
//: in  0:1 u32 1 2 4 8 16 32 64
//: out 0:2 u32 3 1 4 1 5 9 2 6 0*56 3*2 1*2 4*2 1*2 5*2 9*2 2*2 6*2 0*48 3*4 1*4 4*4 1*4 5*4 9*4 2*4 6*4 0*32
//::     3*8 1*8 4*8 1*8 5*8 9*8 2*8 6*8 3*16 1*16 4*16 1*16 3*32 1*32 3*64
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> blocks: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < 7u; k++) {
        let block = i / blocks[k];
        if (block < 8u) {
            out[k * 64u + i] = a[block];
        }
    }
}
