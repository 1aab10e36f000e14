//! Changing the view while batches are in flight.

use mandelbrot::{Board, JobDescriptor, JobError, View};

use crate::gpu::{Gpu, finish};
use crate::sights::{AT_20, AT_60, VALLEY, WHOLE};

#[test]
fn nothing_of_the_old_view_arrives() {
    for gpu in Gpu::all("looking elsewhere") {
        let expected = gpu.run(VALLEY.descriptor(Board::Direct));
        for steps in [0, 1, 5] {
            let mut job = gpu.job(JobDescriptor {
                slots: 3,
                batch_iterations: Some(10),
                ..WHOLE.descriptor(Board::Direct)
            });
            for _ in 0..steps {
                job.wait().unwrap().unwrap();
            }
            job.look_at(VALLEY.view(), Board::Direct, VALLEY.limit)
                .unwrap();
            let before = job.progress();
            assert_eq!((before.known, before.iterations), (0, 0));
            assert_eq!((before.epoch, before.is_done), (1, false));
            assert!(job.image().counts().iter().all(|count| *count == 0));
            for step in finish(&mut job) {
                assert_eq!(step.epoch, 1);
            }
            assert!(job.image() == expected.image(), "{steps} on {}", gpu.name);
        }
    }
}

#[test]
fn a_job_goes_from_board_to_board() {
    let gpu = Gpu::cpu();
    let mut job = gpu.job(WHOLE.descriptor(Board::Direct));
    let mut batches = 0;
    // The second view needs a longer reference orbit than the buffer of the first.
    for sight in [&AT_20, &AT_60, &WHOLE] {
        job.wait().unwrap().unwrap();
        job.look_at(sight.view(), Board::Adaptive, sight.limit)
            .unwrap();
        finish(&mut job);
        let fresh = gpu.run(sight.descriptor(Board::Adaptive));
        assert!(job.image() == fresh.image(), "{}", sight.name);
        assert_eq!(job.progress().method, fresh.progress().method);
        assert!(
            job.progress().batches > batches,
            "batches are counted over views"
        );
        batches = job.progress().batches;
        job.look_at(WHOLE.view(), Board::Direct, 50).unwrap();
    }
}

#[test]
fn a_view_that_cannot_be_shown_changes_nothing() {
    let gpu = Gpu::cpu();
    let expected = gpu.run(WHOLE.descriptor(Board::Direct));
    let mut job = gpu.job(WHOLE.descriptor(Board::Direct));
    job.wait().unwrap().unwrap();
    let view = View::parse("0", "0", "1").unwrap();
    let error = job.look_at(view, Board::Direct, 0).unwrap_err();
    assert!(matches!(error, JobError::Limit { limit: 0, .. }));
    finish(&mut job);
    assert!(job.image() == expected.image());
}
