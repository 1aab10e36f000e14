//! Inputs on the device that break a rule: errors in both modes, and what is sound runs all the same.

use anywarp_graph::{DeviceRule, GraphError, Input, Node, SharedMemory};

use crate::faults::{RECORDS, WITNESS, graph, records, settings};
use crate::harness::{Bench, everywhere};

/// Descriptors on the device that cannot be followed. What is sound beside them must not suffer.
#[test]
fn inputs_of_the_device() {
    let text = format!("{WITNESS}fn bad() {{ witness(load_input_value()); }}");
    let graph = graph(Node::thread("bad"), &text);
    // Entry, count, buffer, offset, stride; the buffer has eight records of 16 bytes.
    let cases = [
        (
            [1, 1, 0, 0, 16],
            DeviceRule::InputEntry,
            "input 1: names an entry that does not exist (1 against 1)",
        ),
        (
            [0, 1, 1, 0, 16],
            DeviceRule::InputBuffer,
            "input 1: names a buffer that is not bound (1 against 1)",
        ),
        (
            [0, 1, 0, 2, 16],
            DeviceRule::InputStride,
            "input 1: has an offset or stride that is no multiple of four, or a stride below the record's size (16 against 16)",
        ),
        (
            [0, 1, 0, 0, 18],
            DeviceRule::InputStride,
            "input 1: has an offset or stride that is no multiple of four, or a stride below the record's size (18 against 16)",
        ),
        (
            [0, 1, 0, 0, 12],
            DeviceRule::InputStride,
            "input 1: has an offset or stride that is no multiple of four, or a stride below the record's size (12 against 16)",
        ),
        (
            [0, 9, 0, 0, 16],
            DeviceRule::InputRange,
            "input 1: reaches past the end of its buffer (9 against 128)",
        ),
        (
            [0, 1, 0, 116, 16],
            DeviceRule::InputRange,
            "input 1: reaches past the end of its buffer (1 against 128)",
        ),
        (
            [0, u32::MAX, 0, 0, u32::MAX - 3],
            DeviceRule::InputRange,
            "input 1: reaches past the end of its buffer (4294967295 against 128)",
        ),
    ];
    everywhere("inputs of the device", |gpu| {
        let shared = SharedMemory::new(&gpu.device, &gpu.queue);
        let records = gpu.storage(&bytemuck::pod_collect_to_vec::<u8, u32>(&records(0)));
        let benches =
            [true, false].map(|checked| Bench::new(gpu, &graph, &settings(checked, Some(&shared))));
        for (bad, rule, message) in cases {
            let mut words = vec![2, 0, RECORDS, 0, 0, 16];
            words.extend(bad);
            let descriptors = gpu.storage(&words);
            let input = Input::MultiGpu {
                descriptors: &descriptors,
                offset: 0,
                records: &[&records],
                cap: 2,
            };
            // Inputs are looked at in both modes.
            for bench in &benches {
                match bench.try_run(&input) {
                    Err(GraphError::Faults(faults)) => {
                        assert_eq!(faults.faults[0].rule, rule);
                        assert_eq!(faults.faults[0].to_string(), message);
                    }
                    other => panic!("{message}: {other:?}"),
                }
                assert_eq!(bench.take()[..9], [1, 1, 1, 1, 1, 1, 1, 1, 0], "{message}");
            }
        }
    });
}
