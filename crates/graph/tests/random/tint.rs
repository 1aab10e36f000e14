//! Validates the modules of random graphs, and the runtime's own passes, with Tint.

use crate::common::Gpu;
use crate::device::runner;
use crate::{generate, seeds};
use anywarp_test_support::tint::assert_accepted;

#[test]
fn tint_takes_the_modules() {
    let gpu = Gpu::cpu();
    let mut modules = Vec::new();
    for seed in seeds(40) {
        let (shape, _) = generate::shape(seed);
        for checked in [false, true] {
            let runner = runner(&gpu, &shape, checked);
            for (name, text) in runner.shaders() {
                // The passes between levels differ only in a few numbers.
                if seed < 3 || text.contains("aw_main") {
                    modules.push((
                        format!("seed {seed}, checked {checked}, {name}"),
                        text.clone(),
                    ));
                }
            }
        }
    }
    assert_accepted("Tint on the modules of random graphs", &modules);
}
