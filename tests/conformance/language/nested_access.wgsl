// Chains of members, indices and swizzles reach into nested values.
//: in  0:0 u32 1
//: out 0:1 u32 6 60 7
@group(0) @binding(0) var<storage, read> one: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;

struct Cell {
    values: array<vec3<u32>, 2>,
}

struct Grid {
    cells: array<Cell, 2>,
}

@compute @workgroup_size(1)
fn main() {
    var grid: Grid;
    grid.cells[one].values[one] = vec3(4u, 5u, 6u);
    grid.cells[0].values[one].y = 60u;
    out[0] = grid.cells[1].values[1].z;
    out[1] = grid.cells[one - 1u].values[1].yx.x;
    let copy = grid.cells;
    grid.cells[1].values[1].x = 7u;
    out[2] = grid.cells[one].values[one].x + copy[0].values[0].x;
}
