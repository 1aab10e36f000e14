//! Rules about outputs and budgets.

use anywarp_graph::model::{Grid, Target};
use anywarp_graph::{Node, Output};

use crate::rules::nodes::with;
use crate::rules::{Case, case};

fn thread(name: &str) -> Node {
    Node::thread(name).entry()
}

fn group(name: &str) -> Node {
    Node::coalescing(name, 1, [1; 3]).entry()
}

/// Output names `o0`, `o1` and so on to the node `t`.
pub(crate) fn many_outputs(count: u32) -> Node {
    (1..count).fold(
        group("n").output(Output::empty_to("t", 1).named("o0")),
        |node, index| {
            let output = Output::empty_to("t", 1).named(format!("o{index}"));
            node.output(output.share_budget("o0"))
        },
    )
}

pub(crate) fn cases() -> Vec<Case> {
    let dense = |name: &str, size| Target::Dense {
        name: name.into(),
        size,
    };
    let sparse = |name: &str, size| Target::Sparse {
        name: name.into(),
        size,
    };
    let to_array = |target| thread("n").output(Output::empty_to("t", 1).array(target));
    let mut cases = vec![
        case(
            "Name",
            with(thread("n").output(Output::empty_to("t", 1).named("_x"))),
            "node `n`: output `_x`: `_x` is not a valid name: use letters, digits and single underscores, a letter first, at most 255 characters",
        ),
        case(
            "DuplicateOutput",
            with(
                thread("n")
                    .output(Output::empty_to("t", 1))
                    .output(Output::empty_to("t", 1)),
            )
            .node(thread("t")),
            "node `n`: output `t`: is declared twice",
        ),
        case(
            "OutputNamedInput",
            with(thread("n").output(Output::empty_to("t", 1).named("input"))).node(thread("t")),
            "node `n`: output `input`: the name `input` is reserved for the input",
        ),
        case(
            "UnknownRecord",
            with(thread("n").output(Output::of_type("t", "Q", 1))).node(thread("t")),
            "node `n`: output `t`: there is no record `Q`",
        ),
        case(
            "UnknownTarget",
            with(thread("n").output(Output::empty_to(("t", 2), 1))).node(thread("t")),
            "node `n`: output `t`: there is no node `t[2]`",
        ),
        case(
            "UnknownArray",
            with(to_array(Target::Unbounded { name: "u".into() })).node(thread("t")),
            "node `n`: output `t`: there is no node array `u`",
        ),
        case(
            "Hole",
            with(to_array(dense("t", 3)))
                .node(thread("t"))
                .node(Node::thread(("t", 2)).entry()),
            "node `n`: output `t`: member 1 of the array `t` is missing, and the target is not sparse",
        ),
        case(
            "ArraySize",
            with(to_array(sparse("t", 4097))).node(thread("t")),
            "node `n`: output `t`: an array of 4097 members does not have between 1 and 4096",
        ),
        case(
            "ArraySize",
            with(to_array(dense("t", 0))).node(thread("t")),
            "node `n`: output `t`: an array of 0 members does not have between 1 and 4096",
        ),
        case(
            "RecordMismatch",
            with(thread("n").output(Output::of_type("t", "R", 1)))
                .node(thread("t").input_type("G")),
            "node `n`: output `t`: sends `R`, but the input of `t` is `G`",
        ),
        case(
            "RecordMismatch",
            with(thread("n").output(Output::empty_to("t", 1))).node(thread("t").input_type("G")),
            "node `n`: output `t`: sends empty records, but the input of `t` is `G`",
        ),
        case(
            "Budget",
            with(group("n").output(Output::empty_to("t", 257))).node(thread("t")),
            "node `n`: output `t`: a budget of 257 records is not between 1 and 256",
        ),
        case(
            "Budget",
            with(thread("n").output(Output::empty_to("t", 0))).node(thread("t")),
            "node `n`: output `t`: a budget of 0 records is not between 1 and 256",
        ),
        case(
            "SharedBudget",
            with(thread("n").output(Output::empty_to("t", 1).share_budget("later")))
                .node(thread("t")),
            "node `n`: output `t`: shares the budget of `later`, which is not an output declared before it",
        ),
        case(
            "NestedSharedBudget",
            with(
                thread("n")
                    .output(Output::empty_to("t", 1).named("a"))
                    .output(Output::empty_to("t", 1).named("b").share_budget("a"))
                    .output(Output::empty_to("t", 1).named("c").share_budget("b")),
            )
            .node(thread("t")),
            "node `n`: output `c`: shares the budget of `b`, which itself shares a budget",
        ),
        case(
            "TooManyOutputs",
            with(many_outputs(1025)).node(thread("t")),
            "node `n`: has more than 1024 outputs",
        ),
        case(
            "TooManyTargets",
            with(
                (1..257).fold(
                    group("n").output(
                        Output::empty_to("t", 1)
                            .named("o0")
                            .array(sparse("t", 4096)),
                    ),
                    |node, index| {
                        let output = Output::empty_to("t", 1).named(format!("o{index}"));
                        node.output(output.share_budget("o0").array(sparse("t", 4096)))
                    },
                ),
            )
            .node(thread("t")),
            "node `n`: the outputs up to this node have more than 1048576 targets in all; members of arrays and steps of recursion count",
        ),
    ];
    cases.extend(budgets());
    cases.extend(members());
    cases
}

