//! Encodes values by member name as the bytes of a buffer.
//!
//! In: a layout and JSON values, either for the whole type or for a path such as `lights[1].radius`. Out: the bytes
//! up to the last one that a value sets, and the minimum size of the buffer. Members without a value are zero.
//! Unknown members, values of the wrong type and numbers out of range are errors that begin with the path.

use std::fmt::Write;

use serde_json::Value as Json;

use crate::specs::{ElementType, Step};
use anywarp::reflection::{Layout, Member, Shape};

/// The most bytes that values may set; larger contents need a file of bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Why a value does not fit a member.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", in_front(path))]
pub(crate) struct EncodeError {
    path: String,
    reason: String,
}

fn in_front(path: &str) -> String {
    match path {
        "" => String::new(),
        _ => format!("`{path}`: "),
    }
}

/// Collects the bytes of all values that were set.
#[derive(Debug, Default)]
pub(crate) struct Encoder {
    /// Up to the last byte that is set.
    pub(crate) bytes: Vec<u8>,
    /// Up to the end of the last array element that is set.
    pub(crate) needed: u64,
    /// The path of the current value in the type, for messages.
    path: String,
}

impl Encoder {
    /// Sets the member at a path, or the whole value if the path is empty.
    pub(crate) fn set(
        &mut self,
        layout: &Layout,
        path: &[Step],
        value: &Json,
    ) -> Result<(), EncodeError> {
        self.path.clear();
        self.step(layout, 0, path, value)
    }

    fn step(
        &mut self,
        layout: &Layout,
        offset: u64,
        path: &[Step],
        value: &Json,
    ) -> Result<(), EncodeError> {
        let Some((first, rest)) = path.split_first() else {
            return self.value(layout, offset, value);
        };
        match (first, &layout.shape) {
            (Step::Name(name), Shape::Struct(members)) => {
                let member = self.member(layout, members, name)?;
                self.within(name, |this| {
                    this.step(&member.layout, offset + member.offset, rest, value)
                })
            }
            (Step::Name(name), Shape::Vector { element, count }) if rest.is_empty() => {
                let index = component(name).filter(|index| index < count);
                let Some(index) = index else {
                    return Err(self.wrong(format!("{} has no component `{name}`", layout.ty)));
                };
                let at = offset + index * element.bytes();
                self.within(name, |this| this.number(*element, at, value))
            }
            (Step::Index(index), Shape::Vector { element, count }) if rest.is_empty() => {
                self.check_index(layout, *index, Some(*count))?;
                let at = offset + index * element.bytes();
                self.at(*index, |this| this.number(*element, at, value))
            }
            (Step::Name(name), _) => {
                Err(self.wrong(format!("{} has no member `{name}`", layout.ty)))
            }
            (Step::Index(index), _) => {
                let Some((element, stride, count)) = elements(layout) else {
                    return Err(self.wrong(format!("{} has no element [{index}]", layout.ty)));
                };
                self.check_index(layout, *index, count)?;
                let at = self.place(offset, *index, stride)?;
                self.at(*index, |this| this.step(element, at, rest, value))
            }
        }
    }

    fn value(&mut self, layout: &Layout, offset: u64, value: &Json) -> Result<(), EncodeError> {
        let mismatch = |this: &Self, takes: &str| {
            Err(this.wrong(format!("{} takes {takes}, not {}", layout.ty, shown(value))))
        };
        match (&layout.shape, value) {
            (Shape::Scalar(element), _) => self.number(*element, offset, value),
            (Shape::Vector { element, count }, Json::Array(items)) => {
                self.check_count(layout, items.len(), *count)?;
                for (index, item) in (0..).zip(items) {
                    let at = offset + index * element.bytes();
                    self.at(index, |this| this.number(*element, at, item))?;
                }
                Ok(())
            }
            (Shape::Vector { count, .. }, _) => mismatch(self, &format!("[{count} numbers]")),
            (Shape::Matrix { count, .. }, Json::Array(items)) => {
                self.check_count(layout, items.len(), *count)?;
                self.items(layout, offset, items)
            }
            (Shape::Matrix { count, .. }, _) => mismatch(self, &format!("[{count} columns]")),
            (Shape::Array { count, .. }, Json::Array(items)) => {
                let given = items.len() as u64;
                if count.is_some_and(|count| given > count) {
                    let ty = &layout.ty;
                    return Err(self.wrong(format!("{given} elements are given for {ty}")));
                }
                self.items(layout, offset, items)
            }
            (Shape::Array { .. }, _) => mismatch(self, "an array"),
            (Shape::Struct(members), Json::Object(values)) => {
                for (name, value) in values {
                    let member = self.member(layout, members, name)?;
                    self.within(name, |this| {
                        this.value(&member.layout, offset + member.offset, value)
                    })?;
                }
                Ok(())
            }
            (Shape::Struct(_), _) => mismatch(self, "an object with its members"),
        }
    }

