//! The benchmark set: its kernels, sizes, inputs and checks, in one table.
//!
//! In: the name of a row and a size. Out: a [`Task`]. The kernels are the files of `benches/kernels`. At the full
//! size they are used unchanged; at the small size some constants in them are replaced. What they must compute comes
//! from a reference implementation ([`reference`](super::reference)), except that checksums of the full size that take
//! long to compute are constants.

mod arithmetic;
mod arrays;
mod fft;
mod images;
mod latency;
mod neighbours;
mod parts;
mod scenes;
mod sorts;
mod stencils;
mod sums;

use serde::Serialize;

use super::task::Task;

/// The amount of work of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The size that the table reports.
    Full,
    /// A size for which the interpreter needs a fraction of a second.
    Small,
}

impl Size {
    fn choose<T>(self, full: T, small: T) -> T {
        match self {
            Self::Full => full,
            Self::Small => small,
        }
    }
}

/// A row of the table.
pub(super) struct Benchmark {
    pub(super) name: &'static str,
    pub(super) make: fn(&'static str, Size) -> Task,
    pub(super) kind: Kind,
    pub(super) group: Group,
}

/// What a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Throughput: the time of a large amount of work.
    Throughput,
    /// Latency: the time of a minimal amount of work.
    Latency,
}

/// Rows with a geometric mean of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Group {
    /// Kernels that each measure one limit of a machine.
    Limits,
    /// Kernels as shader authors write them: indices that wrap around or are clamped, strided loops, masks.
    Shapes,
}

impl Group {
    /// Every group, in the order of the table.
    pub(super) const ALL: [Self; 2] = [Self::Limits, Self::Shapes];

    /// The name in `--only` and in the table.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Limits => "limits",
            Self::Shapes => "shapes",
        }
    }
}

type Make = fn(&'static str, Size) -> Task;

const fn limit(name: &'static str, make: Make) -> Benchmark {
    let (kind, group) = (Kind::Throughput, Group::Limits);
    Benchmark {
        name,
        make,
        kind,
        group,
    }
}

const fn latency(name: &'static str, make: Make) -> Benchmark {
    let (kind, group) = (Kind::Latency, Group::Limits);
    Benchmark {
        name,
        make,
        kind,
        group,
    }
}

const fn shape(name: &'static str, make: Make) -> Benchmark {
    let (kind, group) = (Kind::Throughput, Group::Shapes);
    Benchmark {
        name,
        make,
        kind,
        group,
    }
}

/// Every row, in the order of the table. The rows of a group are together.
pub(super) const ALL: &[Benchmark] = &[
    limit("mandelbrot", arithmetic::mandelbrot),
    limit("matmul_naive", arithmetic::matmul_naive),
    limit("matmul_tiled", arithmetic::matmul_tiled),
    limit("nbody", arithmetic::nbody),
    limit("triad", arrays::triad),
    limit("reduce", arrays::reduce),
    limit("histogram", arrays::histogram),
    limit("scan", arrays::scan),
    limit("hash", arithmetic::hash),
    limit("trans", arithmetic::transcendental),
    latency("empty", latency::empty),
    latency("dispatches", latency::dispatches),
    shape("sum_strided", sums::strided),
    shape("sum_grid", sums::grid),
    shape("sum_vec4", sums::vec4),
    shape("block_scan", sums::block_scan),
    shape("heat", stencils::heat),
    shape("heat_rows", stencils::heat_rows),
    shape("heat_mask", stencils::heat_mask),
    shape("life", stencils::life),
    shape("gray_scott", stencils::gray_scott),
    shape("blur", images::blur),
    shape("sobel", images::sobel),
    shape("bitonic", sorts::bitonic),
    shape("top_k", sorts::top_k),
    shape("fft", fft::fft),
    shape("ray_march", scenes::ray_march),
    shape("path_trace", scenes::path_trace),
    shape("neighbours", neighbours::neighbours),
];

#[cfg(test)]
mod tests {
    use super::super::reference::{arithmetic, arrays};
    use super::super::task::Contents;
    use super::*;

    fn task(name: &str, size: Size) -> Task {
        let row = ALL.iter().find(|row| row.name == name).unwrap();
        (row.make)(row.name, size)
    }

    #[test]
    fn known_checksums_are_those_of_the_reference() {
        let words = |name: &str, buffer: usize| match task(name, Size::Full).buffers.remove(buffer)
        {
            Contents::Words(words) => words,
            Contents::Zeros(_) => unreachable!("the buffer is an input"),
        };
        let (a, b) = (words("matmul_tiled", 0), words("matmul_tiled", 1));
        for (name, computed) in [
            ("mandelbrot", arithmetic::mandelbrot(2048)),
            ("matmul_naive", arithmetic::matmul(&a, &b, 512)),
            ("nbody", arithmetic::nbody(&words("nbody", 0))),
            ("triad", arrays::triad(&words("triad", 1))),
            ("hash", arithmetic::hash(1 << 20)),
            ("trans", arithmetic::transcendental(1 << 20)),
        ] {
            let check = task(name, Size::Full).check.unwrap();
            let known = (check.expected)(1);
            let off = (computed - known).abs();
            assert!(off <= known * check.tolerance, "{name}: {computed} {known}");
        }
    }

    #[test]
    fn the_small_size_differs_by_what_is_replaced() {
        for (name, constant) in [
            ("mandelbrot", "const W: u32 = 128u;"),
            ("mandelbrot", "(3.0 / 128.0)"),
            ("matmul_naive", "const N: u32 = 64u;"),
            ("matmul_tiled", "const N: u32 = 64u;"),
            ("nbody", "const N: u32 = 512u;"),
            ("triad", "65536u"),
        ] {
            let (full, small) = (task(name, Size::Full), task(name, Size::Small));
            assert!(!full.shaders[0].contains(constant), "{name}");
            assert!(small.shaders[0].contains(constant), "{name}");
            assert!(small.work * 32.0 <= full.work, "{name}");
        }
    }

    #[test]
    fn the_full_size_uses_the_files_unchanged() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernels");
        let files = std::fs::read_dir(folder).unwrap();
        let files = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let files: Vec<String> = files.collect();
        // The kernel of `heat_rows` is that of `heat` in workgroups of another shape.
        let is_file = |row: &&Benchmark| row.group == Group::Shapes && row.name != "heat_rows";
        for row in ALL.iter().filter(is_file) {
            let small = task(row.name, Size::Small);
            let full = task(row.name, Size::Full);
            for shader in &full.shaders {
                assert!(files.contains(shader), "{}: {shader}", row.name);
            }
            assert!(small.work * 16.0 <= full.work, "{}", row.name);
        }
    }

    #[test]
    fn rows_of_a_group_are_together() {
        let groups: Vec<Group> = ALL.iter().map(|row| row.group).collect();
        assert!(groups.is_sorted_by_key(|group| Group::ALL.iter().position(|it| it == group)));
        assert!(Group::ALL.iter().all(|group| groups.contains(group)));
    }
}
