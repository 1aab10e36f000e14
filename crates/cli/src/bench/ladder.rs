//! Generates shaders of any size, to measure how compile time grows with shader size.
//!
//! In: a size and a seed. Out: WGSL text; the same seed gives the same text. [`shader`]: functions with loops,
//! branches and vector math, each called once by `main`, like `big.wgsl` of the benchmark set with its 62 functions.
//! [`nested`]: each function calls the previous one twice, so that full inlining would copy the first one 2^n times.
//! [`assignments`], [`cases`], [`branches`] and [`loops`]: one function with many statements of a kind for which compilers tend
//! to take quadratic time.

use std::fmt::Write;

use super::reference::xorshift;

/// The shader of the benchmark set with one constant changed, so that no cache contains it.
pub(super) fn big(seed: u32) -> String {
    let text = include_str!("../../benches/kernels/big.wgsl");
    text.replace("f32(g.x) * 0.01;", &format!("f32(g.x) * 0.01{seed:010};"))
}

/// Statement templates; the position of a constant is marked.
const STATEMENTS: [&str; 8] = [
    "a = a * # + b;",
    "b = b - a * #;",
    "q = q * # + vec3<f32>(a, b, a);",
    "a = a + dot(q, vec3<f32>(b, #, a));",
    "b = sqrt(abs(b) + #);",
    "a = clamp(a, -10.0, 10.0 + #);",
    "q = normalize(q + vec3<f32>(#));",
    "b = mix(a, b, #);",
];

/// Statements before a function's loop.
const LENGTH: usize = 9;

/// A shader with `functions` functions.
pub(super) fn shader(functions: u32, seed: u32) -> String {
    let mut chance = Chance::new(seed);
    let mut text = "@group(0) @binding(0) var<storage, read_write> out_: array<f32>;\n".to_owned();
    for number in 0..functions {
        text += &function(number, None, &mut chance);
    }
    text += "@compute @workgroup_size(64)\n";
    text += "fn main(@builtin(global_invocation_id) g: vec3<u32>) {\n";
    text += "  var v = f32(g.x) * 0.01;\n";
    for number in 0..functions {
        let [b, z] = [chance.between(0.0, 2.0), chance.between(0.0, 2.0)];
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  v = v * 0.5 + fun{number}(v, {b}, vec3<f32>(v, 1.0, {z}));"
        );
    }
    text + "  out_[g.x] = v;\n}\n"
}

/// A shader with `functions` functions, each of which calls the previous one twice.
pub(super) fn nested(functions: u32, seed: u32) -> String {
    let mut chance = Chance::new(seed);
    let mut text = "@group(0) @binding(0) var<storage, read_write> out_: array<f32>;\n".to_owned();
    for number in 0..functions {
        text += &function(number, number.checked_sub(1), &mut chance);
    }
    let last = functions.saturating_sub(1);
    text + &format!(
        "@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {{
  let v = f32(g.x) * 0.01;
  out_[g.x] = fun{last}(v, 1.0, vec3<f32>(v, 1.0, 0.5));
}}
"
    )
}

/// A shader of one function: one statement for each number below `count`, and the result that they compute from `v`.
fn one_function(
    count: u32,
    before: &str,
    statement: impl FnMut(u32) -> String,
    after: &str,
) -> String {
    let statements: String = (0..count).map(statement).collect();
    format!(
        "@group(0) @binding(0) var<storage, read_write> out_: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) g: vec3<u32>) {{
  var v = f32(g.x) * 0.01;
  {before}
{statements}  {after}
  out_[g.x] = v;
}}
"
    )
}

/// One function with `count` assignments.
pub(super) fn assignments(count: u32, seed: u32) -> String {
    let mut chance = Chance::new(seed);
    let assign = |_| {
        let [factor, term] = [chance.between(0.1, 0.9), chance.between(0.1, 2.0)];
        format!("  v = v * {factor} + {term};\n")
    };
    one_function(count, "", assign, "")
}

/// A `switch` with `count` cases; each invocation takes a different one.
pub(super) fn cases(count: u32, seed: u32) -> String {
    let mut chance = Chance::new(seed);
    let case = |number| {
        format!(
            "  case {number}u: {{ v = v + {}; }}\n",
            chance.between(0.1, 2.0)
        )
    };
    one_function(count, "switch (g.x) {", case, "default: { v = 1.0; } }")
}

/// `count` branches that each set a variable of their own.
pub(super) fn branches(count: u32, seed: u32) -> String {
    let mut chance = Chance::new(seed);
    let branch = |number| {
        let [limit, value] = [chance.between(0.0, 0.6), chance.between(0.1, 2.0)];
        format!(
            "  var v{number}: f32; if (v > {limit}) {{ v{number} = {value}; }}\n  v = v * 0.5 + v{number};\n"
        )
    };
    one_function(count, "", branch, "")
}

