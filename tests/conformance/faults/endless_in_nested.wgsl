// A loop without end in a function that another one calls ends the run, from any caller.
//: in  0:0 u32 5
//: in  0:1 u32 0
//: fails "endless loop"
@group(0) @binding(0) var<storage, read> n: u32;
@group(0) @binding(1) var<storage, read_write> out: u32;

fn spin(start: u32) -> u32 {
    var i = start;
    while i != 4u {
        i += 2u;
    }
    return i;
}

fn twice(start: u32) -> u32 {
    if start == 0u {
        return 0u;
    }
    return spin(start - 1u) + spin(start);
}

@compute @workgroup_size(1)
fn main() {
    out = twice(n);
}
