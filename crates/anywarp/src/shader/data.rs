//! Data that is bound to variables: slices, texels, samplers.
//!
//! In: references to Rust values. Out: [`Data`], which knows the bytes, whether they may be written, and as much of the
//! Rust type as can be compared with the shader's.

use std::any::TypeId;

use anywarp_texture::Format;
use bytemuck::{NoUninit, Pod};

use crate::reflection::{Binding, ElementType, Slot};
use crate::texture_format;

/// The key of a variable: its name, or its group and binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingKey {
    /// The variable's name.
    Name(String),
    /// `@group` and `@binding`.
    Slot(Slot),
}

impl BindingKey {
    /// Whether it is the key of a variable.
    pub(super) fn selects(&self, binding: &Binding) -> bool {
        match self {
            Self::Name(name) => *name == binding.name,
            Self::Slot(slot) => *slot == binding.slot,
        }
    }
}

impl From<&str> for BindingKey {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for BindingKey {
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<Slot> for BindingKey {
    fn from(slot: Slot) -> Self {
        Self::Slot(slot)
    }
}

impl From<(u32, u32)> for BindingKey {
    fn from(slot: (u32, u32)) -> Self {
        Self::Slot(slot.into())
    }
}

impl std::fmt::Display for BindingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Slot(slot) => write!(f, "at {slot}"),
        }
    }
}

/// What is bound to a variable.
///
/// Buffers are made of slices, arrays and vectors of plain old data ([`bytemuck::Pod`]): `&data` for variables that the
/// shader reads, `&mut data` for those that it may write. Textures are made of [`Texels`] and, with the feature
/// `image`, of pictures; samplers of a [`wgpu::SamplerDescriptor`].
#[derive(Debug)]
pub struct Data<'a>(pub(super) Content<'a>);

#[derive(Debug)]
pub(super) enum Content<'a> {
    Buffer {
        bytes: HostBytes<'a>,
        element: RustType,
    },
    /// A buffer of zeros whose content is not read back.
    Zeros {
        bytes: u64,
    },
    Texture(Texels<'a>),
    Sampler(Box<SamplerData>),
}

/// A sampler; WebGPU's default is the nearest texel, clamped to the edge.
pub type SamplerData = wgpu::SamplerDescriptor<'static>;

/// Bytes of the caller.
#[derive(Debug)]
pub(super) enum HostBytes<'a> {
    Read(&'a [u8]),
    Write(&'a mut [u8]),
}

impl HostBytes<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Write(bytes) => bytes,
        }
    }
}

/// A Rust type, as far as it can be compared with a type of the shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RustType {
    pub(super) name: &'static str,
    pub(super) size: u64,
    pub(super) kind: RustKind,
    /// Whether the data is one value, not a list of elements.
    pub(super) is_whole: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RustKind {
    /// `u8`: bytes of any type.
    Bytes,
    /// A number of the shader's types.
    Scalar(ElementType),
    /// A short array of numbers.
    Scalars(ElementType),
    /// Any other type; only its size is known.
    Other,
}

impl RustType {
    pub(super) fn of<T: 'static>() -> Self {
        Self {
            name: std::any::type_name::<T>(),
            size: size_of::<T>() as u64,
            kind: kind(TypeId::of::<T>()),
            is_whole: false,
        }
    }
}

fn kind(id: TypeId) -> RustKind {
    macro_rules! numbers {
        ($($scalar:ty => $element:ident)*) => {
            $(
                if id == TypeId::of::<$scalar>() {
                    return RustKind::Scalar(ElementType::$element);
                }
                let arrays = [
                    TypeId::of::<[$scalar; 2]>(),
                    TypeId::of::<[$scalar; 3]>(),
                    TypeId::of::<[$scalar; 4]>(),
                    TypeId::of::<[$scalar; 16]>(),
                ];
                if arrays.contains(&id) {
                    return RustKind::Scalars(ElementType::$element);
                }
            )*
        };
    }
    numbers! {
        half::f16 => F16 f32 => F32 f64 => F64 i16 => I16 i32 => I32 i64 => I64 u16 => U16 u32 => U32 u64 => U64
    }
    if id == TypeId::of::<u8>() {
        RustKind::Bytes
    } else {
        RustKind::Other
    }
}

impl Data<'static> {
    /// A buffer of zeros, for results that stay on the device and for scratch memory.
    #[must_use]
    pub fn zeros(bytes: u64) -> Self {
        Self(Content::Zeros { bytes })
    }
}

impl<'a> Data<'a> {
    /// One value that the shader reads, such as a struct of parameters.
    pub fn value<T: NoUninit>(value: &'a T) -> Self {
        Self(Content::Buffer {
            bytes: HostBytes::Read(bytemuck::bytes_of(value)),
            element: RustType {
                is_whole: true,
                ..RustType::of::<T>()
            },
        })
    }

    fn shared<T: NoUninit>(slice: &'a [T]) -> Self {
        Self(Content::Buffer {
            bytes: HostBytes::Read(bytemuck::cast_slice(slice)),
            element: RustType::of::<T>(),
        })
    }

