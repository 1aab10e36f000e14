@group(0) @binding(0) var<storage, read_write> a: array<i32>;
fn find(x: i32) -> i32 { for (var i = 0; i < 10; i++) { for (var j = 0; j < 10; j++) { if i * j == x { return i; } if j > i { break; } if (j & 1) == 1 { continue; } a[j] = i; } } return -1; }
fn nested(x: i32) -> i32 { var r = 0; loop { switch x { case 1 { loop { r++; if r > 3 { break; } } } case 2 { if r > 1 { continue; } return r; } default { break; } } r += 2; continuing { var t = r; loop { t--; continuing { break if t < 0; } } break if r > 20; } } return r; }
fn forever() -> i32 { loop { if a[0] > 1 { return 3; } a[0]++; } return 0; }
@compute @workgroup_size(1) fn main() { a[1] = find(12) + nested(a[2]) + forever(); var i = 0; while true { i++; if i > 4 { break; } } if a[3] == 0 { return; } else { a[4] = i; } loop { break; } loop { continue; continuing { break if true; } } switch 3 { default { } } if false { a[0] = 2; } }
