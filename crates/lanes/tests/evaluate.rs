//! The evaluator: memory, barriers, and every error of a run.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::CallOutcome;
use anywarp_lanes::text::parse;

/// Runs a workgroup of two subgroups on a buffer; returns the outcome and the contents of the buffer.
fn run(text: &str, buffer: &[u32]) -> (Result<CallOutcome, String>, Vec<u32>) {
    run_as(text, buffer, &WorkgroupInputs::default())
}

fn run_as(
    text: &str,
    buffer: &[u32],
    run: &WorkgroupInputs,
) -> (Result<CallOutcome, String>, Vec<u32>) {
    let function = parse(text).unwrap();
    let mut memory = Memory {
        buffers: vec![buffer.to_vec()],
        workgroup: vec![0; 16],
        immediates: vec![5],
        constants: vec![6],
    };
    let evaluator = Evaluator::new(&function).unwrap();
    let outcome = evaluator.run_workgroup(run, 2, &mut memory, &mut 1000);
    (
        outcome.map_err(|error| error.to_string()),
        memory.buffers.remove(0),
    )
}

/// The start of a function: a buffer `v0`, its length `v1` and the lane numbers `v2`; the block continues.
fn kernel(rest: &str) -> String {
    format!(
        "kernel lanes=8 frame=64 barriers=2
         p0 = [0, 1, 2, 3, 4, 5, 6, 7]
         b0:
           v0 = base buffer 0
           v1 = length 0
           v2 = pattern p0
           v3 = mask 0xff
           v4 = word 0
           v5 = word 8
           v6 = field subgroup
           v7 = mul v6, v5
           {rest}"
    )
}

#[test]
fn rows_end_at_their_limit_and_wrap() {
    let text = kernel(
        "v10 = word -2
         v11 = loadrow +0 v0, v10, limit v1
         storerow +0 v0, v4, v11
         return finished",
    );
    let (outcome, words) = run(&text, &[1, 2, 3, 0, 0, 0, 0, 0]);
    assert_eq!(outcome, Ok(CallOutcome::FINISHED));
    // The second subgroup does it again.
    assert_eq!(words, [0, 0, 0, 0, 1, 2, 3, 0]);
}

