//! Texture formats in wgpu's terms, and their support on a device.

use anywarp_program::BindingAccess;
use anywarp_texture::Format;

use crate::reflection::{TextureClass, TextureType};

macro_rules! same_names {
    ($($name:ident)*) => {
        /// wgpu's format of the same name.
        pub fn wgpu_format(format: Format) -> wgpu::TextureFormat {
            match format {
                $(Format::$name => wgpu::TextureFormat::$name,)*
            }
        }
    };
}

same_names! {
    R8Unorm R8Snorm R8Uint R8Sint
    R16Unorm R16Snorm R16Uint R16Sint R16Float
    Rg8Unorm Rg8Snorm Rg8Uint Rg8Sint
    R32Uint R32Sint R32Float
    Rg16Unorm Rg16Snorm Rg16Uint Rg16Sint Rg16Float
    Rgba8Unorm Rgba8UnormSrgb Rgba8Snorm Rgba8Uint Rgba8Sint
    Bgra8Unorm Bgra8UnormSrgb
    Rgb10a2Uint Rgb10a2Unorm Rg11b10Ufloat Rgb9e5Ufloat
    R64Uint Rg32Uint Rg32Sint Rg32Float
    Rgba16Unorm Rgba16Snorm Rgba16Uint Rgba16Sint Rgba16Float
    Rgba32Uint Rgba32Sint Rgba32Float
    Stencil8 Depth16Unorm Depth24Plus Depth32Float
    Depth24PlusStencil8 Depth32FloatStencil8
}

/// The format of the same name, if shaders can use it.
pub(crate) fn from_wgpu(format: wgpu::TextureFormat) -> Option<Format> {
    let same = |own: &&Format| wgpu_format(**own) == format;
    Format::ALL.iter().find(same).copied()
}

/// Whether WebGPU allows texels to be copied to a texture of a format.
pub fn is_uploaded(format: Format) -> bool {
    !format.is_depth_or_stencil() || matches!(format, Format::Depth16Unorm | Format::Stencil8)
}

/// Whether texels can be copied from a texture of a format.
pub fn is_read_back(format: Format) -> bool {
    is_uploaded(format) || format == Format::Depth32Float
}

/// Checks that a device supports textures of a format for a binding; the error names what is missing.
pub fn check_format(
    adapter: &wgpu::Adapter,
    ty: &TextureType,
    format: Format,
    samples: u32,
) -> Result<(), String> {
    let can = abilities(adapter, format);
    check_abilities(adapter.features(), can, ty, format, samples)
}

/// [`check_format`] for a device of which only the features are known: WebGPU's guarantees count.
pub(crate) fn check_guaranteed(
    features: wgpu::Features,
    ty: &TextureType,
    format: Format,
) -> Result<(), String> {
    let can = wgpu_format(format).guaranteed_format_features(features);
    check_abilities(features, can, ty, format, 1)
}

/// Whether a device can filter texels of a format.
pub fn is_filterable(adapter: &wgpu::Adapter, format: Format) -> bool {
    let flags = abilities(adapter, format).flags;
    flags.contains(wgpu::TextureFormatFeatureFlags::FILTERABLE)
}

/// [`is_filterable`] for a device of which only the features are known: WebGPU's guarantees count.
pub(crate) fn is_filterable_with(features: wgpu::Features, format: Format) -> bool {
    let flags = wgpu_format(format)
        .guaranteed_format_features(features)
        .flags;
    flags.contains(wgpu::TextureFormatFeatureFlags::FILTERABLE)
}

fn abilities(adapter: &wgpu::Adapter, format: Format) -> wgpu::TextureFormatFeatures {
    let features = adapter.features();
    let format = wgpu_format(format);
    let specific = wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES;
    if features.contains(specific) {
        adapter.get_texture_format_features(format)
    } else {
        format.guaranteed_format_features(features)
    }
}

/// Checks a format against a device's features and its capabilities for the format.
fn check_abilities(
    features: wgpu::Features,
    can: wgpu::TextureFormatFeatures,
    ty: &TextureType,
    format: Format,
    samples: u32,
) -> Result<(), String> {
    use wgpu::TextureFormatFeatureFlags as Flags;
    let name = format.name();
    let required = wgpu_format(format).required_features();
    if !features.contains(required) {
        let missing = feature_names(required - features);
        return Err(format!("{name} textures, which need {missing}"));
    }
    let (flag, words) = match ty.class {
        TextureClass::Storage { access, .. } => {
            let flag = match access {
                BindingAccess::Read => Flags::STORAGE_READ_ONLY,
                BindingAccess::Write => Flags::STORAGE_WRITE_ONLY,
                BindingAccess::ReadWrite => Flags::STORAGE_READ_WRITE,
                BindingAccess::Atomic => Flags::STORAGE_ATOMIC,
            };
            (
                flag,
                format!("{name} storage textures with access {access}"),
            )
        }
        _ => (Flags::empty(), format!("{name} textures to load from")),
    };
    if !can.allowed_usages.contains(ty.usage()) || !can.flags.contains(flag) {
        return Err(words);
    }
    // Only renderable formats can be multisampled.
    let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
    let is_drawn = can.allowed_usages.contains(attachment);
    match samples {
        1 => Ok(()),
        _ if is_drawn && can.flags.sample_count_supported(samples) => Ok(()),
        _ => Err(format!("{name} textures with {samples} samples")),
    }
}

/// The names of features in lower case, as `anywarp devices` prints them.
fn feature_names(features: wgpu::Features) -> String {
    let names = features.iter_names().map(|(name, _)| name.to_lowercase());
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use anywarp_texture::{Dimension, Kind};

    use super::*;

    fn check(class: TextureClass, format: Format, samples: u32) -> Result<(), String> {
        let ty = TextureType {
            dimension: Dimension::D2,
            class,
        };
        // A device that has nothing beyond the core.
        let features = wgpu::Features::empty();
        let can = wgpu_format(format).guaranteed_format_features(features);
        check_abilities(features, can, &ty, format, samples)
    }

    #[test]
    fn what_a_device_does_not_have_is_named() {
        let storage = |format, access| check(TextureClass::Storage { format, access }, format, 1);
        assert_eq!(storage(Format::Rgba8Unorm, BindingAccess::Write), Ok(()));
        assert_eq!(storage(Format::R32Float, BindingAccess::ReadWrite), Ok(()));
        for (format, access, message) in [
            (
                Format::Rg8Unorm,
                BindingAccess::Write,
                "rg8unorm storage textures with access write",
            ),
            (
                Format::Rgba8Unorm,
                BindingAccess::ReadWrite,
                "rgba8unorm storage textures with access read_write",
            ),
            (
                Format::R32Uint,
                BindingAccess::Atomic,
                "r32uint storage textures with access atomic",
            ),
            (
                Format::R16Unorm,
                BindingAccess::Write,
                "r16unorm textures, which need texture_format_16bit_norm",
            ),
        ] {
            assert_eq!(storage(format, access), Err(message.to_owned()));
        }
        let sampled = |format, samples| {
            let class = TextureClass::Sampled {
                kind: Kind::Float,
                multisampled: samples > 1,
            };
            check(class, format, samples)
        };
        assert_eq!(sampled(Format::Rgba8Unorm, 4), Ok(()));
        assert_eq!(
            sampled(Format::Rgba8Snorm, 4),
            Err("rgba8snorm textures with 4 samples".to_owned())
        );
        assert!(sampled(Format::Rgba8Unorm, 3).is_err());
        assert!(sampled(Format::Depth32FloatStencil8, 1).is_err());
    }
}
