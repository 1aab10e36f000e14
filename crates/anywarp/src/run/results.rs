//! What the user gets: values and files, as lines or as one JSON object.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::outputs::ReadBack;
use super::plan::{Plan, Planned};
use super::texture_out;
use super::textures::PlannedTexture;
use super::timing::{TimeReport, Times};
use crate::cli::RunArgs;
use crate::console;
use crate::error::Error;
use crate::image;
use crate::specs::{Destination, ElementType, Out, Value};

/// The JSON object of `--json`.
#[derive(Serialize)]
struct RunReport<'a> {
    file: &'a str,
    entry: &'a str,
    device: &'a str,
    workgroups: [u32; 3],
    repeat: u64,
    outputs: Vec<OutputReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<TimeReport>,
}

/// One `--out`.
#[derive(Serialize)]
pub(crate) struct OutputReport {
    binding: String,
    name: String,
    #[serde(flatten)]
    result: OutputResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum OutputResult {
    Values {
        #[serde(rename = "type")]
        element: String,
        values: Vec<Value>,
    },
    Bytes {
        file: String,
        bytes: u64,
    },
    Picture {
        file: String,
        width: u32,
        height: u32,
        pixels: String,
        /// The values at both ends of a heat map.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<[f64; 2]>,
    },
}

/// Writes the files, then says what came out.
pub(super) fn deliver(
    args: &RunArgs,
    file: &str,
    device: &str,
    plan: &Plan,
    read: &ReadBack,
    times: &Times,
) -> Result<(), Error> {
    let outputs = args
        .out
        .iter()
        .map(|out| output(out, plan, read))
        .collect::<Result<Vec<_>, _>>()?;
    if args.json {
        return console::json(&RunReport {
            file,
            entry: &plan.interface.entry,
            device,
            workgroups: plan.workgroups,
            repeat: plan.repeat,
            outputs,
            time: args.time.then(|| times.report()),
        });
    }
    for output in &outputs {
        console::result(&output_line(output))?;
    }
    if outputs.is_empty() {
        let entry = &plan.interface.entry;
        console::note(&format!(
            "ran `{entry}` on {device}; name a binding with --out to see it"
        ));
    }
    if args.time {
        console::message(&times.text());
    }
    Ok(())
}

fn output(out: &Out, plan: &Plan, read: &ReadBack) -> Result<OutputReport, Error> {
    let index = plan.index(out.slot);
    let binding = index.map(|index| &plan.interface.bindings[index]);
    let bytes = read.get(&out.slot).map_or(&[][..], Vec::as_slice);
    let name = binding.map_or_else(String::new, |binding| binding.name.clone());
    if let Some(Planned::Texture(texture)) = index.map(|index| &plan.resources[index]) {
        return Ok(OutputReport {
            binding: out.slot.to_string(),
            name,
            result: texture_output(out, texture, bytes)?,
        });
    }
    let element = binding.map_or(ElementType::U32, |binding| binding.element);
    write_output(out, name, element, bytes)
}

fn texture_output(
    out: &Out,
    texture: &PlannedTexture,
    bytes: &[u8],
) -> Result<OutputResult, Error> {
    match &out.destination {
        Destination::Print { element, count } => Ok(OutputResult::Values {
            element: element.to_string(),
            values: texture_out::values(texture, bytes, *count),
        }),
        Destination::Bin(path) => write_bytes(path, bytes),
        Destination::Png(picture) => {
            let path = &picture.path;
            let range = texture_out::write_picture(path, picture.pixels, texture, bytes)
                .map_err(|source| cannot_write(path, source))?;
            let format = || texture.format.name().to_owned();
            Ok(OutputResult::Picture {
                file: path.display().to_string(),
                width: texture.shape.extent.x,
                height: texture.shape.extent.y,
                pixels: picture.pixels.map_or_else(format, |it| it.to_string()),
                range,
            })
        }
    }
}

/// Writes one `--out` of a buffer with these bytes; `element` is how a heat map reads a scalar.
pub(crate) fn write_output(
    out: &Out,
    name: String,
    element: ElementType,
    bytes: &[u8],
) -> Result<OutputReport, Error> {
    // Another output may have needed more of the same buffer.
    let wanted = out.destination.bytes(element);
    let wanted = wanted.map_or(bytes.len(), |bytes| bytes as usize);
    let bytes = bytes.get(..wanted).unwrap_or(bytes);
    let result = match &out.destination {
        Destination::Print { element, .. } => OutputResult::Values {
            element: element.to_string(),
            values: element.values(bytes).collect(),
        },
        Destination::Bin(path) => write_bytes(path, bytes)?,
        Destination::Png(picture) => {
            let whole = picture.of_buffer().ok_or_else(|| Error::BufferPicture {
                slot: out.slot,
                wanted: out.destination.to_string(),
            })?;
            let range = image::write_png(&whole, bytes, element)
                .map_err(|source| cannot_write(&whole.path, source))?;
            OutputResult::Picture {
                file: whole.path.display().to_string(),
                width: whole.width,
                height: whole.height,
                pixels: whole.pixels.to_string(),
                range,
            }
        }
    };
    Ok(OutputReport {
        binding: out.slot.to_string(),
        name,
        result,
    })
}

fn write_bytes(path: &Path, bytes: &[u8]) -> Result<OutputResult, Error> {
    fs::write(path, bytes).map_err(|source| cannot_write(path, source))?;
    Ok(OutputResult::Bytes {
        file: path.display().to_string(),
        bytes: bytes.len() as u64,
    })
}

fn cannot_write(path: &Path, source: std::io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

/// `0:1 = [1, 2.5, -3]`, or the file that was written.
pub(crate) fn output_line(output: &OutputReport) -> String {
    format!("{} = {}", output.binding, output_text(output))
}

/// The same without the binding.
pub(crate) fn output_text(output: &OutputReport) -> String {
    match &output.result {
        OutputResult::Values { values, .. } => {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            format!("[{}]", values.join(", "))
        }
        OutputResult::Bytes { file, bytes } => format!("{file} ({bytes} bytes)"),
        OutputResult::Picture {
            file,
            width,
            height,
            pixels,
            range,
        } => {
            let mut text = format!("{file} ({width}x{height} {pixels}");
            if let Some([low, high]) = range {
                // Writing to a string cannot fail.
                let _ = write!(text, ", {low} to {high}");
            }
            text + ")"
        }
    }
}
