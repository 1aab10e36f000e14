//! Integer dot products.

use crate::families::assembly::Case;
use crate::families::machine::everywhere;

fn run(text: &str, operands: &[&str], result: &str, input: &[u32], expected: i64) {
    let case = Case {
        text,
        operands,
        result,
        ..Case::default()
    };
    everywhere(&case, &[input.to_vec()], |device, results| {
        assert_eq!(
            results[0],
            [expected as u32],
            "{text} {operands:?} {input:x?} on {device}"
        );
    });
}

const A: u32 = 0x80ff_017f;
const B: u32 = 0xff02_ff03;

fn bytes(word: u32) -> [i64; 4] {
    word.to_le_bytes().map(i64::from)
}

fn signed_bytes(word: u32) -> [i64; 4] {
    word.to_le_bytes().map(|byte| i64::from(byte as i8))
}

fn dot<const N: usize>(a: [i64; N], b: [i64; N]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn packed() {
    let ways: [(&str, i64); 3] = [
        ("SDot", dot(signed_bytes(A), signed_bytes(B))),
        ("UDot", dot(bytes(A), bytes(B))),
        ("SUDot", dot(signed_bytes(A), bytes(B))),
    ];
    for (name, expected) in ways {
        for (first, second) in [("u32", "u32"), ("i32", "u32"), ("i32", "i32")] {
            let text = format!("Op{name} $T $0 $1 PackedVectorFormat4x8Bit");
            run(&text, &[first, second], "u32", &[A, B], expected);
            let text = format!("Op{name}AccSat $T $0 $1 $2 PackedVectorFormat4x8Bit");
            run(
                &text,
                &[first, second, "u32"],
                "u32",
                &[A, B, 5],
                expected + 5,
            );
        }
    }
    let text = "OpSDot $T $0 $1 PackedVectorFormat4x8Bit";
    run(text, &["u32", "u32"], "i32", &[A, B], ways[0].1);
}

#[test]
fn vectors() {
    let (a, b) = ([0x80, 0xff, 0x01], [0x02, 0xfe, 0x80]);
    let signed = |x: [u32; 3]| x.map(|x| i64::from(x as u8 as i8));
    let unsigned = |x: [u32; 3]| x.map(i64::from);
    let input = [a, b].concat();
    for (left, right) in [("v3i8", "v3i8"), ("v3u8", "v3i8"), ("v3u8", "v3u8")] {
        let operands = &[left, right][..];
        run(
            "OpSDot $T $0 $1",
            operands,
            "i32",
            &input,
            dot(signed(a), signed(b)),
        );
        run(
            "OpUDot $T $0 $1",
            operands,
            "u32",
            &input,
            dot(unsigned(a), unsigned(b)),
        );
        run(
            "OpSUDot $T $0 $1",
            operands,
            "i32",
            &input,
            dot(signed(a), unsigned(b)),
        );
    }
    let wide = [0xffff, 0x7fff, 3, 4];
    run(
        "OpUDot $T $0 $1",
        &["v2u16", "v2u16"],
        "u32",
        &wide,
        0xffff * 3 + 0x7fff * 4,
    );
    run(
        "OpSDot $T $0 $1",
        &["v2u16", "v2i16"],
        "i32",
        &wide,
        -3 + 0x7fff * 4,
    );
    run(
        "OpSDot $T $0 $1",
        &["v2i32", "v2u32"],
        "i32",
        &[u32::MAX, 5, 7, 2],
        3,
    );
}

/// The accumulated sum saturates to the range of the result type, including narrow ones.
#[test]
fn saturation() {
    let most = i32::MAX.cast_unsigned();
    let least = i32::MIN.cast_unsigned();
    let two = &["v2i16", "v2i16", "i32"][..];
    let sums = "OpSDotAccSat $T $0 $1 $2";
    run(
        sums,
        two,
        "i32",
        &[1, 2, 3, 4, most - 5],
        i64::from(i32::MAX),
    );
    run(
        sums,
        two,
        "i32",
        &[1, 2, 3, 4, most - 11],
        i64::from(i32::MAX),
    );
    run(
        sums,
        two,
        "i32",
        &[1, 2, 3, 4, most - 12],
        i64::from(i32::MAX) - 1,
    );
    run(
        sums,
        two,
        "i32",
        &[1, 2, 0xfffd, 0xfffc, least + 3],
        i64::from(i32::MIN),
    );
    run(sums, two, "i32", &[1, 2, 0xfffd, 0xfffc, 20], 9);
    let unsigned = "OpUDotAccSat $T $0 $1 $2";
    let two = &["v2u16", "v2u16", "u32"][..];
    run(
        unsigned,
        two,
        "u32",
        &[1, 2, 3, 4, u32::MAX - 5],
        i64::from(u32::MAX),
    );
    run(
        unsigned,
        two,
        "u32",
        &[1, 2, 3, 4, u32::MAX - 12],
        i64::from(u32::MAX) - 1,
    );
    let bytes = &["v2i8", "v2i8", "i8"][..];
    run(sums, bytes, "i8", &[10, 10, 5, 5, 100], 127);
    run(sums, bytes, "i8", &[10, 10, 0xfb, 0xfb, 0x9c], -128);
    let bytes = &["v2u8", "v2u8", "u8"][..];
    run(unsigned, bytes, "u8", &[10, 10, 5, 5, 100], 200);
    run(unsigned, bytes, "u8", &[10, 10, 5, 5, 200], 255);
    let mixed = &["v2i8", "v2u8", "i16"][..];
    run(
        "OpSUDotAccSat $T $0 $1 $2",
        mixed,
        "i16",
        &[0xff, 0, 0xff, 0, 0x8001],
        -32768,
    );
}
