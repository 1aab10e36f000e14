//! Shapes of real kernels: which instructions loops with `continue`, short-circuit operators, constant bounds and
//! uniform divisors become.

use anywarp_lanes::ir::{Function, LaneBinary, LaneCompare, Op, Terminator, Type, WordBinary};
use anywarp_lanes::lower;
use anywarp_lanes::pass::{self, PassOptions};
use anywarp_program::Program;

/// The optimized entry point of a kernel with four buffers.
fn optimized(body: &str) -> Function {
    let wgsl = format!(
        "@group(0) @binding(0) var<storage> a: array<f32>;
         @group(0) @binding(1) var<storage> n: array<u32>;
         @group(0) @binding(2) var<storage, read_write> sums: array<f32>;
         @group(0) @binding(3) var<storage, read_write> counts: array<u32>;
         @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
             let i = id.x;
             let x = a[i];
             let k = n[i];
             {body}
         }}"
    );
    let mut kernel = lower(&Program::from_wgsl(&wgsl).unwrap(), "main", 16).unwrap();
    pass::run(&mut kernel.function, &PassOptions::default());
    kernel.function
}

fn count(function: &Function, is_wanted: impl Fn(Op) -> bool) -> usize {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.filter(|inst| is_wanted(inst.op)).count()
}

fn gathers(function: &Function) -> usize {
    count(function, |op| matches!(op, Op::Gather(_)))
}

fn mask_branches(function: &Function) -> usize {
    let blocks = function.blocks.iter();
    let conditions = blocks.filter_map(|block| match block.terminator {
        Terminator::Branch(condition, ..) => Some(condition),
        _ => None,
    });
    conditions
        .filter(|condition| function.type_of(*condition) == Type::Mask)
        .count()
}

#[test]
fn a_counter_stays_uniform_where_some_lanes_continue() {
    let function = optimized(
        "var sum = 0.0;
         for (var j = 0u; j < arrayLength(&a); j++) {
             if j == i { continue; }
             let d = a[j] - x;
             if d > 1.0 { continue; }
             sum += d;
         }
         sums[i] = sum;",
    );
    assert_eq!(gathers(&function), 0, "{function}");
}

#[test]
fn a_counter_stays_uniform_where_lanes_continue_from_a_nested_branch() {
    let function = optimized(
        "var sum = 0.0;
         for (var j = 0u; j < arrayLength(&a); j++) {
             if x > 2.0 {
                 if a[j] > x { continue; }
                 sum += 1.0;
             }
             sum += a[j];
         }
         sums[i] = sum;",
    );
    assert_eq!(gathers(&function), 0, "{function}");
}

#[test]
fn a_counter_that_lanes_read_after_they_left_has_a_uniform_copy() {
    let body = |after: &str| {
        format!(
            "var sum = 0.0;
             var j = 0u;
             loop {{
                 if j >= arrayLength(&a) || sum > x {{ break; }}
                 sum += a[j];
                 j++;
             }}
             sums[i] = sum;
             {after}"
        )
    };
    assert_eq!(gathers(&optimized(&body(""))), 0);
    assert_eq!(gathers(&optimized(&body("counts[i] = j;"))), 0);
}

#[test]
fn cheap_comparisons_are_joined_without_branches() {
    let function = optimized(
        "if x > 0.0 && x < 1.0 && k != 3u || x == 2.0 && (k < 7u || k > 9u) { sums[i] = 1.0; }",
    );
    // The branch around the store.
    assert!(mask_branches(&function) <= 1, "{function}");
}

#[test]
fn an_access_at_a_varying_address_is_not_speculated() {
    let function = optimized("if x > 0.0 && a[k] > 1.0 { sums[i] = 1.0; }");
    assert!(mask_branches(&function) > 1, "{function}");
}

#[test]
fn min_and_max_with_a_number_are_single_instructions() {
    let repairs = |function: &Function| {
        count(function, |op| {
            matches!(
                op,
                Op::Compare(LaneCompare::EqF | LaneCompare::NeF) | Op::MaskedCompare(_)
            )
        })
    };
    for body in [
        "sums[i] = max(x, 0.0);",
        "sums[i] = max(0.0, x);",
        "sums[i] = min(0.0, x);",
        "sums[i] = clamp(x, -1.0, 1.0);",
        "sums[i] = saturate(x);",
        "sums[i] = min(x, floor(clamp(f32(k), 0.5, 7.5)));",
    ] {
        let function = optimized(body);
        assert_eq!(repairs(&function), 0, "{body}\n{function}");
    }
    assert_eq!(repairs(&optimized("sums[i] = min(x, sums[i]);")), 1);
}

