//! The image is the same on a queue that overlaps and reorders submissions, with spurious compare-exchange failures.

use anywarp_adapter::Misbehaviour;
use mandelbrot::{Board, JobDescriptor};

use crate::gpu::{Gpu, finish};
use crate::sights::{AT_20, AT_60, Sight, WHOLE};

const SEEDS: u64 = 6;

fn gpu(seed: u64) -> Gpu {
    Gpu::reordering(Misbehaviour {
        seed,
        overlap: 2 + seed as usize % 3,
        spurious_failures: [0.0, 0.3][seed as usize % 2],
    })
}

/// A small image divided into many batches, most of which cannot report all finished pixels.
fn descriptor(sight: &Sight, board: Board, slots: u32) -> JobDescriptor {
    JobDescriptor {
        limit: 120.into(),
        size: [20, 14],
        slots,
        batch_iterations: Some(11),
        capacity: Some(40),
        ..sight.descriptor(board)
    }
}

#[test]
fn the_image_is_the_same_on_a_reordering_queue() {
    let well_behaved = Gpu::cpu();
    let mut retries = 0;
    for (sight, board) in [(&WHOLE, Board::Direct), (&AT_20, Board::Perturbation)] {
        let expected = well_behaved.run(descriptor(sight, board, 1));
        for seed in 0..SEEDS {
            for slots in [1, 2, 3] {
                let job = gpu(seed).run(descriptor(sight, board, slots));
                let what = format!("{}, seed {seed}, {slots} slots", sight.name);
                assert!(job.image() == expected.image(), "{what}");
                retries += job.progress().retries;
            }
        }
    }
    assert!(retries > 0, "nothing was disturbed");
}

#[test]
fn nothing_of_an_old_view_arrives_on_a_reordering_queue() {
    let expected = Gpu::cpu().run(descriptor(&WHOLE, Board::Direct, 1));
    for seed in 0..SEEDS {
        let mut job = gpu(seed).job(descriptor(&AT_60, Board::Perturbation, 3));
        for _ in 0..seed {
            job.wait().unwrap().unwrap();
        }
        job.look_at(WHOLE.view(), Board::Direct, 120).unwrap();
        finish(&mut job);
        assert!(job.image() == expected.image(), "seed {seed}");
    }
}
