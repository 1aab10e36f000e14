// Neighbors in rows of no elements, one, two and eight: with one, both neighbors are the element itself.
//: in 0:0 u32 3 88 55 70 3 36 63 42
//: in 0:1 u32 0 1 2 8
//: out 0:2 u32 0*16 303 0*15 8888 303 0*14 8842 5503 7088 355 3670 6303 4236 363 0*8
//: out 0:3 u32 0*16 303 0*15 8803*2 0*14 8803 5503 7088 355 3670 6303 4236 4263 0*8
//: out 0:4 u32 0*16 3 0*15 88 3 0*14 133 94 133 45 39 63 42 3 0*8
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> sizes: array<u32>;
@group(0) @binding(2) var<storage, read_write> wrapped: array<u32>;
@group(0) @binding(3) var<storage, read_write> clamped: array<u32>;
@group(0) @binding(4) var<storage, read_write> sums: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var s = 0u; s < 4u; s++) {
        let n = sizes[s];
        if (i < n) {
            let left = select(i - 1u, n - 1u, i == 0u);
            let right = select(i + 1u, 0u, i + 1u == n);
            wrapped[s * 16u + i] = a[left] + 100u * a[right];
            let last = i32(n) - 1;
            let x = i32(i);
            clamped[s * 16u + i] = a[clamp(x - 1, 0, last)] + 100u * a[clamp(x + 1, 0, last)];
        }
        var sum = 0u;
        for (var k = i; k < n; k += 3u) {
            sum += a[(k + 1u) % n];
        }
        sums[s * 16u + i] = sum;
    }
}
