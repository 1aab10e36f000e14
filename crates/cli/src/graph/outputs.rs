//! `graph run --out BUFFER=SPEC`: writes a buffer of a graph file after the run.
//!
//! In: the name of a buffer in the file, and a destination in the syntax of `anywarp run --out`. Out: a line or a
//! file, and the same report as `anywarp run --json`. Errors in the command are found before the run.

use std::str::FromStr;

use anywarp_graph::GraphFile;
use anywarp_graph::file::FileBuffer;

use super::open::OpenGraph;
use crate::error::{Error, listing};
use anywarp::read_buffer;

use crate::run::{OutputReport, write_output};
use crate::specs::{Destination, ElementType, Out, Slot, SpecError, Target};

/// One `--out`.
#[derive(Clone, Debug)]
pub(crate) struct BufferOut {
    buffer: String,
    pub(super) destination: Destination,
}

impl FromStr for BufferOut {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (buffer, destination) = text
            .split_once('=')
            .ok_or_else(|| SpecError::BufferOut(text.to_owned()))?;
        Ok(Self {
            buffer: buffer.to_owned(),
            destination: destination.parse()?,
        })
    }
}

/// A checked output: the buffer exists in the file and is large enough.
pub(super) struct PlannedOut<'a> {
    buffer: &'a FileBuffer,
    index: usize,
    slot: Slot,
    pub(super) out: Out,
}

/// Finds the buffers of all outputs.
pub(super) fn plan<'a>(
    file: &'a GraphFile,
    outs: &[BufferOut],
) -> Result<Vec<PlannedOut<'a>>, Error> {
    outs.iter().map(|out| plan_one(file, out)).collect()
}

fn plan_one<'a>(file: &'a GraphFile, given: &BufferOut) -> Result<PlannedOut<'a>, Error> {
    let wrong = |reason| Error::Argument {
        option: "--out",
        reason,
    };
    let mut buffers = file.buffers().iter().enumerate();
    let found = buffers.find(|(_, buffer)| buffer.name == given.buffer);
    let (index, buffer) = found.ok_or_else(|| {
        let names = file
            .buffers()
            .iter()
            .map(|buffer| format!("`{}`", buffer.name));
        let names = listing(names);
        wrong(format!(
            "the graph has no buffer `{}`; it has {names}",
            given.buffer
        ))
    })?;
    let slot = Slot {
        group: buffer.binding_point.group,
        binding: buffer.binding_point.binding,
    };
    let destination = given.destination.clone();
    if let Destination::Png(picture) = &destination
        && picture.of_buffer().is_none()
    {
        return Err(wrong(format!(
            "{destination} is a picture of a buffer: give its size and pixels as \
             FILE.png:WxH:rgba8|f32x4|heat"
        )));
    }
    let needed = destination.bytes(ElementType::U32).unwrap_or(0);
    if needed > buffer.size {
        return Err(wrong(format!(
            "{destination} needs {needed} bytes, but buffer `{}` has {}",
            buffer.name, buffer.size
        )));
    }
    Ok(PlannedOut {
        buffer,
        index,
        slot,
        out: Out {
            target: Target::Name(buffer.name.clone()),
            destination,
        },
    })
}

impl PlannedOut<'_> {
    /// Reads the buffer back and writes the output.
    pub(super) fn write(&self, open: &OpenGraph<'_>) -> Result<OutputReport, Error> {
        let buffer = &open.resources.buffers[self.index];
        let bytes = read_buffer(&open.device, buffer, self.buffer.size)?;
        let name = self.buffer.name.clone();
        // A graph file does not declare element types, so heat maps show words.
        write_output(self.slot, &self.out, name, ElementType::U32, &bytes)
    }
}
