//! Runs one example, and keeps what the page shows of it.
//!
//! In: an example and the place where it runs. Out: a [`Card`]. What always holds: an example counts as done only if its
//! picture can be read and its check, if it has one, has passed.

use std::fs;

use super::commands::{self, Line};
use super::example::{Example, Measured, Needs, Place, Results, Work};
use super::failure::Failure;
use super::picture::Picture;
use super::sources;

/// An example with its result.
pub(super) struct Card {
    pub(super) example: &'static Example,
    /// The commands that give the result.
    pub(super) commands: Vec<String>,
    pub(super) state: State,
}

/// What became of an example.
pub(super) enum State {
    Done {
        measured: Measured,
        picture: Option<Shown>,
        /// Names and contents of the texts that it has written.
        written: Vec<(&'static str, String)>,
    },
    Skipped(String),
    Failed(String),
}

/// A picture of the page.
pub(super) struct Shown {
    pub(super) file: &'static str,
    pub(super) size: [u32; 2],
}

/// Runs an example.
pub(super) fn run(example: &'static Example, place: &Place) -> Card {
    let lines = commands::lines(example, place.size, &place.device);
    let state = match done(example, &lines, place) {
        Ok(state) => state,
        Err(Failure::Skipped(reason)) => State::Skipped(reason),
        Err(failure) => State::Failed(failure.to_string()),
    };
    let commands = match example.work {
        Work::Commands { .. } => lines.iter().map(Line::shown).collect(),
        Work::Program(_) => vec![place.command(&[example.name.to_owned()])],
    };
    Card {
        example,
        commands,
        state,
    }
}

fn done(example: &'static Example, lines: &[Line], place: &Place) -> Result<State, Failure> {
    check_needs(example.needs, place)?;
    for path in example.files {
        sources::write(&place.folder, path)?;
    }
    // The picture of an earlier run must not pass for this one's.
    if let Some(file) = example.picture {
        let _ = fs::remove_file(place.folder.join(file));
    }
    let mut measured = match &example.work {
        Work::Program(program) => program(place)?,
        Work::Commands { .. } => {
            let mut all = Measured::default();
            for line in lines {
                all.add(line.run(place)?);
            }
            all
        }
    };
    if let Some(check) = example.check {
        measured.verified = Some(check(&Results {
            folder: &place.folder,
            size: place.size,
            printed: &measured.printed,
        })?);
    }
    let picture = example.picture.map(|file| shown(file, place)).transpose()?;
    let read = |name: &&'static str| {
        let path = place.folder.join(name);
        let text = fs::read_to_string(&path).map_err(|source| Failure::Read { path, source })?;
        Ok((*name, text))
    };
    Ok(State::Done {
        measured,
        picture,
        written: example
            .texts
            .iter()
            .map(read)
            .collect::<Result<_, Failure>>()?,
    })
}

fn shown(file: &'static str, place: &Place) -> Result<Shown, Failure> {
    let picture = Picture::read(&place.folder.join(file))?;
    Ok(Shown {
        file,
        size: [picture.width, picture.height],
    })
}

fn check_needs(needs: Needs, place: &Place) -> Result<(), Failure> {
    let reason = match needs {
        Needs::Cpu if !place.is_cpu() => "only the CPU device runs schedules by seed",
        Needs::KernelToolchain if commands::kernel_crate().is_none() => {
            "`examples/kernels` is not here: run the command in a checkout of Anywarp, since the crate needs `gpu-sdk` from there"
        }
        Needs::KernelToolchain if !anywarp_build::has_target() => {
            "no Rust toolchain for wasm32: `rustup target add wasm32-unknown-unknown`"
        }
        _ => return Ok(()),
    };
    Err(Failure::Skipped(reason.to_owned()))
}

impl Measured {
    /// Adds the next command of the same example.
    fn add(&mut self, next: Self) {
        self.run += next.run;
        self.engine = next.engine.or(self.engine.take());
        self.printed.extend(next.printed);
    }
}
