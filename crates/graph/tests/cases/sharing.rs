//! Inputs that several workgroups or several nodes share.

use anywarp_graph::device::{CpuRecords, LocalArguments};
use anywarp_graph::model::{FieldType, Grid, InputAccess, Scalar};
use anywarp_graph::{Graph, Node, Output, RecordType};

use crate::cases::harness::{Settings, bytes, cells, check, node};

/// Each workgroup adds its share; only the last one sees the total.
const SHARE: &str = "fn share(group_id: vec3<u32>, grid: vec3<u32>, local_index: u32) {
    let linear = (group_id.z * grid.y + group_id.y) * grid.x + group_id.x;
    if local_index == 3u {
        atomic_add_input_total(linear + 1u);
        store_input_marks(linear % 5u, 1.0);
    }
    if finished_cross_group_sharing() {
        let number = load_input_number();
        if local_index == 0u {
            atomicAdd(&sums[2u * number], 1u);
            atomicAdd(&sums[2u * number + 1u], load_input_total());
            var marks = 0.0;
            for (var i = 0u; i < 5u; i++) { marks += load_input_marks(i); }
            atomicAdd(&sums[32], u32(marks));
        }
        let r = alloc_thread_done(1u);
        store_done_value(r, 0u, 33u);
        complete_done(r);
    }
}";

/// Few, since the least memory takes a sweep for each workgroup.
const RECORDS: u32 = 2;

fn record() -> RecordType {
    RecordType::new("Shared")
        .field("number", FieldType::U16)
        .grid("grid", FieldType::of(Scalar::U16, 3))
        .field("total", FieldType::U32)
        .field("marks", FieldType::F32.array(5))
}

fn cross_group(name: &str, grid: Grid, sides: [u16; 3], groups: u32) {
    let graph = Graph::builder(name)
        .record(record())
        .record(RecordType::new("Cell").field("value", FieldType::U32))
        .node(node(
            Node::broadcasting("share", grid, [8, 1, 1])
                .input_type_with("Shared", InputAccess::Tracked)
                .entry()
                .output(Output::of_type("done", "Cell", 8)),
            SHARE,
        ))
        .node(node(
            Node::thread("done").input_type("Cell"),
            "fn done() { atomicAdd(&sums[load_input_value()], 1u); }",
        ))
        .build()
        .unwrap();
    let mut records = Vec::new();
    for number in 0..RECORDS as u16 {
        records.extend(
            [number, sides[0], sides[1], sides[2]]
                .map(u16::to_le_bytes)
                .concat(),
        );
        records.extend([0; 24]);
    }
    check(
        &graph,
        &Settings::default(),
        &[CpuRecords::new("share", RECORDS, &records)],
        |sums| {
            let total = groups * (groups + 1) / 2;
            for number in 0..RECORDS as usize {
                assert_eq!(sums[2 * number..][..2], [1, total], "{name}");
            }
            assert_eq!(sums[32..34], [5 * RECORDS, 8 * RECORDS], "{name}");
        },
    );
}

#[test]
pub(crate) fn of_512_dynamic_groups_one_sees_the_total() {
    let grid = Grid::Dynamic { max: [32, 8, 8] };
    cross_group("512 dynamic groups", grid, [16, 8, 4], 512);
}

#[test]
pub(crate) fn of_256_fixed_groups_one_sees_the_total() {
    cross_group("256 fixed groups", Grid::Fixed([8, 8, 4]), [0, 0, 0], 256);
}

/// The same for records that come from a node, in a recursion.
#[test]
pub(crate) fn tracked_records_from_inside() {
    let graph = cells("tracked inside")
        .node(node(
            Node::thread("source")
                .input_type("Cell")
                .entry()
                .output(Output::of_type("share", "Cell", 3)),
            "fn source() {
                let r = alloc_thread_share(3u);
                for (var i = 0u; i < 3u; i++) { store_share_value(r, i, 0u); }
                complete_share(r);
            }",
        ))
        .node(node(
            Node::broadcasting("share", Grid::Fixed([4, 1, 1]), [2, 1, 1])
                .input_type_with("Cell", InputAccess::Tracked)
                .recursion(2)
                .output(Output::of_type("share", "Cell", 1)),
            "fn share(local_index: u32) {
                if local_index == 0u { atomic_add_input_value(1u); }
                if finished_cross_group_sharing() && local_index == 1u {
                    atomicAdd(&sums[remaining_recursion_levels()], load_input_value());
                    if is_valid_share() {
                        let r = alloc_thread_share(1u);
                        store_share_value(r, 0u, load_input_value() + 100u);
                        complete_share(r);
                    }
                }
            }",
        ))
        .build()
        .unwrap();
    let values = bytes(&[0; 7]);
    check(
        &graph,
        &Settings::default(),
        &[CpuRecords::new("source", 7, &values)],
        |sums| {
            assert_eq!(sums[..4], [21 * 212, 21 * 108, 21 * 4, 0]);
        },
    );
}

