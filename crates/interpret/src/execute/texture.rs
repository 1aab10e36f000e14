//! Texture operations.

use anywarp_texture::{Extent, TexelAddress};

use crate::TextureOp;
use crate::TextureView;
use crate::bytecode::OUT_OF_BOUNDS;
use crate::bytecode::texture::{TextureAccess, TextureRef};
use crate::memory::{Memory, change_pair, shared};

/// Executes a texture instruction.
pub(super) fn run(r: &mut [u32], memory: &Memory<'_>, access: &TextureAccess) {
    let texture = match access.texture {
        TextureRef::Slot(slot) => slot,
        TextureRef::Register(register) => r[register as usize],
    };
    let texture = memory.textures.get(texture as usize);
    let mut value = [0; 4];
    let (first, n) = (access.value as usize, access.op.words_taken());
    value[..n].copy_from_slice(&r[first..first + n]);
    let result = access_texture(access.op, texture, texel_address(r, access), value);
    let (dst, n) = (access.dst as usize, access.op.words_given());
    r[dst..dst + n].copy_from_slice(&result[..n]);
}

/// Performs a texture operation. `value` holds the operand in its first words, the result is in the first words of
/// the returned array. `None` stands for an out-of-bounds index into a binding array: loads and queries give zero,
/// stores are dropped.
#[inline]
pub fn access_texture(
    op: TextureOp,
    texture: Option<&TextureView<'_>>,
    address: TexelAddress,
    value: [u32; 4],
) -> [u32; 8] {
    let mut result = [0; 8];
    let Some(TextureView { words, view }) = texture else {
        return result;
    };
    match op {
        TextureOp::Load { .. } => result[..4].copy_from_slice(&view.load(words, address)),
        TextureOp::Load64 => {
            if let Some([low, high, ..]) = view.read(words, address) {
                result = [low, high, 0, 0, 0, 0, 1, 0];
            }
        }
        TextureOp::Store64 => view.write(words, address, [value[0], value[1], 0, 0]),
        TextureOp::Atomic64(op) => {
            if let Some(pair) = view.pair(words, address) {
                change_pair(pair, op, [value[0], value[1]]);
            }
        }
        TextureOp::Store => view.store(words, address, value),
        TextureOp::Atomic(op) => {
            if let Some(word) = view.word(words, address) {
                shared(word, op, value[0], 0);
            }
        }
        TextureOp::Size { .. } => {
            let Extent { x, y, z } = view.extent(address.level);
            result[..3].copy_from_slice(&[x, y, z]);
        }
        TextureOp::Levels => result[0] = view.levels.len() as u32,
        TextureOp::Layers => result[0] = view.array_layers(),
        TextureOp::Samples => result[0] = view.samples,
    }
    result
}

/// Negative coordinates become large ones, which are out of bounds as well.
fn texel_address(r: &[u32], access: &TextureAccess) -> TexelAddress {
    let axis = |index: u8| {
        if index < access.axes {
            r[access.coordinate as usize + usize::from(index)]
        } else {
            0
        }
    };
    TexelAddress {
        position: Extent {
            x: axis(0),
            y: axis(1),
            z: axis(2),
        },
        layer: r[access.layer as usize],
        level: r[access.level as usize],
        sample: r[access.sample as usize],
    }
}

/// The index of a texture of a binding array among all textures.
pub(super) fn element(memory: &Memory<'_>, array: u16, index: u32) -> u32 {
    memory.array_element(array, index).unwrap_or(OUT_OF_BOUNDS)
}
