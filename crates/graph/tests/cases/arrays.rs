//! Empty records, and node arrays: dense, sparse and unbounded.

use anywarp_graph::device::CpuRecords;
use anywarp_graph::model::{Grid, Target};
use anywarp_graph::{Graph, Node, Output};

use crate::cases::harness::{Settings, cells, check, node};

#[test]
pub(crate) fn empty_records_to_every_mode() {
    let graph = Graph::builder("empty records")
        .node(node(
            Node::broadcasting("source", Grid::Fixed([3, 1, 1]), [4, 1, 1])
                .entry()
                .output(Output::empty_to("one", 20))
                .output(Output::empty_to("some", 20))
                .output(Output::empty_to("all", 1)),
            "fn source(local_index: u32) {
                count_thread_one(local_index);
                count_group_one(10u);
                count_group_some(7u);
                count_thread_some(select(0u, 3u, local_index == 2u));
                count_group_all(1u);
            }",
        ))
        .node(node(
            Node::thread("one").entry(),
            "fn one() { atomicAdd(&sums[0], 1u); }",
        ))
        .node(node(
            Node::coalescing("some", 4, [2, 1, 1]).entry(),
            "fn some(local_index: u32, input_count: u32) {
                if local_index == 0u { atomicAdd(&sums[1], input_count); }
                if input_count > 4u || input_count == 0u { atomicAdd(&sums[5], 1u); }
            }",
        ))
        .node(node(
            Node::broadcasting("all", Grid::Fixed([2, 2, 1]), [1, 1, 1]),
            "fn all() { atomicAdd(&sums[2], 1u); }",
        ))
        .build()
        .unwrap();
    let inputs = [
        CpuRecords::new("source", 5, &[]),
        CpuRecords::new("one", 1000, &[]),
        CpuRecords::new("some", 11, &[]),
    ];
    check(&graph, &Settings::default(), &inputs, |sums| {
        assert_eq!(sums[..6], [15 * 16 + 1000, 15 * 10 + 11, 15 * 4, 0, 0, 0]);
    });
}

/// Sends to every index up to 10 that is valid, and counts those that are not.
fn array(name: &str, target: Target, members: &[u32], valid: &[u32]) {
    let text = "fn source() {
        let i = load_input_value();
        if is_valid_many(i) {
            let r = alloc_thread_many(i, 2u);
            store_many_value(r, 0u, 100u + i);
            store_many_value(r, 1u, 100u + i);
            complete_many(r);
            count_thread_counted(i, 3u);
        } else {
            atomicAdd(&sums[40u + min(i, 10u)], 1u);
        }
    }";
    let counted = match target.clone() {
        Target::Dense { size, .. } => Target::Dense {
            name: "counted".into(),
            size,
        },
        Target::Sparse { size, .. } => Target::Sparse {
            name: "counted".into(),
            size,
        },
        _ => Target::Unbounded {
            name: "counted".into(),
        },
    };
    let mut builder = cells(name).node(node(
        Node::thread("source")
            .input_type("Cell")
            .entry()
            .output(Output::of_type("many", "Cell", 2).array(target))
            .output(Output::empty_to("counted", 3).array(counted)),
        text,
    ));
    for &member in members {
        builder = builder
            .node(node(
                Node::thread(("many", member))
                    .input_type("Cell")
                    .entry()
                    .function("take"),
                &format!(
                    "fn take() {{ atomicAdd(&sums[{member}], load_input_value() - {}u); }}",
                    99 + member
                ),
            ))
            .node(node(
                Node::thread(("counted", member)).entry().function("count"),
                &format!("fn count() {{ atomicAdd(&sums[20u + {member}u], 1u); }}"),
            ));
    }
    let graph = builder.build().unwrap();
    let indices: Vec<u8> = (0..10_u32)
        .chain([u32::MAX])
        .flat_map(u32::to_le_bytes)
        .collect();
    check(
        &graph,
        &Settings::default(),
        &[CpuRecords::new("source", 11, &indices)],
        |sums| {
            for index in 0..11 {
                let is_valid = valid.contains(&index);
                let place = index as usize;
                assert_eq!(sums[place], 2 * u32::from(is_valid), "{name} {index}");
                assert_eq!(sums[20 + place], 3 * u32::from(is_valid), "{name} {index}");
                assert_eq!(sums[40 + place], u32::from(!is_valid), "{name} {index}");
            }
        },
    );
}

#[test]
pub(crate) fn dense_arrays() {
    let name = "many".to_owned();
    array(
        "dense",
        Target::Dense { name, size: 3 },
        &[0, 1, 2, 3],
        &[0, 1, 2],
    );
}

#[test]
pub(crate) fn sparse_arrays() {
    let name = "many".to_owned();
    array(
        "sparse",
        Target::Sparse { name, size: 6 },
        &[1, 4, 7],
        &[1, 4],
    );
}

#[test]
pub(crate) fn unbounded_arrays() {
    let name = "many".to_owned();
    array(
        "unbounded",
        Target::Unbounded { name },
        &[0, 3, 8],
        &[0, 3, 8],
    );
}
