//! Rules about single nodes.

use anywarp_graph::model::{FieldType, Grid, InputAccess};
use anywarp_graph::{GraphBuilder, Node, RecordType};

use crate::rules::{Case, case, empty};

pub(crate) fn with(node: Node) -> GraphBuilder {
    let record = RecordType::new("R").field("a", FieldType::U32);
    let grid = RecordType::new("G").grid("g", FieldType::U32);
    empty().record(record).record(grid).node(node)
}

fn grid(grid: Grid) -> Node {
    Node::broadcasting("n", grid, [1, 1, 1]).entry()
}

pub(crate) fn cases() -> Vec<Case> {
    let entry = |name: &str| Node::thread(name).entry();
    let many = (0..=65536).fold(empty(), |graph, index| {
        graph.node(entry(&format!("n{index}")))
    });
    vec![
        case(
            "Name",
            with(entry("a-b")),
            "node `a-b`: `a-b` is not a valid name: use letters, digits and single underscores, a letter first, at most 255 characters",
        ),
        case(
            "UnknownRecord",
            with(entry("n").input_type("Q")),
            "node `n`: there is no record `Q`",
        ),
        case(
            "DuplicateNode",
            with(entry("n")).node(entry("n")),
            "node `n`: is declared twice",
        ),
        case(
            "GridSide",
            with(grid(Grid::Fixed([1, 65536, 1]))),
            "node `n`: a grid of 1x65536x1 is not between 1 and 65535 in each dimension",
        ),
        case(
            "GridSide",
            with(grid(Grid::Dynamic { max: [1, 0, 1] }).input_type("G")),
            "node `n`: a grid of 1x0x1 is not between 1 and 65535 in each dimension",
        ),
        case(
            "GridTotal",
            with(grid(Grid::Fixed([256, 256, 256]))),
            "node `n`: a grid of 256x256x256 has more than 16777215 workgroups",
        ),
        case(
            "GridTotal",
            with(grid(Grid::Fixed([65535, 65535, 65535]))),
            "node `n`: a grid of 65535x65535x65535 has more than 16777215 workgroups",
        ),
        case(
            "NoGridField",
            with(grid(Grid::Dynamic { max: [1, 1, 1] }).input_type("R")),
            "node `n`: a dynamic grid needs a record with a grid field",
        ),
        case(
            "NoGridField",
            with(grid(Grid::Dynamic { max: [1, 1, 1] })),
            "node `n`: a dynamic grid needs a record with a grid field",
        ),
        case(
            "WorkgroupSize",
            with(Node::coalescing("n", 1, [32, 33, 1]).entry()),
            "node `n`: a workgroup of 32x33x1 does not have between 1 and 1024 invocations",
        ),
        case(
            "WorkgroupSize",
            with(Node::broadcasting("n", Grid::Fixed([1; 3]), [0, 1, 1]).entry()),
            "node `n`: a workgroup of 0x1x1 does not have between 1 and 1024 invocations",
        ),
        case(
            "WorkgroupSize",
            with(Node::coalescing("n", 1, [u32::MAX; 3]).entry()),
            "node `n`: a workgroup of 4294967295x4294967295x4294967295 does not have between 1 and 1024 invocations",
        ),
        case(
            "CoalescingRecords",
            with(Node::coalescing("n", 257, [1; 3]).entry()),
            "node `n`: requests 257 records per workgroup; between 1 and 256 are allowed",
        ),
        case(
            "CoalescingRecords",
            with(Node::coalescing("n", 0, [1; 3]).entry()),
            "node `n`: requests 0 records per workgroup; between 1 and 256 are allowed",
        ),
        case(
            "TrackedLaunch",
            with(entry("n").input_type_with("R", InputAccess::Tracked)),
            "node `n`: only broadcasting nodes have tracked inputs",
        ),
        case(
            "EmptyInputWritten",
            with(Node {
                access: InputAccess::ReadWrite,
                ..entry("n")
            }),
            "node `n`: an empty input cannot be written",
        ),
        case(
            "Unreachable",
            with(Node::thread(("n", 3))),
            "node `n[3]`: no node sends to it, and it is not an entry",
        ),
        case(
            "LocalRow",
            with(entry("n").local_row(1 << 20)),
            "node `n`: row 1048576 of local arguments is not below 1048576",
        ),
        case(
            "ArraySize",
            with(Node::thread(("n", 4096)).entry()),
            "node `n[4096]`: an array of 4097 members does not have between 1 and 4096",
        ),
        case("TooManyNodes", many, "the graph has more than 65536 nodes"),
        case(
            "TooManyDynamicGrids",
            dynamic_grids(65535),
            "65535 nodes with dynamic grids run at level 0; at most 65534 are allowed",
        ),
    ]
}

/// A graph with this number of nodes with dynamic grids, all at one level.
pub(crate) fn dynamic_grids(count: u32) -> GraphBuilder {
    let record = RecordType::new("G").grid("grid", FieldType::U32);
    let grid = Grid::Dynamic { max: [4, 1, 1] };
    (0..count).fold(empty().record(record), |graph, index| {
        let name = format!("n{index}");
        let node = Node::broadcasting(name.as_str(), grid, [1, 1, 1]);
        graph.node(node.entry().input_type("G"))
    })
}
