// Invocations that continue in a switch wait for the others.
//: in  0:0 u32 0 1 2 3 4 5 6 7 8 9 10 11
//:: 12 13 14 15 16 17
//: out 0:1 u32 28236 8133 28136 8135 28138 8038 28136 8232 28138 8133 28040 8135
//:: 28236 8133 28136 8135 28138 8038
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(18)
fn main(@builtin(local_invocation_index) i: u32) {
    var total = 0u;
    var seen = 0u;
    for (var k = 0u; k < 8u; k++) {
        seen = k + 1u;
        switch (a[i] + k) % 4u {
            case 0u: {
                continue;
            }
            case 1u: {
                total += 10u;
            }
            case 2u: {
                if k > a[i] % 6u {
                    total += 100u;
                    continue;
                }
            }
            default: {}
        }
        total += k;
        seen += 20u;
    }
    out[i] = total + 1000u * seen;
}
