// One of several entry points is run, and only the bindings it uses count.
//: entry second
//: in  0:0 u32 3
//: out 0:1 u32 30
@group(0) @binding(0) var<storage, read> a: u32;
@group(0) @binding(1) var<storage, read_write> out: u32;

@compute @workgroup_size(1)
fn first() {
    out = a;
}

@compute @workgroup_size(1)
fn second() {
    out = a * 10u;
}
