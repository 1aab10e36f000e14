//! Thread and coalescing nodes, fed by the host and from buffers of the device; local arguments.

use anywarp_graph::device::{CpuRecords, LocalArguments};
use anywarp_graph::model::{FieldType, InputAccess, Scalar};
use anywarp_graph::{Graph, Input, Node, Output, RecordType};

use crate::cases::harness::{Bench, Memory, Settings, bytes, check, everywhere, node};
use crate::common::Gpu;

fn cell() -> RecordType {
    RecordType::new("Cell").field("value", FieldType::U32)
}

/// One record, from the host and from a buffer.
fn from_both(graph: &Graph, name: &str, count: u32, look: impl Fn(&[u32])) {
    let values: Vec<u32> = (0..count).collect();
    let settings = Settings {
        words: 2 * u64::from(count),
        ..Default::default()
    };
    let records = bytes(&values);
    check(
        graph,
        &settings,
        &[CpuRecords::new(name, count, &records)],
        &look,
    );
    everywhere(name, |gpu: &Gpu| {
        for memory in [Memory::Ample, Memory::Least] {
            let bench = Bench::new(
                gpu,
                graph,
                &Settings {
                    memory,
                    shuffle: 3,
                    ..settings.clone()
                },
            );
            let descriptor = gpu.storage(&[9, 0, count, 0, 0, 4]);
            let records = gpu.storage(&values);
            look(&bench.run(&Input::Gpu {
                descriptor: &descriptor,
                offset: 4,
                records: &[&records],
            }));
        }
    });
}

#[test]
fn thread_256_records() {
    let graph = Graph::builder("thread")
        .record(cell())
        .node(node(
            Node::thread("one").input_type("Cell").entry(),
            "fn one() { atomicAdd(&sums[load_input_value()], 1u + 10u * (input_count() - 1u)); }",
        ))
        .build()
        .unwrap();
    from_both(&graph, "one", 256, |sums| {
        assert_eq!(sums[..256], [1; 256]);
    });
}

#[test]
fn coalescing_8_records_at_most_3_per_group() {
    let graph = Graph::builder("coalescing")
        .record(cell())
        .node(node(
            Node::coalescing("some", 3, [4, 1, 1]).input_type("Cell").entry(),
            "fn some(local_index: u32, input_count: u32) {
                if local_index < input_count { atomicAdd(&sums[load_input_value(local_index)], 1u); }
                if local_index == 0u {
                    atomicAdd(&sums[8u + min(input_count, 5u)], 1u);
                }
            }",
        ))
        .build()
        .unwrap();
    from_both(&graph, "some", 8, |sums| {
        assert_eq!(sums[..8], [1; 8]);
        let groups = &sums[8..14];
        assert_eq!((groups[0], groups[4], groups[5]), (0, 0, 0), "{groups:?}");
        assert_eq!(groups[1] + 2 * groups[2] + 3 * groups[3], 8);
    });
}

/// Thread and coalescing nodes write their own records, halves of words among them.
#[test]
pub(crate) fn own_records_are_written() {
    let graph = Graph::builder("written")
        .record(
            RecordType::new("Pair")
                .field("a", FieldType::U16)
                .field("b", FieldType::U16)
                .field("c", FieldType::of(Scalar::F32, 2)),
        )
        .node(node(
            Node::thread("one")
                .input_type_with("Pair", InputAccess::ReadWrite)
                .entry(),
            "fn one() {
                let a = load_input_a();
                store_input_a(a + 70000u);
                store_input_c(load_input_c() + vec2<f32>(0.5, f32(a)));
                atomicAdd(&sums[0], load_input_a() + load_input_b());
                atomicAdd(&sums[1], u32(2.0 * (load_input_c().x + load_input_c().y)));
            }",
        ))
        .node(node(
            Node::coalescing("some", 5, [2, 1, 1])
                .input_type_with("Pair", InputAccess::ReadWrite)
                .entry(),
            "fn some(local_index: u32, input_count: u32) {
                // Two invocations write the halves of each word.
                for (var i = 0u; i < input_count; i++) {
                    if local_index == 0u { store_input_a(i, load_input_a(i) + 1u); }
                    if local_index == 1u { store_input_b(i, load_input_b(i) + 2u); }
                }
                storageBarrier();
                for (var i = local_index; i < input_count; i += 2u) {
                    atomicAdd(&sums[2], load_input_a(i));
                    atomicAdd(&sums[3], load_input_b(i));
                }
            }",
        ))
        .build()
        .unwrap();
    let records: Vec<u8> = (0..20_u16)
        .flat_map(|i| {
            [i.to_le_bytes(), (100 + i).to_le_bytes()]
                .concat()
                .into_iter()
                .chain([0; 8])
        })
        .collect();
    let inputs = [
        CpuRecords::new("one", 20, &records),
        CpuRecords::new("some", 20, &records),
    ];
    check(&graph, &Settings::default(), &inputs, |sums| {
        let sum: u32 = (0..20).sum();
        let cut = (70000 & 0xffff) * 20;
        assert_eq!(sums[..2], [cut + 2 * sum + 2000, 20 + 2 * sum]);
        assert_eq!(sums[2..4], [sum + 20, sum + 2000 + 40]);
    });
}

