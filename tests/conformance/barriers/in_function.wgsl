// A barrier inside a called function, with live variables in the callers.
//: in  0:0 u32 1 2 3 4
//: out 0:1 u32 104 101 102 103
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> ring: array<u32, 4>;

fn rotate(i: u32, value: u32) -> u32 {
    ring[i] = value;
    workgroupBarrier();
    return ring[(i + 3u) % 4u];
}

fn shifted(i: u32) -> u32 {
    var base = 100u;
    let got = rotate(i, a[i]);
    return base + got;
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = shifted(i);
}
