//! Limits the size of constants and structures before naga evaluates them.
//!
//! In: the tokens of a WGSL or GLSL text, or a module. Out: a [`LimitExceeded`], if any. naga copies a constant into
//! each function that uses it, and converts abstract arrays element by element, so 26 constants, each an array of two
//! of the previous one, become 2^26 expressions. It also checks types by recursion over members, as often as structures
//! use one another. Both are bounded here, by recursive descent over tokens with the scoping rules of the language:
//!
//! - The *weight* of a constant is the number of expressions of its value without sharing. A use costs the weight,
//!   unless it is indexed dynamically, because naga does not evaluate that. All uses in a text together may cost
//!   [`MAX_UNFOLDED`].
//! - The *members* of a structure include those of nested structures. A structure may have [`MAX_MEMBERS`].
//! - The *bytes* of array types are computed in `array_size`, because naga's GLSL front end panics for large ones.
//! - An operator on an array or a structure is an error in the language, but naga expands all elements of both operands
//!   before it reports that, so it is refused here.
//!
//! What always holds: the cost is an upper bound of the expressions that naga adds for uses of constants; naga reports
//! all other errors in the text; time and memory are linear in the number of tokens. The weight of a scalar, vector or
//! matrix counts as at most [`MAX_PLAIN`].

mod array_size;
mod expression;
mod glsl;
mod module;
mod value;
mod wgsl;

use std::ops::Range;

use crate::nesting::Nesting;
use crate::tokenizer::{Token, Tokens};
use crate::{Diagnostic, ProgramError, Source, naga_call};

pub(crate) use module::check_module;

/// Maximal number of expressions for all uses of constants. naga needs about 90 bytes for each.
pub(crate) const MAX_UNFOLDED: u64 = 1 << 21;

/// Maximal number of members of a structure, nested ones included. WGSL guarantees 1023 without nested ones.
pub(crate) const MAX_MEMBERS: u64 = 1 << 14;

/// The weight of a matrix with four columns: itself, its columns and their components.
const MAX_PLAIN: u64 = 21;

/// A limit that a text exceeds, or an operator on an array, with the range of the token.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LimitExceeded {
    limit: Limit,
    range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Limit {
    Unfolded(String),
    Members(String),
    Operator,
    /// A variable or type with too many bytes.
    Bytes {
        name: String,
        bytes: u64,
        limit: u64,
    },
}

impl LimitExceeded {
    fn new(limit: Limit, token: &Token<'_>) -> Self {
        Self {
            limit,
            range: token.start..token.end(),
        }
    }

    fn diagnostic(self, source: &Source) -> Diagnostic {
        let (message, note) = match self.limit {
            Limit::Unfolded(name) => (
                format!("the values of constants are too large, up to this mention of `{name}`"),
                format!(
                    "all mentions of constants may have {MAX_UNFOLDED} parts together; every element of an array counts"
                ),
            ),
            Limit::Members(name) => (
                format!("the structure `{name}` has more than {MAX_MEMBERS} members"),
                "members of members count as often as they are there".to_owned(),
            ),
            Limit::Bytes { name, bytes, limit } => {
                let message = too_many_bytes(&name, bytes, limit);
                let place = [(self.range, String::new())];
                return Diagnostic::new(&message, place, Vec::new(), Some(source));
            }
            Limit::Operator => (
                "operators do not take arrays or structures".to_owned(),
                "the operand is a constant array or structure".to_owned(),
            ),
        };
        Diagnostic::new(
            &message,
            [(self.range, String::new())],
            vec![note],
            Some(source),
        )
    }
}

/// The message for a variable or type with too many bytes.
pub(crate) fn too_many_bytes(name: &str, bytes: u64, limit: u64) -> String {
    let at_least = if bytes == u64::MAX { "at least " } else { "" };
    format!(
        "type is too large: `{name}` takes {at_least}{bytes} bytes, at most {limit} are allowed"
    )
}

