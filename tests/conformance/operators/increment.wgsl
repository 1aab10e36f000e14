// ++ and -- add and subtract one and wrap around.
//: in  0:0 i32 MAX MIN 0 -1
//: in  0:1 u32 MAX 0 41
//: out 0:0 i32 MIN MAX 1 -2
//: out 0:1 u32 0 MAX 42
@group(0) @binding(0) var<storage, read_write> x: array<i32, 4>;
@group(0) @binding(1) var<storage, read_write> y: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    x[0]++;
    x[1]--;
    x[2]++;
    x[3]--;
    y[0]++;
    y[1]--;
    y[2]++;
}
