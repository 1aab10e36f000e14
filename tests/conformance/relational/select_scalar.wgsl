// select on scalars of each type.
//: in  0:0 u32 0 1
//: out 0:1 i32 -1 1
//: out 0:2 u32 0 MAX
//: out 0:3 f32 -0.0 inf
//: out 0:4 u32 1 0
//: in  0:5 f32 -0.0 inf
@group(0) @binding(0) var<storage, read> flags: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> signed: array<i32, 2>;
@group(0) @binding(2) var<storage, read_write> unsigned: array<u32, 2>;
@group(0) @binding(3) var<storage, read_write> floats: array<f32, 2>;
@group(0) @binding(4) var<storage, read_write> bools: array<u32, 2>;
@group(0) @binding(5) var<storage, read> choices: array<f32, 2>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let flag = flags[i] == 1u;
    signed[i] = select(-1, 1, flag);
    unsigned[i] = select(0u, 0xffffffffu, flag);
    floats[i] = select(choices[0], choices[1], flag);
    bools[i] = u32(select(true, false, flag));
}
