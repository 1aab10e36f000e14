//! Rules about inputs that several nodes share.

use anywarp_graph::model::{Grid, InputAccess};
use anywarp_graph::{GraphBuilder, Node, Output};

use crate::rules::nodes::with;
use crate::rules::{Case, case, empty};

/// An owner and a number of nodes that share its input.
pub(crate) fn sharers(count: u32) -> GraphBuilder {
    (0..count).fold(empty().node(Node::thread("o").entry()), |graph, index| {
        graph.node(Node::thread(format!("s{index}").as_str()).share_input_of("o"))
    })
}

pub(crate) fn cases() -> Vec<Case> {
    let owner = || Node::thread("o").entry();
    let sharer = || Node::thread("s").share_input_of("o");
    vec![
        case(
            "UnknownOwner",
            with(sharer()),
            "node `s`: shares the input of `o`, which does not exist",
        ),
        case(
            "OwnSharer",
            with(owner().share_input_of("o")),
            "node `o`: shares its own input",
        ),
        case(
            "NestedSharing",
            with(owner())
                .node(sharer())
                .node(Node::thread("r").share_input_of("s")),
            "node `r`: shares the input of `s`, which itself shares an input",
        ),
        case(
            "SharerRecurses",
            with(owner()).node(sharer().recursion(2)),
            "node `s`: shares an input and cannot recurse",
        ),
        case(
            "SharerRecurses",
            with(owner()).node(sharer().output(Output::empty_to("s", 1))),
            "node `s`: shares an input and cannot recurse",
        ),
        case(
            "SharerIsEntry",
            with(owner()).node(sharer().entry()),
            "node `s`: shares an input and cannot be an entry",
        ),
        case(
            "SharerRecord",
            with(owner()).node(sharer().input_type("R")),
            "node `s`: shares the input of `o`, but the two have different record types",
        ),
        case(
            "SharedWritten",
            with(owner().input_type_with("R", InputAccess::ReadWrite))
                .node(sharer().input_type("R")),
            "node `o`: an input with write access cannot be shared",
        ),
        case(
            "SharedWritten",
            with(owner().input_type("R")).node(
                Node::broadcasting("s", Grid::Fixed([1; 3]), [1; 3])
                    .input_type_with("R", InputAccess::Tracked)
                    .share_input_of("o"),
            ),
            "node `s`: an input with write access cannot be shared",
        ),
        case(
            "SharerTargeted",
            with(owner())
                .node(sharer())
                .node(Node::thread("n").entry().output(Output::empty_to("s", 1))),
            "node `n`: output `s`: sends to `s`, which shares the input of another node and cannot be targeted",
        ),
        case(
            "TooManyReaders",
            sharers(256),
            "node `o`: 257 nodes read its input, itself included; at most 256 are allowed",
        ),
    ]
}
