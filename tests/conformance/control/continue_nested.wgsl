// Invocations that continue from nested branches do not see what the others assign before `continuing`, and those that left the loop see nothing of later iterations.
//: in  0:0 u32 0 1 2 3 5 7 9 11 13 15 17 19
//:: 25 33 41 57 101 255 1023
//: out 0:1 u32 10500 25070720 10500 10503 10503 10503 1040604 94160943 6040611 6040611 11070713 15070712
//:: 25100823 120191159 154221274 11070713 69130941 6040611 16070720
//: out 0:2 u32 0 3 0 0 0 0 1 6 1 1 2 2
//:: 3 7 8 2 5 1 2
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(19)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = a[i];
    var mark = 0u;
    var early = 0u;
    var total = 0u;
    var step = 0u;
    var k = 0u;
    loop {
        early = k * 3u + 1u;
        if (x & 1u) == 1u {
            total += 1u;
            if (x >> 1u) % 4u == k % 4u {
                continue;
            }
            total += 2u;
        }
        mark = k + 5u;
        if (x >> 3u) % 5u == k {
            break;
        }
        total += mark;
        continuing {
            step += mark + early;
            k++;
            break if k >= x % 7u + 2u;
        }
    }
    out[i] = total + 100u * mark + 10000u * early + 1000000u * step;
    counts[i] = k;
}
