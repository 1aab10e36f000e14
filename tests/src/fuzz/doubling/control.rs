//! Patterns of control flow: long, deep and repeated.

use super::builder::Builder;

/// Expressions for `n` that depend on `x`.
const STEPS: &[&str] = &[
    "x = x * 3u + 1u;",
    "x ^= x >> 3u;",
    "x += inputs[x % 8u];",
    "x = (x << 1u) | (x >> 31u);",
];

/// A `switch` with many cases.
pub(super) fn switch(b: &mut Builder<'_>) {
    let count = b.size(2500);
    let stride = b.pick(&[1, 3, 1000]);
    let form = b.below(4);
    b.say(&format!("switch x % {}u {{", count * stride));
    for number in 0..count {
        if !b.has_room() {
            break;
        }
        let case = number * stride;
        let body = match form {
            0 => format!("x += {number}u;"),
            1 => "x = x * 3u; break;".to_owned(),
            2 => format!("if (id.x > {number}u) {{ x ^= 5u; }}"),
            _ => String::new(),
        };
        b.say(&format!("case {case}u: {{ {body} }}"));
    }
    b.say("default: { x += 1u; }\n}");
}

/// Nested statements.
pub(super) fn nesting(b: &mut Builder<'_>) {
    let depth = b.size(120);
    let name = b.name();
    let form = b.below(5);
    for level in 0..depth {
        let open = match form {
            0 => "{".to_owned(),
            1 => format!("if (x % 3u != {}u) {{", level % 3),
            2 => format!("for (var {name}{level} = 0u; {name}{level} < 1u; {name}{level}++) {{"),
            3 => "loop { x += 1u;".to_owned(),
            _ => format!("switch x {{ case {level}u: {{ x += 2u; }} default: {{"),
        };
        b.say(&open);
    }
    b.say("x += 1u;");
    let close = match form {
        3 => "break; }",
        4 => "} }",
        _ => "}",
    };
    b.say(&close.repeat(depth));
}

/// Nested expressions.
pub(super) fn parentheses(b: &mut Builder<'_>) {
    let depth = b.size(200);
    let (open, close) = b.pick(&[
        ("(", " + 1u)"),
        ("~(", ")"),
        ("max(3u, ", ")"),
        ("select(x, ", ", x > 3u)"),
        ("inputs[", " % 8u]"),
        ("vec2(", ").x"),
    ]);
    b.say(&format!(
        "x = {}x{};",
        open.repeat(depth),
        close.repeat(depth)
    ));
}

/// A chain of `else if`.
pub(super) fn else_ifs(b: &mut Builder<'_>) {
    let count = b.size(400);
    b.say("if (x == 0u) { x = 1u; }");
    for number in 1..count {
        if !b.has_room() {
            break;
        }
        b.say(&format!(
            "else if (x % 1000u == {number}u) {{ x += {number}u; }}"
        ));
    }
}

/// Variables that are assigned in branches.
pub(super) fn assignments_in_branches(b: &mut Builder<'_>) {
    let v = b.name();
    let count = b.size(1500);
    let keeps = b.below(2) == 1;
    for number in 0..count {
        if !b.has_room() {
            break;
        }
        b.say(&format!(
            "var {v}{number}: u32; if (x % 5u == {}u) {{ {v}{number} = {number}u; }}",
            number % 5
        ));
        if !keeps {
            b.say(&format!("x += {v}{number};"));
        }
    }
    if keeps {
        b.say(&format!("x += {v}0;"));
    }
}

/// Many statements in one block.
pub(super) fn straight_line(b: &mut Builder<'_>) {
    let count = b.size(4000);
    let step = b.pick(STEPS);
    for _ in 0..count {
        if !b.has_room() {
            break;
        }
        b.say(step);
    }
}

/// Nested loops with a possibly large number of iterations.
pub(super) fn loops_in_loops(b: &mut Builder<'_>) {
    let i = b.name();
    let depth = b.between(1, 8);
    for level in 0..depth {
        let turns = b.pick(&["2u", "3u", "10u", "100u", "x % 7u", "65535u"]);
        b.say(&format!(
            "for (var {i}{level} = 0u; {i}{level} < {turns}; {i}{level}++) {{"
        ));
    }
    let statements = b.size(64);
    let step = b.pick(STEPS);
    for _ in 0..statements {
        b.say(step);
    }
    b.say(&"}".repeat(depth));
}

/// A sequence of loops, each with a bounded number of iterations and a long body.
pub(super) fn loops_in_sequence(b: &mut Builder<'_>) {
    let i = b.name();
    let count = b.size(300);
    let turns = b.pick(&[10, 1000, 65_535, 100_000]);
    let statements = b.size(64);
    let step = b.pick(STEPS);
    for number in 0..count {
        if !b.has_room() {
            break;
        }
        let body = step.repeat(statements);
        b.say(&format!(
            "for (var {i}{number} = 0u; {i}{number} < {turns}u; {i}{number}++) {{ {body} }}"
        ));
    }
}

/// Many nests of two loops each.
pub(super) fn nests_in_sequence(b: &mut Builder<'_>) {
    let count = b.size(1000);
    let turns = b.pick(&[4, 5]);
    let body = b.pick(&[
        "results[id.x] += inputs[k];",
        "x += inputs[i * 16u + k] * inputs[k * 16u + id.x];",
        "x = x * 3u + k;",
    ]);
    for _ in 0..count {
        if !b.has_room() {
            break;
        }
        b.say(&format!(
            "for (var i = 0u; i < {turns}u; i++) {{ for (var k = 0u; k < arrayLength(&inputs); k++) {{ {body} }} }}"
        ));
    }
}

/// A loop with many exits.
pub(super) fn breaks(b: &mut Builder<'_>) {
    let i = b.name();
    let count = b.size(800);
    b.say(&format!("for (var {i} = 0u; {i} < 20u; {i}++) {{"));
    for number in 0..count {
        if !b.has_room() {
            break;
        }
        let exit = ["break", "continue"][number % 2];
        b.say(&format!(
            "if (x % 4096u == {number}u) {{ {exit}; }} x += 1u;"
        ));
    }
    b.say("}");
}

/// Conditions with many operands.
pub(super) fn short_circuits(b: &mut Builder<'_>) {
    let count = b.size(200);
    let operator = b.pick(&[" && ", " || "]);
    let parts: Vec<_> = (0..count)
        .map(|number| format!("(x % {}u) != 1u", number + 2))
        .collect();
    b.say(&format!("if ({}) {{ x += 1u; }}", parts.join(operator)));
}
