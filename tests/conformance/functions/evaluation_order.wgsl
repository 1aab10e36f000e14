// Operands, arguments and the two sides of an assignment are evaluated from left to right.
//: in  0:0 u32 0
//: out 0:1 u32 12 345 67 8
@group(0) @binding(0) var<storage, read> zero: u32;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;

var<private> trace: u32;

fn note(digit: u32) -> u32 {
    trace = trace * 10u + digit;
    return zero;
}

fn three(x: u32, y: u32, z: u32) -> u32 {
    return x + y + z;
}

@compute @workgroup_size(1)
fn main() {
    var scratch: array<u32, 2>;
    trace = 0u;
    scratch[0] = note(1u) + note(2u);
    out[0] = trace;
    trace = 0u;
    scratch[0] = three(note(3u), note(4u), note(5u));
    out[1] = trace;
    trace = 0u;
    scratch[note(6u)] = note(7u);
    out[2] = trace;
    // The left operand is read before the call on the right changes the variable.
    trace = 8u;
    out[3] = trace + note(9u);
}
