//! Storage image formats: SPIR-V image formats and WGSL format names to naga formats.

use anywarp_program::naga::{ScalarKind, StorageFormat};
use rspirv::spirv::ImageFormat;

use crate::error::{ReadError, Result};

/// The naga format of a SPIR-V image format. WGSL requires a format: an unknown format becomes four 32-bit components,
/// which loses no precision.
pub(super) fn storage_format(format: ImageFormat, kind: ScalarKind) -> Result<StorageFormat> {
    Ok(match format {
        ImageFormat::Unknown => match kind {
            ScalarKind::Sint => StorageFormat::Rgba32Sint,
            ScalarKind::Uint => StorageFormat::Rgba32Uint,
            _ => StorageFormat::Rgba32Float,
        },
        ImageFormat::Rgba32f => StorageFormat::Rgba32Float,
        ImageFormat::Rgba16f => StorageFormat::Rgba16Float,
        ImageFormat::R32f => StorageFormat::R32Float,
        ImageFormat::Rgba8 => StorageFormat::Rgba8Unorm,
        ImageFormat::Rgba8Snorm => StorageFormat::Rgba8Snorm,
        ImageFormat::Rg32f => StorageFormat::Rg32Float,
        ImageFormat::Rg16f => StorageFormat::Rg16Float,
        ImageFormat::R11fG11fB10f => StorageFormat::Rg11b10Ufloat,
        ImageFormat::R16f => StorageFormat::R16Float,
        ImageFormat::Rgba16 => StorageFormat::Rgba16Unorm,
        ImageFormat::Rgb10A2 => StorageFormat::Rgb10a2Unorm,
        ImageFormat::Rg16 => StorageFormat::Rg16Unorm,
        ImageFormat::Rg8 => StorageFormat::Rg8Unorm,
        ImageFormat::R16 => StorageFormat::R16Unorm,
        ImageFormat::R8 => StorageFormat::R8Unorm,
        ImageFormat::Rgba16Snorm => StorageFormat::Rgba16Snorm,
        ImageFormat::Rg16Snorm => StorageFormat::Rg16Snorm,
        ImageFormat::Rg8Snorm => StorageFormat::Rg8Snorm,
        ImageFormat::R16Snorm => StorageFormat::R16Snorm,
        ImageFormat::R8Snorm => StorageFormat::R8Snorm,
        ImageFormat::Rgba32i => StorageFormat::Rgba32Sint,
        ImageFormat::Rgba16i => StorageFormat::Rgba16Sint,
        ImageFormat::Rgba8i => StorageFormat::Rgba8Sint,
        ImageFormat::R32i => StorageFormat::R32Sint,
        ImageFormat::Rg32i => StorageFormat::Rg32Sint,
        ImageFormat::Rg16i => StorageFormat::Rg16Sint,
        ImageFormat::Rg8i => StorageFormat::Rg8Sint,
        ImageFormat::R16i => StorageFormat::R16Sint,
        ImageFormat::R8i => StorageFormat::R8Sint,
        ImageFormat::Rgba32ui => StorageFormat::Rgba32Uint,
        ImageFormat::Rgba16ui => StorageFormat::Rgba16Uint,
        ImageFormat::Rgba8ui => StorageFormat::Rgba8Uint,
        ImageFormat::R32ui => StorageFormat::R32Uint,
        ImageFormat::Rgb10a2ui => StorageFormat::Rgb10a2Uint,
        ImageFormat::Rg32ui => StorageFormat::Rg32Uint,
        ImageFormat::Rg16ui => StorageFormat::Rg16Uint,
        ImageFormat::Rg8ui => StorageFormat::Rg8Uint,
        ImageFormat::R16ui => StorageFormat::R16Uint,
        ImageFormat::R8ui => StorageFormat::R8Uint,
        ImageFormat::R64ui => StorageFormat::R64Uint,
        ImageFormat::R64i => {
            return Err(ReadError::unsupported("storage images of format R64i"));
        }
    })
}

/// All storage formats of WGSL by their WGSL names.
const NAMES: [(&str, StorageFormat); 40] = [
    ("r8unorm", StorageFormat::R8Unorm),
    ("r8snorm", StorageFormat::R8Snorm),
    ("r8uint", StorageFormat::R8Uint),
    ("r8sint", StorageFormat::R8Sint),
    ("r16uint", StorageFormat::R16Uint),
    ("r16sint", StorageFormat::R16Sint),
    ("r16float", StorageFormat::R16Float),
    ("rg8unorm", StorageFormat::Rg8Unorm),
    ("rg8snorm", StorageFormat::Rg8Snorm),
    ("rg8uint", StorageFormat::Rg8Uint),
    ("rg8sint", StorageFormat::Rg8Sint),
    ("r32uint", StorageFormat::R32Uint),
    ("r32sint", StorageFormat::R32Sint),
    ("r32float", StorageFormat::R32Float),
    ("rg16uint", StorageFormat::Rg16Uint),
    ("rg16sint", StorageFormat::Rg16Sint),
    ("rg16float", StorageFormat::Rg16Float),
    ("rgba8unorm", StorageFormat::Rgba8Unorm),
    ("rgba8snorm", StorageFormat::Rgba8Snorm),
    ("rgba8uint", StorageFormat::Rgba8Uint),
    ("rgba8sint", StorageFormat::Rgba8Sint),
    ("bgra8unorm", StorageFormat::Bgra8Unorm),
    ("rgb10a2uint", StorageFormat::Rgb10a2Uint),
    ("rgb10a2unorm", StorageFormat::Rgb10a2Unorm),
    ("rg11b10ufloat", StorageFormat::Rg11b10Ufloat),
    ("rg32uint", StorageFormat::Rg32Uint),
    ("rg32sint", StorageFormat::Rg32Sint),
    ("rg32float", StorageFormat::Rg32Float),
    ("rgba16uint", StorageFormat::Rgba16Uint),
    ("rgba16sint", StorageFormat::Rgba16Sint),
    ("rgba16float", StorageFormat::Rgba16Float),
    ("rgba32uint", StorageFormat::Rgba32Uint),
    ("rgba32sint", StorageFormat::Rgba32Sint),
    ("rgba32float", StorageFormat::Rgba32Float),
    ("r16unorm", StorageFormat::R16Unorm),
    ("r16snorm", StorageFormat::R16Snorm),
    ("rg16unorm", StorageFormat::Rg16Unorm),
    ("rg16snorm", StorageFormat::Rg16Snorm),
    ("rgba16unorm", StorageFormat::Rgba16Unorm),
    ("rgba16snorm", StorageFormat::Rgba16Snorm),
];

/// The storage format with this WGSL name.
pub(super) fn named_format(name: &str) -> Result<StorageFormat> {
    let found = NAMES.iter().find(|(known, _)| *known == name);
    let (_, format) = found.ok_or_else(|| {
        ReadError::invalid(format!(
            "`{name}` in the map of bindings is no format of WGSL"
        ))
    })?;
    Ok(*format)
}
