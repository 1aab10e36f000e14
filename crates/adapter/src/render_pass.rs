//! Render passes without drawing: attachments are cleared at the beginning and resolved at the end.
//!
//! Programs and wgpu-core itself clear textures this way, in compute programs too. Render pipelines cannot be created,
//! so nothing is ever drawn.

use anywarp_cpu::ViewedTexture;
use anywarp_texture::Kind;
use wgpu::{hal, wgt};

use crate::resources::QuerySet;
use crate::texture::TextureView;
use crate::texture_command::TextureCommand;

type Descriptor<'a> = hal::RenderPassDescriptor<'a, QuerySet, TextureView>;

/// The clears at the beginning of a pass.
pub(crate) fn clears(pass: &Descriptor<'_>) -> Vec<TextureCommand> {
    let mut commands = Vec::new();
    for attachment in pass.color_attachments.iter().flatten() {
        let view = attachment.target.view.aspect(hal::FormatAspects::COLOR);
        if let Some(view) = view.filter(|_| is_clear(attachment.ops)) {
            commands.push(TextureCommand::Fill {
                value: color(view, attachment.clear_value),
                view: view.clone(),
                slice: attachment.depth_slice,
            });
        }
    }
    if let Some(attachment) = &pass.depth_stencil_attachment {
        let (depth, stencil) = attachment.clear_value;
        for (aspect, ops, value) in [
            (
                hal::FormatAspects::DEPTH,
                attachment.depth_ops,
                depth.to_bits(),
            ),
            (
                hal::FormatAspects::STENCIL,
                attachment.stencil_ops,
                stencil & 0xff,
            ),
        ] {
            let view = attachment.target.view.aspect(aspect);
            if let Some(view) = view.filter(|_| is_clear(ops)) {
                commands.push(TextureCommand::Fill {
                    view: view.clone(),
                    slice: None,
                    value: [value, 0, 0, 0],
                });
            }
        }
    }
    commands
}

/// The multisample resolves at the end of a pass.
pub(crate) fn resolves(pass: &Descriptor<'_>) -> Vec<TextureCommand> {
    let attachments = pass.color_attachments.iter().flatten();
    attachments
        .filter_map(|attachment| {
            let target = attachment.resolve_target.as_ref()?;
            Some(TextureCommand::Resolve {
                source: attachment.target.view.for_shaders()?.clone(),
                target: target.view.for_shaders()?.clone(),
            })
        })
        .collect()
}

fn is_clear(ops: hal::AttachmentOps) -> bool {
    ops.contains(hal::AttachmentOps::LOAD_CLEAR)
}

/// A clear color as channel words of a format.
fn color(view: &ViewedTexture, color: wgt::Color) -> [u32; 4] {
    let wgt::Color { r, g, b, a } = color;
    [r, g, b, a].map(|channel| match view.view().format.kind() {
        Kind::Float | Kind::Depth => (channel as f32).to_bits(),
        Kind::Sint => channel as i32 as u32,
        Kind::Uint => channel as u32,
    })
}
