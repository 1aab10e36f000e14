//! The image is the same on all devices, with any number of slots and any division into batches.

use std::time::Duration;

use mandelbrot::{Board, JobDescriptor};

use crate::gpu::Gpu;
use crate::sights::{ASIDE, AT_60, SPIRAL, Sight, WHOLE};

/// All methods, with the checksum of all devices so far. Other tests check the images themselves; these checksums are
/// for devices that no test can compare, such as those of browsers.
const CASES: [(&Sight, Board, u32); 5] = [
    (&WHOLE, Board::Direct, 0xB986_188C),
    (&WHOLE, Board::Perturbation, 0xB986_188C),
    (&SPIRAL, Board::Adaptive, 0x0350_6FFB),
    (&AT_60, Board::Adaptive, 0x6CE4_C308),
    (&ASIDE, Board::Perturbation, 0xB3E3_4272),
];

#[test]
fn the_checksum_is_the_same_everywhere() {
    for gpu in Gpu::all("the same checksum") {
        for (sight, board, checksum) in CASES {
            for (slots, batch_iterations) in
                [(1, Some(1000)), (2, Some(61)), (3, Some(7)), (2, None)]
            {
                let job = gpu.run(JobDescriptor {
                    slots,
                    batch_iterations,
                    batch_time: Duration::from_millis(2),
                    ..sight.descriptor(board)
                });
                assert_eq!(
                    format!("{:08x}", job.image().checksum()),
                    format!("{checksum:08x}"),
                    "{}, {board}, on {} with {slots} slots and batches of {batch_iterations:?}",
                    sight.name,
                    gpu.name,
                );
            }
        }
    }
}
