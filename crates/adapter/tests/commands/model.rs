//! The model of buffers: words in memory, and effects that change them in order. Textures are in `images`.

use std::ops::Range;

use wgpu::BufferUsages as Usage;

use crate::commands::device::MAX_WORKGROUPS;
use crate::commands::images::{Image, TexelEffect};

/// A buffer and what is known about it.
#[derive(Debug)]
pub(crate) struct Tracked {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) usage: Usage,
    pub(crate) words: Vec<u32>,
    pub(crate) state: State,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum State {
    Idle,
    /// These bytes, for this.
    Mapped(Range<u64>, wgpu::MapMode),
    Destroyed,
}

impl Tracked {
    /// In bytes.
    pub(crate) fn size(&self) -> u64 {
        self.words.len() as u64 * 4
    }

    /// Whether the device may use it.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    pub(crate) fn has(&self, usage: Usage) -> bool {
        self.usage.contains(usage)
    }
}

/// Where a dispatch finds its size.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    Direct([u32; 3]),
    /// A buffer and a byte offset.
    Indirect(usize, u64),
}

/// What a command does when it runs. Buffers are given by their index, ranges in bytes.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Clear(usize, Range<u64>),
    Copy {
        source: usize,
        source_offset: u64,
        target: usize,
        target_offset: u64,
        size: u64,
    },
    Affine {
        data: (usize, Range<u64>),
        params: (usize, u64),
        j: u32,
        size: Size,
    },
    Texels(TexelEffect),
}

impl Effect {
    /// The buffers that it uses.
    pub(crate) fn uses(&self) -> Vec<usize> {
        match self {
            Self::Clear(buffer, _) => vec![*buffer],
            Self::Copy { source, target, .. } => vec![*source, *target],
            Self::Affine {
                data, params, size, ..
            } => match size {
                Size::Direct(_) => vec![data.0, params.0],
                Size::Indirect(buffer, _) => vec![data.0, params.0, *buffer],
            },
            Self::Texels(effect) => effect.buffers(),
        }
    }

    /// The textures that it uses.
    pub(crate) fn images(&self) -> Vec<usize> {
        match self {
            Self::Texels(effect) => effect.images(),
            _ => Vec::new(),
        }
    }

    /// Does it.
    pub(crate) fn apply(&self, buffers: &mut [Tracked], images: &mut [Image]) {
        let words = |range: &Range<u64>| (range.start / 4) as usize..(range.end / 4) as usize;
        match self {
            Self::Texels(effect) => effect.apply(buffers, images),
            Self::Clear(buffer, range) => buffers[*buffer].words[words(range)].fill(0),
            Self::Copy {
                source,
                source_offset,
                target,
                target_offset,
                size,
            } => {
                let from = words(&(*source_offset..source_offset + size));
                let to = words(&(*target_offset..target_offset + size));
                let copied = buffers[*source].words[from].to_vec();
                buffers[*target].words[to].copy_from_slice(&copied);
            }
            Self::Affine {
                data: (data, range),
                params,
                j,
                size,
            } => {
                let count = count(buffers, size);
                let k = buffers[params.0].words[(params.1 / 4) as usize];
                let data = &mut buffers[*data].words[words(range)];
                for word in data.iter_mut().take(count) {
                    let sum = word.wrapping_mul(3).wrapping_add(k).wrapping_add(*j);
                    *word = sum % 7;
                }
            }
        }
    }
}

/// The words that a dispatch reaches. An indirect one beyond the limits does nothing.
fn count(buffers: &[Tracked], size: &Size) -> usize {
    let groups = match *size {
        Size::Direct(groups) => groups,
        Size::Indirect(buffer, offset) => {
            let first = (offset / 4) as usize;
            let groups = [0, 1, 2].map(|axis| buffers[buffer].words[first + axis]);
            if groups.iter().all(|axis| *axis <= MAX_WORKGROUPS) {
                groups
            } else {
                [0; 3]
            }
        }
    };
    groups.iter().map(|axis| *axis as usize).product::<usize>() * 2
}