/// A diagnostic for the first WGSL array over naga's limit, as far as the tokens show.
pub(crate) fn large_wgsl_array(source: &Source) -> Option<Diagnostic> {
    let tokens: Vec<_> = Tokens::new(source.text()).collect();
    let exceeded = array_size::large_wgsl_array(&tokens)?;
    Some(exceeded.diagnostic(source))
}

/// Refuses WGSL with constants or structures over the limits.
pub(crate) fn check_wgsl(source: &Source, nesting: &Nesting) -> Result<(), ProgramError> {
    let tokens: Vec<_> = Tokens::new(source.text()).collect();
    check(source, nesting, || wgsl::check(&tokens))
}

/// Refuses GLSL with constants, structures or types over the limits. The tokens are those after macro expansion.
pub(crate) fn check_glsl(
    source: &Source,
    nesting: &Nesting,
    tokens: &[Token<'_>],
) -> Result<(), ProgramError> {
    check(source, nesting, || {
        glsl::check(tokens)?;
        array_size::check_glsl(tokens)
    })
}

fn check(
    source: &Source,
    nesting: &Nesting,
    measure: impl FnOnce() -> Result<(), LimitExceeded> + Send,
) -> Result<(), ProgramError> {
    let measured = naga_call::run(nesting, measure)?;
    measured.map_err(|exceeded| exceeded.diagnostic(source).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wgsl(text: &str) -> Option<Limit> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        wgsl::check(&tokens).err().map(|exceeded| exceeded.limit)
    }

    fn glsl(text: &str) -> Option<Limit> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        glsl::check(&tokens).err().map(|exceeded| exceeded.limit)
    }

    /// Constants, each an array of two of the previous one.
    fn doubled(first: &str, levels: u32) -> String {
        let more =
            (1..=levels).map(|level| format!("const A{level} = array(A{0}, A{0});\n", level - 1));
        format!("const A0 = {first};\n{}", more.collect::<String>())
    }

    #[test]
    fn doubling_constants_are_over_the_limit() {
        assert_eq!(wgsl(&doubled("array(1.0f, 1.0f)", 16)), None);
        for first in [
            "array(1.0f, 1.0f)",
            "array(1.0, 1.0)",
            "array<f32, 2>(1, 1)",
        ] {
            let text = doubled(first, 26);
            assert!(matches!(wgsl(&text), Some(Limit::Unfolded(_))), "{first}");
        }
        // Declared in the reverse order, and in a function.
        let mut lines: Vec<_> = doubled("array(1, 1)", 26)
            .lines()
            .map(str::to_owned)
            .collect();
        let inside = format!("fn f() {{ {} }}", lines.concat());
        assert!(matches!(wgsl(&inside), Some(Limit::Unfolded(_))));
        lines.reverse();
        assert!(matches!(wgsl(&lines.concat()), Some(Limit::Unfolded(_))));
    }

    #[test]
    fn doubling_numbers_are_not() {
        let more = (1..100).map(|level| format!("const x{level} = x{0} + x{0};", level - 1));
        let text = format!("const x0 = 1.0; {}", more.collect::<String>());
        assert_eq!(wgsl(&text), None);
        assert_eq!(wgsl(&format!("fn f() {{ {text} }}")), None);
    }

    #[test]
    fn mentions_add_up_unless_an_index_is_known_at_run_time_only() {
        let table = format!("const T = array({});", "1f, ".repeat(10_000));
        let mentions = |mention: &str| {
            let text = format!("{table} fn f(i: u32) {{ {} }}", mention.repeat(1000));
            wgsl(&text).is_some()
        };
        assert!(mentions("x = T[0];"));
        assert!(mentions("x = T[0 + 1];"));
        assert!(!mentions("x = T[i];"));
        assert!(!mentions("x = T[min(i, 3u)] * 2.0;"));
        // A variable shadows the constant, but only in its block.
        assert!(!mentions("{ var T = 1; x = T; }"));
        assert!(mentions("{ for (var T = 1; T < 3; T++) { } x = T[0]; }"));
        let lets = "{ let j = 0; x = T[j]; }";
        assert!(!mentions(lets));
        let text = format!("override o = 1; {table} fn f() {{ {} }}", lets.repeat(1000));
        assert!(wgsl(&text).is_some());
    }

    #[test]
    fn an_element_of_a_table_is_a_number() {
        let table = format!("const T = array({});", "1f, ".repeat(10_000));
        let text = format!(
            "{table} const x = T[3]; fn f() {{ {} }}",
            "y = x;".repeat(1000)
        );
        assert_eq!(wgsl(&text), None);
    }

    #[test]
    fn structures_of_structures_are_over_the_limit() {
        let more = (1..40).map(|level| {
            format!(
                "struct S{level} {{ a: S{0}, @align(16) b: array<S{0}, 4> }}",
                level - 1
            )
        });
        let text = format!("{} struct S0 {{ a: f32 }}", more.collect::<String>());
        assert!(matches!(wgsl(&text), Some(Limit::Members(_))));
        let more = (1..40).map(|level| format!("struct S{level} {{ S{0} a, b[4]; }};", level - 1));
        let text = format!("struct S0 {{ float a; }}; {}", more.collect::<String>());
        assert!(matches!(glsl(&text), Some(Limit::Members(_))));
    }

    #[test]
    fn operators_on_constant_arrays_are_refused() {
        let zero = "array<u32, 268435456>()";
        let wrong = [
            format!("const a = {zero} == {zero};"),
            format!("const z = {zero}; const a = -z;"),
            "alias Z = array<u32, 1 << 28>; const a = any(Z());".to_owned(),
            "const z = array<array<u32, 1 << 28>, 1>(); fn f() { let a = z[0] * 2; }".to_owned(),
            "struct S { a: array<u32, 1 << 28> } const s = S(); fn f() { let a = 2u << s.a; }"
                .to_owned(),
            format!("fn f() {{ const z = {zero}; if z != z {{}} }}"),
        ];
        for text in wrong {
            assert_eq!(wgsl(&text), Some(Limit::Operator), "{text}");
        }
        let right = [
            "const t = array(1, 2); const a = -t[0] + t[1];",
            "const t = array(1, 2); fn f() { let t = 1; let a = t + t; }",
            "fn f() { var a: array<f32, 2>; a = array<f32, 2>(); g(&a); let b = a[0] < a[1]; }",
            "struct S { a: vec3<f32> } const s = S(); fn f() { let a = s.a.x - s.a[1]; }",
        ];
        for text in right {
            assert_eq!(wgsl(text), None, "{text}");
        }
    }

    #[test]
    fn glsl_constants_are_measured_too() {
        let more = (1..26).map(|level| {
            let sides = "[2]".repeat(level + 1);
            format!(
                "const float A{level}{sides} = float{sides}(A{0}, A{0});\n",
                level - 1
            )
        });
        let text = format!(
            "const float A0[2] = {{ 1.0, 2.0 }};\n{}",
            more.collect::<String>()
        );
        assert!(matches!(glsl(&text), Some(Limit::Unfolded(_))));
        let table = format!("const float T[] = float[]({});", "1.0, ".repeat(10_000));
        let mentions = |mention: &str| {
            let text = format!("{table} void main() {{ int i; {} }}", mention.repeat(1000));
            glsl(&text).is_some()
        };
        assert!(mentions("x = T[0];"));
        assert!(!mentions("x = T[i] > 1.0 ? 2.0 : 3.0;"));
    }

    #[test]
    fn any_tokens_end() {
        for text in [
            "array<",
            "const",
            "fn f(",
            "(((",
            "a[",
            "struct S {",
            "const a = a;",
            "}}}}",
            "for (",
            ".",
            "const A = B; const B = A;",
            "1.",
            "alias A = A;",
            "struct S { s: S }",
        ] {
            let _ = (wgsl(text), glsl(text));
        }
    }
}
