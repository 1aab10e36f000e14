//! Invalid descriptors are rejected with one error, before device resources are created.

use mandelbrot::{Board, Job, JobDescriptor, Limit};

use crate::gpu::Gpu;
use crate::sights::WHOLE;

fn error(descriptor: JobDescriptor) -> String {
    let gpu = Gpu::cpu();
    let job = Job::new(&gpu.device, &gpu.queue, descriptor);
    pollster::block_on(job).unwrap_err().to_string()
}

#[test]
fn bad_sizes_and_limits_are_refused() {
    let descriptor = |board| WHOLE.descriptor(board);
    for (size, message) in [
        ([0, 24], "size 0x24 has no pixels"),
        ([32, 0], "size 32x0 has no pixels"),
        (
            [u32::MAX, u32::MAX],
            "size 4294967295x4294967295 is too large: the device has room for",
        ),
        (
            [1_000_000, 2],
            "size 1000000x2 is too large: the device has room for",
        ),
    ] {
        let text = error(JobDescriptor {
            size,
            ..descriptor(Board::Direct)
        });
        assert!(text.starts_with(message), "{text}");
    }
    for limit in [0, u32::MAX] {
        let text = error(JobDescriptor {
            limit: Limit::Iterations(limit),
            ..descriptor(Board::Direct)
        });
        let message = format!("limit {limit} is out of range: 1 to 1073741824 iterations");
        assert_eq!(text, message);
    }
    let text = error(JobDescriptor {
        limit: Limit::Iterations(1 << 30),
        ..descriptor(Board::Perturbation)
    });
    assert!(
        text.starts_with("limit 1073741824 is out of range: 1 to "),
        "{text}"
    );
}

#[test]
fn jobs_without_slots_or_room_are_refused() {
    let text = error(JobDescriptor {
        slots: 0,
        ..WHOLE.descriptor(Board::Direct)
    });
    assert_eq!(
        text,
        "the batches cannot be set up: at least one slot is needed"
    );
    let text = error(JobDescriptor {
        capacity: Some(0),
        ..WHOLE.descriptor(Board::Direct)
    });
    assert_eq!(text, "the results need room for at least one pixel");
}
