//! Validates the examples, with the generated code around them, with Tint.

use std::path::Path;

use anywarp_graph::device::Checks;
use anywarp_graph::{GraphFile, GraphOptions, GraphRunner};
use pollster::block_on;

use anywarp_test_support::tint::assert_accepted;

#[test]
fn tint_takes_the_examples() {
    let adapter = anywarp_adapter::adapter(Default::default());
    let (device, queue) = block_on(adapter.request_device(&Default::default())).unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/graphs");
    let mut modules = Vec::new();
    for example in ["quadtree", "tiles", "downsample"] {
        let file = GraphFile::read(folder.join(format!("{example}.toml"))).unwrap();
        let resources = file.resources(&device, &queue).unwrap();
        let layouts: Vec<_> = resources.layouts.iter().collect();
        for checks in [Checks::Essential, Checks::All] {
            let options = GraphOptions {
                bind_group_layouts: &layouts,
                checks,
                ..Default::default()
            };
            let runner = GraphRunner::new(&device, &queue, file.graph(), options);
            let runner = block_on(runner).unwrap();
            let shaders = runner.shaders().iter();
            modules
                .extend(shaders.map(|(name, text)| (format!("{example}, {name}"), text.clone())));
        }
    }
    assert_accepted("Tint on the examples of graphs", &modules);
}