    fn exclusive<T: Pod>(slice: &'a mut [T]) -> Self {
        Self(Content::Buffer {
            bytes: HostBytes::Write(bytemuck::cast_slice_mut(slice)),
            element: RustType::of::<T>(),
        })
    }
}

impl<'a, T: NoUninit> From<&'a [T]> for Data<'a> {
    fn from(slice: &'a [T]) -> Self {
        Self::shared(slice)
    }
}

impl<'a, T: NoUninit, const N: usize> From<&'a [T; N]> for Data<'a> {
    fn from(array: &'a [T; N]) -> Self {
        Self::shared(array)
    }
}

impl<'a, T: NoUninit> From<&'a Vec<T>> for Data<'a> {
    fn from(vector: &'a Vec<T>) -> Self {
        Self::shared(vector)
    }
}

impl<'a, T: Pod> From<&'a mut [T]> for Data<'a> {
    fn from(slice: &'a mut [T]) -> Self {
        Self::exclusive(slice)
    }
}

impl<'a, T: Pod, const N: usize> From<&'a mut [T; N]> for Data<'a> {
    fn from(array: &'a mut [T; N]) -> Self {
        Self::exclusive(array)
    }
}

impl<'a, T: Pod> From<&'a mut Vec<T>> for Data<'a> {
    fn from(vector: &'a mut Vec<T>) -> Self {
        Self::exclusive(vector)
    }
}

impl<'a> From<Texels<'a>> for Data<'a> {
    fn from(texels: Texels<'a>) -> Self {
        Self(Content::Texture(texels))
    }
}

impl From<SamplerData> for Data<'_> {
    fn from(sampler: SamplerData) -> Self {
        Self(Content::Sampler(Box::new(sampler)))
    }
}

/// The texels of a texture: tightly packed, ordered by layer (or slice), then by row.
#[derive(Debug)]
pub struct Texels<'a> {
    pub(super) size: Vec<u32>,
    /// `None` for the shader's format, or the default one of the texture's type.
    pub(super) format: Option<Format>,
    /// The format as the caller named it, if no shader uses it.
    pub(super) unknown_format: Option<wgpu::TextureFormat>,
    pub(super) element: RustType,
    pub(super) bytes: HostBytes<'a>,
}

impl<'a> Texels<'a> {
    /// Texels that the shader reads. The size is one number for each dimension of the texture, then the number of layers
    /// of an array.
    pub fn new<T: NoUninit>(size: impl AsRef<[u32]>, texels: &'a [T]) -> Self {
        let bytes = HostBytes::Read(bytemuck::cast_slice(texels));
        Self::with(size.as_ref(), RustType::of::<T>(), bytes)
    }

    /// Texels that the shader may write.
    pub fn new_mut<T: Pod>(size: impl AsRef<[u32]>, texels: &'a mut [T]) -> Self {
        let bytes = HostBytes::Write(bytemuck::cast_slice_mut(texels));
        Self::with(size.as_ref(), RustType::of::<T>(), bytes)
    }

    fn with(size: &[u32], element: RustType, bytes: HostBytes<'a>) -> Self {
        Self {
            size: size.to_vec(),
            format: None,
            unknown_format: None,
            element,
            bytes,
        }
    }

    /// The format of the texels. By default it is that of the storage texture; `rgba8unorm`, `rgba8uint` or `rgba32sint`
    /// for textures of floats, unsigned and signed integers; and `depth16unorm` for depth. Texels that are not given as bytes
    /// need a format, unless the shader declares it.
    #[must_use]
    pub fn format(mut self, format: wgpu::TextureFormat) -> Self {
        self.format = texture_format::from_wgpu(format);
        self.unknown_format = self.format.is_none().then_some(format);
        self
    }
}

#[cfg(feature = "image")]
mod pictures {
    use image::ImageBuffer;

    use super::{Data, Texels};

    macro_rules! pictures {
        ($($pixel:ident $channel:ty => $format:ident)*) => { $(
            impl<'a> From<&'a ImageBuffer<image::$pixel<$channel>, Vec<$channel>>> for Data<'a> {
                fn from(picture: &'a ImageBuffer<image::$pixel<$channel>, Vec<$channel>>) -> Self {
                    let size = [picture.width(), picture.height()];
                    let texels = Texels::new(size, picture.as_raw().as_slice());
                    texels.format(wgpu::TextureFormat::$format).into()
                }
            }

            impl<'a> From<&'a mut ImageBuffer<image::$pixel<$channel>, Vec<$channel>>> for Data<'a> {
                fn from(picture: &'a mut ImageBuffer<image::$pixel<$channel>, Vec<$channel>>) -> Self {
                    let size = [picture.width(), picture.height()];
                    let channels: &mut [$channel] = picture;
                    let texels = Texels::new_mut(size, channels);
                    texels.format(wgpu::TextureFormat::$format).into()
                }
            }
        )* };
    }

    pictures! {
        Rgba u8 => Rgba8Unorm
        Luma u8 => R8Unorm
        Rgba f32 => Rgba32Float
        Luma f32 => R32Float
    }
}
