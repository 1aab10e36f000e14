// Elements may be structures, with vectors, truth values and arrays of their own.
//: in  0:0 u32 9 0 3 4 7 1 8 2 5 6
//: out 0:1 f32 45.5 0.5 15.5 15.5 27.5 3.5 7.5 1.5 4.5 30.5
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

struct Entry {
    scale: f32,
    is_kept: bool,
    steps: vec3<f32>,
    list: array<f32, 2>,
}

const ENTRIES = array<Entry, 10>(
    Entry(0.5, true, vec3(0.0, 0.0, 0.0), array(0.0, 0.0)),
    Entry(1.5, false, vec3(1.0, 2.0, -1.0), array(4.0, -1.0)),
    Entry(2.5, false, vec3(2.0, 4.0, -2.0), array(8.0, -2.0)),
    Entry(3.5, true, vec3(3.0, 6.0, -3.0), array(12.0, -3.0)),
    Entry(4.5, false, vec3(4.0, 8.0, -4.0), array(16.0, -4.0)),
    Entry(5.5, false, vec3(5.0, 10.0, -5.0), array(20.0, -5.0)),
    Entry(6.5, true, vec3(6.0, 12.0, -6.0), array(24.0, -6.0)),
    Entry(7.5, false, vec3(7.0, 14.0, -7.0), array(28.0, -7.0)),
    Entry(8.5, false, vec3(8.0, 16.0, -8.0), array(32.0, -8.0)),
    Entry(9.5, true, vec3(9.0, 18.0, -9.0), array(36.0, -9.0)),
);

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    let entry = ENTRIES[at[i]];
    let sign = select(-1.0, 1.0, entry.is_kept);
    out[i] = entry.scale * sign + entry.steps[at[i] % 3] + entry.list[at[i] & 0u] + entry.list[1u - (at[i] & 0u)];
}
