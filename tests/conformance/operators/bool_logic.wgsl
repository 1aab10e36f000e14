// The logical operators on bool: & | == != ! && ||.
//: in  0:0 u32 0 0 1 1
//: in  0:1 u32 0 1 0 1
//: out 0:2 u32 20 90 74 103
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i] == 1u;
    let y = b[i] == 1u;
    out[i] = u32(x & y) | (u32(x | y) << 1u) | (u32(x == y) << 2u) | (u32(x != y) << 3u)
        | (u32(!x) << 4u) | (u32(x && y) << 5u) | (u32(x || y) << 6u);
}
