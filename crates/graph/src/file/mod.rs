//! Graph files: a TOML file that declares a graph and its resources, with WGSL and PNG files beside
//! it.
//!
//! In: a path. Out: a [`GraphFile`]: the [`Graph`] that the builder would make of the same
//! declarations, the buffers, textures and samplers of the user's bind groups, the inputs, and the
//! output image. What always holds: every error is one [`FileError`] that names the file and, where
//! possible, the line and the key. A file can name only regular files inside its own folder and
//! folders that the caller allows, and can request no more bytes than the caller allows
//! ([`FileOptions`]). What it does not do: textures that are not 2D or have several mip levels;
//! graphs that need them are made with the builder.

mod binding_point;
mod buffers;
mod declarations;
mod error;
mod image;
mod inputs;
mod locations;
mod options;
mod png_decoder;
mod resources;
mod sandbox;
mod schema;
mod sources;
mod textures;
mod toml_values;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

pub use binding_point::BindingPoint;
pub use buffers::{BufferKind, FileBuffer};
pub use error::FileError;
pub use image::{FileImage, ImageSource, Pixels};
pub use inputs::FileInput;
pub use options::FileOptions;
pub use resources::FileResources;
pub use textures::{FileSampler, FileTexture, TextureAccess};

use crate::host_data::{CpuRecords, LocalArguments};
use crate::model::{Graph, NodeId};
use crate::plan::PlanOptions;
use binding_point::UsedBindings;
use locations::Locations;
use options::ByteBudget;
use sandbox::AllowedFolders;
use sources::Sources;

/// A graph with everything that a run needs, read from a file.
#[derive(Clone, Debug)]
pub struct GraphFile {
    name: String,
    graph: Graph,
    buffers: Vec<FileBuffer>,
    textures: Vec<FileTexture>,
    samplers: Vec<FileSampler>,
    inputs: Vec<FileInput>,
    image: Option<FileImage>,
    local_arguments: LocalArguments,
    memory: Option<u64>,
}

impl GraphFile {
    /// Reads a TOML file and the WGSL and PNG files that it names. Their paths are relative to it,
    /// and they must be inside its folder.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_with(path, &FileOptions::default())
    }

    /// Like [`GraphFile::read`], with other limits.
    pub fn read_with(path: impl AsRef<Path>, options: &FileOptions) -> Result<Self, FileError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let text = File::open(path)
            .and_then(sources::read_file)
            .and_then(sources::text)
            .map_err(|error| FileError::of_file(&name, format!("cannot be read: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let folders = AllowedFolders::new(folder, &options.folders);
        let load = |file: &Path| {
            let bytes = folders.open(file).and_then(sources::read_file)?;
            Ok((folder.join(file).display().to_string(), bytes))
        };
        Self::parse_with(&name, &text, options, load)
    }

    /// Parses the text of a TOML file. `load` returns the name, for messages, and the bytes of
    /// another file; `load` decides whether the file may be named.
    pub fn parse(
        name: &str,
        text: &str,
        load: impl FnMut(&Path) -> io::Result<(String, Vec<u8>)>,
    ) -> Result<Self, FileError> {
        Self::parse_with(name, text, &FileOptions::default(), load)
    }

    /// Like [`GraphFile::parse`], with another limit of bytes.
    pub fn parse_with(
        name: &str,
        text: &str,
        options: &FileOptions,
        load: impl FnMut(&Path) -> io::Result<(String, Vec<u8>)>,
    ) -> Result<Self, FileError> {
        let byte_budget = ByteBudget::new(options);
        let locations = Locations::new(name, text);
        let schema: schema::File = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            locations.error(span, error.message())
        })?;
        let mut sources = Sources::new(load, &byte_budget);
        let graph = declarations::graph(&schema, &locations, &mut sources)?;
        if let Some(memory) = &schema.memory {
            let taken = byte_budget.take(*memory.get_ref());
            taken.map_err(|over| locations.at(memory, over))?;
        }
        let mut used = UsedBindings::default();
        let buffers = buffers::buffers(&schema, &mut used, &byte_budget, &locations)?;
        let textures = textures::textures(&schema, &mut used, &mut sources, &locations)?;
        let samplers = textures::samplers(&schema, &mut used, &locations)?;
        Ok(Self {
            name: name.to_owned(),
            image: image::image(&schema, &buffers, &textures, &locations)?,
            inputs: inputs::inputs(&schema, &graph, &byte_budget, &locations)?,
            local_arguments: inputs::local_arguments(&schema, &byte_budget, &locations)?,
            memory: schema.memory.map(toml::Spanned::into_inner),
            graph,
            buffers,
            textures,
            samplers,
        })
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The buffers of the user's bind groups.
    pub fn buffers(&self) -> &[FileBuffer] {
        &self.buffers
    }

    /// The textures of the user's bind groups.
    pub fn textures(&self) -> &[FileTexture] {
        &self.textures
    }

    /// The samplers of the user's bind groups.
    pub fn samplers(&self) -> &[FileSampler] {
        &self.samplers
    }

    /// The records with which a run begins.
    pub fn inputs(&self) -> &[FileInput] {
        &self.inputs
    }

    /// The inputs in the form that a runner accepts, for
    /// [`Input::MultiCpu`](crate::device::Input::MultiCpu).
    pub fn cpu_records(&self) -> Vec<CpuRecords<'_>> {
        self.inputs.iter().map(FileInput::cpu_records).collect()
    }

    /// The output image.
    pub fn image(&self) -> Option<&FileImage> {
        self.image.as_ref()
    }

    /// The local arguments of nodes.
    pub fn local_arguments(&self) -> &LocalArguments {
        &self.local_arguments
    }

    /// Plan options for these inputs, with the memory limit of the file if it declares one.
    pub fn plan_options(&self) -> PlanOptions {
        let mut fed = HashMap::<&NodeId, u64>::new();
        for input in &self.inputs {
            *fed.entry(&input.node).or_default() += u64::from(input.count);
        }
        let max = fed.into_values().max();
        let default = PlanOptions::default();
        PlanOptions {
            memory: self.memory.unwrap_or(default.memory),
            input_records: max.unwrap_or(0).max(1),
        }
    }
}
