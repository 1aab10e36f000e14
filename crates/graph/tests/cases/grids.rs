//! Broadcasting nodes: fixed grids, all kinds of dynamic grids, and grids with a zero.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{FieldType, Grid, Scalar};
use anywarp_graph::record::{FieldValue, RecordValue};
use anywarp_graph::{Graph, Node, RecordType};

use crate::cases::harness::{Settings, check, node};

#[test]
pub(crate) fn a_fixed_grid() {
    let graph = Graph::builder("fixed grid")
        .record(RecordType::new("Cell").field("place", FieldType::U32))
        .node(node(
            Node::broadcasting("tile", Grid::Fixed([3, 2, 2]), [2, 2, 1])
                .input_type("Cell")
                .entry(),
            "fn tile(group_id: vec3<u32>, grid: vec3<u32>, local_id: vec3<u32>, global_id: vec3<u32>, local_index: u32) {
                let linear = (group_id.z * grid.y + group_id.y) * grid.x + group_id.x;
                let is_right = all(global_id == group_id * vec3<u32>(2u, 2u, 1u) + local_id)
                    && local_index == local_id.y * 2u + local_id.x && all(grid == vec3<u32>(3u, 2u, 2u));
                atomicAdd(&sums[load_input_place() + linear * 4u + local_index], select(100u, 1u, is_right));
            }",
        ))
        .build()
        .unwrap();
    let settings = Settings {
        words: 3 * 48 + 1,
        ..Default::default()
    };
    let places = [0, 48, 96].map(u32::to_le_bytes).concat();
    check(
        &graph,
        &settings,
        &[CpuRecords::new("tile", 3, &places)],
        |sums| {
            assert!(sums[..3 * 48].iter().all(|&count| count == 1), "{sums:?}");
            assert_eq!(sums[3 * 48], 0);
        },
    );
}

/// The grids of the records, the ones with a zero among them.
const GRIDS: [[u32; 3]; 8] = [
    [1, 1, 1],
    [5, 4, 3],
    [0, 2, 2],
    [3, 1, 2],
    [2, 0, 1],
    [2, 3, 0],
    [5, 1, 1],
    [0, 0, 0],
];

fn dynamic(scalar: Scalar, components: u32) {
    let ty = RecordType::new("Tile")
        .field("number", FieldType::U16)
        .grid("grid", FieldType::of(scalar, components))
        .field("mark", FieldType::U16.array(3));
    let graph = Graph::builder(format!("dynamic grid {scalar:?} x {components}"))
        .record(ty.clone())
        .node(node(
            Node::broadcasting("tile", Grid::Dynamic { max: [5, 4, 3] }, [2, 1, 1])
                .input_type("Tile")
                .entry(),
            "fn tile(group_id: vec3<u32>, grid: vec3<u32>, local_index: u32) {
                let linear = (group_id.z * grid.y + group_id.y) * grid.x + group_id.x;
                let number = load_input_number();
                let is_right = load_input_mark(0u) == number + 1u && load_input_mark(2u) == number + 1000u
                    && all(group_id < grid);
                atomicAdd(&sums[number * 128u + 2u * linear + local_index], select(100u, 1u, is_right));
                if linear == 0u && local_index == 0u {
                    atomicAdd(&sums[number * 128u + 127u], grid.x + 10u * grid.y + 100u * grid.z);
                }
            }",
        ))
        .build()
        .unwrap();
    let mut bytes = Vec::new();
    for (number, grid) in (0..).zip(GRIDS) {
        let value = |numbers: &[u32]| FieldValue::U32(numbers.to_vec());
        let record = RecordValue {
            fields: vec![
                ("number".into(), value(&[number])),
                ("grid".into(), value(&grid[..components as usize])),
                ("mark".into(), value(&[number + 1, 7, number + 1000])),
            ],
        };
        bytes.extend(record.encode(&ty).unwrap());
    }
    let settings = Settings {
        words: 128 * GRIDS.len() as u64,
        ..Default::default()
    };
    let records = [CpuRecords::new("tile", GRIDS.len() as u32, &bytes)];
    check(&graph, &settings, &records, |sums| {
        for (sums, mut grid) in sums.chunks_exact(128).zip(GRIDS) {
            grid[components as usize..].fill(1);
            let groups = 2 * grid.iter().product::<u32>() as usize;
            let expected: Vec<_> = (0..127).map(|place| u32::from(place < groups)).collect();
            assert_eq!(sums[..127], expected, "{grid:?}");
            let sides = grid[0] + 10 * grid[1] + 100 * grid[2];
            assert_eq!(sums[127], if groups > 0 { sides } else { 0 });
        }
    });
}

#[test]
pub(crate) fn dynamic_grids_of_whole_words() {
    (1..=3).for_each(|components| dynamic(Scalar::U32, components));
}

#[test]
pub(crate) fn dynamic_grids_of_half_words() {
    (1..=3).for_each(|components| dynamic(Scalar::U16, components));
}

/// More workgroups in a grid than a dispatch has in one direction.
#[test]
pub(crate) fn a_grid_larger_than_a_side() {
    let graph = Graph::builder("a large grid")
        .record(RecordType::new("Tile").grid("grid", FieldType::of(Scalar::U32, 3)))
        .node(node(
            Node::broadcasting("tile", Grid::Dynamic { max: [500, 300, 2] }, [1, 1, 1])
                .input_type("Tile")
                .entry(),
            "fn tile(group_id: vec3<u32>) {
                atomicAdd(&sums[group_id.x + group_id.y * 500u], 1u + 10u * group_id.z);
            }",
        ))
        .build()
        .unwrap();
    let settings = Settings {
        words: 150_000,
        input_records: 4,
        ..Default::default()
    };
    let bytes = [500_u32, 300, 1].map(u32::to_le_bytes).concat();
    check(
        &graph,
        &settings,
        &[CpuRecords::new("tile", 1, &bytes)],
        |sums| {
            assert!(sums.iter().all(|&count| count == 1));
        },
    );
}
