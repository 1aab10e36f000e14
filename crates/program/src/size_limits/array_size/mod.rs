//! Sizes of array types in bytes, computed from tokens before naga lays them out.
//!
//! In: the tokens of a GLSL text after macro expansion, or of a WGSL text. Out: a [`LimitExceeded`](super::LimitExceeded) for the first type
//! over naga's limit. naga's GLSL front end multiplies array lengths unchecked, and panics if a type is over the limit.
//! Its WGSL front end reports such types, mostly without a location, which is found here.
//!
//! What always holds: a computed GLSL size is a lower bound of naga's, so no type is refused that naga accepts. An
//! array length counts as 1 unless it is a literal, a constant with a single value in the whole text, or arithmetic on
//! these; an unknown type counts as 1 byte.

mod glsl;
mod parser;
mod wgsl;

pub(super) use glsl::check as check_glsl;
pub(super) use wgsl::large_array as large_wgsl_array;

/// Size and alignment of a type in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TypeLayout {
    size: u64,
    align: u64,
}

impl TypeLayout {
    const UNKNOWN: Self = Self { size: 1, align: 1 };

    fn array(self, length: u64, min_align: u64) -> Self {
        let align = self.align.max(min_align);
        let stride = self.size.checked_next_multiple_of(align);
        Self {
            size: stride.unwrap_or(u64::MAX).saturating_mul(length),
            align,
        }
    }

    /// A vector, or a matrix as an array of columns.
    fn plain(columns: u64, rows: u64, width: u64) -> Self {
        let align = rows.next_power_of_two() * width;
        let size = if columns == 1 {
            rows * width
        } else {
            columns * align
        };
        Self { size, align }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limit, LimitExceeded};
    use super::*;
    use crate::tokenizer::Tokens;

    /// Name and size of the refused type.
    fn glsl(text: &str) -> Option<(String, u64)> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        bytes(check_glsl(&tokens).err())
    }

    fn wgsl(text: &str) -> Option<(String, u64)> {
        let tokens: Vec<_> = Tokens::new(text).collect();
        bytes(large_wgsl_array(&tokens))
    }

    fn bytes(exceeded: Option<LimitExceeded>) -> Option<(String, u64)> {
        match exceeded?.limit {
            Limit::Bytes { name, bytes, .. } => Some((name, bytes)),
            _ => None,
        }
    }

    #[test]
    fn large_arrays_of_glsl_are_found() {
        let large = |name: &str, bytes: u64| Some((name.to_owned(), bytes));
        assert_eq!(glsl("uint a[65536][65536][2];"), large("a", 1 << 35));
        assert_eq!(glsl("uint[65536] a[65536];"), large("a", 1 << 34));
        assert_eq!(
            glsl("uint a, b[4] = uint[4](1, 2, 3, 4), c[1 << 29];"),
            large("c", 1 << 31)
        );
        assert_eq!(
            glsl("const int N = 1 << 15, M = N * 2; vec3 a[N][M];"),
            large("a", 1 << 35)
        );
        assert_eq!(
            glsl("struct S { uint a[65536]; }; S s[2048];"),
            large("s", 1 << 31)
        );
        assert_eq!(
            glsl("struct S { vec4 a; } s[0x8000000];"),
            large("s", 1 << 31)
        );
        assert_eq!(
            glsl("struct S { uint a[134217728]; };"),
            large("a", 1 << 31)
        );
        assert_eq!(
            glsl("uniform B { float a[134217728]; };"),
            large("a", 1 << 31)
        );
        assert_eq!(
            glsl("void f(int x, mat4 m[33554432]) {}"),
            large("m", 1 << 31)
        );
        let block = "buffer B { uint a[536870911], b[536870911], c[2]; };";
        assert_eq!(glsl(block), large("B", 1 << 32));
    }

    #[test]
    fn arrays_under_the_limit_and_unknown_lengths_are_left_to_naga() {
        for text in [
            "uint a[536870911];",
            "buffer B { uint a[134217728]; };",
            "layout(push_constant) uniform B { uint a[134217728]; };",
            "uint a[N][65536][8191];",
            "x = a[65536][65536][2];",
            "void f() { const int N = 65536; } void g() { const int N = 4; uint a[N][N][65536]; }",
            "uint a[65536], b[65536]; uint f(uint x) { return b[65536]; }",
            "uint a[1 / 0], b[-1], c[], d[1 << 99], e[(];",
        ] {
            assert_eq!(glsl(text), None, "{text}");
        }
    }

    #[test]
    fn large_arrays_of_wgsl_are_found() {
        let ty = "array<array<vec3<f32>, M>, 65536>".to_owned();
        let text = format!("const M = N * 2; const N: u32 = 0x800u; var<private> a: {ty};");
        assert_eq!(wgsl(&text), Some((ty, 1 << 32)));
        let text = "alias A = array<array<u32, 65536>, 65536>; var<private> a: array<A, 2>;";
        assert_eq!(wgsl(text).unwrap().1, 1 << 34);
        assert_eq!(
            wgsl("var<private> a: array<array<u32, 4>, (1 << 4)>;"),
            None
        );
    }

    #[test]
    fn any_tokens_end() {
        for text in [
            "uint",
            "uint[",
            "uint a[",
            "const int a =",
            "struct S {",
            "} } )",
            "uint a[b[c[",
            "array<",
            "array<array<u32,",
            "const a = (((",
            "alias A = A;",
            "array<>",
        ] {
            let _ = (glsl(text), wgsl(text));
        }
    }
}