/// `count` nests of two loops each.
pub(super) fn loops(count: u32, seed: u32) -> String {
    let mut chance = Chance::new(seed);
    let nest = |_| {
        let [factor, term] = [chance.between(0.1, 0.9), chance.between(0.1, 2.0)];
        format!(
            "  for (var y = 0u; y < 5u; y++) {{ for (var k = 0u; k < arrayLength(&out_); k += 16u) {{ out_[g.x] = out_[g.x] * {factor} + {term}; }} }}\n"
        )
    };
    one_function(count, "out_[g.x] = v;", nest, "v = out_[g.x];")
}

fn function(number: u32, called: Option<u32>, chance: &mut Chance) -> String {
    let mut text = format!("fn fun{number}(a0: f32, b0: f32, q0: vec3<f32>) -> f32 {{\n");
    text += "  var a = a0; var b = b0; var q = q0;\n";
    for _ in 0..LENGTH {
        let statement = STATEMENTS[chance.below(STATEMENTS.len() as u32) as usize];
        let constant = chance.between(0.1, 2.0);
        text += &format!("  {}\n", statement.replace('#', &constant));
    }
    let rounds = 2 + chance.below(5);
    let [slope, limit] = [chance.between(0.1, 1.0), chance.between(1.0, 5.0)];
    let [shrink, shift] = [chance.between(0.1, 1.0), chance.between(0.0, 1.0)];
    if let Some(called) = called {
        // Only a small part of each result is used, so that rounding errors do not grow from call to call.
        text += &format!(
            "  a = a + 0.0001 * fun{called}(a, b, q);\n  b = b + 0.0001 * fun{called}(b, a, q);\n"
        );
    }
    text + &format!(
        "  for (var i = 0u; i < {rounds}u; i = i + 1u) {{
    a = a + b * {slope};
    if (a > {limit}) {{
      b = b * {shrink} - q.x;
      q = cross(q, vec3<f32>(b, a, 1.0));
    }} else {{
      q = q + vec3<f32>(sin(a), cos(b), {shift});
    }}
  }}
  return clamp(a + length(q) + b, -100.0, 100.0);
}}
"
    )
}

/// A pseudo-random number generator with a seed.
struct Chance(Box<dyn Iterator<Item = u32>>);

impl Chance {
    fn new(seed: u32) -> Self {
        // The generator cannot start from zero, and its first numbers are poor for seeds with few bits.
        Self(Box::new(xorshift(seed.max(1)).skip(8)))
    }

    fn next(&mut self) -> u32 {
        self.0.next().unwrap_or_default()
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    /// A number from `low` to `high` as text with four decimal places.
    fn between(&mut self, low: f64, high: f64) -> String {
        let part = f64::from(self.next()) / f64::from(u32::MAX);
        format!("{:.4}", low + part * (high - low))
    }
}

#[cfg(test)]
mod tests {
    use anywarp_program::Program;

    use super::*;

    #[test]
    fn shaders_are_valid_and_as_long_as_asked() {
        for functions in [1, 2, 4, 8] {
            let text = shader(functions, 7);
            assert_eq!(text, shader(functions, 7));
            assert_ne!(text, shader(functions, 8));
            assert_eq!(text.lines().count(), 23 * functions as usize + 6);
            Program::from_wgsl(&text).unwrap();
        }
        assert_eq!(shader(62, 7).lines().count(), big(7).lines().count());
    }

    #[test]
    fn nested_shaders_are_valid() {
        for functions in [1, 2, 8] {
            let text = nested(functions, 7);
            assert_eq!(
                text.matches("  a = a + 0.0001 * fun").count() + 1,
                functions as usize
            );
            Program::from_wgsl(&text).unwrap();
        }
    }

    #[test]
    fn long_functions_are_valid_and_as_long_as_asked() {
        for (make, part) in [
            (assignments as fn(u32, u32) -> String, "  v = v * "),
            (cases, "  case "),
            (branches, "  var v"),
        ] {
            let text = make(20, 7);
            assert_ne!(text, make(20, 8));
            assert_eq!(text.replace("var v =", "").matches(part).count(), 20);
            Program::from_wgsl(&text).unwrap();
        }
    }

    #[test]
    fn big_is_another_one_for_each_seed() {
        assert_ne!(big(1), big(2));
        Program::from_wgsl(&big(u32::MAX)).unwrap();
    }
}
