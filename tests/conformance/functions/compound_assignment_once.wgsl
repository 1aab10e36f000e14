// The place of a compound assignment or an increment is evaluated once, and before the right side.
//: in  0:0 u32 10 20 30 40
//: out 0:0 u32 11 22 33 40
//: out 0:1 u32 123
@group(0) @binding(0) var<storage, read_write> a: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> calls: u32;

var<private> next: u32;

fn place() -> u32 {
    next += 1u;
    calls = calls * 10u + next;
    return next - 1u;
}

fn amount() -> u32 {
    return next;
}

@compute @workgroup_size(1)
fn main() {
    a[place()]++;
    a[place()] += amount();
    a[place()] += amount();
}
