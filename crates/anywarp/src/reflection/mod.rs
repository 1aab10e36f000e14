//! The interface of an entry point as data: bindings, types with their memory layouts, textures, immediate data.
//!
//! In: a [`Program`](anywarp_program::Program) and one of its entry points. Out: an [`Interface`]. What always holds:
//! offsets, sizes and strides follow WGSL's rules; only resources that the entry point uses are listed, ordered by
//! group and binding. Nothing here depends on a device.
//!
//! ```
//! use anywarp::Shader;
//! use anywarp::reflection::Shape;
//!
//! let shader = Shader::wgsl(
//!     "struct Light { position: vec3f, radius: f32 }
//!      @group(0) @binding(0) var<storage, read_write> lights: array<Light>;
//!      @compute @workgroup_size(64) fn grow(@builtin(global_invocation_id) id: vec3u) {
//!          lights[id.x].radius *= 2.0;
//!      }",
//! )?;
//! let interface = shader.entry("grow")?.interface().clone();
//! let lights = &interface.bindings[0];
//! assert_eq!((lights.name.as_str(), lights.ty.as_str()), ("lights", "array<Light>"));
//! let Some(Shape::Array { stride, .. }) = lights.layout.as_ref().map(|layout| &layout.shape) else {
//!     panic!("not an array");
//! };
//! assert_eq!(*stride, 16);
//! # Ok::<(), anywarp::ShaderError>(())
//! ```

mod element;
mod interface;
mod layout;
mod slot;
mod texture;

pub use element::{ElementType, ElementValue, UnknownElementType};
pub use interface::{Binding, BindingKind, BufferSize, Immediate, Interface};
pub use layout::{Layout, Member, Shape, element_type};
pub use slot::{Slot, SlotError};
pub use texture::{TextureClass, TextureType};
