//! What an example is: its sources, how it runs, and what its result must be.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::Failure;

/// An example of the gallery.
pub(super) struct Example {
    pub(super) name: &'static str,
    /// What of Anywarp it shows, in a few words.
    pub(super) capability: &'static str,
    /// What the picture or the numbers are.
    pub(super) about: &'static str,
    /// The paths of its files in the repository, as `sources` has them.
    pub(super) files: &'static [&'static str],
    pub(super) work: Work,
    /// The picture that it draws, in the gallery's folder.
    pub(super) picture: Option<&'static str>,
    /// Texts that it writes, in the gallery's folder.
    pub(super) texts: &'static [&'static str],
    /// Verifies the results, where the exact ones are known.
    pub(super) check: Option<Check>,
    pub(super) needs: Needs,
}

/// How an example runs.
pub(super) enum Work {
    /// One command after the other, in the gallery's folder. The pairs are replaced in them for a quick run.
    Commands {
        commands: &'static [&'static str],
        quick: &'static [(&'static str, &'static str)],
    },
    /// A program that uses the library.
    Program(fn(&Place) -> Result<Measured, Failure>),
}

/// What an example needs besides a device with the features of its programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    Nothing,
    /// The CPU device, with its options.
    Cpu,
    /// A checkout of Anywarp, and a Rust toolchain with the target wasm32.
    KernelToolchain,
}

/// The amount of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Full,
    Quick,
}

impl Size {
    pub(super) fn choose<T>(self, full: T, quick: T) -> T {
        match self {
            Self::Full => full,
            Self::Quick => quick,
        }
    }
}

/// Where and how examples run.
pub(super) struct Place {
    /// The gallery's folder.
    pub(super) folder: PathBuf,
    pub(super) adapter: wgpu::Adapter,
    /// The device as the command names it.
    pub(super) device: String,
    pub(super) size: Size,
}

impl Place {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn is_cpu(&self) -> bool {
        anywarp::is_cpu(&self.adapter)
    }
}

/// What is known after a run.
#[derive(Debug, Default)]
pub(super) struct Measured {
    /// The time of all dispatches.
    pub(super) run: Duration,
    /// How the last program was run.
    pub(super) engine: Option<String>,
    /// What was verified, as a clause.
    pub(super) verified: Option<String>,
    /// Values that were printed.
    pub(super) printed: Vec<String>,
}

/// Compares the results in a folder with the exact ones. Returns what was verified, as a clause.
pub(super) type Check = fn(&Results<'_>) -> Result<String, Failure>;

/// What a check sees.
pub(super) struct Results<'a> {
    pub(super) folder: &'a Path,
    pub(super) size: Size,
    pub(super) printed: &'a [String],
}
