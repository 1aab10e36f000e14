//! The buffer table of a kernel in machine code: [`BufferEntry`]s and [`TextureLevelEntry`]s, filled from the bindings.
//!
//! In: the buffer numbers of the code, and the resources of the kernel. Out: for each run the table that the code
//! reads. An array of buffers is one buffer to the code: its words are the entries of the bound elements, and after
//! them the entry of an empty buffer. A mip level of a texture is one, too: its words are its [`TextureLevelEntry`]. What
//! always holds: no buffer is smaller than the program's variable, and none has more words than code can address.

use std::ptr;
use std::sync::atomic::AtomicU32;

use anywarp_execution::{
    ArgumentIndex, Arguments, BufferView, Resource, ResourceClass, ResourceKind, TextureBinding,
    TextureView, locate,
};
use anywarp_lanes::BufferSource;
use anywarp_lanes::ir::{BufferEntry, TexelEncoding, TextureLevelEntry};
use anywarp_program::units::MAX_BINDING_SIZE;
use anywarp_texture::{self as texture, Channels, LevelMemory};

use crate::error::LinkError;

/// The largest buffer that code can address, in words.
const MAX_BUFFER_WORDS: usize = MAX_BINDING_SIZE.words().0 as usize;

/// Words of an entry.
const ENTRY_WORDS: u64 = (size_of::<BufferEntry>() / 4) as u64;

/// A buffer number of the code.
#[derive(Clone, Copy, Debug)]
enum BufferSlot {
    Buffer {
        index: ArgumentIndex,
        /// The smallest size in words; for an array, of each element.
        min_words: usize,
    },
    /// The entry of a mip level of a texture.
    Level(Level),
    /// The texel words of a mip level.
    Texels(Level),
}

/// A mip level of a texture.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The index of the texture among the textures.
    texture: usize,
    /// The texture type that the program declares.
    wanted: TextureBinding,
    level: u32,
}

/// The buffer numbers of a kernel.
#[derive(Debug)]
pub(crate) struct BufferSlots(Vec<BufferSlot>);

impl BufferSlots {
    /// Resolves each buffer of the code to a resource of the kernel.
    pub(crate) fn new(resources: &[Resource], buffers: &[BufferSource]) -> Result<Self, LinkError> {
        let slots = buffers.iter().map(|bound| buffer_slot(resources, *bound));
        Ok(Self(slots.collect::<Result<_, _>>()?))
    }

    /// Whether the bindings meet the code's assumptions about sizes.
    pub(crate) fn accepts(&self, arguments: &Arguments<'_>) -> bool {
        self.0.iter().all(|slot| {
            let BufferSlot::Buffer { index, min_words } = *slot else {
                // Textures that code cannot access itself are accessed by host calls.
                return true;
            };
            let fits =
                |view: &BufferView<'_>| (min_words..=MAX_BUFFER_WORDS).contains(&view.words.len());
            match index {
                ArgumentIndex::Single(index) => arguments.buffers.get(index).is_some_and(fits),
                ArgumentIndex::Array(number) => {
                    elements(arguments, number).is_some_and(|views| views.iter().all(fits))
                }
            }
        })
    }
}

/// The buffer table, and the memory that its entries point to.
#[derive(Debug, Default)]
pub(crate) struct BufferTable {
    buffers: Vec<BufferEntry>,
    /// The entries of all arrays.
    elements: Vec<BufferEntry>,
    /// The entries of all mip levels.
    levels: Vec<TextureLevelEntry>,
}

