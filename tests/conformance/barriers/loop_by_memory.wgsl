// A barrier in a loop that all invocations leave together, each by a word of its own.
//: in  0:0 u32 4*32
//: out 0:1 u32 22 26 30 34 38 42 46 50 54 58 62 66 70 74 78 82 86 90 94 98 102 106 110 114 118 122 126 130 134 138 142 18
@group(0) @binding(0) var<storage, read> turns: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

var<workgroup> line: array<u32, 32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    var turn = 0u;
    loop {
        if turn >= turns[i] {
            break;
        }
        line[i] = turn * 3u + i;
        workgroupBarrier();
        out[i] += line[(i + 1u) % 32u];
        workgroupBarrier();
        turn++;
    }
}
