//! The members of buffer types as `inspect` prints them: indented lines, or JSON.
//!
//! Offsets are relative to the enclosing struct or array element. What always holds: the report of a type is short,
//! even if structs contain each other many times, and so is the report of a program with many bindings of such a
//! type. Lines show the members of a struct once per binding; JSON stops at [`MAX_NODES`] with a mark; both stop at
//! [`MAX_IN_ALL`].

use std::collections::HashSet;
use std::ptr;

use serde::Serialize;

use anywarp::reflection::{Layout, Member, Shape};

/// The most types in the JSON of one binding; the rest is left out.
const MAX_NODES: usize = 10_000;
/// The most types in the JSON of one program, and the most lines.
const MAX_IN_ALL: usize = 100_000;
/// The deepest nesting of structs that is shown.
const MAX_DEPTH: usize = 32;

/// A layout as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct LayoutReport {
    #[serde(rename = "type")]
    ty: String,
    /// Bytes; null for a runtime-sized array.
    size: Option<u64>,
    /// Bytes from one element to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    stride: Option<u64>,
    /// Elements; left out for a runtime-sized array.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    /// Bytes from one column of a matrix to the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    column_stride: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<Box<LayoutReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<MemberReport>>,
    /// Whether members or elements were left out because of the limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Debug, Serialize)]
struct MemberReport {
    name: String,
    offset: u64,
    #[serde(flatten)]
    layout: LayoutReport,
}

/// The remaining size of a program's reports.
#[derive(Debug)]
pub(crate) struct ReportBudget {
    nodes: usize,
    lines: usize,
}

impl Default for ReportBudget {
    fn default() -> Self {
        Self {
            nodes: MAX_IN_ALL,
            lines: MAX_IN_ALL,
        }
    }
}

impl LayoutReport {
    /// The report of a type.
    pub(crate) fn new(layout: &Layout, budget: &mut ReportBudget) -> Self {
        let given = budget.nodes.min(MAX_NODES);
        let mut left = given;
        let report = Self::within(layout, &mut left, 0);
        budget.nodes -= given - left;
        report
    }

    fn within(layout: &Layout, left: &mut usize, depth: usize) -> Self {
        *left = left.saturating_sub(1);
        let mut report = Self {
            ty: layout.ty.clone(),
            size: size(layout),
            stride: None,
            length: None,
            column_stride: None,
            element: None,
            members: None,
            truncated: false,
        };
        let has_room = *left > 0 && depth < MAX_DEPTH;
        match &layout.shape {
            Shape::Scalar(_) | Shape::Vector { .. } => {}
            Shape::Matrix { stride, .. } => report.column_stride = Some(*stride),
            Shape::Array {
                element,
                stride,
                count,
            } => {
                report.stride = Some(*stride);
                report.length = *count;
                report.truncated = !has_room;
                report.element = has_room.then(|| Box::new(Self::within(element, left, depth + 1)));
            }
            Shape::Struct(_) if !has_room => report.truncated = true,
            Shape::Struct(members) => {
                let members = members.iter().map(|member| MemberReport {
                    name: member.name.clone(),
                    offset: member.offset,
                    layout: Self::within(&member.layout, left, depth + 1),
                });
                report.members = Some(members.collect());
            }
        }
        report
    }
}

/// The size of a type; `None` if it ends in a runtime-sized array.
fn size(layout: &Layout) -> Option<u64> {
    layout.runtime_array().is_none().then_some(layout.size)
}

/// The members of a type, a line each.
pub(crate) fn lines(layout: &Layout, budget: &mut ReportBudget) -> Vec<String> {
    let mut lines = Lines {
        lines: Vec::new(),
        left: budget.lines,
        shown: HashSet::new(),
    };
    lines.add(layout, 0);
    budget.lines = lines.left;
    lines.lines
}

struct Lines {
    lines: Vec<String>,
    left: usize,
    /// Structs whose members are shown.
    shown: HashSet<*const Layout>,
}

