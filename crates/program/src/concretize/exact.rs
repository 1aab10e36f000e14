//! Whether a call with abstract arguments can be computed in `f32` without changing the program.
//!
//! In: a call of `mix` or `smoothstep` with literal arguments, and the type its result is converted to. Out: whether
//! the converted value is the same as with abstract floats (`f64`). What always holds: all evaluation orders that an
//! engine may use are compared, with and without fused multiply-add; arguments that are not plain literals give `None`.

/// Whether `f32` arithmetic gives the same converted value; `None` if unknown.
pub(super) fn is_kept(function: &str, arguments: &str, target: &str) -> Option<bool> {
    let arguments = numbers(arguments)?;
    let (exact, computed) = match function {
        "mix" => mix(arguments),
        "smoothstep" => smoothstep(arguments),
        _ => return None,
    };
    let range = match target {
        "u32" => 0.0..=f64::from(u32::MAX),
        "i32" => f64::from(i32::MIN)..=f64::from(i32::MAX),
        "f16" => return Some(computed.iter().all(|result| f64::from(*result) == exact)),
        _ => return None,
    };
    let exact = exact.trunc();
    Some(
        range.contains(&exact)
            && computed
                .iter()
                .all(|result| f64::from(*result).trunc() == exact),
    )
}

/// Parses three literals, each with an optional sign.
fn numbers(arguments: &str) -> Option<[f64; 3]> {
    let plain: String = arguments.split_whitespace().collect();
    let plain = plain.strip_suffix(',').unwrap_or(&plain);
    let is_number =
        |word: &str| !word.contains(|c: char| c.is_alphabetic() && c != 'e' && c != 'E');
    let numbers: Option<Vec<f64>> = plain
        .split(',')
        .map(|number| number.parse().ok().filter(|_| is_number(number)))
        .collect();
    numbers?.try_into().ok()
}

fn mix([a, b, t]: [f64; 3]) -> (f64, Vec<f32>) {
    let exact = a * (1.0 - t) + b * t;
    let [a, b, t] = [a as f32, b as f32, t as f32];
    let rest = 1.0 - t;
    let computed = vec![
        a * rest + b * t,
        rest.mul_add(a, b * t),
        t.mul_add(b, a * rest),
        a + (b - a) * t,
        t.mul_add(b - a, a),
    ];
    (exact, computed)
}

fn smoothstep([low, high, x]: [f64; 3]) -> (f64, Vec<f32>) {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    let exact = t * t * (3.0 - 2.0 * t);
    let [low, high, x] = [low as f32, high as f32, x as f32];
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    let computed = vec![t * t * (3.0 - 2.0 * t), t * t * t.mul_add(-2.0, 3.0)];
    (exact, computed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_f32_lacks_are_not_kept() {
        for (function, arguments, target, expected) in [
            ("mix", "0.0, 33554434.0, 0.5", "u32", Some(false)),
            ("mix", "0, 33554432, .5,", "u32", Some(true)),
            ("mix", "0.1, 1.0, 0.5", "u32", Some(true)),
            ("mix", "-4.0, - 2.0, 0.5", "u32", Some(false)),
            ("mix", "-4.0, - 2.0, 0.5", "i32", Some(true)),
            ("mix", "0.0, 1e10, 0.5", "i32", Some(false)),
            ("mix", "0.1, 1.0, 0.5", "f16", Some(false)),
            ("mix", "1.0, 3.0, 0.5", "f16", Some(true)),
            ("smoothstep", "0.0, 4.0, 5.0", "u32", Some(true)),
            ("smoothstep", "1.0, 1.0, 1.0", "u32", Some(false)),
            ("mix", "A, 3.0, 0.5", "u32", None),
            ("mix", "inf, 3.0, 0.5", "u32", None),
            ("mix", "1.0, 3.0", "u32", None),
            ("determinant", "1, 2, 3", "u32", None),
        ] {
            let found = is_kept(function, arguments, target);
            assert_eq!(found, expected, "{target}({function}({arguments}))");
        }
    }
}
