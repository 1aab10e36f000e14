struct S { rest: array<u32>, n: u32 }
@group(0) @binding(0) var<storage> s: S;
