//! The meaning of graph files: graph, buffers, inputs and images.

use anywarp_graph::file::{BufferKind, ImageSource, Pixels};
use anywarp_graph::model::{Grid, InputAccess, Launch, Target};

use crate::file::{EVERYTHING, parse};

#[test]
fn every_key_means_what_the_builder_does() {
    let file = parse(EVERYTHING).unwrap_or_else(|error| panic!("{error}"));
    let graph = file.graph();
    assert_eq!(graph.name(), "everything");
    assert_eq!(graph.records()[0].grid_field().unwrap().name, "grid");
    let tile = &graph.nodes()[0];
    let Launch::Broadcasting {
        grid,
        workgroup_size,
    } = tile.launch
    else {
        panic!("{:?}", tile.launch);
    };
    assert_eq!(grid, Grid::Dynamic { max: [4, 4, 1] });
    assert_eq!(workgroup_size, [8, 8, 1]);
    assert_eq!(
        (tile.access, tile.recursion, tile.row),
        (InputAccess::Tracked, 3, 1)
    );
    assert_eq!(tile.function.as_deref(), Some("a"));
    let names: Vec<_> = tile.sources.iter().map(|source| source.name()).collect();
    assert_eq!(names, ["a.wgsl", "b.wgsl"]);
    let outputs: Vec<_> = tile
        .resolved_outputs
        .iter()
        .map(|way| (way.name.as_str(), way.max_records, way.targets.clone()))
        .collect();
    let leaves = vec![Some(1), None, Some(2)];
    assert_eq!(
        outputs,
        [
            ("again", 4, vec![Some(0)]),
            ("leaf", 8, leaves.clone()),
            ("more", 8, leaves)
        ]
    );
    let unbounded = Target::Unbounded {
        name: "leaf".into(),
    };
    assert_eq!(tile.outputs[2].target, unbounded);
    assert_eq!(graph.nodes()[2].access, InputAccess::ReadWrite);
    assert_eq!(graph.nodes()[4].owner, 3);
    let fixed = &graph.nodes()[5];
    assert_eq!((fixed.id.to_string(), fixed.row), ("renamed[1]".into(), 0));
    assert!(matches!(
        fixed.launch,
        Launch::Broadcasting {
            grid: Grid::Fixed([2, 3, 4]),
            ..
        }
    ));
}

#[test]
fn what_a_run_needs_is_there() {
    let file = parse(EVERYTHING).unwrap();
    assert_eq!(file.plan_options().memory, 65536);
    assert_eq!(file.plan_options().input_records, 11);
    let local = file.local_arguments();
    assert_eq!(local.stride, 8);
    let words = [1, -2_i32 as u32, 2.5_f32.to_bits(), 0];
    assert_eq!(local.bytes, bytemuck::cast_slice::<u32, u8>(&words));

    let buffers = file.buffers();
    let kinds: Vec<_> = buffers.iter().map(|buffer| buffer.kind).collect();
    assert_eq!(
        kinds,
        [BufferKind::ReadWrite, BufferKind::Read, BufferKind::Uniform]
    );
    assert_eq!(
        (
            buffers[1].binding_point.group,
            buffers[1].binding_point.binding
        ),
        (2, 5)
    );
    assert_eq!(
        (buffers[1].size, buffers[2].size, buffers[2].contents.len()),
        (8, 16, 4)
    );
    let image = file.image().unwrap();
    assert_eq!(
        (image.source, image.bytes()),
        (ImageSource::Buffer(0), 4096)
    );
    assert_eq!(image.pixels, Pixels::HeatF32);

    let [two, nine, five] = file.inputs() else {
        panic!("{:?}", file.inputs());
    };
    assert_eq!((two.count, two.repeated, two.bytes.len()), (2, false, 56));
    assert_eq!((nine.count, nine.repeated, nine.bytes.len()), (9, true, 28));
    assert_eq!((five.count, five.bytes.len()), (5, 0));
    // vec2<f32>, vec3<u16> and two bytes of padding, i32, two u32.
    let first: Vec<u8> = [
        &0.5_f32.to_le_bytes()[..],
        &1_f32.to_le_bytes(),
        &[1, 0, 2, 0, 3, 0, 0, 0],
        &(-1_i32).to_le_bytes(),
        &[7, 0, 0, 0, 8, 0, 0, 0],
    ]
    .concat();
    assert_eq!(two.bytes[..28], first);
}

#[test]
fn an_empty_file_is_an_empty_graph() {
    let file = parse("").unwrap();
    assert_eq!(file.graph().name(), "g");
    assert!(file.graph().nodes().is_empty());
}