impl Lines {
    fn add(&mut self, layout: &Layout, depth: usize) {
        let (innermost, _) = innermost(layout);
        let Shape::Struct(members) = &innermost.shape else {
            return;
        };
        let indent = "  ".repeat(depth);
        if depth == MAX_DEPTH || self.left == 0 {
            self.lines.push(format!("{indent}.."));
        } else if !self.shown.insert(ptr::from_ref(innermost)) {
            self.lines
                .push(format!("{indent}members of {} as above", innermost.ty));
        } else {
            for member in members {
                self.left = self.left.saturating_sub(1);
                self.lines.push(format!("{indent}{}", line(member)));
                self.add(&member.layout, depth + 1);
            }
        }
    }
}

/// The element type of nested arrays, and the strides of the levels.
fn innermost(layout: &Layout) -> (&Layout, Vec<u64>) {
    let (mut layout, mut strides) = (layout, Vec::new());
    while let Shape::Array {
        element, stride, ..
    } = &layout.shape
    {
        strides.push(*stride);
        layout = element;
    }
    (layout, strides)
}

/// `.lights: array<Light, 4> at 16, size 192, stride 48`.
fn line(member: &Member) -> String {
    let layout = &member.layout;
    let (name, ty, offset) = (&member.name, &layout.ty, member.offset);
    let mut line = format!(".{name}: {ty} at {offset}");
    if let Some(size) = size(layout) {
        line += &format!(", size {size}");
    }
    let (innermost, strides) = innermost(layout);
    let texts: Vec<_> = strides.iter().map(u64::to_string).collect();
    match strides.len() {
        0 => {}
        1 => line += &format!(", stride {}", texts[0]),
        _ => line += &format!(", strides {}", texts.join(" and ")),
    }
    if let Shape::Matrix { stride, .. } = innermost.shape {
        line += &format!(", column stride {stride}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::tests::layout;
    use super::*;

    #[test]
    fn every_member_has_its_place() {
        let scene = layout(
            "struct Light { position: vec3f, radius: f32, at: mat3x3f }
            struct Scene { count: u32, lights: array<Light, 4>, grid: array<array<vec2f, 3>, 2>, key: Light,
                rest: array<vec3u> }
            @group(0) @binding(0) var<storage> scene: Scene;",
        );
        let expected = "
            .count: u32 at 0, size 4
            .lights: array<Light, 4> at 16, size 256, stride 64
              .position: vec3<f32> at 0, size 12
              .radius: f32 at 12, size 4
              .at: mat3x3<f32> at 16, size 48, column stride 16
            .grid: array<array<vec2<f32>, 3>, 2> at 272, size 48, strides 24 and 8
            .key: Light at 320, size 64
              members of Light as above
            .rest: array<vec3<u32>> at 384, stride 16";
        let expected: Vec<_> = expected.lines().skip(1).map(|it| &it[12..]).collect();
        assert_eq!(lines(&scene, &mut ReportBudget::default()), expected);
    }

    #[test]
    fn reports_of_huge_types_are_short() {
        let mut text = "struct S0 { a: u32 }".to_owned();
        for depth in 1..14 {
            let inner = depth - 1;
            text += &format!("struct S{depth} {{ a: S{inner}, b: array<S{inner}, 2> }}");
        }
        text += "@group(0) @binding(0) var<storage> v: S13;";
        let layout = layout(&text);
        let mut budget = ReportBudget::default();
        assert!(lines(&layout, &mut budget).len() < 100);
        let json = serde_json::to_string(&LayoutReport::new(&layout, &mut budget)).unwrap();
        assert!(json.contains("\"truncated\":true") && json.len() < 4 << 20);
        // Many bindings of such a type share the room of the program.
        let reports: Vec<_> = (0..1000)
            .map(|_| LayoutReport::new(&layout, &mut budget))
            .collect();
        let json = serde_json::to_string(&reports).unwrap();
        assert!(json.len() < 32 << 20, "{} bytes", json.len());
    }
}
