// The loop may stand in a function that is called, with a continuing block.
//: in  0:0 u32 5
//: fails "endless loop"
@group(0) @binding(0) var<storage, read> n: u32;

fn spin(start: u32) -> u32 {
    var i = start;
    loop {
        continuing {
            i += 2u;
            break if i == 4u;
        }
    }
    return i;
}

@compute @workgroup_size(1)
fn main() {
    _ = spin(n);
}
