//! Accesses to textures.

use anywarp_texture::{Extent, Place};

use crate::TextureView;
use crate::code::texture::{TextureAccess, TextureOp, TextureRef};
use crate::code::{OUT_OF_BOUNDS, Reg};
use crate::memory::{Memory, change_pair, shared};

/// Carries out an access.
pub(super) fn run(r: &mut [u32], memory: &Memory<'_>, access: &TextureAccess) {
    let texture = match access.texture {
        TextureRef::Slot(slot) => slot,
        TextureRef::Register(register) => r[register as usize],
    };
    let texture = memory.textures.get(texture as usize);
    let dst = access.dst as usize;
    let size = |level: Reg| match texture {
        Some(texture) => {
            let Extent { x, y, z } = texture.view.extent(r[level as usize]);
            [x, y, z]
        }
        None => [0; 3],
    };
    let count = |of: fn(&TextureView<'_>) -> u32| texture.map_or(0, of);
    match access.op {
        TextureOp::Load { n } => {
            let place = place(r, access);
            let value = texture.map_or([0; 4], |it| it.view.load(it.words, place));
            let n = usize::from(n);
            r[dst..dst + n].copy_from_slice(&value[..n]);
        }
        TextureOp::Load64 => {
            let place = place(r, access);
            let texel = texture.and_then(|it| it.view.read(it.words, place));
            let value = texel.map_or([0; 8], |[low, high, ..]| [low, high, 0, 0, 0, 0, 1, 0]);
            r[dst..dst + 8].copy_from_slice(&value);
        }
        TextureOp::Store64 => {
            if let Some(texture) = texture {
                let value = access.value as usize;
                let texel = [r[value], r[value + 1], 0, 0];
                texture.view.write(texture.words, place(r, access), texel);
            }
        }
        TextureOp::Atomic64(op) => {
            let pair = texture.and_then(|it| it.view.pair(it.words, place(r, access)));
            if let Some(pair) = pair {
                let value = access.value as usize;
                change_pair(pair, op, [r[value], r[value + 1]]);
            }
        }
        TextureOp::Store => {
            if let Some(texture) = texture {
                let value = access.value as usize;
                let value = std::array::from_fn(|index| r[value + index]);
                texture.view.store(texture.words, place(r, access), value);
            }
        }
        TextureOp::Atomic(op) => {
            let word = texture.and_then(|it| it.view.word(it.words, place(r, access)));
            if let Some(word) = word {
                shared(word, op, r[access.value as usize], 0);
            }
        }
        TextureOp::Size { n } => {
            let size = size(access.level);
            let n = usize::from(n);
            r[dst..dst + n].copy_from_slice(&size[..n]);
        }
        TextureOp::Levels => r[dst] = count(|it| it.view.levels.len() as u32),
        TextureOp::Layers => r[dst] = count(|it| it.view.array_layers()),
        TextureOp::Samples => r[dst] = count(|it| it.view.samples),
    }
}

/// Negative numbers are large ones here, and outside as well.
fn place(r: &[u32], access: &TextureAccess) -> Place {
    let axis = |index: u8| match index < access.axes {
        true => r[access.coordinate as usize + usize::from(index)],
        false => 0,
    };
    Place {
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

/// The number of a texture in an array of bindings.
pub(super) fn element(memory: &Memory<'_>, array: u16, index: u32) -> u32 {
    memory.array_element(array, index).unwrap_or(OUT_OF_BOUNDS)
}
