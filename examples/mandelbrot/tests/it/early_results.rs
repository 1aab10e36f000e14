//! Results of single batches: their size is bounded, they are complete at the end, and exact at checkpoints.

use mandelbrot::{Board, Image, JobDescriptor};

use crate::gpu::{Gpu, finish};
use crate::sights::{AT_20, SIZE, VALLEY, WHOLE};

const PIXELS: u32 = SIZE[0] * SIZE[1];

#[test]
fn a_tiny_list_of_results_loses_no_pixel() {
    for gpu in Gpu::all("a tiny list of results") {
        for (sight, board) in [(&WHOLE, Board::Direct), (&AT_20, Board::Perturbation)] {
            let expected = gpu.run(sight.descriptor(board));
            for capacity in [1, 7, 100] {
                let mut job = gpu.job(JobDescriptor {
                    capacity: Some(capacity),
                    ..sight.descriptor(board)
                });
                let steps = finish(&mut job);
                assert!(
                    job.image() == expected.image(),
                    "{capacity} on {}",
                    gpu.name
                );
                assert!(steps.iter().any(|step| step.unreported > 0), "{capacity}");
            }
        }
    }
}

#[test]
fn the_counts_of_every_batch_add_up() {
    let gpu = Gpu::cpu();
    let mut job = gpu.job(JobDescriptor {
        capacity: Some(50),
        batch_iterations: Some(9),
        ..WHOLE.descriptor(Board::Direct)
    });
    let mut finished = 0;
    let mut known_before = 0;
    while let Some(step) = job.wait() {
        let step = step.unwrap();
        finished += step.newly_finished;
        assert_eq!(step.pixels, PIXELS);
        assert_eq!(finished + step.live, PIXELS);
        let unknown = job
            .image()
            .counts()
            .iter()
            .filter(|it| **it == Image::UNKNOWN);
        assert_eq!(step.known, PIXELS - unknown.count() as u32);
        if !step.is_done {
            assert_eq!(step.known + step.unreported + step.live, PIXELS);
            assert!(
                step.known - known_before <= 50,
                "more than there is room for"
            );
        }
        known_before = step.known;
    }
    let inside = job
        .image()
        .counts()
        .iter()
        .filter(|it| **it == Image::INSIDE);
    assert_eq!(finished, PIXELS - inside.count() as u32);
}

#[test]
fn at_a_checkpoint_the_image_has_exactly_what_escaped() {
    let gpu = Gpu::cpu();
    let complete = gpu.run(VALLEY.descriptor(Board::Direct));
    let checkpoints = vec![300, 100, 101, 500, 9999];
    for (slots, capacity) in [(1, None), (3, Some(5))] {
        let mut job = gpu.job(JobDescriptor {
            checkpoints: checkpoints.clone(),
            slots,
            capacity,
            ..VALLEY.descriptor(Board::Direct)
        });
        let mut seen = Vec::new();
        while let Some(step) = job.wait() {
            let step = step.unwrap();
            let Some(checkpoint) = step.checkpoint else {
                continue;
            };
            seen.push(checkpoint);
            assert_eq!(step.iterations, checkpoint);
            if step.is_done {
                continue;
            }
            let until = |count: &u32| {
                if *count <= checkpoint {
                    *count
                } else {
                    Image::UNKNOWN
                }
            };
            let expected: Vec<u32> = complete.image().counts().iter().map(until).collect();
            assert!(job.image().counts() == expected, "at {checkpoint}");
        }
        assert_eq!(seen, [100, 101, 300, 500]);
        assert!(job.image() == complete.image());
    }
}

#[test]
fn a_step_never_blocks_and_comes_to_the_same() {
    let gpu = Gpu::cpu();
    let expected = gpu.run(WHOLE.descriptor(Board::Direct));
    let mut job = gpu.job(WHOLE.descriptor(Board::Direct));
    pollster::block_on(async {
        while let Some(step) = job.step().await {
            step.unwrap();
        }
        assert!(job.step().await.is_none());
    });
    assert!(job.image() == expected.image());
}
