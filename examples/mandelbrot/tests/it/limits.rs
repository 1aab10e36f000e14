//! The automatic iteration limit.

use mandelbrot::{Board, JobDescriptor, Limit};

use crate::gpu::Gpu;
use crate::sights::{AT_60, Sight, VALLEY};

fn auto(sight: &Sight, batch_iterations: u32) -> (u32, u32) {
    let gpu = Gpu::cpu();
    let job = gpu.run(JobDescriptor {
        limit: Limit::Auto,
        batch_iterations: Some(batch_iterations),
        ..sight.descriptor(Board::Adaptive)
    });
    (job.progress().limit, job.image().checksum())
}

#[test]
fn it_rises_as_far_as_the_view_needs_and_always_alike() {
    for (sight, least) in [(&VALLEY, 1024), (&AT_60, 512)] {
        let (limit, checksum) = auto(sight, 33);
        assert!(limit >= least, "{}: {limit}", sight.name);
        assert_eq!(auto(sight, 1000), (limit, checksum), "{}", sight.name);
    }
}

#[test]
fn a_view_inside_the_set_ends() {
    let inside = Sight {
        name: "inside",
        re: "-0.1",
        im: "0",
        width: "0.01",
        limit: 1,
    };
    let (limit, _) = auto(&inside, 1000);
    assert!(limit <= 1 << 12, "{limit}");
}
