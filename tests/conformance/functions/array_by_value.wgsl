// Arrays and structs are values: assigning, passing and returning them copies.
//: in  0:0 i32 1 2 3
//: out 0:1 i32 1 2 3   1 20 3   10 20 30
@group(0) @binding(0) var<storage, read> a: array<i32, 3>;
@group(0) @binding(1) var<storage, read_write> out: array<i32, 9>;

fn scaled(values: array<i32, 3>, factor: i32) -> array<i32, 3> {
    var copy = values;
    for (var i = 0; i < 3; i++) {
        copy[i] *= factor;
    }
    return copy;
}

fn put(at: i32, values: array<i32, 3>) {
    for (var i = 0; i < 3; i++) {
        out[at + i] = values[i];
    }
}

@compute @workgroup_size(1)
fn main() {
    var original = a;
    let big = scaled(original, 10);
    var changed = original;
    changed[1] = big[1];
    put(0, original);
    put(3, changed);
    put(6, big);
}
