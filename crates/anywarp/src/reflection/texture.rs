//! Types of texture bindings: which sizes and formats they accept.

use anywarp_program::naga::common::wgsl::ToWgsl;
use anywarp_program::naga::{ImageClass, ImageDimension, ScalarKind, TypeInner};
use anywarp_program::{BindingAccess, BindingKind};
use anywarp_texture::{Dimension, Extent, Format, Kind, TextureShape};

use crate::texture_format::wgpu_format;

/// The type of a texture binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureType {
    /// The dimension, and whether it is an array.
    pub dimension: Dimension,
    /// How the shader uses it.
    pub class: TextureClass,
}

/// How a shader uses a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureClass {
    /// Loads or samples texels of this scalar kind.
    Sampled {
        /// The scalar kind.
        kind: Kind,
        /// Whether texels have several samples.
        multisampled: bool,
    },
    /// Loads or samples depth.
    Depth {
        /// Whether texels have several samples.
        multisampled: bool,
    },
    /// Loads or stores texels of this format.
    Storage {
        /// The declared format.
        format: Format,
        /// The declared access.
        access: BindingAccess,
    },
}

impl TextureType {
    /// The type of an image; `None` for other types and for external textures.
    pub fn new(inner: &TypeInner, kind: BindingKind) -> Option<Self> {
        let &TypeInner::Image {
            dim,
            arrayed,
            class,
        } = inner
        else {
            return None;
        };
        let dimension = match (dim, arrayed) {
            (ImageDimension::D1, _) => Dimension::D1,
            (ImageDimension::D2, false) => Dimension::D2,
            (ImageDimension::D2, true) => Dimension::D2Array,
            (ImageDimension::D3, _) => Dimension::D3,
            (ImageDimension::Cube, false) => Dimension::Cube,
            (ImageDimension::Cube, true) => Dimension::CubeArray,
        };
        let class = match class {
            ImageClass::Sampled { kind, multi } => TextureClass::Sampled {
                kind: match kind {
                    ScalarKind::Sint => Kind::Sint,
                    ScalarKind::Uint => Kind::Uint,
                    _ => Kind::Float,
                },
                multisampled: multi,
            },
            ImageClass::Depth { multi } => TextureClass::Depth {
                multisampled: multi,
            },
            ImageClass::Storage { format, .. } => TextureClass::Storage {
                format: Format::named(format.to_wgsl())?,
                access: match kind {
                    BindingKind::StorageTexture(access) => access,
                    _ => return None,
                },
            },
            ImageClass::External => return None,
        };
        Some(Self { dimension, class })
    }

    /// Whether texels have several samples.
    pub fn is_multisampled(&self) -> bool {
        match self.class {
            TextureClass::Sampled { multisampled, .. } | TextureClass::Depth { multisampled } => {
                multisampled
            }
            TextureClass::Storage { .. } => false,
        }
    }

    /// The default format. Depth has 16 bits, because that format supports copies of texels.
    pub fn default_format(&self) -> Format {
        match self.class {
            TextureClass::Storage { format, .. } => format,
            TextureClass::Depth { .. } => Format::Depth16Unorm,
            TextureClass::Sampled { kind, .. } => match kind {
                Kind::Float | Kind::Depth => Format::Rgba8Unorm,
                Kind::Uint => Format::Rgba8Uint,
                Kind::Sint => Format::Rgba32Sint,
            },
        }
    }

    /// Checks that a texture of a format can be bound.
    pub fn check(&self, format: Format) -> Result<(), String> {
        let name = format.name();
        let has = |kind: Kind| format.planes().iter().any(|plane| plane.kind() == kind);
        let (fits, wanted) = match self.class {
            TextureClass::Storage { format: own, .. } => (own == format, own.name().to_owned()),
            TextureClass::Depth { .. } => (has(Kind::Depth), "a depth format".to_owned()),
            TextureClass::Sampled { kind, .. } => match kind {
                Kind::Uint => (has(Kind::Uint), "an unsigned integer format".to_owned()),
                Kind::Sint => (has(Kind::Sint), "a signed integer format".to_owned()),
                // WebGPU allows depth to be loaded as floats.
                Kind::Float | Kind::Depth => (
                    has(Kind::Float) || has(Kind::Depth),
                    "a float format".to_owned(),
                ),
            },
        };
        if fits {
            Ok(())
        } else {
            Err(format!("it takes {wanted}, not {name}"))
        }
    }

    /// The aspect of a format that the shader sees.
    pub fn aspect(&self, format: Format) -> wgpu::TextureAspect {
        let is_stencil = matches!(
            self.class,
            TextureClass::Sampled {
                kind: Kind::Uint,
                ..
            }
        );
        match format.planes().len() {
            1 => wgpu::TextureAspect::All,
            _ if is_stencil => wgpu::TextureAspect::StencilOnly,
            _ => wgpu::TextureAspect::DepthOnly,
        }
    }

