// A loop that never ends is stopped with an error that names it.
//: in  0:0 u32 0
//: fails "endless loop"
@group(0) @binding(0) var<storage, read_write> x: array<u32>;

@compute @workgroup_size(1)
fn main() {
    loop {
        if x[0] == 1u {
            break;
        }
    }
}
