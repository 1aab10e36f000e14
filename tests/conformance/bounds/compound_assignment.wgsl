// A compound assignment or an increment out of range changes nothing.
//: in  0:0 u32 5 6 7
//: in  0:1 u32 1 3 9
//: out 0:0 u32 5 17 7
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read> at: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        a[at[i]] += 10u;
        a[at[i]]++;
    }
}
