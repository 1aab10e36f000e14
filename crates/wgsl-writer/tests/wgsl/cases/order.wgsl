@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<private> state: u32;
fn next() -> u32 {
    let old = state;
    state = old * 3u + 1u;
    return old;
}
fn swap(i: u32, j: u32) {
    let a = data[i];
    data[i] = data[j];
    data[j] = a;
}
fn old_value(i: u32) -> u32 {
    let before = data[i];
    data[i] += 1u;
    return before;
}
fn nested(i: u32) -> u32 {
    return data[data[data[i]]] + next() * next() + data[i];
}
fn unnamed(i: u32) -> u32 {
    data[i] = next();
    data[next()] = data[i];
    if next() > 3u { data[0] = state; }
    return next() + state;
}
fn short(i: u32) -> bool {
    return i > 2u && next() == 1u || state == 0u;
}
fn loops(n: u32) -> u32 {
    let scale = n * 2u + state;
    var sum = 0u;
    for (var i = 0u; i < n; i++) { sum += i * scale; var t = sum; t *= 2u; data[i] = t; }
    for (var i = 0u; i < n; i++) { sum += i; }
    return sum;
}
