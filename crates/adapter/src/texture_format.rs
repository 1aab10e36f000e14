//! Texture formats: the mapping from wgpu's to the CPU's, and their capabilities.

use anywarp_texture::{Format, Kind};
use wgpu::{hal, wgt};

macro_rules! same_names {
    ($($name:ident)*) => {
        /// The format with the same name in wgpu. Compressed and multi-planar formats are unsupported.
        pub(crate) fn format(format: wgt::TextureFormat) -> Option<Format> {
            match format {
                $(wgt::TextureFormat::$name => Some(Format::$name),)*
                _ => None,
            }
        }

        #[cfg(test)]
        const BOTH: &[(wgt::TextureFormat, Format)] =
            &[$((wgt::TextureFormat::$name, Format::$name)),*];
    };
}

anywarp_texture::with_formats!(same_names);

/// Whether WGSL has storage textures of a format.
fn is_storable(format: Format) -> bool {
    let packed_or_curved = matches!(
        format,
        Format::Rgba8UnormSrgb | Format::Bgra8UnormSrgb | Format::Rgb9e5Ufloat
    );
    !packed_or_curved && !format.is_depth_or_stencil()
}

/// The capabilities of a format.
///
/// Attachments can be cleared and resolved, which is all that a render pass does here. `SAMPLED_LINEAR` permits bind
/// group layouts with a filtering sampler; a pipeline that samples cannot be created.
pub(crate) fn capabilities(wgpu_format: wgt::TextureFormat) -> hal::TextureFormatCapabilities {
    use hal::TextureFormatCapabilities as Can;
    let Some(format) = format(wgpu_format) else {
        return Can::empty();
    };
    let guaranteed = wgpu_format.guaranteed_format_features(wgt::Features::empty());
    let is_attachment = guaranteed
        .allowed_usages
        .contains(wgt::TextureUsages::RENDER_ATTACHMENT);
    let filterable = wgt::TextureFormatFeatureFlags::FILTERABLE;

    let mut can = Can::COPY_SRC | Can::COPY_DST | Can::SAMPLED;
    can.set(Can::SAMPLED_LINEAR, guaranteed.flags.contains(filterable));
    let storage = Can::STORAGE_READ_ONLY | Can::STORAGE_WRITE_ONLY | Can::STORAGE_READ_WRITE;
    can.set(storage, is_storable(format));
    let atomic = matches!(format, Format::R32Uint | Format::R32Sint | Format::R64Uint);
    can.set(Can::STORAGE_ATOMIC, atomic);
    if is_attachment {
        let is_depth = format.is_depth_or_stencil();
        can.set(Can::DEPTH_STENCIL_ATTACHMENT, is_depth);
        can.set(Can::COLOR_ATTACHMENT, !is_depth);
        can |= Can::MULTISAMPLE_X2 | Can::MULTISAMPLE_X4 | Can::MULTISAMPLE_X8;
        can.set(Can::MULTISAMPLE_RESOLVE, format.kind() == Kind::Float);
    }
    can
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_name_and_size_in_wgpu() {
        assert_eq!(BOTH.len(), Format::ALL.len());
        for (theirs, ours) in BOTH {
            assert_eq!(format!("{theirs:?}"), format!("{ours:?}"));
            assert_eq!(format(*theirs), Some(*ours));
            if let Some(bytes) = theirs.block_copy_size(None) {
                assert_eq!(bytes, ours.bytes(), "{ours:?}");
            }
            if !ours.is_depth_or_stencil() {
                assert_eq!(
                    usize::from(theirs.components()),
                    ours.channels(),
                    "{ours:?}"
                );
            }
        }
    }

    /// All guaranteed usages are supported, with and without the optional features that are reported.
    #[test]
    fn every_guaranteed_use_is_there() {
        use hal::TextureFormatCapabilities as Can;
        use wgt::TextureUsages as Uses;
        for (theirs, _) in BOTH {
            let features = crate::capabilities::features();
            let guaranteed = theirs.guaranteed_format_features(features);
            let can = capabilities(*theirs);
            let attachment = Can::COLOR_ATTACHMENT | Can::DEPTH_STENCIL_ATTACHMENT;
            for (usage, needs) in [
                (Uses::COPY_SRC, Can::COPY_SRC),
                (Uses::COPY_DST, Can::COPY_DST),
                (Uses::TEXTURE_BINDING, Can::SAMPLED),
                (Uses::STORAGE_BINDING, Can::STORAGE_WRITE_ONLY),
                (Uses::STORAGE_ATOMIC, Can::STORAGE_ATOMIC),
                (Uses::RENDER_ATTACHMENT, attachment),
            ] {
                let needed = guaranteed.allowed_usages.contains(usage);
                assert!(!needed || can.intersects(needs), "{theirs:?} {usage:?}");
            }
            let multisampled = wgt::TextureFormatFeatureFlags::MULTISAMPLE_X4;
            let both = guaranteed.flags.contains(multisampled)
                && guaranteed.allowed_usages.contains(Uses::RENDER_ATTACHMENT);
            assert!(!both || can.contains(Can::MULTISAMPLE_X4), "{theirs:?}");
        }
    }
}
