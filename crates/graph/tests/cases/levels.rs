//! Two and more levels: allocation by threads and by groups, shared budgets, recursion.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{Grid, Target};
use anywarp_graph::{Node, Output};

use crate::cases::harness::{Settings, bytes, cells, check, check_ones, node};

/// Every record marks its own word.
const SINK: &str = "fn sink() { atomicAdd(&sums[load_input_value()], 1u); }";

fn sink(id: impl Into<anywarp_graph::model::NodeId>) -> Node {
    node(Node::thread(id).input_type("Cell").function("sink"), SINK)
}

/// Which invocations allocate records.
#[derive(Clone, Copy)]
enum By {
    Threads,
    RuntimeBindGroups,
}

/// Two groups of 64 invocations send 256 records each, to one node or to the two members of an array.
fn allocation(name: &str, by: By, target: Option<Target>) {
    // The members get half each; the index is ignored for empty allocations.
    let index = |index: &'static str| target.as_ref().map_or("", |_| index);
    let text = match by {
        By::Threads => format!(
            "fn source(group_id: vec3<u32>, local_index: u32) {{
                // Invocations ask for 0 to 8 records: 256 in all.
                let count = array<u32, 4>(0u, 3u, 5u, 8u)[local_index % 4u];
                let first = array<u32, 4>(0u, 0u, 3u, 8u)[local_index % 4u] + 16u * (local_index / 4u);
                let r = alloc_thread_out({}count);
                for (var i = 0u; i < count; i++) {{ store_out_value(r, i, group_id.x * 256u + first + i); }}
                complete_out(r);
            }}",
            index("select(local_index % 2u, 99u, count == 0u), ")
        ),
        By::RuntimeBindGroups => format!(
            "fn source(group_id: vec3<u32>, local_index: u32) {{
                for (var half = 0u; half < 2u; half++) {{
                    let r = alloc_group_out({}128u);
                    for (var i = local_index; i < 128u; i += 64u) {{
                        store_out_value(r, i, group_id.x * 256u + half * 128u + i);
                    }}
                    complete_out(r);
                }}
            }}",
            index("half, ")
        ),
    };
    let mut output = Output::of_type("many", "Cell", 256).named("out");
    output.target = target.unwrap_or(output.target);
    let source = Node::broadcasting("source", Grid::Fixed([2, 1, 1]), [64, 1, 1]);
    let graph = cells(name)
        .node(node(source.entry().output(output), &text))
        .node(sink(("many", 0)).entry())
        .node(sink(("many", 1)).entry())
        .build()
        .unwrap();
    check_ones(&graph, 512, &[CpuRecords::new("source", 1, &[])]);
}

fn both() -> Option<Target> {
    let name = "many".into();
    Some(Target::Dense { name, size: 2 })
}

#[test]
pub(crate) fn threads_allocate_for_a_named_target() {
    allocation("thread allocation, named target", By::Threads, None);
}

#[test]
pub(crate) fn threads_allocate_for_an_array_target() {
    allocation("thread allocation, array target", By::Threads, both());
}

#[test]
pub(crate) fn groups_allocate_for_a_named_target() {
    allocation(
        "group allocation, named target",
        By::RuntimeBindGroups,
        None,
    );
}

#[test]
pub(crate) fn groups_allocate_for_an_array_target() {
    allocation(
        "group allocation, array target",
        By::RuntimeBindGroups,
        both(),
    );
}

