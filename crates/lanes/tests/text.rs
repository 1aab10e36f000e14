//! The text form: errors have the right location, and no text makes the parser panic.

use std::time::{Duration, Instant};

use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;

/// A function with almost every instruction.
const EVERYTHING: &str = "\
kernel lanes=8 frame=192 barriers=1
p0 = [0, 1, 2, 3, 4, 5, -1, 1.5f]
b0:
  v0 = field workgroup.x
  v1 = base buffer 3
  v2 = base frame 64
  v3 = length 3
  v4 = word -2
  v5 = mul v0, v4
  v6 = ltu v5, v3
  v7 = select v6, v5, v4
  v8 = advanceorzeros v1, v5, v6
  v9 = advance v2, v0
  v10 = loadword -1 v8
  v11 = splat 0xdeadbeef
  v12 = pattern p0
  v13 = broadcast v7
  v14 = vfmaf v11, v12, v13
  v15 = veqf v14, v12
  v16 = masked.vltu v11, v12, mask v15
  v17 = masked.vaddf v11, v12, v13, mask v16
  v18 = masked.vfmaf v11, v12, v13, v14, mask v16
  v19 = vternary 0x0a v11, v12, v13
  v20 = vrotateby 7 v19
  v21 = vselect v15, v20, v18
  v22 = mandnot v15, v16
  v23 = mask 0xff
  v24 = any v22
  v25 = extract 7 v17
  v26 = loadrow +0 v1, v0
  v27 = loadrow -4 v1, v0, limit v3
  v28 = loadrow +4 v1, v0, mask v23
  v29 = loadrow +0 v1, v0, limit v3, mask v23
  storerow +0 v1, v0, v29, mask v23
  v30 = gather +1 v1, v12, mask v23
  scatter -1 v1, v12, v30, mask v23
  v31 = atomic.maxs threads +0 v1, v12, v30, mask v23
  v32 = atomic.compareexchange thread +2 v1, v12, v30, v31, mask v23
  v41 = atomic.addf threads -1 v1, v12, v30, mask v23
  v42 = loadpointer +4 v1
  framestore 96 v32
  framestore 8 v8
  poll
  suspend 1, b1
b1:
  v33 = frameload lanes 96
  v34 = vfroms v33
  branch v24, b2(v34, v8), b3
b2(v35: lanes, v36: ptr):
  jump b3
b3:
  v37 = vmulhighu v11, v12
  v38 = f64.low.fma v11, v12, v11, v12, v11, v37
  v39 = f64.high.fromf32 v38
  v40 = f64.tof32 v38, v39
  scatterhalves +3 v1, v12, v40, mask v23
  atomic64.add threads +0 v1, v2, v12, v38, v39, mask v23
  atomic64.compareexchange thread -2 v1, v2, v12, v11, v12, v38, v39, mask v23
  return finished
b4:
  return diverged
";

#[test]
fn everything_comes_back() {
    let function = parse(EVERYTHING).unwrap();
    verify(&function).unwrap();
    assert_eq!(function.to_string(), EVERYTHING);
    assert_eq!(parse(&function.to_string()), Ok(function));
}

#[test]
fn errors_name_their_place() {
    let header = "kernel lanes=8 frame=0 barriers=0\n";
    let cases = [
        ("", "line 1, column 1: expected `kernel`"),
        (
            "kernel lanes=x",
            "line 1, column 14: expected an integer, found `x`",
        ),
        ("HEADER", "line 1, column 34: expected a block like `b0:`"),
        ("HEADERb1:", "line 2, column 1: expected b0, found `b1`"),
        (
            "HEADERb0:",
            "line 2, column 4: expected how the block before ends",
        ),
        (
            "HEADERb0:\n v0 = nothing",
            "line 3, column 7: expected an instruction, found `nothing`",
        ),
        (
            "HEADERb0:\n v0 = poll",
            "line 3, column 7: this instruction has no result",
        ),
        (
            "HEADERb0:\n any v0",
            "line 3, column 2: the result of this instruction needs a name",
        ),
        (
            "HEADERb0:\n v0 = add v1",
            "line 3, column 13: expected 2 operands, found 1",
        ),
        (
            "HEADERb0:\n v0 = add v1 v2",
            "line 3, column 14: expected `,`, found `v2`",
        ),
        (
            "HEADERb0:\n v0 = gather +0 v1, v2, v3",
            "line 3, column 25: expected `mask` before this operand",
        ),
        (
            "HEADERb0:\n v0 = add v1, mask v2",
            "line 3, column 15: this operand is neither a limit nor a mask",
        ),
        (
            "HEADERb0:\n v0 = word 1\n v0 = word 2",
            "line 4, column 2: `v0` is defined a second time",
        ),
        (
            "HEADERb0:\n v9999999 = word 1",
            "line 3, column 2: `v9999999` has a number that is too large",
        ),
        (
            "HEADERb0:\n return finished\n poll",
            "line 4, column 2: expected a block, since the one before has ended, found `poll`",
        ),
        (
            "HEADERb0:\n return finished finished",
            "line 3, column 18: expected the end of the line, found `finished`",
        ),
        (
            "HEADERb0:\n v0 = loadword 1 v1",
            "line 3, column 16: expected an offset like `+0`, found `1`",
        ),
        (
            "HEADERb0:\n v0 = extract 256 v1",
            "line 3, column 15: expected an integer, found `256`",
        ),
        (
            "HEADERb0:\n return finished\np0 = [1]",
            "line 4, column 1: patterns stand before blocks",
        ),
    ];
    for (text, expected) in cases {
        let text = text.replace("HEADER", header);
        let error = parse(&text).unwrap_err();
        assert_eq!(error.to_string(), expected, "{text}");
    }
}

#[test]
fn comments_and_space_mean_nothing() {
    let text = "// what\n\n  kernel lanes = 8 frame = 0 barriers = 0 // this\nb0 ( ) : // is\n\treturn finished\n";
    assert_eq!(
        parse(text).unwrap().to_string(),
        "kernel lanes=8 frame=0 barriers=0\nb0:\n  return finished\n"
    );
}

/// Text with a few characters or lines changed never makes the parser or the verifier panic, and what is read prints as
/// text that reads as the same.
#[test]
fn no_text_makes_the_parser_panic() {
    let mut state = 0x1234_5678u64;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let pieces = [
        "v",
        "4294967296",
        ",",
        "(",
        ")",
        "mask ",
        "-",
        "0x",
        "f",
        "\n",
        "é",
        ":",
        "=",
        "[",
        "]",
        "b9",
        "p7",
        "99",
    ];
    let end = Instant::now() + Duration::from_secs(1);
    let (mut tried, mut read) = (0, 0);
    while Instant::now() < end {
        let mut text = EVERYTHING.to_owned();
        for _ in 0..=random(3) {
            let mut at = random(text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let until = (at + random(4)).min(text.len());
            let until = (until..=text.len())
                .find(|&end| text.is_char_boundary(end))
                .unwrap();
            text.replace_range(at..until, pieces[random(pieces.len())]);
        }
        tried += 1;
        if let Ok(function) = parse(&text) {
            read += 1;
            let _checked = verify(&function);
            let again = parse(&function.to_string());
            assert_eq!(again.as_ref(), Ok(&function), "{text}");
        }
    }
    assert!(tried > 100 && read > 10, "{read} of {tried} were read");
}
