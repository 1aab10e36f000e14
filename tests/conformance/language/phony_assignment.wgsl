// A phony assignment evaluates and forgets, and keeps a binding in use.
//: in  0:0 u32 5
//: out 0:1 u32 1
@group(0) @binding(0) var<storage, read> unused: u32;
@group(0) @binding(1) var<storage, read_write> out: u32;

@compute @workgroup_size(1)
fn main() {
    _ = unused;
    _ = 1 + 2;
    out = 1u;
}