#[test]
fn entries_name_buffers() {
    // The first word of the buffer is the number of the buffer itself; its fifth is that of one that is not there.
    let text = kernel(
        "v10 = loadpointer +0 v0
         v11 = loadword +2 v10
         v12 = broadcast v11
         storerow +4 v10, v4, v12
         return finished",
    );
    let (outcome, words) = run(&text, &[0, 0, 7, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(outcome, Ok(CallOutcome::FINISHED));
    assert_eq!(words, [0, 0, 7, 0, 7, 7, 7, 7, 7, 7, 7, 7]);
    let text = kernel("v10 = loadpointer +4 v0\n v11 = loadword +0 v10\n return finished");
    let (outcome, _) = run(&text, &[0, 0, 7, 0, 9, 0, 0, 0]);
    assert_eq!(
        outcome.unwrap_err(),
        "b0, instruction 9, v11 = loadword: it touches word 0 of buffer 9, which has 0"
    );
}

#[test]
fn atomic_sums_of_floats_are_made_lane_after_lane() {
    let text = kernel(
        "v10 = splat 0.5f
         v11 = splat 0
         v12 = atomic.addf thread +1 v0, v11, v10, mask v3
         storerow +2 v0, v4, v12
         return finished",
    );
    let (outcome, words) = run(&text, &[0; 10]);
    assert_eq!(outcome, Ok(CallOutcome::FINISHED));
    let floats = words[1..].iter().map(|word| f32::from_bits(*word));
    let floats: Vec<_> = floats.collect();
    // The second subgroup continues where the first has ended.
    assert_eq!(floats, [8.0, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5]);
}

#[test]
fn what_leaves_memory_is_an_error() {
    let load = kernel("v10 = loadrow +0 v0, v7\n return finished");
    let (outcome, _) = run(&load, &[0; 15]);
    let place = "b0, instruction 8, v10 = loadrow";
    assert_eq!(
        outcome.unwrap_err(),
        format!("{place}: it touches word 15 of buffer 0, which has 15")
    );

    let store = kernel("v10 = base immediates\n scatter +0 v10, v2, v2, mask v3\n return finished");
    let (outcome, _) = run(&store, &[]);
    let place = "b0, instruction 9, scatter";
    assert_eq!(
        outcome.unwrap_err(),
        format!("{place}: it writes to the immediate data")
    );

    let before = kernel("v10 = loadword -1 v0\n return finished");
    let (outcome, _) = run(&before, &[1]);
    let place = "b0, instruction 8, v10 = loadword";
    assert_eq!(
        outcome.unwrap_err(),
        format!("{place}: it touches word -1 of buffer 0, which has 1")
    );

    let index = kernel("v10 = splat -1\n v11 = gather +1 v0, v10, mask v3\n return finished");
    let (outcome, _) = run(&index, &[1]);
    let place = "b0, instruction 9, v11 = gather";
    assert_eq!(
        outcome.unwrap_err(),
        format!("{place}: its index 4294967295 is not below 2^31")
    );
}

#[test]
fn a_checked_address_falls_on_zeros() {
    let text = kernel(
        "v10 = word 100
         v11 = ltu v10, v1
         v12 = advanceorzeros v0, v10, v11
         v13 = loadsplat +1023 v12
         storerow +0 v0, v7, v13, limit v1
         return finished",
    );
    assert_eq!(
        run(&text, &[7; 10]),
        (Ok(CallOutcome::FINISHED), vec![0; 10])
    );
    let text = text.replace("+1023", "+1024");
    let (outcome, _) = run(&text, &[7; 10]);
    assert!(
        outcome
            .unwrap_err()
            .contains("word 1024 of the page of zeros")
    );
}

#[test]
fn the_highest_lane_wins_and_atomics_go_in_order() {
    let text = kernel(
        "v10 = splat 0
         scatter +0 v0, v10, v2, mask v3
         v11 = splat 1
         v12 = atomic.add threads +0 v0, v10, v11, mask v3
         storerow +1 v0, v4, v12
         return finished",
    );
    let (_, words) = run(&text, &[0; 9]);
    assert_eq!(words, [15, 7, 8, 9, 10, 11, 12, 13, 14]);
}

#[test]
fn halves_are_stored_beside_each_other() {
    let text = kernel("scatterhalves +1 v0, v2, v2, mask v3\n return finished");
    let (_, words) = run(&text, &[0xaaaa_aaaa; 5]);
    assert_eq!(
        words,
        [
            0x0000_aaaa,
            0x0002_0001,
            0x0004_0003,
            0x0006_0005,
            0xaaaa_0007
        ]
    );
    let (outcome, _) = run(&text, &[0; 4]);
    let place = "b0, instruction 8, scatterhalves";
    assert_eq!(
        outcome.unwrap_err(),
        format!("{place}: it touches word 4 of buffer 0, which has 4")
    );
}

#[test]
fn numbers_of_two_words_are_changed_in_order() {
    let text = kernel(
        "v10 = base frame 0
         v11 = splat 0
         v12 = splat 0x80000000
         v13 = splat 1
         atomic64.add threads +0 v0, v10, v11, v12, v13, mask v3
         v14 = loadrow +0 v10, v4
         v15 = loadrow +8 v10, v4
         v16 = vadd v14, v15
         storerow +2 v0, v4, v16
         return finished",
    );
    let (_, words) = run(&text, &[0; 10]);
    // Sixteen times 3 * 2^31 are 24 * 2^32; the second eight lanes found those of the first.
    assert_eq!(words[..2], [0, 24]);
    let seconds: Vec<u32> = (8..16u32)
        .map(|number| (number % 2 * 0x8000_0000).wrapping_add(number * 3 / 2))
        .collect();
    assert_eq!(words[2..], seconds);
    let (outcome, _) = run(&text, &[0; 1]);
    let place = "b0, instruction 12, atomic64.add";
    assert_eq!(
        outcome.unwrap_err(),
        format!("{place}: it touches word 1 of buffer 0, which has 1")
    );
}

/// Each subgroup writes its number to the workgroup's memory and adds what the other one wrote.
const EXCHANGE: &str = "v10 = base workgroup
    v11 = broadcast v6
    storerow +0 v10, v7, v11
    SUSPEND
    v20 = sub v5, v7
    v21 = loadrow +0 v10, v20
    v22 = splat 100
    v23 = vadd v21, v22
    storerow +0 v0, v7, v23
    return finished";

#[test]
fn barriers_let_all_subgroups_come() {
    let expected: Vec<u32> = [[101; 8], [100; 8]].concat();
    let suspend = kernel(&EXCHANGE.replace("SUSPEND", "suspend 1, b1\nb1:"));
    assert_eq!(
        run(&suspend, &[0; 16]),
        (Ok(CallOutcome::FINISHED), expected.clone())
    );

    let header = "kernel lanes=8 frame=64 barriers=1\nb0:\n resume b1, b2\nb1:\n";
    let begin = "v0 = base buffer 0\n v5 = word 8\n v6 = field subgroup\n v7 = mul v6, v5\n";
    let keep = "framestore 4 v7\n framestore 8 v0\n return 1\nb2:\n v30 = frameload ptr 8\n v31 = frameload word 4\n";
    let body = EXCHANGE.replace("SUSPEND", keep);
    let (before, after) = body.split_once("b2:").unwrap();
    let after = after
        .replace("sub v5, v7", "sub v32, v31")
        .replace("v20 =", "v32 = word 8\n v20 =")
        .replace("v10", "v33")
        .replace("v21 =", "v33 = base workgroup\n v21 =")
        .replace("v0,", "v30,")
        .replace("v7,", "v31,");
    let resume = format!("{header}{begin}{before}b2:{after}");
    assert_eq!(
        run(&resume, &[0; 16]),
        (Ok(CallOutcome::FINISHED), expected)
    );
}

#[test]
fn subgroups_that_part_are_an_error() {
    let text = kernel("branch v6, b1, b2\nb1:\n suspend 1, b2\nb2:\n return finished");
    let (outcome, _) = run(&text, &[]);
    assert_eq!(
        outcome.unwrap_err(),
        "subgroup 1 ended with 1, subgroup 0 with 0"
    );
    let text = kernel("return diverged");
    assert_eq!(run(&text, &[]).0, Ok(CallOutcome::DIVERGED));
}

#[test]
fn endless_loops_end() {
    let text = kernel("jump b1\nb1:\n poll\n jump b1");
    let (outcome, _) = run(&text, &[]);
    assert_eq!(outcome.unwrap_err(), "the budget of steps is used up in b1");
    let cancelled = WorkgroupInputs {
        is_cancelled: true,
        ..WorkgroupInputs::default()
    };
    assert_eq!(run_as(&text, &[], &cancelled).0, Ok(CallOutcome::CANCELLED));
}

#[test]
fn parameters_change_places_at_once() {
    let text = kernel(
        "v10 = word 3
         jump b1(v4, v5, v10)
         b1(v11: word, v12: word, v13: word):
         v14 = word -1
         v15 = add v13, v14
         branch v15, b1(v12, v11, v15), b2
         b2:
         v16 = broadcast v11
         storerow +0 v0, v4, v16
         return finished",
    );
    // Exchanged twice.
    assert_eq!(run(&text, &[9; 8]).1, [0; 8]);
}

#[test]
fn masks_and_permutations() {
    let text = kernel(
        "v10 = splat 3
         v11 = vltu v2, v10
         v12 = masked.vne v2, v10, mask v11
         v13 = vadd v2, v10
         v14 = vpermute v13, v13
         v15 = masked.vadd v14, v2, v2, mask v12
         v16 = mandnot v3, v11
         v17 = ballot v16
         v18 = fromballot v17
         v19 = vselect v18, v15, v2
         storerow +0 v0, v4, v19, mask v3
         return finished",
    );
    assert_eq!(run(&text, &[0; 8]).1, [0, 1, 2, 9, 10, 3, 4, 5]);
}
