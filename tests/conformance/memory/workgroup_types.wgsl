// Workgroup memory holds structs, matrices and nested arrays.
//: in  0:0 f32 1 2 3 4
//: out 0:1 f32 4 3 2 1   10 20 30 40
@group(0) @binding(0) var<storage, read> a: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 8>;

struct Cell {
    m: mat2x2<f32>,
    list: array<array<f32, 2>, 2>,
}

var<workgroup> cell: Cell;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let column = i / 2u;
    let row = i % 2u;
    cell.m[column][row] = a[i];
    cell.list[column][row] = a[i] * 10.0;
    workgroupBarrier();
    let j = 3u - i;
    out[i] = cell.m[j / 2u][j % 2u];
    out[4u + i] = cell.list[column][row];
}
