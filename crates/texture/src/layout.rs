//! Memory layout of a texture.
//!
//! In: a [`Format`] and a [`TextureShape`]. Out: a [`Layout`], with the byte offset of each plane and mip level, and
//! [`View`]s of it.
//!
//! The order, from outermost to innermost: plane, mip level, layer (or depth slice), row, texel, sample. There is no
//! padding inside a level, so a region that is contiguous in a copy's buffer is contiguous here. Levels begin on cache
//! lines.

use crate::view::{Level, View};
use crate::{Format, Kind};

/// The alignment of mip levels in bytes.
const LEVEL_ALIGNMENT: u64 = 64;

/// A size or an origin along three axes, in texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extent {
    /// LevelMemory along a row.
    pub x: u32,
    /// Rows.
    pub y: u32,
    /// Depth slices of a 3D texture.
    pub z: u32,
}

/// How a view is addressed: WebGPU's texture view dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// `texture_1d`
    D1,
    /// `texture_2d`
    D2,
    /// `texture_2d_array`
    D2Array,
    /// `texture_3d`
    D3,
    /// `texture_cube`
    Cube,
    /// `texture_cube_array`
    CubeArray,
}

impl Dimension {
    /// WebGPU's name, such as `2d-array`.
    pub fn name(self) -> &'static str {
        match self {
            Self::D1 => "1d",
            Self::D2 => "2d",
            Self::D2Array => "2d-array",
            Self::D3 => "3d",
            Self::Cube => "cube",
            Self::CubeArray => "cube-array",
        }
    }
}

/// The size of a texture, with its layers, mip levels and samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureShape {
    /// Size of the first mip level; `y` and `z` are 1 for textures of fewer dimensions.
    pub extent: Extent,
    /// Array layers; 1 for textures that are not arrays.
    pub layers: u32,
    /// Number of mip levels.
    pub levels: u32,
    /// Samples per texel.
    pub samples: u32,
}

impl TextureShape {
    /// A 2D texture with one layer, one mip level and one sample.
    pub fn new_2d(width: u32, height: u32) -> Self {
        Self {
            extent: Extent {
                x: width,
                y: height,
                z: 1,
            },
            layers: 1,
            levels: 1,
            samples: 1,
        }
    }

    /// The size of a mip level: halved per level, at least 1 along each axis.
    pub fn level(&self, level: u32) -> Extent {
        let half = |size: u32| size.checked_shr(level).unwrap_or(0).max(1);
        Extent {
            x: half(self.extent.x),
            y: half(self.extent.y),
            z: half(self.extent.z),
        }
    }
}

/// A range of mip levels and layers of one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subresource {
    /// Index of the plane.
    pub plane: usize,
    /// The first mip level.
    pub level: u32,
    /// Number of mip levels.
    pub levels: u32,
    /// The first layer.
    pub layer: u32,
    /// Number of layers.
    pub layers: u32,
}

/// One aspect of a texture: colour, depth or stencil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plane {
    /// The format of its texels.
    pub format: Format,
    /// Location and size of each mip level.
    pub levels: Vec<Level>,
}

/// The location of every texel of a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    format: Format,
    shape: TextureShape,
    planes: Vec<Plane>,
    bytes: u64,
}

impl Layout {
    /// Computes the layout. `None` if the size in bytes overflows 64 bits.
    pub fn new(format: Format, shape: TextureShape) -> Option<Self> {
        let mut bytes = 0u64;
        let mut planes = Vec::new();
        for &plane in format.planes() {
            let mut levels = Vec::new();
            for level in 0..shape.levels {
                let extent = shape.level(level);
                let texel = u64::from(plane.bytes()) * u64::from(shape.samples);
                let row = u64::from(extent.x).checked_mul(texel)?;
                let slice = row.checked_mul(u64::from(extent.y))?;
                let slices = u64::from(extent.z) * u64::from(shape.layers);
                levels.push(Level {
                    offset: bytes,
                    extent,
                    row,
                    slice,
                });
                let end = bytes.checked_add(slice.checked_mul(slices)?)?;
                bytes = end.checked_next_multiple_of(LEVEL_ALIGNMENT)?;
            }
            let format = plane;
            planes.push(Plane { format, levels });
        }
        Some(Self {
            format,
            shape,
            planes,
            bytes,
        })
    }