    fn items(&mut self, layout: &Layout, offset: u64, items: &[Json]) -> Result<(), EncodeError> {
        let Some((element, stride, _)) = elements(layout) else {
            return Ok(());
        };
        for (index, item) in (0..).zip(items) {
            let at = self.place(offset, index, stride)?;
            self.at(index, |this| this.value(element, at, item))?;
        }
        Ok(())
    }

    /// The offset of an array's element; the buffer is made large enough for the whole element.
    fn place(&mut self, offset: u64, index: u64, stride: u64) -> Result<u64, EncodeError> {
        let end = index
            .checked_add(1)
            .and_then(|count| count.checked_mul(stride))
            .and_then(|bytes| bytes.checked_add(offset));
        let Some(end) = end else {
            return Err(self.wrong(format!("[{index}] is beyond every buffer")));
        };
        self.needed = self.needed.max(end);
        Ok(end - stride)
    }

    fn number(
        &mut self,
        element: ElementType,
        offset: u64,
        value: &Json,
    ) -> Result<(), EncodeError> {
        let text = match value {
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            _ => return Err(self.wrong(format!("{element} takes a number, not {}", shown(value)))),
        };
        let Some(bytes) = element.parse(&text) else {
            return Err(self.wrong(format!("`{text}` is not a number of type {element}")));
        };
        let end = offset.saturating_add(bytes.len() as u64);
        if end > MAX_BYTES {
            let reason = format!(
                "byte {offset} is beyond the first {MAX_BYTES}, which values can set; use a file of bytes"
            );
            return Err(self.wrong(reason));
        }
        let (start, end) = (offset as usize, end as usize);
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[start..end].copy_from_slice(&bytes);
        Ok(())
    }

    fn member<'a>(
        &self,
        layout: &Layout,
        members: &'a [Member],
        name: &str,
    ) -> Result<&'a Member, EncodeError> {
        let found = members.iter().find(|member| member.name == name);
        found.ok_or_else(|| {
            let names: Vec<_> = members
                .iter()
                .map(|member| format!("`{}`", member.name))
                .collect();
            let (ty, names) = (&layout.ty, names.join(", "));
            self.wrong(format!("{ty} has no member `{name}`; it has {names}"))
        })
    }

    fn check_index(
        &self,
        layout: &Layout,
        index: u64,
        count: Option<u64>,
    ) -> Result<(), EncodeError> {
        match count {
            Some(count) if index >= count => Err(self.wrong(format!(
                "[{index}] is out of bounds: {} has {count} elements",
                layout.ty
            ))),
            _ => Ok(()),
        }
    }

    fn check_count(&self, layout: &Layout, given: usize, count: u64) -> Result<(), EncodeError> {
        if given as u64 == count {
            Ok(())
        } else {
            let ty = &layout.ty;
            Err(self.wrong(format!("{ty} takes {count} values, {given} are given")))
        }
    }

    fn within<T>(&mut self, name: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path += name;
        let done = work(self);
        self.path.truncate(length);
        done
    }

    fn at<T>(&mut self, index: u64, work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.path.len();
        // Writing to a string cannot fail.
        let _ = write!(self.path, "[{index}]");
        let done = work(self);
        self.path.truncate(length);
        done
    }

    fn wrong(&self, reason: String) -> EncodeError {
        EncodeError {
            path: self.path.clone(),
            reason,
        }
    }
}

/// Element, stride and count of an array, or of a matrix, whose elements are columns.
fn elements(layout: &Layout) -> Option<(&Layout, u64, Option<u64>)> {
    match &layout.shape {
        Shape::Array {
            element,
            stride,
            count,
        } => Some((element, *stride, *count)),
        Shape::Matrix {
            column,
            count,
            stride,
        } => Some((column, *stride, Some(*count))),
        _ => None,
    }
}

/// The index of a vector component.
fn component(name: &str) -> Option<u64> {
    match name {
        "x" | "r" => Some(0),
        "y" | "g" => Some(1),
        "z" | "b" => Some(2),
        "w" | "a" => Some(3),
        _ => None,
    }
}

