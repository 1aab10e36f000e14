// A private array with run-time indices: a sieve.
//: out 0:0 u32 25 97
@group(0) @binding(0) var<storage, read_write> out: array<u32, 2>;

var<private> composite: array<bool, 100>;

@compute @workgroup_size(1)
fn main() {
    var count = 0u;
    var last = 0u;
    for (var p = 2u; p < 100u; p++) {
        if composite[p] {
            continue;
        }
        count++;
        last = p;
        for (var k = p * p; k < 100u; k += p) {
            composite[k] = true;
        }
    }
    out = array(count, last);
}