/// Invocations that run side by side write the halves of one word, in outputs and in inputs.
#[test]
pub(crate) fn halves_of_words_side_by_side() {
    let graph = Graph::builder("halves")
        .record(
            RecordType::new("List")
                .field("odd", FieldType::U16)
                .field("list", FieldType::U16.array(64)),
        )
        .node(node(
            Node::coalescing("source", 1, [64, 1, 1])
                .input_type_with("List", InputAccess::ReadWrite)
                .entry()
                .output(Output::of_type("sink", "List", 1)),
            "fn source(local_index: u32) {
                store_input_list(0u, local_index, 3u * local_index);
                storageBarrier();
                let r = alloc_group_sink(1u);
                store_sink_odd(r, 0u, 0xffffu);
                store_sink_list(r, 0u, local_index, load_input_list(0u, 63u - local_index) + 1u);
                complete_sink(r);
            }",
        ))
        .node(node(
            Node::coalescing("sink", 4, [64, 1, 1]).input_type("List"),
            "fn sink(local_index: u32, input_count: u32) {
                for (var i = 0u; i < input_count; i++) {
                    let is_right = load_input_list(i, local_index) == 3u * (63u - local_index) + 1u;
                    atomicAdd(&sums[local_index], u32(is_right && load_input_odd(i) == 0xffffu));
                }
            }",
        ))
        .build()
        .unwrap();
    let zeros = vec![0; 20 * 132];
    let inputs = [CpuRecords::new("source", 20, &zeros)];
    check(&graph, &Settings::default(), &inputs, |sums| {
        assert_eq!(sums[..64], [20; 64]);
    });
}

#[test]
pub(crate) fn local_arguments_per_node() {
    let text = "fn arguments() {
        atomicAdd(&sums[load_input_value()], local_argument_u32(0u));
        atomicAdd(&sums[load_input_value() + 1u], u32(local_argument_f32(1u) * 2.0) + u32(-local_argument_i32(2u)));
    }";
    let of = |name: &str| {
        node(
            Node::thread(name)
                .input_type("Cell")
                .entry()
                .function("arguments"),
            text,
        )
    };
    let graph = Graph::builder("local arguments")
        .record(cell())
        .node(of("first"))
        .node(of("second").local_row(0))
        .node(of("third"))
        .node(of("fourth").local_row(3))
        .build()
        .unwrap();
    // Rows that no node chose are assigned in order: 1 to the first, 2 to the third.
    let row = |word: u32, float: f32, signed: i32| [word, float.to_bits(), signed as u32, 0xdead];
    let rows = [
        row(10, 0.5, -1),
        row(20, 1.5, -2),
        row(30, 2.5, -3),
        row(40, 3.5, -4),
    ];
    let settings = Settings {
        local: LocalArguments {
            bytes: bytes(&rows.concat()),
            stride: 16,
        },
        ..Default::default()
    };
    let values: Vec<_> = (0..4_u32).map(|i| (2 * i).to_le_bytes()).collect();
    let names = ["first", "second", "third", "fourth"];
    let inputs: Vec<_> = names
        .into_iter()
        .zip(&values)
        .map(|(name, value)| CpuRecords::new(name, 1, value))
        .collect();
    check(&graph, &settings, &inputs, |sums| {
        assert_eq!(sums[..8], [20, 5, 10, 2, 30, 8, 40, 11]);
    });
}

/// An unused budget, and an empty input.
#[test]
pub(crate) fn nothing_at_all() {
    let graph = Graph::builder("nothing")
        .record(cell())
        .node(node(
            Node::thread("one")
                .input_type("Cell")
                .entry()
                .output(Output::of_type("two", "Cell", 1)),
            "fn one() { let r = alloc_thread_two(0u); complete_two(r); atomicAdd(&sums[0], 1u); }",
        ))
        .node(node(
            Node::thread("two").input_type("Cell"),
            "fn two() { atomicAdd(&sums[1], 1u); }",
        ))
        .build()
        .unwrap();
    let value = 5_u32.to_le_bytes();
    for (count, expected) in [(0, 0), (1, 1)] {
        let records = [CpuRecords::new("one", count, &value)];
        check(&graph, &Settings::default(), &records, |sums| {
            assert_eq!(sums[..2], [expected, 0]);
        });
    }
    check(&graph, &Settings::default(), &[], |sums| {
        assert_eq!(sums[..2], [0, 0]);
    });
    let graph = Graph::builder("empty").build().unwrap();
    check(&graph, &Settings::default(), &[], |sums| {
        assert_eq!(sums[..2], [0, 0]);
    });
}
