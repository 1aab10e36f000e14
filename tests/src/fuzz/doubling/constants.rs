//! Patterns of constants and overrides that are made of other constants.

use super::builder::Builder;

/// `const Ak = array(Ak-1, Ak-1)`.
pub(super) fn arrays(b: &mut Builder<'_>) {
    let a = b.name();
    let levels = b.between(0, 26);
    let width = b.between(2, 3);
    b.declare(&format!("const {a}_0 = array(1u, 2u, 3u);"));
    for level in 1..=levels {
        let before = vec![format!("{a}_{}", level - 1); width].join(", ");
        b.declare(&format!("const {a}_{level} = array({before});"));
    }
    let (index, place) = match b.below(3) {
        0 => ("[0]", format!("{a}_{levels}")),
        1 => ("[x % 2u]", format!("{a}_{levels}")),
        _ => {
            b.say(&format!("var {a}v = {a}_{levels};"));
            ("[x % 2u]", format!("{a}v"))
        }
    };
    b.say(&format!("x += {place}{};", index.repeat(levels + 1)));
}

/// Declares values, each computed from the previous one, up to the size limit; returns the number of the last.
fn declare_chain(
    b: &mut Builder<'_>,
    count: usize,
    first: &str,
    next: impl Fn(usize, usize) -> String,
) -> usize {
    b.declare(first);
    let mut last = 0;
    for number in 1..count {
        if !b.has_room() {
            break;
        }
        b.declare(&next(number, last));
        last = number;
    }
    last
}

/// Constants that are sums of the previous constant.
pub(super) fn chain(b: &mut Builder<'_>) {
    let c = b.name();
    let count = b.size(1200);
    let next =
        |number, before| format!("const {c}_{number} = ({c}_{before} + {c}_{before}) % 1000003u;");
    let last = declare_chain(b, count, &format!("const {c}_0 = 7u;"), next);
    b.say(&format!("x ^= {c}_{last};"));
}

/// Overrides that are sums of the previous override: expressions that must not be copied twice at each step.
pub(super) fn overrides(b: &mut Builder<'_>) {
    let o = b.name();
    let count = b.size(600);
    let next = |number, before| {
        format!("override {o}_{number}: u32 = ({o}_{before} + {o}_{before}) % 1000u;")
    };
    let last = declare_chain(b, count, &format!("override {o}_0: u32 = 7u;"), next);
    b.say(&format!("x ^= {o}_{last};"));
    if b.below(4) == 1 {
        b.declare(&format!(
            "var<workgroup> {o}w: array<u32, {o}_{last} + 1u>;"
        ));
        b.say(&format!("x += {o}w[x % 4u];"));
    }
}

/// Vectors and matrices made of constants.
pub(super) fn vectors(b: &mut Builder<'_>) {
    let v = b.name();
    let count = b.size(400);
    let next = |number, before| {
        format!("const {v}_{number} = vec4({v}_{before}.wx, {v}_{before}.zy) ^ {v}_{before};")
    };
    let first = format!("const {v}_0 = vec4(1u, 2u, 3u, 4u);");
    let last = declare_chain(b, count, &first, next);
    b.say(&format!("x += {v}_{last}[x % 4u];"));
}

/// One long array literal, indexed by a variable.
pub(super) fn literal(b: &mut Builder<'_>) {
    let count = b.size(8000);
    let values: Vec<String> = (0..count)
        .map(|number| format!("{}u", number % 97))
        .collect();
    let text = format!("array({})", values.join(", "));
    match b.below(3) {
        0 => b.say(&format!("x += {text}[x % {count}u];")),
        1 => {
            let name = b.name();
            b.declare(&format!("const {name} = {text};"));
            b.say(&format!("x += {name}[x % {count}u];"));
        }
        _ => {
            let name = b.name();
            b.say(&format!(
                "var {name} = {text}; {name}[x % {count}u] += 1u; x += {name}[x % {count}u];"
            ));
        }
    }
}