    /// The format of the texture.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The size of the texture in texels.
    pub fn shape(&self) -> &TextureShape {
        &self.shape
    }

    /// The size in bytes, a multiple of 64.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The planes: colour, or depth, or stencil, or depth followed by stencil.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The index of the stencil plane.
    pub fn stencil_plane(&self) -> Option<usize> {
        let is_stencil = |plane: &Plane| plane.format == Format::Stencil8;
        self.planes.iter().position(is_stencil)
    }

    /// The index of the depth plane.
    pub fn depth_plane(&self) -> Option<usize> {
        let is_depth = |plane: &Plane| plane.format.kind() == Kind::Depth;
        self.planes.iter().position(is_depth)
    }

    /// All mip levels and layers of the first plane.
    pub fn whole(&self) -> Subresource {
        Subresource {
            plane: 0,
            level: 0,
            levels: self.shape.levels,
            layer: 0,
            layers: self.shape.layers,
        }
    }

    /// A view of the whole first plane, in its own format.
    pub fn view(&self, dimension: Dimension) -> View {
        let everything = self.whole();
        self.part(dimension, self.planes[0].format, everything)
    }

    /// A view of a subresource. `format` is the plane's own, or its sRGB counterpart.
    ///
    /// The subresource is clamped to the texture.
    pub fn part(&self, dimension: Dimension, format: Format, part: Subresource) -> View {
        let levels = self.planes.get(part.plane).map_or(&[][..], |plane| {
            let first = (part.level as usize).min(plane.levels.len());
            let end = first.saturating_add(part.levels as usize);
            &plane.levels[first..end.min(plane.levels.len())]
        });
        let layers = self
            .shape
            .layers
            .saturating_sub(part.layer)
            .min(part.layers);
        let moved = |level: &Level| Level {
            offset: level.offset + u64::from(part.layer) * level.slice,
            ..*level
        };
        View {
            format,
            dimension,
            layers,
            samples: self.shape.samples,
            levels: levels.iter().map(moved).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_shrink_to_one() {
        let shape = TextureShape {
            extent: Extent { x: 5, y: 2, z: 9 },
            levels: 4,
            ..TextureShape::new_2d(0, 0)
        };
        let sizes: Vec<_> = (0..4).map(|level| shape.level(level)).collect();
        let expected = [(5, 2, 9), (2, 1, 4), (1, 1, 2), (1, 1, 1)];
        assert_eq!(sizes, expected.map(|(x, y, z)| Extent { x, y, z }));
        assert_eq!(shape.level(40), Extent { x: 1, y: 1, z: 1 });
    }

    #[test]
    fn subresources_follow_each_other() {
        let shape = TextureShape {
            layers: 3,
            levels: 2,
            ..TextureShape::new_2d(5, 3)
        };
        let layout = Layout::new(Format::Depth32FloatStencil8, shape).unwrap();
        let [depth, stencil] = layout.planes() else {
            panic!("two planes");
        };
        assert_eq!((depth.levels[0].row, depth.levels[0].slice), (20, 60));
        // 180 bytes, padded to a cache line; then 2x1 texels of three layers; then stencil.
        assert_eq!(depth.levels[1].offset, 192);
        assert_eq!(stencil.levels[0].offset, 256);
        assert_eq!(stencil.levels[1].offset, 320);
        assert_eq!(layout.bytes(), 384);
        assert_eq!(
            (layout.depth_plane(), layout.stencil_plane()),
            (Some(0), Some(1))
        );
    }

    #[test]
    fn absurd_sizes_have_no_layout() {
        let shape = TextureShape {
            extent: Extent {
                x: u32::MAX,
                y: u32::MAX,
                z: u32::MAX,
            },
            ..TextureShape::new_2d(0, 0)
        };
        assert!(Layout::new(Format::Rgba32Float, shape).is_none());
    }

    #[test]
    fn parts_that_are_not_there_are_empty() {
        let layout = Layout::new(Format::R8Unorm, TextureShape::new_2d(4, 4)).unwrap();
        let part = Subresource {
            plane: 3,
            level: 7,
            levels: u32::MAX,
            layer: 2,
            layers: 2,
        };
        let view = layout.part(Dimension::D2, Format::R8Unorm, part);
        assert_eq!((view.levels.len(), view.layers), (0, 0));
    }
}