/// One record or byte more than a launch may send.
fn budgets() -> Vec<Case> {
    let empty = |node: Node, first, second| {
        let node = node.output(Output::empty_to("t", first).named("a"));
        with(node.output(Output::empty_to("t", second).named("b"))).node(thread("t"))
    };
    let shared = with(group("n").output(Output::empty_to("t", 129)))
        .node(thread("t"))
        .node(Node::thread("s").share_input_of("t"));
    vec![
        case(
            "OutputRecords",
            empty(thread("n"), 8, 1),
            "node `n`: its outputs add up to 9 records per launch; at most 8 are allowed",
        ),
        case(
            "OutputRecords",
            empty(group("n"), 1, 256),
            "node `n`: its outputs add up to 257 records per launch; at most 256 are allowed",
        ),
        case(
            "OutputRecords",
            shared,
            "node `n`: its outputs add up to 258 records per launch; at most 256 are allowed (a target whose input is shared counts once for each of its readers)",
        ),
        case(
            "OutputBytes",
            crate::rules::limits::sends_bytes(thread("n"), 33, 1),
            "node `n`: its outputs add up to 132 bytes per launch; at most 128 are allowed",
        ),
        case(
            "SentRecordTooLarge",
            crate::rules::limits::sends_bytes(group("n"), 8193, 1),
            "node `n`: output `t`: sends `W`, which has 32772 bytes; records that nodes send have at most 32768",
        ),
        case(
            "OutputBytes",
            crate::rules::limits::sends_bytes(group("n"), 33, 256),
            "node `n`: its outputs add up to 33792 bytes per launch; at most 32768 are allowed",
        ),
    ]
}

/// Members of an array with different signatures.
fn members() -> Vec<Case> {
    let differ = |first: Node, second: Node| {
        case(
            "ArrayMembersDiffer",
            with(first.entry()).node(second.entry()),
            "node `n[1]`: members `n` and `n[1]` of an array differ in record type, launch mode or kind of grid",
        )
    };
    let member = |index: u32| Node::thread(("n", index));
    let grid = |index: u32, grid| Node::broadcasting(("n", index), grid, [1; 3]).input_type("G");
    vec![
        differ(member(0), member(1).input_type("R")),
        differ(member(0), Node::coalescing(("n", 1), 1, [1; 3])),
        differ(
            grid(0, Grid::Fixed([1; 3])),
            grid(1, Grid::Dynamic { max: [1; 3] }),
        ),
    ]
}
