// A value that has a second name, by a bitcast or as its own only member, keeps both.
//: in  0:0 u32 0xffffffff 7
//: out 0:1 i32 -2 -2 7 7
struct Wrapper {
    inner: u32,
}
@group(0) @binding(0) var<storage, read> a: array<u32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<i32, 4>;

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) zero: u32) {
    var x = 0i;
    let difference = a[0] - 1u;
    let signed = bitcast<i32>(difference);
    x = signed;
    out[0] = x;
    out[1] = i32(difference);

    var y = 0u;
    var wrappers = array<Wrapper, 2>(Wrapper(a[1]), Wrapper(0u));
    let wrapper = wrappers[zero];
    let inner = wrapper.inner;
    y = inner;
    wrappers[1] = wrapper;
    out[2] = i32(y);
    out[3] = i32(wrappers[1].inner);
}