/// A JSON value in a message; of arrays and objects only the kind.
fn shown(value: &Json) -> String {
    match value {
        Json::Array(_) => "an array".to_owned(),
        Json::Object(_) => "an object".to_owned(),
        Json::String(text) => format!("`{text}`"),
        other => format!("`{other}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::layout;
    use super::*;

    const SCENE: &str = "
        struct Light { position: vec3f, radius: f32 }
        struct Scene { count: u32, lights: array<Light, 2>, at: mat2x3f, rest: array<vec2u> }
        @group(0) @binding(0) var<storage> scene: Scene;";

    fn words(encoder: &Encoder) -> Vec<u32> {
        let words = encoder.bytes.chunks(4);
        let words = words.map(|word| u32::from_le_bytes(word.try_into().unwrap()));
        words.collect()
    }

    #[test]
    fn values_go_where_the_layout_says() {
        let scene = layout(SCENE);
        let mut encoder = Encoder::default();
        let value = json!({
            "count": 7,
            "lights": [{ "radius": 1 }, { "position": [0, "inf", 2.0] }],
            "rest": [[1, 2], [3, 4294967295_u32]],
        });
        encoder.set(&scene, &[], &value).unwrap();
        let words = words(&encoder);
        assert_eq!(words[..5], [7, 0, 0, 0, 0]);
        assert_eq!(words[7], 1.0_f32.to_bits());
        assert_eq!(
            words[8..11],
            [0, f32::INFINITY.to_bits(), 2.0_f32.to_bits()]
        );
        assert_eq!(words[20..], [1, 2, 3, u32::MAX]);
        assert_eq!(encoder.needed, 96);
    }

    #[test]
    fn paths_go_to_members_elements_and_components() {
        let scene = layout(SCENE);
        let mut encoder = Encoder::default();
        let name = |name: &str| Step::Name(name.to_owned());
        let path = [name("lights"), Step::Index(1), name("position"), name("y")];
        encoder.set(&scene, &path, &json!("0.5")).unwrap();
        let path = [name("at"), Step::Index(1), Step::Index(2)];
        encoder.set(&scene, &path, &json!(3)).unwrap();
        let words = words(&encoder);
        assert_eq!(words[9], 0.5_f32.to_bits());
        assert_eq!(words[18], 3.0_f32.to_bits());
        assert_eq!(words.len(), 19);
    }

    #[test]
    fn a_value_at_fault_is_named_with_its_path() {
        let scene = layout(SCENE);
        let message = |value: Json| {
            let result = Encoder::default().set(&scene, &[], &value);
            result.unwrap_err().to_string()
        };
        for (value, expected) in [
            (
                json!({ "size": 1 }),
                "Scene has no member `size`; it has `count`, `lights`, `at`, `rest`",
            ),
            (
                json!({ "lights": [{}, { "colour": 1 }] }),
                "`lights[1]`: Light has no member `colour`; it has `position`, `radius`",
            ),
            (
                json!({ "count": -1 }),
                "`count`: `-1` is not a number of type u32",
            ),
            (
                json!({ "count": 1.5 }),
                "`count`: `1.5` is not a number of type u32",
            ),
            (
                json!({ "lights": [{ "radius": 1e39 }] }),
                "`lights[0].radius`: `1e+39` is not a number of type f32",
            ),
            (
                json!({ "lights": [{}, {}, {}] }),
                "`lights`: 3 elements are given for array<Light, 2>",
            ),
            (
                json!({ "lights": [{ "position": [1, 2] }] }),
                "`lights[0].position`: vec3<f32> takes 3 values, 2 are given",
            ),
            (
                json!({ "count": true }),
                "`count`: u32 takes a number, not `true`",
            ),
            (
                json!({ "lights": 1 }),
                "`lights`: array<Light, 2> takes an array, not `1`",
            ),
            (
                json!([1]),
                "Scene takes an object with its members, not an array",
            ),
        ] {
            assert_eq!(message(value), expected);
        }
    }

    #[test]
    fn indices_are_checked_before_memory_is_taken() {
        let scene = layout(SCENE);
        let message = |index| {
            let path = [
                Step::Name("rest".to_owned()),
                Step::Index(index),
                Step::Index(0),
            ];
            let result = Encoder::default().set(&scene, &path, &json!(1));
            result.unwrap_err().to_string()
        };
        assert!(message(u64::MAX).contains("beyond every buffer"));
        assert!(message(1 << 60).contains("beyond the first"));
        let path = [Step::Name("lights".to_owned()), Step::Index(2)];
        let error = Encoder::default().set(&scene, &path, &json!({}));
        let expected = "`lights`: [2] is out of bounds: array<Light, 2> has 2 elements";
        assert_eq!(error.unwrap_err().to_string(), expected);
    }
}
