//! The files of the examples, as they are in the repository, embedded in the command.
//!
//! In: a path in the repository. Out: the file's contents. `crates/cli/gallery` has a link to each file of `examples`, so that
//! the package of this crate contains them.

use std::fs;
use std::path::Path;

use crate::error::Error;

macro_rules! linked {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../../gallery/", $path)))),*]
    };
}

/// Texts by their paths in the repository.
const TEXTS: &[(&str, &str)] = linked! {
    "examples/edges.wgsl"
    "examples/gallery/deep-zoom.wgsl"
    "examples/gallery/nbody.wgsl"
    "examples/gallery/particle-grid.wgsl"
    "examples/gallery/precision.wgsl"
    "examples/gallery/reaction.wgsl"
    "examples/gallery/sha256.wgsl"
    "examples/gallery/sort.wgsl"
    "examples/gallery/walks.wgsl"
    "examples/graphs/downsample.toml"
    "examples/graphs/downsample/downsample.wgsl"
    "examples/graphs/downsample/pyramid.wgsl"
    "examples/graphs/quadtree.toml"
    "examples/graphs/quadtree/leaf.wgsl"
    "examples/graphs/quadtree/shapes.wgsl"
    "examples/graphs/quadtree/split.wgsl"
    "examples/graphs/tiles.toml"
    "examples/graphs/tiles/classify.wgsl"
    "examples/graphs/tiles/scene.wgsl"
    "examples/graphs/tiles/shade.wgsl"
    "examples/kernels/src/ray_tracer.rs"
    "examples/life.wgsl"
    "examples/mandelbrot.wgsl"
    "examples/matmul.wgsl"
    "examples/particles.wgsl"
    "examples/race.wgsl"
    "examples/ripples.comp"
};

/// The host programs of examples, which are modules of this command.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "crates/cli/src/gallery/deep_zoom.rs",
        include_str!("deep_zoom.rs"),
    ),
    (
        "crates/cli/src/gallery/particle_grid.rs",
        include_str!("particle_grid.rs"),
    ),
];

/// The picture that `edges` reads.
const PHOTO: (&str, &[u8]) = (
    "docs/images/ray-tracer.png",
    include_bytes!("../../gallery/docs/images/ray-tracer.png"),
);

/// The text of a file; empty if it is not a text.
pub(super) fn text(path: &str) -> &'static str {
    let mut all = TEXTS.iter().chain(PROGRAMS);
    all.find(|(name, _)| *name == path)
        .map_or("", |(_, text)| *text)
}

/// Writes a file to the same path in a folder.
pub(super) fn write(folder: &Path, path: &str) -> Result<(), Error> {
    let target = folder.join(path);
    let failed = |source| Error::Write {
        path: target.clone(),
        source,
    };
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let bytes = if path == PHOTO.0 {
        PHOTO.1
    } else {
        text(path).as_bytes()
    };
    fs::write(&target, bytes).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::super::table::ALL;
    use super::*;

    #[test]
    fn every_file_of_an_example_is_embedded() {
        let mut used = Vec::new();
        for path in ALL.iter().flat_map(|example| example.files) {
            assert!(*path == PHOTO.0 || text(path).len() > 100, "{path}");
            used.push(*path);
        }
        for (path, _) in TEXTS.iter().chain(PROGRAMS) {
            assert!(used.contains(path), "no example uses {path}");
        }
    }
}
