//! Every rule of the vector IR, broken once: a function as text, and the expected error.

use anywarp_lanes::ir::{Function, Type};
use anywarp_lanes::text::parse;
use anywarp_lanes::verify::verify;

/// The error of a function whose blocks are given.
fn error(header: &str, body: &str) -> String {
    let text = format!("{header}\n{body}\n");
    let function = parse(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
    verify(&function).map_or_else(|error| error.to_string(), |()| "none".to_owned())
}

const PLAIN: &str = "kernel lanes=16 frame=128 barriers=2";

#[test]
fn frames_and_barriers_have_limits() {
    let body = "b0:\n return finished";
    let frame = error("kernel lanes=8 frame=4294967295 barriers=0", body);
    assert_eq!(
        frame,
        "a frame has at most 2147483648 bytes, not 4294967295"
    );
    let barriers = error("kernel lanes=8 frame=0 barriers=1073741824", body);
    assert_eq!(
        barriers,
        "a function has at most 1048576 barriers, not 1073741824"
    );
}

#[test]
fn every_rule_is_checked() {
    let cases = [
        ("b0:\n return finished", "none"),
        (
            "b0:\n v0 = word 1\n v1 = vsqrtf v0\n return finished",
            "b0, instruction 1, v1 = vsqrtf: operand 0, v0, is a word, not lanes",
        ),
        (
            "b0:\n v0 = add v1, v1\n v1 = word 1\n return finished",
            "b0, instruction 0, v0 = add: v1 is not defined on every path to here, but in b0",
        ),
        (
            "b0:\n v0 = any v9\n return finished",
            "b0, instruction 0, v0 = any: v9 is never defined",
        ),
        (
            "b0:\n v9 = word 0\n v0 = ballot v8\n return finished",
            "b0, instruction 1, v0 = ballot: operand 0, v8, is a word, not a mask",
        ),
        (
            "b0:\n v9 = word 0\n v0 = broadcast v8\n return finished",
            "b0, instruction 1, v0 = broadcast: v8 is never defined",
        ),
        (
            "b0(v0: word):\n return finished",
            "b0: the first block has no parameters",
        ),
        ("b0:\n jump b1", "b0, at its end: b1 does not exist"),
        (
            "b0:\n jump b0",
            "b0, at its end: nothing leads to the first block",
        ),
        (
            "b0:\n v0 = splat 1\n branch v0, b1, b1\nb1:\n return finished",
            "b0, at its end: a branch is decided by a word or a mask, not by lanes",
        ),
        (
            "b0:\n jump b1\nb1(v0: word):\n return finished",
            "b0, at its end: b1 takes 1 values, not 0",
        ),
        (
            "b0:\n v1 = mask 1\n jump b1(v1)\nb1(v0: word):\n return finished",
            "b0, at its end: v1 for v0 of b1 is a mask, not a word",
        ),
        (
            "b0:\n v0 = word 1\n branch v0, b1, b2\nb1:\n v1 = word 2\n jump b2\nb2:\n v2 = add v1, v1\n return finished",
            "b2, instruction 0, v2 = add: v1 is not defined on every path to here, but in b1",
        ),
        (
            "b0:\n v0 = splat 1\n v1 = vshlby 32 v0\n return finished",
            "b0, instruction 1, v1 = vshlby: shifts are by 0 to 31",
        ),
        (
            "b0:\n v0 = splat 1\n v1 = extract 16 v0\n return finished",
            "b0, instruction 1, v1 = extract: there is no such lane",
        ),
        (
            "b0:\n v0 = mask 0x10000\n return finished",
            "b0, instruction 0, v0 = mask: there are no such lanes",
        ),
        (
            "b0:\n v0 = pattern p0\n return finished",
            "b0, instruction 0, v0 = pattern: there is no such pattern",
        ),
        (
            "p0 = [1, 2]\nb0:\n return finished",
            "p0: a pattern has a word for each of 16 lanes",
        ),
        ("b0:\n return 3", "b0, at its end: there is no barrier 3"),
        (
            "b0:\n return 2",
            "b0, at its end: it returns at barrier 2, but the function does not resume",
        ),
        ("b0:\n resume b1, b1, b1\nb1:\n return 2", "none"),
        (
            "b0:\n suspend 3, b1\nb1:\n return finished",
            "b0, at its end: barriers are numbered from 1 to 2, not 3",
        ),
        (
            "b0:\n suspend 1, b1\nb1:\n suspend 1, b2\nb2:\n return finished",
            "b1, at its end: barrier 1 is there twice",
        ),
        (
            "b0:\n suspend 1, b1\nb1(v0: word):\n return finished",
            "b0, at its end: b1 follows a barrier and has parameters",
        ),
        (
            "b0:\n jump b1\nb1:\n resume b2, b2, b2\nb2:\n return finished",
            "b1, at its end: only the first block resumes",
        ),
        (
            "b0:\n resume b1, b1\nb1:\n return finished",
            "b0, at its end: it resumes at 3 places, not 2",
        ),
        (
            "b0:\n resume b1, b1, b1\nb1:\n suspend 1, b1",
            "b1, at its end: a function either suspends or resumes",
        ),
        (
            "b0:\n v0 = splat 1\n framestore 96 v0\n return finished",
            "b0, instruction 1, framestore: 64 bytes at 96 are not in the frame, which has 128",
        ),
        (
            "b0:\n v0 = splat 1\n framestore 32 v0\n return finished",
            "b0, instruction 1, framestore: 32 is not a multiple of 64 bytes",
        ),
        (
            "b0:\n v0 = frameload ptr 4\n return finished",
            "b0, instruction 0, v0 = frameload: 4 is not a multiple of 8 bytes",
        ),
        (
            "b0:\n v0 = base frame 128\n return finished",
            "b0, instruction 0, v0 = base: 4 bytes at 128 are not in the frame, which has 128",
        ),
        (
            "b0:\n return finished\nb1:\n v0 = add v1, v1\n v1 = word 1\n return finished",
            "none",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(error(PLAIN, body), expected, "{body}");
    }
    let lanes = "kernel lanes=4 frame=0 barriers=0";
    assert_eq!(
        error(lanes, "b0:\n return finished"),
        "a function has 8 or 16 lanes, not 4"
    );
}

#[test]
fn what_text_cannot_say() {
    let text = format!("{PLAIN}\nb0:\n v0 = word 1\n poll\n return finished\n");
    let function = parse(&text).unwrap();
    let broken = |change: &dyn Fn(&mut Function)| {
        let mut function = function.clone();
        change(&mut function);
        verify(&function).unwrap_err().to_string()
    };
    let place = "b0, instruction 0, v0 = word";
    let error = broken(&|function| function.types[0] = Type::Mask);
    assert_eq!(error, format!("{place}: its result is a word, not a mask"));
    let error = broken(&|function| function.types.clear());
    assert_eq!(error, format!("{place}: v0 has no type"));
    let error = broken(&|function| function.blocks[0].insts[0].result = None);
    assert_eq!(error, "b0, instruction 0, word: it defines no value");
    let error = broken(&|function| {
        function.add_value(Type::Word);
        function.blocks[0].insts[1].result = Some(anywarp_lanes::ir::Value(1));
    });
    assert_eq!(error, "b0, instruction 1, v1 = poll: it has no result");
    let error = broken(&|function| {
        function.blocks[0].insts[1]
            .operands
            .push(anywarp_lanes::ir::Value(0));
    });
    assert_eq!(error, "b0, instruction 1, poll: it takes 0 operands, not 1");
    let error = broken(&|function| {
        let again = function.blocks[0].insts[0].clone();
        function.blocks[0].insts.push(again);
    });
    assert_eq!(
        error,
        "b0, instruction 2, v0 = word: v0 is defined a second time"
    );
    let error = broken(&|function| function.blocks.clear());
    assert_eq!(error, "a function has at least one block");
}