impl BufferTable {
    /// Fills the table from the bindings, which must be accepted ([`BufferSlots::accepts`]). Returns its start, which
    /// is valid until the next call.
    pub(crate) fn fill(
        &mut self,
        slots: &BufferSlots,
        arguments: &Arguments<'_>,
    ) -> *const BufferEntry {
        self.buffers.clear();
        self.elements.clear();
        self.levels.clear();
        for slot in &slots.0 {
            match *slot {
                BufferSlot::Buffer {
                    index: ArgumentIndex::Single(_),
                    ..
                }
                | BufferSlot::Texels(_) => {}
                BufferSlot::Buffer {
                    index: ArgumentIndex::Array(number),
                    ..
                } => {
                    let views = elements(arguments, number).unwrap_or(&[]);
                    self.elements.extend(views.iter().map(entry));
                    self.elements.push(EMPTY);
                }
                BufferSlot::Level(level) => self.levels.push(level_entry(arguments, level)),
            }
        }
        // From here on the vectors of elements and levels do not grow, so their addresses are stable.
        let mut rest = self.elements.as_slice();
        let mut levels = self.levels.iter();
        for slot in &slots.0 {
            self.buffers.push(match *slot {
                BufferSlot::Buffer {
                    index: ArgumentIndex::Single(index),
                    ..
                } => arguments.buffers.get(index).map_or(EMPTY, entry),
                BufferSlot::Buffer {
                    index: ArgumentIndex::Array(number),
                    ..
                } => {
                    let count = elements(arguments, number).map_or(0, <[_]>::len);
                    let (array, others) = rest.split_at(count + 1);
                    rest = others;
                    BufferEntry {
                        start: array.as_ptr().cast_mut().cast(),
                        words: count as u64 * ENTRY_WORDS,
                    }
                }
                BufferSlot::Level(_) => levels.next().map_or(EMPTY, |entry| BufferEntry {
                    start: ptr::from_ref(entry).cast_mut().cast(),
                    words: (size_of::<TextureLevelEntry>() / 4) as u64,
                }),
                BufferSlot::Texels(level) => {
                    let texels = texels(arguments, level);
                    texels.map_or(EMPTY, |(texels, _)| entry_of(texels.words))
                }
            });
        }
        self.buffers.as_ptr()
    }
}

/// An empty buffer, which code never accesses.
const EMPTY: BufferEntry = BufferEntry {
    start: ptr::null_mut(),
    words: 0,
};

fn entry(view: &BufferView<'_>) -> BufferEntry {
    entry_of(view.words)
}

fn entry_of(words: &[AtomicU32]) -> BufferEntry {
    // Atomic words may be written through a shared reference; code writes them with the same instructions.
    BufferEntry {
        start: words.as_ptr().cast_mut().cast(),
        words: words.len() as u64,
    }
}

/// The entry of a mip level that code cannot access itself.
const HOST_ONLY: TextureLevelEntry = TextureLevelEntry {
    encoding: TexelEncoding::Other,
    width: 0,
    height: 0,
    depth: 0,
    step: 0,
    row: 0,
    slice: 0,
    first: 0,
    size: 1,
    words: [0; 4],
    shifts: [0; 4],
    masks: [0; 4],
    signs: [0; 4],
    ones: [1.0; 4],
    alpha: 0,
    table: EMPTY,
};

/// The texels of a mip level, if code can access them itself.
fn texels<'a>(arguments: &Arguments<'a>, level: Level) -> Option<(LevelMemory<'a>, Channels)> {
    let TextureView { words, view } = *arguments.textures.get(level.texture)?;
    level.wanted.check(view).ok()?;
    let texels = view.level_memory(words, level.level)?;
    // Texels of whole words begin at a word.
    let is_aligned = texels.step < 4 || texels.first == 0;
    let is_reachable = texels.step.is_power_of_two() && texels.words.len() <= MAX_BUFFER_WORDS;
    (is_aligned && is_reachable).then_some((texels, view.format.channel_encoding()?))
}

/// The entry of a mip level.
fn level_entry(arguments: &Arguments<'_>, level: Level) -> TextureLevelEntry {
    let table = texture::srgb_to_linear();
    let table = BufferEntry {
        start: table.as_ptr().cast_mut(),
        words: table.len() as u64,
    };
    let Some((texels, channels)) = texels(arguments, level) else {
        // Code may read the table before it tests the coding.
        return TextureLevelEntry { table, ..HOST_ONLY };
    };
    let mut entry = TextureLevelEntry {
        encoding: match channels.encoding {
            texture::ChannelEncoding::Raw => TexelEncoding::Raw,
            texture::ChannelEncoding::Unorm8 => TexelEncoding::Unorm8,
            texture::ChannelEncoding::Srgb8 => TexelEncoding::Table8,
            texture::ChannelEncoding::Float16 => TexelEncoding::Float16,
            texture::ChannelEncoding::Normalized => TexelEncoding::Normalized,
        },
        width: texels.extent.x,
        height: texels.extent.y,
        depth: texels.extent.z,
        step: texels.step.trailing_zeros(),
        row: texels.row,
        slice: texels.slice,
        first: texels.first,
        size: texels.step.div_ceil(4),
        alpha: channels.alpha,
        table,
        ..HOST_ONLY
    };
    for (channel, place) in channels.places.into_iter().enumerate() {
        let Some((first, width)) = place else {
            continue;
        };
        let mask = u32::MAX >> (32 - width);
        entry.words[channel] = first / 32;
        entry.shifts[channel] = first % 32;
        entry.masks[channel] = mask;
        entry.signs[channel] = if channels.is_signed {
            mask ^ mask >> 1
        } else {
            0
        };
        entry.ones[channel] = (if channels.is_signed { mask >> 1 } else { mask }) as f32;
    }
    entry
}

