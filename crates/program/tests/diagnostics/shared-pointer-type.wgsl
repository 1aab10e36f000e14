var<workgroup> tile: array<u32, 8>;
fn first(p: ptr<workgroup, array<f32, 8>>) -> f32 { return (*p)[0]; }
@compute @workgroup_size(1) fn main() {
    _ = first(&tile);
}
