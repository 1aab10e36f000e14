//! Reports the results of a run: values and files, as lines or as one JSON object; or raw bytes on standard output.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::outputs::ReadBack;
use super::plan::{Plan, Planned};
use super::request::ResolvedRequest;
use super::sizes::needed_bytes;
use super::texture_out;
use super::textures::PlannedTexture;
use super::timing::{TimeReport, Times};
use crate::console;
use crate::error::Error;
use crate::image;
use crate::layout::Decoded;
use crate::specs::{Destination, ElementType, ElementValue, Out, Slot, Target};

/// The JSON object that `--json` prints.
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

/// The report of one `--out`.
#[derive(Serialize)]
pub(crate) struct OutputReport {
    binding: String,
    name: String,
    /// The binding as the command names it, for the text output.
    #[serde(skip)]
    target: Target,
    #[serde(flatten)]
    result: OutputResult,
}

#[derive(Serialize)]
#[serde(untagged)]
enum OutputResult {
    Values {
        #[serde(rename = "type")]
        element: String,
        values: Vec<ElementValue>,
    },
    /// A value of the binding's own type.
    Typed {
        #[serde(rename = "type")]
        ty: String,
        value: Decoded,
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
        /// The value range of a heat map.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<[f64; 2]>,
    },
}

/// Writes the files, then prints the report.
pub(super) fn deliver(
    request: &ResolvedRequest<'_>,
    file: &str,
    device: &str,
    plan: &Plan,
    read: &ReadBack,
    times: &Times,
) -> Result<(), Error> {
    let args = request.args;
    let outputs = request
        .outs
        .iter()
        .map(|(slot, out)| output(*slot, out, plan, read))
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
    let is_raw = outputs.iter().any(OutputReport::is_on_stdout);
    for output in outputs.iter().filter(|output| !output.is_on_stdout()) {
        show_line(&output_line(output), is_raw)?;
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

/// Prints a result: to stderr if raw bytes are on stdout.
pub(crate) fn show_line(line: &str, is_raw: bool) -> Result<(), Error> {
    if is_raw {
        console::message(line);
        Ok(())
    } else {
        console::result(line)
    }
}

impl OutputReport {
    fn new(slot: Slot, out: &Out, name: String, result: OutputResult) -> Self {
        Self {
            binding: slot.to_string(),
            name,
            target: out.target.clone(),
            result,
        }
    }

    /// Whether it was written as raw bytes to standard output.
    pub(crate) fn is_on_stdout(&self) -> bool {
        matches!(&self.result, OutputResult::Bytes { file, .. } if file == "-")
    }
}

fn output(slot: Slot, out: &Out, plan: &Plan, read: &ReadBack) -> Result<OutputReport, Error> {
    let index = plan.index(slot);
    let binding = index.map(|index| &plan.interface.bindings[index]);
    let bytes = read.get(&slot).map_or(&[][..], Vec::as_slice);
    let name = binding.map_or_else(String::new, |binding| binding.name.clone());
    if let Some(Planned::Texture(texture)) = index.map(|index| &plan.resources[index]) {
        let result = texture_output(out, texture, bytes)?;
        return Ok(OutputReport::new(slot, out, name, result));
    }
    let layout = binding.and_then(|binding| binding.layout.as_deref().zip(Some(binding)));
    if let (
        Some((layout, binding)),
        Destination::Print {
            element: None,
            count,
        },
    ) = (layout, &out.destination)
    {
        // Another output may have read more of the same buffer.
        let wanted = needed_bytes(binding, &out.destination);
        let wanted = wanted.map_or(bytes.len(), |bytes| bytes as usize);
        let result = OutputResult::Typed {
            ty: binding.ty.clone(),
            value: Decoded::new(layout, bytes.get(..wanted).unwrap_or(bytes), *count),
        };
        return Ok(OutputReport::new(slot, out, name, result));
    }
    let element = binding.map_or(ElementType::U32, |binding| binding.element);
    write_output(slot, out, name, element, bytes)
}

fn texture_output(
    out: &Out,
    texture: &PlannedTexture,
    bytes: &[u8],
) -> Result<OutputResult, Error> {
    match &out.destination {
        Destination::Print { count, .. } => Ok(OutputResult::Values {
            element: texture_out::element_of(texture.descriptor.format).to_string(),
            values: texture_out::values(texture, bytes, *count),
        }),
        Destination::Stdout => write_stdout(bytes),
        Destination::Bin(path) => write_bytes(path, bytes),
        Destination::Png(picture) => {
            let path = &picture.path;
            let range = texture_out::write_picture(path, picture.pixels, texture, bytes)
                .map_err(|source| cannot_write(path, source))?;
            let format = || texture.descriptor.format.name().to_owned();
            Ok(OutputResult::Picture {
                file: path.display().to_string(),
                width: texture.descriptor.shape.extent.x,
                height: texture.descriptor.shape.extent.y,
                pixels: picture
                    .pixels
                    .map_or_else(format, |pixels| pixels.to_string()),
                range,
            })
        }
    }
}

/// Writes one `--out` of a buffer with these bytes; `element` is the type of its scalars.
pub(crate) fn write_output(
    slot: Slot,
    out: &Out,
    name: String,
    element: ElementType,
    bytes: &[u8],
) -> Result<OutputReport, Error> {
    // Another output may have read more of the same buffer.
    let wanted = out.destination.bytes(element);
    let wanted = wanted.map_or(bytes.len(), |bytes| bytes as usize);
    let bytes = bytes.get(..wanted).unwrap_or(bytes);
    let result = match &out.destination {
        Destination::Print { element: given, .. } => {
            let element = given.unwrap_or(element);
            OutputResult::Values {
                element: element.to_string(),
                values: element.values(bytes).collect(),
            }
        }
        Destination::Stdout => write_stdout(bytes)?,
        Destination::Bin(path) => write_bytes(path, bytes)?,
        Destination::Png(picture) => {
            let whole = picture.of_buffer().ok_or_else(|| Error::BufferPicture {
                target: out.target.clone(),
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
    Ok(OutputReport::new(slot, out, name, result))
}

fn write_stdout(bytes: &[u8]) -> Result<OutputResult, Error> {
    console::contents(bytes)?;
    Ok(OutputResult::Bytes {
        file: "-".to_owned(),
        bytes: bytes.len() as u64,
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

/// `0:1 = [1, 2.5, -3]`, or the file that was written. The binding is named as in the command.
pub(crate) fn output_line(output: &OutputReport) -> String {
    format!("{} = {}", output.target, output_text(output))
}

/// The result without the binding.
fn output_text(output: &OutputReport) -> String {
    match &output.result {
        OutputResult::Values { values, .. } => {
            let values: Vec<String> = values.iter().map(ElementValue::to_string).collect();
            format!("[{}]", values.join(", "))
        }
        OutputResult::Typed { value, .. } => value.to_string(),
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