/// The elements of an array of buffers.
fn elements<'a>(arguments: &Arguments<'a>, array: usize) -> Option<&'a [BufferView<'a>]> {
    let range = arguments.arrays.get(array)?;
    arguments
        .buffers
        .get(range.start as usize..range.end as usize)
}

fn buffer_slot(resources: &[Resource], bound: BufferSource) -> Result<BufferSlot, LinkError> {
    match bound {
        BufferSource::Buffer(group, binding) => {
            let (index, resource) = locate(resources, (group, binding), ResourceClass::Buffer)?;
            Ok(BufferSlot::Buffer {
                index,
                min_words: resource.min_size.div_ceil(4) as usize,
            })
        }
        BufferSource::Level(bound) => Ok(BufferSlot::Level(level(resources, bound)?)),
        BufferSource::Texels(bound) => Ok(BufferSlot::Texels(level(resources, bound)?)),
        _ => Err(LinkError::BufferSource(bound)),
    }
}

fn level(resources: &[Resource], level: anywarp_lanes::TextureLevel) -> Result<Level, LinkError> {
    let (index, resource) = locate(
        resources,
        (level.group, level.binding),
        ResourceClass::Texture,
    )?;
    match (index, resource.kind) {
        (ArgumentIndex::Single(texture), ResourceKind::Texture(wanted)) => Ok(Level {
            texture,
            wanted,
            level: level.level,
        }),
        _ => Err(LinkError::LevelOfElement),
    }
}

#[cfg(test)]
mod tests {
    use anywarp_execution::{Access, Elements};

    use super::*;

    fn resource(binding: u32, kind: ResourceKind, elements: Elements) -> Resource {
        Resource {
            group: 0,
            binding,
            name: format!("v{binding}"),
            kind,
            elements,
            access: Access::ReadWrite,
            min_size: 8,
        }
    }

    fn words(count: usize) -> Vec<AtomicU32> {
        (0..count).map(|_| AtomicU32::new(0)).collect()
    }

    /// Calls `run` with two single buffers and an array of two, the second with `last` words.
    fn with_arguments(last: usize, run: impl FnOnce(&BufferSlots, &Arguments<'_>)) {
        let kind = ResourceKind::Storage;
        let resources = [
            resource(3, kind, Elements::Exactly(2)),
            resource(1, kind, Elements::Single),
            resource(2, kind, Elements::Any),
            resource(0, kind, Elements::Single),
        ];
        let slots = BufferSlots::new(
            &resources,
            &[0, 2, 1].map(|binding| BufferSource::Buffer(0, binding)),
        )
        .unwrap();
        let memory = [2, 3, 9, 9, 4, last].map(words);
        let buffers: Vec<_> = memory.iter().map(|words| BufferView { words }).collect();
        let arguments = Arguments {
            buffers: &buffers,
            textures: &[],
            arrays: &[2..4, 4..6],
            immediates: &[],
            workgroup_count: [1; 3],
        };
        run(&slots, &arguments);
    }

    #[test]
    fn arrays_are_tables_that_end_with_an_empty_entry() {
        with_arguments(5, |slots, arguments| {
            assert!(slots.accepts(arguments));
            let mut table = BufferTable::default();
            table.fill(slots, arguments);
            let counts: Vec<_> = table.buffers.iter().map(|entry| entry.words).collect();
            assert_eq!(counts, [3, 8, 2]);
            assert_eq!(
                table.buffers[1].start.cast_const().cast(),
                table.elements.as_ptr()
            );
            let counts: Vec<_> = table.elements.iter().map(|entry| entry.words).collect();
            assert_eq!(counts, [4, 5, 0]);
        });
    }

    #[test]
    fn elements_that_are_too_small_are_not_accepted() {
        with_arguments(1, |slots, arguments| assert!(!slots.accepts(arguments)));
    }

    #[test]
    fn arrays_that_are_not_bound_are_not_accepted() {
        with_arguments(5, |slots, arguments| {
            let arguments = Arguments {
                arrays: std::slice::from_ref(&(0..2)),
                ..*arguments
            };
            assert!(!slots.accepts(&arguments));
        });
    }

    #[test]
    fn unknown_bindings_are_named() {
        let resources = [resource(0, ResourceKind::Uniform, Elements::Single)];
        let error = BufferSlots::new(&resources, &[BufferSource::Buffer(0, 1)]).unwrap_err();
        assert_eq!(error.to_string(), "unknown resource @group(0) @binding(1)");
    }
}
