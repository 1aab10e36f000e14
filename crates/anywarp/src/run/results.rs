//! What the user gets: values and files, as lines or as one JSON object.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::outputs::ReadBack;
use super::plan::Plan;
use super::timing::{TimeReport, Times};
use crate::cli::RunArgs;
use crate::console;
use crate::error::Error;
use crate::image;
use crate::specs::{Destination, ElementType, Out};

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

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    F32(f32),
    U32(u32),
    I32(i32),
}

/// Writes the files, then says what came out.
pub(super) fn deliver(
    args: &RunArgs,
    file: &str,
    device: &str,
    plan: &Plan,
    buffers: &ReadBack,
    times: &Times,
) -> Result<(), Error> {
    let outputs = args
        .out
        .iter()
        .map(|out| output(out, plan, buffers))
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
        console::message(&format!(
            "ran `{entry}` on {device}; name a buffer with --out to see it"
        ));
    }
    if args.time {
        console::message(&times.text());
    }
    Ok(())
}

fn output(out: &Out, plan: &Plan, buffers: &ReadBack) -> Result<OutputReport, Error> {
    let binding = plan
        .index(out.slot)
        .map(|index| &plan.interface.bindings[index]);
    let bytes = buffers.get(&out.slot).map_or(&[][..], Vec::as_slice);
    let name = binding.map_or_else(String::new, |binding| binding.name.clone());
    let element = binding.map_or(ElementType::U32, |binding| binding.element);
    write_output(out, name, element, bytes)
}

/// Writes one `--out` of a buffer with these bytes; `element` is how a heat map reads a scalar.
pub(crate) fn write_output(
    out: &Out,
    name: String,
    element: ElementType,
    bytes: &[u8],
) -> Result<OutputReport, Error> {
    // Another output may have needed more of the same buffer.
    let wanted = out.destination.bytes().map_or(bytes.len(), |b| b as usize);
    let bytes = bytes.get(..wanted).unwrap_or(bytes);
    let result = match &out.destination {
        Destination::Print { element, .. } => OutputResult::Values {
            element: element.to_string(),
            values: values(bytes, *element),
        },
        Destination::Bin(path) => {
            fs::write(path, bytes).map_err(|source| cannot_write(path, source))?;
            OutputResult::Bytes {
                file: path.display().to_string(),
                bytes: bytes.len() as u64,
            }
        }
        Destination::Png(picture) => {
            let range = image::write_png(picture, bytes, element)
                .map_err(|source| cannot_write(&picture.path, source))?;
            OutputResult::Picture {
                file: picture.path.display().to_string(),
                width: picture.width,
                height: picture.height,
                pixels: picture.pixels.to_string(),
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

fn cannot_write(path: &Path, source: std::io::Error) -> Error {
    Error::Write {
        path: path.to_owned(),
        source,
    }
}

fn values(bytes: &[u8], element: ElementType) -> Vec<Value> {
    let words = bytes.as_chunks().0.iter();
    words
        .map(|word: &[u8; 4]| match element {
            ElementType::F32 => Value::F32(f32::from_le_bytes(*word)),
            ElementType::U32 => Value::U32(u32::from_le_bytes(*word)),
            ElementType::I32 => Value::I32(i32::from_le_bytes(*word)),
        })
        .collect()
}

/// `0:1 = [1, 2.5, -3]`, or the file that was written.
pub(crate) fn output_line(output: &OutputReport) -> String {
    let mut line = format!("{} = ", output.binding);
    match &output.result {
        OutputResult::Values { values, .. } => {
            let values: Vec<String> = values.iter().map(Value::text).collect();
            line += &format!("[{}]", values.join(", "));
        }
        OutputResult::Bytes { file, bytes } => line += &format!("{file} ({bytes} bytes)"),
        OutputResult::Picture {
            file,
            width,
            height,
            pixels,
            range,
        } => {
            line += &format!("{file} ({width}x{height} {pixels}");
            if let Some([low, high]) = range {
                // Writing to a string cannot fail.
                let _ = write!(line, ", {low} to {high}");
            }
            line.push(')');
        }
    }
    line
}

impl Value {
    /// The shortest text that reads back as the same number; whole floats without their `.0`.
    fn text(&self) -> String {
        match self {
            Self::F32(value) => {
                let text = format!("{value:?}");
                text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
            }
            Self::U32(value) => value.to_string(),
            Self::I32(value) => value.to_string(),
        }
    }
}

/// JSON has no words for what is not finite, so those are strings: `"NaN"`, `"inf"`, `"-inf"`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::F32(value) if value.is_finite() => serializer.serialize_f32(*value),
            Self::F32(_) => serializer.serialize_str(&self.text()),
            Self::U32(value) => serializer.serialize_u32(*value),
            Self::I32(value) => serializer.serialize_i32(*value),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn printed_floats_read_back_as_the_same_bits(bits: u32) {
            let value = f32::from_bits(bits);
            let read: f32 = Value::F32(value).text().parse().unwrap();
            prop_assert!(read.to_bits() == bits || (value.is_nan() && read.is_nan()));
        }
    }

    #[test]
    fn numbers_are_short() {
        let text = |value: f32| Value::F32(value).text();
        assert_eq!(text(1.0), "1");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(-0.0), "-0");
        assert_eq!(text(1e30), "1e30");
        assert_eq!(text(f32::NAN), "NaN");
        assert_eq!(text(f32::NEG_INFINITY), "-inf");
    }

    #[test]
    fn json_has_numbers_where_it_can() {
        let values = [Value::F32(0.1), Value::F32(f32::INFINITY), Value::I32(-1)];
        let json = serde_json::to_string(&values).unwrap();
        assert_eq!(json, r#"[0.1,"inf",-1]"#);
    }
}
