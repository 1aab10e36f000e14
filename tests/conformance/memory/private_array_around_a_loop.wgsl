// Each invocation has its own private array, also where a loop that waits for its own results follows.
//: out 0:0 u32 1 3 271 86 342 72 18 64 221 747 121 33 109 356 1152 15 678 154 491 21726 241 759 199 626
//:: 1962 25 78 244 761 2367 422 1119 289 12533 2772 35 108 334 1031 3177 40 1479 4546 1166
//:: 50076 45 138 5941 1301 3987 50 153 5626 1436 4392 55 168 514 21983 4797 60 2568 6706 20444
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

var<private> own: array<u32, 7>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    own[i % 3u] = i * 11u + 1u;
    own[3u + i % 2u] = i * 13u + 2u;
    var sum = i + own[(i * 5u) % 7u];
    for (var k = 0u; k < i % 5u; k++) {
        sum = sum * 3u + k;
    }
    out[i] = sum;
}
