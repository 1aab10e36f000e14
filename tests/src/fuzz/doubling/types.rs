//! Patterns of types and values that double in size.

use super::builder::Builder;

/// Declares a variable in one of the address spaces.
fn variable(b: &mut Builder<'_>, name: &str, ty: &str) {
    match b.below(3) {
        0 => b.declare(&format!("var<private> {name}: {ty};")),
        1 => b.say(&format!("var {name}: {ty};")),
        // Zeros that no invocation writes.
        _ => b.declare(&format!("var<workgroup> {name}: {ty};")),
    }
}

/// `struct Sk { a: Sk-1, b: Sk-1 }`.
pub(super) fn structs(b: &mut Builder<'_>) {
    let s = b.name();
    let levels = b.between(0, 26);
    b.declare(&format!("struct {s}_0 {{ a: u32, b: u32 }}"));
    for level in 1..=levels {
        let before = format!("{s}_{}", level - 1);
        b.declare(&format!(
            "struct {s}_{level} {{ a: {before}, b: {before} }}"
        ));
    }
    variable(b, &format!("{s}v"), &format!("{s}_{levels}"));
    b.say(&format!("x += {s}v{};", ".b".repeat(levels + 1)));
}

/// Arrays of arrays.
pub(super) fn arrays(b: &mut Builder<'_>) {
    let a = b.name();
    let depth = b.between(1, 3);
    let mut ty = "u32".to_owned();
    for _ in 0..depth {
        let length = b.size(1 << 16);
        ty = format!("array<{ty}, {length}>");
    }
    variable(b, &a, &ty);
    b.say(&format!("x += {a}{};", "[x % 5u]".repeat(depth)));
}

/// Arrays as values, each twice as large as the previous one.
pub(super) fn values(b: &mut Builder<'_>) {
    let a = b.name();
    let levels = b.between(0, 16);
    b.say(&format!("let {a}_0 = array(x, x + 1u);"));
    for level in 1..=levels {
        let before = format!("{a}_{}", level - 1);
        b.say(&format!("let {a}_{level} = array({before}, {before});"));
    }
    b.say(&format!("x += {a}_{levels}{};", "[1]".repeat(levels + 1)));
}

/// Many variables that are live until the end.
pub(super) fn locals(b: &mut Builder<'_>) {
    let v = b.name();
    let count = b.size(1000);
    let mut last = 0;
    for number in 0..count {
        if !b.has_room() {
            break;
        }
        b.say(&format!("var {v}{number} = x * {number}u;"));
        last = number;
    }
    for number in (0..=last).rev() {
        b.say(&format!("x ^= {v}{number};"));
    }
}
