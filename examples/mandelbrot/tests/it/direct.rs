//! The direct board is bitwise equal to a plain loop in f32.

use mandelbrot::{Board, Method};

use crate::gpu::Gpu;
use crate::sights::{VALLEY, WHOLE};
use crate::truth::f32_counts;

#[test]
fn every_pixel_is_that_of_a_strict_loop() {
    for gpu in Gpu::all("the direct board") {
        for sight in [&WHOLE, &VALLEY] {
            let job = gpu.run(sight.descriptor(Board::Direct));
            assert_eq!(job.progress().method, Method::Direct);
            assert_eq!(
                job.image().counts(),
                f32_counts(sight),
                "{} on {}",
                sight.name,
                gpu.name
            );
        }
    }
}