#[test]
pub(crate) fn a_dynamic_owner_and_a_fixed_sharer() {
    let graph = Graph::builder("shared input")
        .record(
            RecordType::new("Tile")
                .field("value", FieldType::U32)
                .grid("grid", FieldType::of(Scalar::U16, 2)),
        )
        .node(node(
            Node::thread("source")
                .input_type("Tile")
                .entry()
                .output(Output::of_type("owner", "Tile", 1)),
            "fn source() {
                let r = alloc_thread_owner(1u);
                store_owner_value(r, 0u, load_input_value() + 1u);
                store_owner_grid(r, 0u, load_input_grid());
                complete_owner(r);
            }",
        ))
        .node(node(
            Node::broadcasting("owner", Grid::Dynamic { max: [4, 4, 1] }, [2, 1, 1])
                .input_type("Tile")
                .entry(),
            "fn owner(local_index: u32) { atomicAdd(&sums[0], load_input_value()); }",
        ))
        .node(node(
            Node::broadcasting("fixed", Grid::Fixed([3, 1, 1]), [1, 1, 1])
                .input_type("Tile")
                .share_input_of("owner"),
            "fn fixed(grid: vec3<u32>) { atomicAdd(&sums[grid.x - 2u], uniform_input_value()); }",
        ))
        .node(node(
            Node::coalescing("some", 5, [1, 1, 1])
                .input_type("Tile")
                .share_input_of("owner")
                .output(Output::of_type("late", "Tile", 5)),
            "fn some(input_count: u32) {
                let r = alloc_group_late(input_count);
                for (var i = 0u; i < input_count; i++) {
                    atomicAdd(&sums[2], load_input_value(i));
                    store_late_value(r, i, load_input_value(i));
                    store_late_grid(r, i, vec2<u32>());
                }
                complete_late(r);
            }",
        ))
        .node(node(
            Node::thread("late").input_type("Tile"),
            "fn late() { atomicAdd(&sums[3], load_input_value()); }",
        ))
        .build()
        .unwrap();
    let mut tiles = Vec::new();
    let (mut by_owner, mut sum) = (0, 0);
    for value in 0..40_u32 {
        let grid = [value % 4, value % 5 % 4];
        tiles.extend([value, grid[0] | grid[1] << 16]);
        // The host feeds it unchanged; the source sends it on with one more.
        by_owner += 2 * grid[0] * grid[1] * (value + value + 1);
        sum += value + value + 1;
    }
    let tiles = bytes(&tiles);
    let inputs = [
        CpuRecords::new("source", 40, &tiles),
        CpuRecords::new("owner", 40, &tiles),
    ];
    check(&graph, &Settings::default(), &inputs, |sums| {
        assert_eq!(sums[..4], [by_owner, 3 * sum, sum, sum]);
    });
}

/// The maximum number of readers of one input.
#[test]
fn an_input_of_256_readers() {
    let text = "fn reader() { atomicAdd(&sums[local_argument_u32(0u)], load_input_value()); }";
    let reader = |index: u32| {
        let reader = Node::thread(("reader", index)).input_type("Cell");
        node(reader.function("reader").local_row(index), text)
    };
    let graph = (1..256).fold(
        cells("256 readers").node(reader(0).entry()),
        |graph, index| graph.node(reader(index).share_input_of(("reader", 0))),
    );
    let graph = graph.build().unwrap();
    let settings = Settings {
        words: 257,
        local: LocalArguments {
            bytes: bytes(&(0..256).collect::<Vec<_>>()),
            stride: 4,
        },
        ..Default::default()
    };
    let values = bytes(&[1, 10, 100]);
    let inputs = [CpuRecords::new(("reader", 0), 3, &values)];
    check(&graph, &settings, &inputs, |sums| {
        assert!(sums[..256].iter().all(|&sum| sum == 111), "{sums:?}");
        assert_eq!(sums[256], 0);
    });
}
