//! The TOML schema, as `serde` deserializes it. Other modules interpret the values.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Spanned, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: Option<String>,
    pub(super) memory: Option<Spanned<u64>>,
    #[serde(default)]
    pub(super) record: Vec<Record>,
    #[serde(default)]
    pub(super) node: Vec<Node>,
    #[serde(default, rename = "override")]
    pub(super) overrides: Vec<Override>,
    #[serde(default)]
    pub(super) local_arguments: Vec<Vec<Spanned<Value>>>,
    #[serde(default)]
    pub(super) buffer: Vec<Buffer>,
    #[serde(default)]
    pub(super) texture: Vec<Texture>,
    #[serde(default)]
    pub(super) sampler: Vec<Sampler>,
    #[serde(default)]
    pub(super) input: Vec<Input>,
    pub(super) image: Option<Spanned<Image>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    pub(super) name: Spanned<String>,
    pub(super) fields: Vec<Spanned<String>>,
    pub(super) grid: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Launch {
    Thread,
    Coalescing,
    #[default]
    Broadcasting,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Access {
    #[default]
    Read,
    ReadWrite,
    Tracked,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected the name of a file or a list of names")]
pub(super) enum Files {
    One(String),
    Several(Vec<String>),
}

impl Files {
    pub(super) fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Node {
    pub(super) name: Spanned<String>,
    pub(super) launch: Option<Launch>,
    pub(super) grid: Option<Spanned<Vec<u32>>>,
    pub(super) max_grid: Option<Spanned<Vec<u32>>>,
    pub(super) workgroup_size: Option<Spanned<Vec<u32>>>,
    pub(super) max_records: Option<Spanned<u32>>,
    pub(super) input: Option<String>,
    #[serde(default)]
    pub(super) access: Access,
    #[serde(default)]
    pub(super) output: Vec<Output>,
    #[serde(default)]
    pub(super) recursion: u32,
    #[serde(default)]
    pub(super) entry: bool,
    pub(super) share_input_of: Option<Spanned<String>>,
    pub(super) local_row: Option<u32>,
    pub(super) function: Option<String>,
    pub(super) source: Spanned<Files>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ArrayKind {
    Dense,
    Sparse,
    Unbounded,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Output {
    pub(super) to: Spanned<String>,
    pub(super) name: Option<String>,
    pub(super) record: Option<String>,
    pub(super) array: Option<Spanned<ArrayKind>>,
    pub(super) size: Option<Spanned<u32>>,
    pub(super) budget: Option<Spanned<u32>>,
    pub(super) share_budget: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    pub(super) node: Spanned<String>,
    pub(super) name: Option<Spanned<String>>,
    pub(super) grid: Option<Spanned<Vec<u32>>>,
    #[serde(default)]
    pub(super) budgets: BTreeMap<String, u32>,
    pub(super) recursion: Option<u32>,
    pub(super) entry: Option<bool>,
    pub(super) local_row: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Uniform,
    Read,
    #[default]
    ReadWrite,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Buffer {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) group: Option<Spanned<u32>>,
    pub(super) binding: Spanned<u32>,
    #[serde(default)]
    pub(super) kind: Kind,
    pub(super) size: Option<Spanned<u64>>,
    pub(super) u32: Option<Spanned<Vec<u32>>>,
    pub(super) i32: Option<Spanned<Vec<i32>>>,
    pub(super) f32: Option<Spanned<Vec<f32>>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TextureAccess {
    #[default]
    Sampled,
    Read,
    Write,
    ReadWrite,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texture {
    pub(super) name: Spanned<String>,
    pub(super) group: Option<Spanned<u32>>,
    pub(super) binding: Spanned<u32>,
    #[serde(default)]
    pub(super) access: TextureAccess,
    pub(super) format: Option<Spanned<String>>,
    pub(super) size: Option<Spanned<Vec<u32>>>,
    pub(super) file: Option<Spanned<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Filter {
    #[default]
    Linear,
    Nearest,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Address {
    #[default]
    Clamp,
    Repeat,
    Mirror,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sampler {
    pub(super) name: Spanned<String>,
    pub(super) group: Option<Spanned<u32>>,
    pub(super) binding: Spanned<u32>,
    #[serde(default)]
    pub(super) filter: Filter,
    #[serde(default)]
    pub(super) address: Address,
}

/// The fields of a record, by name.
pub(super) type RecordValues = Spanned<BTreeMap<String, Spanned<Value>>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    pub(super) node: Spanned<String>,
    pub(super) count: Option<Spanned<u32>>,
    pub(super) records: Option<Vec<RecordValues>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    Rgba8,
    F32x4,
    Heat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Element {
    #[default]
    U32,
    I32,
    F32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Image {
    pub(super) buffer: Option<Spanned<String>>,
    pub(super) texture: Option<Spanned<String>>,
    pub(super) width: Option<Spanned<u32>>,
    pub(super) height: Option<Spanned<u32>>,
    pub(super) format: Option<Spanned<Format>>,
    pub(super) element: Option<Spanned<Element>>,
}
