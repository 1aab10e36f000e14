//! Decodes the bytes of a buffer by its type: numbers, lists, and structs with named members.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use anywarp::reflection::{ElementValue, Layout, Shape};

/// A decoded value.
#[derive(Debug, PartialEq)]
pub(crate) enum Decoded {
    Number(ElementValue),
    /// A vector, a matrix as its columns, or an array.
    List(Vec<Decoded>),
    /// A struct.
    Members(Vec<(String, Decoded)>),
}

impl Decoded {
    /// Decodes bytes; of an array the first `count` elements, or all complete ones.
    pub(crate) fn new(layout: &Layout, bytes: &[u8], count: Option<u64>) -> Self {
        match &layout.shape {
            Shape::Scalar(element) => {
                let first = element.values(bytes).next();
                first.map_or(Self::List(Vec::new()), Self::Number)
            }
            Shape::Vector { element, count } => {
                let values = element.values(bytes).take(*count as usize);
                Self::List(values.map(Self::Number).collect())
            }
            Shape::Matrix {
                column,
                count,
                stride,
            } => list(column, bytes, *count, *stride),
            Shape::Array {
                element,
                stride,
                count: own,
            } => {
                let most = count.unwrap_or(u64::MAX).min(own.unwrap_or(u64::MAX));
                list(element, bytes, most, *stride)
            }
            Shape::Struct(members) => {
                let members = members.iter().map(|member| {
                    let rest = bytes.get(member.offset as usize..).unwrap_or_default();
                    let value = Self::new(&member.layout, rest, None);
                    (member.name.clone(), value)
                });
                Self::Members(members.collect())
            }
        }
    }
}

/// The complete elements of an array. The last one may end before its stride.
fn list(element: &Layout, bytes: &[u8], count: u64, stride: u64) -> Decoded {
    let elements = bytes
        .chunks(stride as usize)
        .filter(|chunk| chunk.len() as u64 >= element.size)
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .map(|chunk| Decoded::new(element, chunk, None));
    Decoded::List(elements.collect())
}

/// `{count: 3, lights: [{position: [0, 1, 2], radius: 0.5}]}`.
impl fmt::Display for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => value.fmt(f),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Members(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    write!(f, "{name}: {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Serialize for Decoded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) => value.serialize(serializer),
            Self::List(items) => serializer.collect_seq(items),
            Self::Members(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Encoder;
    use super::super::tests::layout;
    use super::*;

    #[test]
    fn what_was_encoded_is_decoded() {
        let scene = layout(
            "struct Light { position: vec3f, radius: f32 }
            struct Scene { count: u32, at: mat2x3f, rest: array<Light> }
            @group(0) @binding(0) var<storage> scene: Scene;",
        );
        let value = json!({
            "count": 3,
            "at": [[1, 2, 3], [4, 5, 6]],
            "rest": [{ "position": [0, 1, 2], "radius": 0.5 }, { "radius": "inf" }],
        });
        let mut encoder = Encoder::default();
        encoder.set(&scene, &[], &value).unwrap();
        let decoded = Decoded::new(&scene, &encoder.bytes, None);
        assert_eq!(
            decoded.to_string(),
            "{count: 3, at: [[1, 2, 3], [4, 5, 6]], \
            rest: [{position: [0, 1, 2], radius: 0.5}, {position: [0, 0, 0], radius: inf}]}"
        );
        let json = serde_json::to_value(&decoded).unwrap();
        assert_eq!(json["rest"][0]["radius"], 0.5);
        assert_eq!(json["rest"][1]["radius"], "inf");
    }

    #[test]
    fn elements_that_are_not_whole_are_left_out() {
        let array = layout("@group(0) @binding(0) var<storage> v: array<vec3u>;");
        let decoded = |bytes, count| Decoded::new(&array, &vec![0; bytes], count).to_string();
        assert_eq!(decoded(28, None), "[[0, 0, 0], [0, 0, 0]]");
        assert_eq!(decoded(24, None), "[[0, 0, 0]]");
        assert_eq!(decoded(64, Some(1)), "[[0, 0, 0]]");
    }
}
