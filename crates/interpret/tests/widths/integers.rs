//! Operators on 16-bit and 64-bit integers, compared with Rust's, on edge cases and random bits.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anywarp_test_support::Random;

use super::{run_on_threads, zeros};

/// The result of each operator; shifts use the low bits of the second operand.
macro_rules! expected {
    ($int:ident, $x:ident, $y:ident) => {{
        let amount = $y as u32;
        [
            $x.wrapping_add($y),
            $x.wrapping_sub($y),
            $x.wrapping_mul($y),
            if $y == 0 { $x } else { $x.wrapping_div($y) },
            if $y == 0 { 0 } else { $x.wrapping_rem($y) },
            $x & $y,
            $x | $y,
            $x ^ $y,
            $x.wrapping_shl(amount),
            $x.wrapping_shr(amount),
            $x.min($y),
            $x.max($y),
            $int::from($x < $y),
            $int::from($x <= $y),
            $int::from($x == $y),
            $x.count_ones() as $int,
            $x.leading_zeros() as $int,
            $x.trailing_zeros() as $int,
            $x.reverse_bits(),
            !$x,
        ]
    }};
}

const EXPRESSIONS: [&str; 20] = [
    "x + y",
    "x - y",
    "x * y",
    "x / y",
    "x % y",
    "x & y",
    "x | y",
    "x ^ y",
    "x << u32(y)",
    "x >> u32(y)",
    "min(x, y)",
    "max(x, y)",
    "T(x < y)",
    "T(x <= y)",
    "T(x == y)",
    "countOneBits(x)",
    "countLeadingZeros(x)",
    "countTrailingZeros(x)",
    "reverseBits(x)",
    "~x",
];

fn program(ty: &str) -> String {
    let results = EXPRESSIONS.join(", ").replace("T(", &format!("{ty}("));
    format!(
        "enable wgpu_int16;
        @group(0) @binding(0) var<storage, read> a: array<vec2<{ty}>>;
        @group(0) @binding(1) var<storage, read_write> out: array<array<{ty}, 20>>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3u) {{
            let x = a[id.x].x;
            let y = a[id.x].y;
            out[id.x] = array({results});
        }}"
    )
}

/// Every pair of edges, then random bits.
fn pairs(edges: &[u64]) -> Vec<(u64, u64)> {
    let mut pairs: Vec<(u64, u64)> = edges
        .iter()
        .flat_map(|&x| edges.iter().map(move |&y| (x, y)))
        .collect();
    let mut random = Random::new(1);
    let mut number = || {
        // Few bits as well as many, so that quotients are not all zero.
        let bits = random.bits();
        bits >> (bits % 61)
    };
    pairs.resize_with(2048, || (number(), number()));
    pairs
}

macro_rules! agrees {
    ($test:ident, $int:ident) => {
        #[test]
        fn $test() {
            const BYTES: usize = size_of::<$int>();
            let edges = [0, 1, 2, 15, 16, 17, $int::MAX, $int::MIN, !0, $int::MAX - 1];
            let pairs = pairs(&edges.map(|edge| edge as u64));
            let bytes: Vec<u8> = pairs
                .iter()
                .flat_map(|(x, y)| [*x as $int, *y as $int])
                .flat_map($int::to_le_bytes)
                .collect();
            let words = bytes.chunks_exact(4).map(|word| {
                AtomicU32::new(u32::from_le_bytes(word.try_into().expect("four bytes")))
            });
            let buffers = [words.collect(), zeros(pairs.len() * 20 * BYTES / 4)];
            run_on_threads(
                &program(stringify!($int)),
                &buffers,
                256,
                &Default::default(),
            );
            let out: Vec<u8> = buffers[1]
                .iter()
                .flat_map(|word| word.load(Relaxed).to_le_bytes())
                .collect();
            let mut results = out
                .chunks_exact(BYTES)
                .map(|bytes| $int::from_le_bytes(bytes.try_into().expect("as many as asked for")));
            for (x, y) in pairs {
                let (x, y) = (x as $int, y as $int);
                for (expected, expression) in expected!($int, x, y).iter().zip(EXPRESSIONS) {
                    assert_eq!(results.next(), Some(*expected), "{expression}: {x}, {y}");
                }
            }
        }
    };
}

agrees!(i16_agrees_with_rust, i16);
agrees!(u16_agrees_with_rust, u16);
agrees!(i64_agrees_with_rust, i64);
agrees!(u64_agrees_with_rust, u64);
