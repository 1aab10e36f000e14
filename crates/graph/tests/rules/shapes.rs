//! Rules about the edges of a graph: cycles, recursion and long chains.

use anywarp_graph::{GraphBuilder, Node, Output};

use crate::rules::{Case, case, empty};

/// Thread nodes `n0`, `n1` and so on, each of which feeds the next.
pub(crate) fn chain(length: u32) -> GraphBuilder {
    (0..length).fold(empty(), |graph, index| {
        let name = format!("n{index}");
        let node = Node::thread(name.as_str());
        let next = format!("n{}", index + 1);
        let node = match index + 1 < length {
            true => node.output(Output::empty_to(next.as_str(), 1)),
            false => node,
        };
        graph.node(if index == 0 { node.entry() } else { node })
    })
}

pub(crate) fn recursive(depth: u32) -> GraphBuilder {
    let node = Node::thread("n").entry().recursion(depth);
    empty().node(node.output(Output::empty_to("n", 1)))
}

pub(crate) fn cases() -> Vec<Case> {
    let to = |name: &str, target: &str| {
        Node::thread(name)
            .entry()
            .output(Output::empty_to(target, 1))
    };
    let deep = "node `n32`: the longest chain that ends here has 33 levels, including recursion; at most 32 are allowed";
    let shared = empty().node(Node::thread("o").entry()).node(
        Node::thread("s")
            .share_input_of("o")
            .output(Output::empty_to("o", 1)),
    );
    vec![
        case(
            "Cycle",
            empty()
                .node(to("a", "b"))
                .node(to("b", "c"))
                .node(to("c", "a")),
            "the nodes `b`, `c`, `a` form a cycle; only an edge from a node to itself is allowed",
        ),
        case(
            "SharerFeedsOwner",
            shared,
            "node `s`: feeds `o`, whose input it shares",
        ),
        case(
            "SelfEdge",
            recursive(0),
            "node `n`: sends to itself, but its recursion is 0",
        ),
        case(
            "NoSelfEdge",
            empty()
                .node(to("n", "t").recursion(3))
                .node(Node::thread("t")),
            "node `n`: has a recursion of 3, but no output to itself",
        ),
        case("TooDeep", chain(33), deep),
        case(
            "TooDeep",
            recursive(32),
            "node `n`: the longest chain that ends here has 33 levels, including recursion; at most 32 are allowed",
        ),
        case(
            "TooDeep",
            recursive(u32::MAX),
            "node `n`: the longest chain that ends here has 4294967296 levels, including recursion; at most 32 are allowed",
        ),
    ]
}