#[test]
fn division_by_a_uniform_number_multiplies() {
    let is_division = |op| {
        use WordBinary::{DivS, DivU, RemS, RemU};
        matches!(op, Op::Binary(LaneBinary::Int(DivU | DivS | RemU | RemS)))
    };
    let is_word_division = |op| matches!(op, Op::WordBinary(WordBinary::DivU));
    for (body, word_divisions) in [
        ("counts[i] = k / n[7] + k % n[7];", 1),
        (
            "counts[i] = u32(i32(k) / i32(n[7]) + i32(k) % i32(n[7]));",
            1,
        ),
        ("counts[i] = k / (1u << n[7]) + k % (1u << n[7]);", 0),
    ] {
        let function = optimized(body);
        assert_eq!(count(&function, is_division), 0, "{body}\n{function}");
        let words = count(&function, is_word_division);
        assert_eq!(words, word_divisions, "{body}\n{function}");
    }
    let varying = optimized("counts[i] = k / (k + 1u);");
    assert_eq!(count(&varying, is_division), 1);
}

/// The masks that blocks, such as headers of masked loops, have as parameters.
fn mask_parameters(function: &Function) -> usize {
    let parameters = function.blocks.iter().flat_map(|block| &block.parameters);
    let types = parameters.map(|parameter| function.type_of(*parameter));
    types.filter(|ty| *ty == Type::Mask).count()
}

#[test]
fn a_uniform_break_leaves_a_masked_loop() {
    // All lanes that are left leave together: the loop has an exit on a word beside the one on its mask.
    let leaves = |condition: &str| {
        let function = optimized(&format!(
            "var sum = 0.0;
             for (var j = 0u; j < k; j++) {{
                 sum += a[j];
                 if {condition} {{ break; }}
             }}
             sums[i] = sum;"
        ));
        assert_eq!(mask_parameters(&function), 1, "{function}");
        let words = function.blocks.iter().filter(|block| {
            let condition = block.terminator.condition();
            condition.is_some_and(|condition| function.type_of(condition) == Type::Word)
        });
        words.count() > 0
    };
    assert!(leaves("n[0] == j"));
    assert!(!leaves("n[i] == j"));
}

#[test]
fn a_few_sums_have_no_branch_around_them() {
    let branches = |body: &str| {
        let function = optimized(&format!(
            "var sum = x; var other = 2.0 * x; {body} sums[i] = sum * other;"
        ));
        mask_branches(&function)
    };
    assert_eq!(branches("if x > 1.0 { sum += 1.0; other -= x; }"), 0);
    assert_eq!(
        branches("if x > 1.0 { sum += 1.0; } else { sum = -sum; }"),
        0
    );
    assert_eq!(branches("if x > 1.0 { sum = a[k]; }"), 1);
    assert_eq!(branches("if x > 1.0 { sum = sqrt(x); }"), 1);
    assert_eq!(branches("if x > 1.0 { sum = other / x; }"), 1);
}

#[test]
fn operations_on_wide_numbers_are_branched_around() {
    let branches = |ty: &str, body: &str| {
        let function = optimized(&format!(
            "var sum = {ty}(k); {body} counts[i] = u32(sum & 0xff);"
        ));
        mask_branches(&function)
    };
    assert_eq!(branches("i32", "if x > 1.0 { sum *= 7; }"), 0);
    assert_eq!(branches("i64", "if x > 1.0 { sum ^= 7; }"), 0);
    assert_eq!(branches("i64", "if x > 1.0 { sum *= 7; }"), 1);
    let function =
        optimized("var sum = f64(x); if x > 1.0 { sum = max(sum, 2.0lf); } sums[i] = f32(sum);");
    assert_eq!(mask_branches(&function), 1, "{function}");
}

#[test]
fn a_constant_side_has_no_branch() {
    // The branches around the second operand and around the store; none around the constant.
    let function = optimized("if i < k && a[n[i]] > x { sums[i] = x; }");
    assert_eq!(mask_branches(&function), 2, "{function}");
    let function = optimized("if i < k || a[n[i]] > x { sums[i] = x; }");
    assert_eq!(mask_branches(&function), 2, "{function}");
}