    /// The syntax of its sizes.
    pub fn size_form(&self) -> &'static str {
        match self.dimension {
            Dimension::D1 => "W",
            Dimension::D2 => "WxH",
            Dimension::D2Array => "WxHxLAYERS",
            Dimension::D3 => "WxHxD",
            Dimension::Cube => "WxW",
            Dimension::CubeArray => "WxWxLAYERS, six layers per cube",
        }
    }

    /// The shape for a size, with one level and one sample; `None` if the size has the wrong number of dimensions.
    pub fn shape(&self, size: &[u32]) -> Option<TextureShape> {
        let (extent, layers) = match (self.dimension, size) {
            (Dimension::D1, &[x]) => ([x, 1, 1], 1),
            (Dimension::D2, &[x, y]) => ([x, y, 1], 1),
            (Dimension::D2Array, &[x, y, layers]) => ([x, y, 1], layers),
            (Dimension::D3, &[x, y, z]) => ([x, y, z], 1),
            (Dimension::Cube, &[x, y] | &[x, y, 6]) if x == y => ([x, y, 1], 6),
            (Dimension::CubeArray, &[x, y, layers]) if x == y && layers % 6 == 0 => {
                ([x, y, 1], layers)
            }
            _ => return None,
        };
        let [x, y, z] = extent;
        Some(TextureShape {
            extent: Extent { x, y, z },
            layers,
            levels: 1,
            samples: 1,
        })
    }

    /// The binding in wgpu's layout; `filterable` if its texels are filtered.
    pub fn layout(&self, filterable: bool) -> wgpu::BindingType {
        let view_dimension = self.view_dimension();
        match self.class {
            TextureClass::Storage { format, access } => wgpu::BindingType::StorageTexture {
                access: match access {
                    BindingAccess::Read => wgpu::StorageTextureAccess::ReadOnly,
                    BindingAccess::Write => wgpu::StorageTextureAccess::WriteOnly,
                    BindingAccess::ReadWrite => wgpu::StorageTextureAccess::ReadWrite,
                    BindingAccess::Atomic => wgpu::StorageTextureAccess::Atomic,
                },
                format: wgpu_format(format),
                view_dimension,
            },
            TextureClass::Sampled { .. } | TextureClass::Depth { .. } => {
                wgpu::BindingType::Texture {
                    sample_type: self.sample_type(filterable),
                    view_dimension,
                    multisampled: self.is_multisampled(),
                }
            }
        }
    }

    fn sample_type(&self, filterable: bool) -> wgpu::TextureSampleType {
        match self.class {
            TextureClass::Sampled { kind, .. } => match kind {
                Kind::Uint => wgpu::TextureSampleType::Uint,
                Kind::Sint => wgpu::TextureSampleType::Sint,
                Kind::Float | Kind::Depth => wgpu::TextureSampleType::Float { filterable },
            },
            _ => wgpu::TextureSampleType::Depth,
        }
    }

    /// wgpu's view dimension.
    pub fn view_dimension(&self) -> wgpu::TextureViewDimension {
        match self.dimension {
            Dimension::D1 => wgpu::TextureViewDimension::D1,
            Dimension::D2 => wgpu::TextureViewDimension::D2,
            Dimension::D2Array => wgpu::TextureViewDimension::D2Array,
            Dimension::D3 => wgpu::TextureViewDimension::D3,
            Dimension::Cube => wgpu::TextureViewDimension::Cube,
            Dimension::CubeArray => wgpu::TextureViewDimension::CubeArray,
        }
    }

    /// The usages that the binding requires of a texture.
    pub fn usage(&self) -> wgpu::TextureUsages {
        match self.class {
            TextureClass::Storage {
                access: BindingAccess::Atomic,
                ..
            } => wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::STORAGE_ATOMIC,
            TextureClass::Storage { .. } => wgpu::TextureUsages::STORAGE_BINDING,
            _ => wgpu::TextureUsages::TEXTURE_BINDING,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(dimension: Dimension, kind: Kind) -> TextureType {
        TextureType {
            dimension,
            class: TextureClass::Sampled {
                kind,
                multisampled: false,
            },
        }
    }

    fn size(text: &str) -> Vec<u32> {
        text.split('x').map(|side| side.parse().unwrap()).collect()
    }

    #[test]
    fn sizes_have_the_form_of_their_dimension() {
        for (dimension, right, wrong) in [
            (Dimension::D1, "5", "5x1"),
            (Dimension::D2, "5x3", "5"),
            (Dimension::D2Array, "5x3x2", "5x3"),
            (Dimension::D3, "5x3x2", "5x3"),
            (Dimension::Cube, "4x4", "4x3"),
            (Dimension::Cube, "4x4x6", "4x4x5"),
            (Dimension::CubeArray, "4x4x12", "4x4x13"),
        ] {
            let ty = sampled(dimension, Kind::Float);
            assert!(ty.shape(&size(right)).is_some(), "{right}");
            assert!(ty.shape(&size(wrong)).is_none(), "{wrong}");
        }
        let volume = sampled(Dimension::D3, Kind::Float).shape(&[5, 3, 2]);
        assert_eq!(
            volume.map(|shape| (shape.extent.z, shape.layers)),
            Some((2, 1))
        );
        let layers = sampled(Dimension::D2Array, Kind::Float).shape(&[5, 3, 2]);
        assert_eq!(
            layers.map(|shape| (shape.extent.z, shape.layers)),
            Some((1, 2))
        );
    }

    #[test]
    fn formats_have_the_kind_of_their_binding() {
        let float = sampled(Dimension::D2, Kind::Float);
        assert_eq!(float.check(Format::Rgba8Unorm), Ok(()));
        assert_eq!(float.check(Format::Depth32Float), Ok(()));
        let wrong = float.check(Format::R32Uint).unwrap_err();
        assert_eq!(wrong, "it takes a float format, not r32uint");
        let unsigned = sampled(Dimension::D2, Kind::Uint);
        assert_eq!(unsigned.check(Format::Depth24PlusStencil8), Ok(()));
        assert_eq!(
            unsigned.aspect(Format::Depth24PlusStencil8),
            wgpu::TextureAspect::StencilOnly
        );
        for kind in [Kind::Float, Kind::Uint, Kind::Sint] {
            let ty = sampled(Dimension::D2, kind);
            assert_eq!(ty.check(ty.default_format()), Ok(()));
        }
    }
}
