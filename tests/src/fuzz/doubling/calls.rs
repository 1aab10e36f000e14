//! Patterns of functions that call functions.

use super::builder::Builder;

/// A tree of calls: `gK(x) = gK-1(gK-1(x))`, with a leaf of one of five kinds.
pub(super) fn tree(b: &mut Builder<'_>) {
    let g = b.name();
    let levels = b.between(1, 30);
    let flavour = b.below(5);
    let (parameter, argument) = match flavour {
        1 => {
            let binding = 1 + b.count();
            b.declare(&format!(
                "@group(0) @binding({binding}) var {g}t: texture_2d<f32>;"
            ));
            (", t: texture_2d<f32>", ", t")
        }
        _ => ("", ""),
    };
    // A function that returns its argument costs no instruction when it is inlined, so a limit on the size of the
    // result does not see it.
    let value = b.pick(&["x", "x * 3u + 1u"]);
    let leaf = match flavour {
        0 => format!("if (false) {{ workgroupBarrier(); }} return {value};"),
        2 => "var y = x; for (var i = 0u; i < 3u; i++) { y = y * 5u + i; } return y;".to_owned(),
        3 => format!("if (x % 2u == 0u) {{ return x / 2u; }} return {value};"),
        _ => format!("return {value};"),
    };
    b.declare(&format!("fn {g}_0(x: u32{parameter}) -> u32 {{ {leaf} }}"));
    let form = b.below(3);
    for level in 1..=levels {
        let before = level - 1;
        let call = |x: &str| format!("{g}_{before}({x}{argument})");
        let body = match form {
            0 => format!("return {};", call(&call("x"))),
            1 => format!("return {} ^ {};", call("x"), call("x + 1u")),
            _ => format!(
                "let a = {}; let b = {}; return a + b;",
                call("x"),
                call("a")
            ),
        };
        b.declare(&format!(
            "fn {g}_{level}(x: u32{parameter}) -> u32 {{ {body} }}"
        ));
    }
    let argument = if flavour == 1 {
        format!(", {g}t")
    } else {
        String::new()
    };
    b.say(&format!("x = {g}_{levels}(x{argument});"));
}

/// Many functions, each called by the next one or by the entry point.
pub(super) fn many(b: &mut Builder<'_>) {
    let f = b.name();
    let count = b.size(800);
    let is_chain = b.below(2) == 1;
    b.declare(&format!("fn {f}_0(x: u32) -> u32 {{ return x + 1u; }}"));
    let mut last = 0;
    for number in 1..count {
        if !b.has_room() {
            break;
        }
        let body = if is_chain {
            format!("return {f}_{}(x) * 3u;", number - 1)
        } else {
            format!("return x * {number}u;")
        };
        b.declare(&format!("fn {f}_{number}(x: u32) -> u32 {{ {body} }}"));
        if !is_chain {
            b.say(&format!("x = {f}_{number}(x);"));
        }
        last = number;
    }
    b.say(&format!("x = {f}_{last}(x);"));
}

/// Functions that take pointers to workgroup memory, which are specialised for each variable: every level calls the
/// next one twice, with other pointers.
pub(super) fn pointers(b: &mut Builder<'_>) {
    let p = b.name();
    let levels = b.between(1, 24);
    let count = b.between(2, 4);
    for number in 0..count {
        b.declare(&format!("var<workgroup> {p}w{number}: array<u32, 4>;"));
    }
    let ty = "ptr<workgroup, array<u32, 4>>";
    b.declare(&format!(
        "fn {p}_0(a: {ty}, b: {ty}, c: {ty}) -> u32 {{ return (*a)[0] + (*b)[1] + (*c)[2] + 1u; }}"
    ));
    for level in 1..=levels {
        let before = level - 1;
        b.declare(&format!(
            "fn {p}_{level}(a: {ty}, b: {ty}, c: {ty}) -> u32 \
             {{ return {p}_{before}(b, c, a) + {p}_{before}(b, a, c); }}"
        ));
    }
    let last = count - 1;
    b.say(&format!("x += {p}_{levels}(&{p}w0, &{p}w1, &{p}w{last});"));
}

/// Many entry points that use the same functions.
pub(super) fn entry_points(b: &mut Builder<'_>) {
    let e = b.name();
    let count = b.size(400);
    let levels = b.between(1, 12);
    b.declare(&format!("fn {e}_0(x: u32) -> u32 {{ return x + 1u; }}"));
    for level in 1..=levels {
        let before = level - 1;
        b.declare(&format!(
            "fn {e}_{level}(x: u32) -> u32 {{ return {e}_{before}({e}_{before}(x)); }}"
        ));
    }
    for number in 0..count {
        if !b.has_room() {
            break;
        }
        b.declare(&format!(
            "@compute @workgroup_size(1) fn {e}e{number}() {{ results[0] = {e}_{levels}({number}u); }}"
        ));
    }
    b.say(&format!("x = {e}_{levels}(x);"));
}
