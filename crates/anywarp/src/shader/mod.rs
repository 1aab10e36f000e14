//! Runs compute shaders over slices, textures and uniforms: [`Shader`].
//!
//! In: a program as WGSL, GLSL or SPIR-V, data by variable, and a grid. Out: the data as the shader has written it. The
//! parts in the order of their use: `entry` selects an entry point and its interface, `data` holds what the caller binds,
//! `check` compares the two, and then `cpu` runs the kernel over the caller's memory, or `resident` (with `pipeline`,
//! `buffer_transfer` and `texture_transfer`) runs it on a wgpu device.

mod buffer_transfer;
mod check;
#[cfg(feature = "cpu")]
mod cpu;
mod data;
mod dispatch;
mod entry;
mod error;
mod file;
mod pipeline;
mod resident;
mod resource;
mod texture_transfer;

use std::path::Path;
use std::sync::Arc;

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Constants, EntryPoint, Program, Source};

pub use buffer_transfer::read_buffer;
#[cfg(feature = "cpu")]
pub use cpu::Cpu;
pub use data::{BindingKey, Data, SamplerData, Texels};
pub use dispatch::Dispatch;
use entry::Specialized;
pub use error::{ShaderError, Variable};
pub use resident::Resident;
pub use resource::{ResourceDescriptor, TextureDescriptor, rounded_up};
pub use texture_transfer::read_texture;

/// A validated program whose compute entry points can be run.
///
/// Clones are cheap and share compiled kernels.
///
/// ```
/// use anywarp::Shader;
///
/// let shader = Shader::wgsl(
///     "override factor: f32 = 2.0;
///      @group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
///      @compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3u) {
///          if id.x < arrayLength(&numbers) { numbers[id.x] *= factor; }
///      }",
/// )?;
/// let mut numbers: Vec<f32> = (0..1000).map(|number| number as f32).collect();
/// shader
///     .only_entry()?
///     .constant("factor", 0.5)
///     .bind("numbers", &mut numbers)
///     .dispatch([16, 1, 1])?;
/// assert_eq!(numbers[999], 499.5);
/// # Ok::<(), anywarp::ShaderError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Shader {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    name: String,
    program: Program,
    #[cfg(feature = "cpu")]
    kernels: std::sync::Mutex<std::collections::HashMap<cpu::KernelKey, Arc<anywarp_cpu::Kernel>>>,
}

impl Shader {
    /// Parses and validates WGSL text.
    pub fn wgsl(text: &str) -> Result<Self, ShaderError> {
        Self::wgsl_named("shader.wgsl", text)
    }

    /// [`Self::wgsl`] with the name of the text in diagnostics.
    pub fn wgsl_named(name: &str, text: &str) -> Result<Self, ShaderError> {
        let program = Program::from_source(Source::new(name, text))?;
        Ok(Self::from_program(name, program))
    }

    /// Parses and validates the text of a GLSL compute shader.
    pub fn glsl(text: &str) -> Result<Self, ShaderError> {
        Self::glsl_named("shader.comp", text)
    }

    /// [`Self::glsl`] with the name of the text in diagnostics.
    pub fn glsl_named(name: &str, text: &str) -> Result<Self, ShaderError> {
        let source = Source::new(name, text);
        let program = Program::from_glsl_source(source, ShaderStage::Compute)?;
        Ok(Self::from_program(name, program))
    }

    /// Reads the bytes of a SPIR-V module, in either byte order.
    #[cfg(feature = "spirv")]
    pub fn spirv(bytes: &[u8]) -> Result<Self, ShaderError> {
        file::spirv("shader.spv", bytes)
    }

    /// Reads a file in the language of its extension: `.wgsl`, `.comp` (GLSL), and with the feature `spirv` `.spv` and
    /// `.spvasm`.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, ShaderError> {
        file::read(path.as_ref())
    }

    /// A program that is already validated; the name is for messages.
    #[must_use]
    pub fn from_program(name: &str, program: Program) -> Self {
        Self {
            shared: Arc::new(Shared {
                name: name.to_owned(),
                program,
                #[cfg(feature = "cpu")]
                kernels: Default::default(),
            }),
        }
    }

    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.shared.program
    }

    /// All entry points, of every stage, with their bindings, workgroup sizes and memory.
    #[must_use]
    pub fn entry_points(&self) -> Vec<EntryPoint> {
        self.program().entry_points()
    }

    /// The compute entry point of this name.
    pub fn entry<'a>(&self, name: &str) -> Result<Dispatch<'a>, ShaderError> {
        self.choose(Some(name))
    }

    /// The only compute entry point.
    pub fn only_entry<'a>(&self) -> Result<Dispatch<'a>, ShaderError> {
        self.choose(None)
    }

    fn choose<'a>(&self, wanted: Option<&str>) -> Result<Dispatch<'a>, ShaderError> {
        let program = self.program();
        let entry = entry::choose(program, self.name(), wanted)?;
        let points = program.entry_points();
        let point = points
            .iter()
            .find(|point| point.stage == ShaderStage::Compute && point.name == entry);
        let interface = match point {
            Some(point) => crate::reflection::Interface::new(program, point),
            None => Specialized::new(program, &entry, &Constants::new())?.used,
        };
        Ok(Dispatch::new(self, entry, interface))
    }

    /// The compiled kernels. No update can be left half done, so a poisoned lock is ignored.
    #[cfg(feature = "cpu")]
    fn kernels(
        &self,
    ) -> std::sync::MutexGuard<
        '_,
        std::collections::HashMap<cpu::KernelKey, Arc<anywarp_cpu::Kernel>>,
    > {
        let kernels = self.shared.kernels.lock();
        kernels.unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
