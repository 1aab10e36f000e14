//! Graphs from TOML files: their meaning and their errors.

mod errors;
mod fuzz;
mod hostile;
mod meaning;
mod textures;
mod tint;

use std::io;
use std::path::Path;

use anywarp_graph::GraphFile;
use anywarp_graph::file::FileError;

/// Reads a text whose WGSL files are `a.wgsl` and `b.wgsl`.
pub(crate) fn parse(text: &str) -> Result<GraphFile, FileError> {
    GraphFile::parse("folder/g.toml", text, load)
}

pub(crate) fn load(file: &Path) -> io::Result<(String, Vec<u8>)> {
    match file.to_str() {
        Some(name @ ("a.wgsl" | "b.wgsl")) => Ok((name.to_owned(), b"fn a() {}".to_vec())),
        Some(name @ "p.png") => Ok((name.to_owned(), textures::picture())),
        Some(name @ "huge.png") => Ok((name.to_owned(), textures::huge_picture())),
        Some(name @ "half.png") => Ok((name.to_owned(), textures::picture()[..60].to_vec())),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

/// A file with every key.
pub(crate) const EVERYTHING: &str = r#"
name = "everything"
memory = 65536
local_arguments = [[1, -2], [2.5]]

[[record]]
name = "Tile"
fields = ["corner: vec2<f32>", "grid: vec3<u16>", "depth: i32", "seen: array<u32, 2>"]
grid = "grid"

[[record]]
name = "Cell"
fields = ["id: u32"]

[[node]]
name = "tile"
entry = true
max_grid = [4, 4]
workgroup_size = [8, 8]
input = "Tile"
access = "tracked"
recursion = 2
local_row = 1
function = "a"
source = ["a.wgsl", "b.wgsl"]

[[node.output]]
to = "tile"
name = "again"
record = "Tile"
budget = 4

[[node.output]]
to = "leaf"
array = "sparse"
size = 3
record = "Cell"
budget = 16

[[node.output]]
to = "leaf"
name = "more"
array = "unbounded"
record = "Cell"
share_budget = "leaf"

[[node]]
name = "leaf"
launch = "coalescing"
max_records = 7
workgroup_size = [32]
input = "Cell"
source = "a.wgsl"

[[node]]
name = "leaf[2]"
launch = "coalescing"
max_records = 7
workgroup_size = [32]
input = "Cell"
access = "read_write"
source = "a.wgsl"

[[node]]
name = "count"
launch = "thread"
entry = true
source = "b.wgsl"

[[node]]
name = "sees"
launch = "thread"
share_input_of = "count"
source = "b.wgsl"

[[node]]
name = "fixed"
launch = "broadcasting"
grid = [3]
workgroup_size = [1]
entry = true
source = "b.wgsl"

[[override]]
node = "fixed"
name = "renamed[1]"
grid = [2, 3, 4]
entry = true
local_row = 0

[[override]]
node = "tile"
recursion = 3
budgets = { leaf = 8 }

[[buffer]]
name = "pixels"
binding = 0
size = 4096

[[buffer]]
name = "table"
group = 2
binding = 5
kind = "read"
f32 = [1.0, 2.5]

[[buffer]]
name = "words"
binding = 1
kind = "uniform"
i32 = [-1]
size = 16

[[texture]]
name = "photo"
binding = 2
file = "p.png"
format = "rgba8uint"

[[texture]]
name = "drawn"
group = 1
binding = 0
size = [32, 16]
format = "r32float"
access = "read_write"

[[sampler]]
name = "smooth"
group = 1
binding = 3
filter = "nearest"
address = "mirror"

[[input]]
node = "tile"
records = [
    { corner = [0.5, 1], grid = [1, 2, 3], depth = -1, seen = [7, 8] },
    { corner = [0.0, 0.0], grid = [1, 1, 1], depth = 0, seen = [0, 0] },
]

[[input]]
node = "tile"
count = 9
records = [{ corner = [0.0, 0.0], grid = [1, 1, 1], depth = 0, seen = [0, 0] }]

[[input]]
node = "count"
count = 5

[image]
buffer = "pixels"
width = 32
height = 32
format = "heat"
element = "f32"
"#;