#[test]
pub(crate) fn a_budget_of_256_is_shared() {
    let graph = cells("shared budget")
        .node(node(
            Node::coalescing("source", 1, [64, 1, 1])
                .input_type("Cell")
                .entry()
                .output(Output::of_type("named", "Cell", 256))
                .output(
                    Output::of_type("many", "Cell", 1)
                        .array(Target::Unbounded { name: "many".into() })
                        .share_budget("named"),
                ),
            "fn source(local_index: u32) {
                let base = load_input_value(0u);
                // Of 256 each time, more and more go to the array.
                let part = base / 4u;
                let r = alloc_group_named(256u - part);
                for (var i = local_index; i < 256u - part; i += 64u) { store_named_value(r, i, base + i); }
                complete_named(r);
                let s = alloc_group_many(1u, part);
                for (var i = local_index; i < part; i += 64u) { store_many_value(s, i, base + 256u - part + i); }
                complete_many(s);
            }",
        ))
        .node(sink("named"))
        .node(sink(("many", 1)))
        .build()
        .unwrap();
    let records = bytes(&[0, 256, 512, 768]);
    check_ones(&graph, 1024, &[CpuRecords::new("source", 4, &records)]);
}

#[test]
pub(crate) fn recursion_is_stopped_by_is_valid() {
    let graph = cells("recursion")
        .node(node(
            Node::thread("down")
                .input_type("Cell")
                .entry()
                .recursion(6)
                .output(Output::of_type("down", "Cell", 2)),
            "fn down() {
                let left = remaining_recursion_levels();
                atomicAdd(&sums[left], 1u);
                if is_valid_down() != (left > 0u) { atomicAdd(&sums[20], 1u); }
                if is_valid_down() {
                    let r = alloc_thread_down(2u);
                    store_down_value(r, 0u, 2u * load_input_value());
                    store_down_value(r, 1u, 2u * load_input_value() + 1u);
                    complete_down(r);
                } else {
                    atomicAdd(&sums[21], load_input_value());
                }
            }",
        ))
        .build()
        .unwrap();
    let one = 1_u32.to_le_bytes();
    check(
        &graph,
        &Settings::default(),
        &[CpuRecords::new("down", 1, &one)],
        |sums| {
            assert_eq!(sums[..8], [64, 32, 16, 8, 4, 2, 1, 0]);
            assert_eq!(sums[20], 0);
            assert_eq!(sums[21], (64..128).sum::<u32>());
        },
    );
}

/// `deep` is fed by the host, by the entry directly and by the entry's child; wherever a record comes
/// from, all of the recursion is left.
#[test]
pub(crate) fn one_node_is_reached_at_two_depths() {
    let graph = cells("two depths")
        .node(node(
            Node::thread("top")
                .input_type("Cell")
                .entry()
                .output(Output::of_type("middle", "Cell", 1))
                .output(Output::of_type("deep", "Cell", 1)),
            "fn top() {
                let a = alloc_thread_middle(1u); store_middle_value(a, 0u, 100u); complete_middle(a);
                let b = alloc_thread_deep(1u); store_deep_value(b, 0u, 1u); complete_deep(b);
            }",
        ))
        .node(node(
            Node::thread("middle").input_type("Cell").output(Output::of_type("deep", "Cell", 1)),
            "fn middle() {
                let b = alloc_thread_deep(1u); store_deep_value(b, 0u, load_input_value()); complete_deep(b);
            }",
        ))
        .node(node(
            Node::coalescing("deep", 4, [4, 1, 1])
                .input_type("Cell")
                .entry()
                .recursion(2)
                .output(Output::of_type("deep", "Cell", 4)),
            "fn deep(local_index: u32, input_count: u32) {
                if local_index < input_count {
                    atomicAdd(&sums[remaining_recursion_levels()], load_input_value(local_index));
                }
                let is_there = is_valid_deep();
                let r = alloc_thread_deep(u32(is_there && local_index < input_count));
                if is_there && local_index < input_count {
                    store_deep_value(r, 0u, load_input_value(local_index));
                }
                complete_deep(r);
            }",
        ))
        .build()
        .unwrap();
    let value = 10_000_u32.to_le_bytes();
    let inputs = [
        CpuRecords::new("top", 1, &value),
        CpuRecords::new("deep", 1, &value),
        CpuRecords::new("top", 1, &value),
    ];
    check(&graph, &Settings::default(), &inputs, |sums| {
        assert_eq!(sums[..4], [10_202, 10_202, 10_202, 0]);
    });
}
