//! GPU inputs that violate a rule: faults in both modes, and valid inputs run anyway.

use anywarp_graph::Input;
use anywarp_graph::device::{DeviceRule, SharedArena};

use crate::cases::faults::{RECORDS, assert_witnessed, good, records, settings};
use crate::cases::harness::{Bench, everywhere};

/// The message of each rule.
const MESSAGES: &[(DeviceRule, &str)] = &[
    (DeviceRule::InputEntry, "names an entry that does not exist"),
    (DeviceRule::InputBuffer, "names a buffer that is not bound"),
    (
        DeviceRule::InputStride,
        "has an offset or stride that is not a multiple of four, or a stride below the record's size",
    ),
    (DeviceRule::InputRange, "reaches past the end of its buffer"),
];

/// Descriptors: entry, count, buffer, offset, stride; the buffer has eight records of 16 bytes. The rule
/// that each breaks, and the numbers in its message.
const BAD: &[([u32; 5], DeviceRule, [u32; 2])] = &[
    ([1, 1, 0, 0, 16], DeviceRule::InputEntry, [1, 1]),
    ([0, 1, 1, 0, 16], DeviceRule::InputBuffer, [1, 1]),
    ([0, 1, 0, 2, 16], DeviceRule::InputStride, [16, 16]),
    ([0, 1, 0, 0, 18], DeviceRule::InputStride, [18, 16]),
    ([0, 1, 0, 0, 12], DeviceRule::InputStride, [12, 16]),
    ([0, 9, 0, 0, 16], DeviceRule::InputRange, [9, 128]),
    ([0, 1, 0, 116, 16], DeviceRule::InputRange, [1, 128]),
    (
        [0, u32::MAX, 0, 0, u32::MAX - 3],
        DeviceRule::InputRange,
        [u32::MAX, 128],
    ),
];

/// Invalid descriptors on the device. Valid inputs beside them must not be affected.
#[test]
fn inputs_of_the_device() {
    everywhere("inputs of the device", |gpu| {
        let shared = SharedArena::new(&gpu.device, &gpu.queue);
        let records = gpu.storage(&bytemuck::pod_collect_to_vec::<u8, u32>(&records(0)));
        // Inputs are checked in both modes.
        let benches = [true, false].map(|checked| {
            let settings = settings(checked, Some(&shared));
            Bench::new(gpu, &good(), &settings)
        });
        for (bad, rule, [found, allowed]) in BAD {
            let mut words = vec![2, 0, RECORDS, 0, 0, 16];
            words.extend(bad);
            let descriptors = gpu.storage(&words);
            let input = Input::MultiGpu {
                descriptors: &descriptors,
                offset: 0,
                records: &[&records],
                cap: 2,
            };
            let (_, text) = MESSAGES.iter().find(|(it, _)| it == rule).unwrap();
            for bench in &benches {
                let fault = &bench.faults(&input).faults[0];
                assert_eq!(fault.rule, *rule);
                let message = format!("input 1: {text} (found {found}, allowed {allowed})");
                assert_eq!(fault.to_string(), message);
                assert_witnessed(&bench.take());
            }
        }
    });
}
