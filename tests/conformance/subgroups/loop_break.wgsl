// Lanes that leave a loop by break wait behind it.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 80*2 86*2 90*2 92*2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var turn = 0u;
    loop {
        if i / 2u == turn {
            break;
        }
        out[i] += subgroupAdd(1u);
        turn++;
    }
    out[i] += subgroupAdd(10u);
}
