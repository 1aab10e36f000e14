//! The table of examples, in the order of the page.

use super::checks;
use super::deep_zoom;
use super::example::{Example, Needs, Work};
use super::particle_grid;

/// An example with one picture and nothing else, which the others change.
const PLAIN: Example = Example {
    name: "",
    capability: "",
    about: "",
    files: &[],
    work: Work::Commands {
        commands: &[],
        quick: &[],
    },
    picture: None,
    texts: &[],
    check: None,
    needs: Needs::Nothing,
};

/// Every example.
pub(super) const ALL: &[Example] = &[
    Example {
        name: "mandelbrot",
        capability: "divergent loops as vector code",
        about: "The Mandelbrot set: the pixels of a vector leave a loop after different numbers of steps, \
                and masks stop those that have escaped.",
        files: &["examples/mandelbrot.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/mandelbrot.wgsl --workgroups 128,128 --out 0:0=mandelbrot.png:1024x1024:heat",
            ],
            quick: &[("128,128", "32,32"), ("1024x1024", "256x256")],
        },
        picture: Some("mandelbrot.png"),
        ..PLAIN
    },
    Example {
        name: "particle-grid",
        capability: "entry points that share buffers",
        about: "A million particles that push their neighbours away. In each time step a counting sort puts them into a \
                uniform grid: clear, count, scan, scatter; then each looks at the cells around it.",
        files: &[
            "examples/gallery/particle-grid.wgsl",
            "crates/cli/src/gallery/particle_grid.rs",
        ],
        work: Work::Program(particle_grid::run),
        picture: Some(particle_grid::PICTURE),
        ..PLAIN
    },
    Example {
        name: "nbody",
        capability: "workgroup memory and barriers",
        about: "Two galaxies after their collision: 4096 bodies, each attracted by all others. A workgroup loads \
                them tile by tile into its memory.",
        files: &["examples/gallery/nbody.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/gallery/nbody.wgsl --entry start --workgroups 16 --out after=start.bin",
                "run examples/gallery/nbody.wgsl --entry move_on --workgroups 16 --bind before=@start.bin --repeat 420 --swap before,after --out after=bodies.bin",
                "run examples/gallery/nbody.wgsl --entry draw --workgroups 64,64 --bind before=@bodies.bin --out picture=nbody.png:512x512:rgba8",
            ],
            quick: &[
                ("--workgroups 16", "--workgroups 2"),
                ("--repeat 420", "--repeat 4"),
                ("64,64", "16,16"),
                ("512x512", "128x128"),
            ],
        },
        picture: Some("nbody.png"),
        ..PLAIN
    },
    Example {
        name: "reaction",
        capability: "iterated stencil",
        about: "Reaction and diffusion of two chemicals (Gray and Scott). The rates change over the picture, so it is a map \
                of the patterns that the model has.",
        files: &["examples/gallery/reaction.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/gallery/reaction.wgsl --workgroups 48,48 --bind before=random:f32:294912 --repeat 4000 --swap before,after --out amount=reaction.png:384x384:heat",
            ],
            quick: &[
                ("48,48", "12,12"),
                ("294912", "18432"),
                ("4000", "50"),
                ("384x384", "96x96"),
            ],
        },
        picture: Some("reaction.png"),
        ..PLAIN
    },
    Example {
        name: "ray-tracer",
        capability: "a kernel in Rust",
        about: "Four spheres on a floor: plain Rust, compiled to WebAssembly with the ordinary compiler, on a virtual \
                machine or on a GPU.",
        files: &["examples/kernels/src/ray_tracer.rs"],
        work: Work::Commands {
            commands: &[
                "build examples/kernels --out kernels.wasm",
                "run kernels.wasm --entry ray_tracer --args 640,400 --pixels ray-tracer.png:640x400",
            ],
            quick: &[("640,400", "64,40"), ("640x400", "64x40")],
        },
        picture: Some("ray-tracer.png"),
        needs: Needs::KernelToolchain,
        ..PLAIN
    },
    Example {
        name: "edges",
        capability: "textures",
        about: "The edges of a picture: Sobel's operator reads one texture and writes another.",
        files: &["examples/edges.wgsl", "docs/images/ray-tracer.png"],
        work: Work::Commands {
            commands: &[
                "run examples/edges.wgsl --workgroups 80,50 --bind 0:0=docs/images/ray-tracer.png --out 0:1=edges.png",
            ],
            quick: &[],
        },
        picture: Some("edges.png"),
        ..PLAIN
    },
    Example {
        name: "quadtree",
        capability: "recursive work graph",
        about: "A quadtree whose node launches itself: cells that an outline crosses are divided, the others are drawn.",
        files: &[
            "examples/graphs/quadtree.toml",
            "examples/graphs/quadtree/split.wgsl",
            "examples/graphs/quadtree/leaf.wgsl",
            "examples/graphs/quadtree/shapes.wgsl",
        ],
        work: Work::Commands {
            commands: &["graph run examples/graphs/quadtree.toml --image quadtree.png"],
            quick: &[],
        },
        picture: Some("quadtree.png"),
        ..PLAIN
    },
    Example {
        name: "deep-zoom",
        capability: "guarded batches",
        about: "The Mandelbrot set around i, 1e-30 wide, by perturbation with numbers of 32 bits. The steps of all pixels \
                go to the device in batches; one is always in flight while the host looks at the last one's results.",
        files: &[
            "examples/gallery/deep-zoom.wgsl",
            "crates/cli/src/gallery/deep_zoom.rs",
        ],
        work: Work::Program(deep_zoom::run),
        picture: Some(deep_zoom::PICTURE),
        ..PLAIN
    },
    Example {
        name: "life",
        capability: "double buffering",
        about: "Conway's game of life, 200 steps from random cells, with a glow where cells have died.",
        files: &["examples/life.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/life.wgsl --workgroups 32,32 --bind 0:0=random:262144 --repeat 200 --swap 0:0,0:1 --out 0:1=life.png:256x256:heat",
            ],
            quick: &[("--repeat 200", "--repeat 20")],
        },
        picture: Some("life.png"),
        check: Some(checks::life),
        ..PLAIN
    },
    Example {
        name: "sort",
        capability: "sorting network",
        about: "A bitonic sorting network. Time goes from top to bottom: random numbers become runs, runs become longer \
                runs, and in the end one gradient.",
        files: &["examples/gallery/sort.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/gallery/sort.wgsl --workgroups 512 --bind numbers=random:u32:262144 --repeat 171 --swap stage,next_stage --out numbers=sorted.bin --out history=sort.png:512x342:heat",
            ],
            quick: &[
                ("--workgroups 512", "--workgroups 32"),
                ("262144", "16384"),
                ("171", "105"),
                ("512x342", "512x210"),
            ],
        },
        picture: Some("sort.png"),
        check: Some(checks::sort),
        ..PLAIN
    },
    Example {
        name: "sha256",
        capability: "integer arithmetic",
        about: "SHA-256 of the numbers 0 to 1023, a thousand times in a chain, and an icon for each last digest.",
        files: &["examples/gallery/sha256.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/gallery/sha256.wgsl --workgroups 16 --constant REPEATS=1000 --out digests=digests.bin --out icons=sha256.png:512x512:rgba8",
            ],
            quick: &[("REPEATS=1000", "REPEATS=2")],
        },
        picture: Some("sha256.png"),
        check: Some(checks::sha256),
        ..PLAIN
    },
    Example {
        name: "precision",
        capability: "64-bit floats",
        about: "A part of the Mandelbrot set that is 4 millionths wide: on the left with numbers of 32 bits, on the right \
                with 64.",
        files: &["examples/gallery/precision.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/gallery/precision.wgsl --workgroups 72,48 --out iterations=precision.png:576x384:heat",
            ],
            quick: &[("72,48", "18,12"), ("576x384", "144x96")],
        },
        picture: Some("precision.png"),
        ..PLAIN
    },
    Example {
        name: "walks",
        capability: "subgroup scans",
        about: "Random walks of 512 steps, from left to right: prefix sums, first in subgroups and then across them.",
        files: &["examples/gallery/walks.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/gallery/walks.wgsl --workgroups 48 --out walks=walks.bin --out picture=walks.png:512x320:heat",
            ],
            quick: &[("--workgroups 48", "--workgroups 4")],
        },
        picture: Some("walks.png"),
        check: Some(checks::walks),
        ..PLAIN
    },
    Example {
        name: "ripples",
        capability: "GLSL",
        about: "Ripples around the middle of a picture, written in GLSL.",
        files: &["examples/ripples.comp"],
        work: Work::Commands {
            commands: &[
                "run examples/ripples.comp --workgroups 32,32 --out 0:0=ripples.png:256x256:heat",
            ],
            quick: &[],
        },
        picture: Some("ripples.png"),
        ..PLAIN
    },
    Example {
        name: "tiles",
        capability: "node arrays of work graphs",
        about: "Tiles are sorted by what is in them, and each kind has a shader of its own.",
        files: &[
            "examples/graphs/tiles.toml",
            "examples/graphs/tiles/classify.wgsl",
            "examples/graphs/tiles/shade.wgsl",
            "examples/graphs/tiles/scene.wgsl",
        ],
        work: Work::Commands {
            commands: &["graph run examples/graphs/tiles.toml --image tiles.png"],
            quick: &[],
        },
        picture: Some("tiles.png"),
        ..PLAIN
    },
    Example {
        name: "downsample",
        capability: "cross-workgroup reduction",
        about: "All smaller versions of a picture in one pass: the workgroup that ends last takes the others' pixels down \
                to a single one.",
        files: &[
            "examples/graphs/downsample.toml",
            "examples/graphs/downsample/downsample.wgsl",
            "examples/graphs/downsample/pyramid.wgsl",
        ],
        work: Work::Commands {
            commands: &["graph run examples/graphs/downsample.toml --image downsample.png"],
            quick: &[],
        },
        picture: Some("downsample.png"),
        ..PLAIN
    },
    Example {
        name: "translation",
        capability: "translation to SPIR-V, HLSL and MSL",
        about: "A shader translated to SPIR-V, which runs and gives the same bytes; the same shader for DirectX and Metal; \
                and the SPIR-V back as WGSL.",
        files: &["examples/mandelbrot.wgsl"],
        work: Work::Commands {
            commands: &[
                "translate examples/mandelbrot.wgsl mandelbrot.spv",
                "translate mandelbrot.spv translated.wgsl",
                "translate examples/mandelbrot.wgsl mandelbrot.hlsl",
                "translate examples/mandelbrot.wgsl mandelbrot.msl",
                "run examples/mandelbrot.wgsl --workgroups 32,32 --out 0:0=wgsl.bin",
                "run mandelbrot.spv --workgroups 32,32 --bind 0:0=zeros:262144 --out 0:0=spirv.bin",
            ],
            quick: &[],
        },
        texts: &["translated.wgsl", "mandelbrot.hlsl", "mandelbrot.msl"],
        check: Some(checks::translation),
        ..PLAIN
    },
    Example {
        name: "race",
        capability: "data races, random schedules",
        about: "A barrier is missing. In order the result looks right; an order drawn from a seed shows the race, and the \
                same seed shows it again.",
        files: &["examples/race.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/race.wgsl --out 0:0=print:u32",
                "run examples/race.wgsl --schedule random:7 --out 0:0=print:u32",
            ],
            quick: &[],
        },
        check: Some(checks::race),
        needs: Needs::Cpu,
        ..PLAIN
    },
    Example {
        name: "matmul",
        capability: "tiled matrix product",
        about: "A product of two matrices of 256x256 small whole numbers, tile by tile.",
        files: &["examples/matmul.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/matmul.wgsl --workgroups 32,32 --constant SIZE=256 --bind 0:0=random:262144 --bind 0:1=random:262144:1 --out 0:2=product.bin --out 0:2=print:f32:8",
            ],
            quick: &[
                ("32,32", "8,8"),
                ("SIZE=256", "SIZE=64"),
                ("262144", "16384"),
            ],
        },
        check: Some(checks::matmul),
        ..PLAIN
    },
    Example {
        name: "particles",
        capability: "struct parameters",
        about: "Particles fall: parameters and results are structs, given and printed by name.",
        files: &["examples/particles.wgsl"],
        work: Work::Commands {
            commands: &[
                "run examples/particles.wgsl --bind world=step=0.5,gravity=[0,-2,0] --repeat 2 --out particles=print:2",
            ],
            quick: &[],
        },
        check: Some(checks::particles),
        ..PLAIN
    },
];

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::commands;
    use super::super::example::Size;
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_can_be_parsed_at_both_sizes() {
        for example in ALL {
            for size in [Size::Full, Size::Quick] {
                for line in commands::lines(example, size, "cpu") {
                    let name = std::iter::once("anywarp");
                    let words = name.chain(line.arguments().iter().map(String::as_str));
                    let parsed = Cli::try_parse_from(words);
                    assert!(parsed.is_ok(), "{}: {:?}", line.shown(), parsed.err());
                }
            }
        }
    }

    #[test]
    fn what_a_quick_run_replaces_is_there() {
        for example in ALL {
            let Work::Commands { commands, quick } = &example.work else {
                continue;
            };
            for (full, _) in *quick {
                let is_there = commands.iter().any(|command| command.contains(full));
                assert!(is_there, "{}: {full}", example.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_no_words_of_the_command() {
        for (index, example) in ALL.iter().enumerate() {
            let name = example.name;
            assert!(!["all", "list"].contains(&name));
            assert!(
                ALL[..index].iter().all(|other| other.name != name),
                "{name}"
            );
        }
    }
}
