//! The resource buffer (`resources` in WGSL): what all threads of a launch share.
//!
//! In: [`Resources`]. Out: the words of the buffer, and the changed resources. In this order: sizes
//! of shared memories, layout of memories, initial state of threads, the state, the input, the
//! picture, buffers and a list of them, the queue, and workgroup memories.

use std::collections::BTreeMap;

use crate::runtime::{LaunchError, MAX_QUEUE_ITEMS, Picture, Resources, Value};

use super::layout::{Layout, count};
use super::params::Params;
use super::protocol::QUEUE_ITEMS;

/// Maximum iterations of the loop that initializes a thread.
const MAX_INIT_WORDS: usize = 60_000;

/// The initial state of threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InitialState<'a> {
    /// Words after the header: sizes, globals and so on.
    pub(super) init_words: &'a [u32],
    pub(super) args: &'a [Value],
}

/// Lays out the buffer; the offsets go into the parameters. Workgroup memory comes last, with the
/// size for the workgroups of one wave.
pub(super) fn words(
    resources: &Resources,
    layout: &Layout,
    initial: &InitialState<'_>,
    params: &mut Params,
) -> Result<Vec<u32>, LaunchError> {
    if initial.init_words.len() > MAX_INIT_WORDS {
        return Err(LaunchError::Device {
            what: format!(
                "the tables and globals of a thread have {} initial words; at most {MAX_INIT_WORDS} are supported",
                initial.init_words.len()
            ),
        });
    }
    // The layout of memories is written by the wave.
    let mut words = vec![0; 4 * params.memories as usize];
    params.shared_sizes = 0;
    params.memory_rows = params.memories;
    params.init_words = count(words.len());
    params.init_word_count = count(initial.init_words.len());
    words.extend(initial.init_words);
    params.arguments = count(words.len());
    words.extend(initial.args.iter().flat_map(|value| value.slots()));
    params.argument_words = count(words.len()) - params.arguments;
    params.clock = resources.clock.to_bits();
    params.state = count(words.len());
    params.state_words = count(resources.state.len());
    words.extend(&resources.state);
    params.input = count(words.len());
    params.input_words = count(resources.input.len());
    words.extend(&resources.input);
    if let Some(picture) = &resources.picture {
        add_picture(picture, &mut words, params)?;
    }
    add_buffers(&resources.buffers, &mut words, params);
    add_queue(&resources.queue, layout.uses.queue, &mut words, params);
    params.group_memory = count(words.len());
    Ok(words)
}

fn add_picture(
    picture: &Picture,
    words: &mut Vec<u32>,
    params: &mut Params,
) -> Result<(), LaunchError> {
    let pixels = u64::from(picture.width) * u64::from(picture.height);
    if pixels != picture.pixels.len() as u64 {
        return Err(LaunchError::PictureSize {
            width: picture.width,
            height: picture.height,
            pixels: picture.pixels.len(),
        });
    }
    params.picture = count(words.len());
    params.picture_pixels = count(picture.pixels.len());
    params.picture_width = picture.width;
    params.picture_height = picture.height;
    let channels = picture.pixels.iter().flatten();
    words.extend(channels.map(|part| part.to_bits()));
    Ok(())
}

/// Adds a list of the buffers, with a key, the first word and the length of each, and the buffers.
fn add_buffers(
    buffers: &BTreeMap<(u16, u16), Vec<u32>>,
    words: &mut Vec<u32>,
    params: &mut Params,
) {
    params.buffers = count(words.len());
    params.buffer_count = count(buffers.len());
    let list = words.len();
    words.resize(list + 3 * buffers.len(), 0);
    for (row, (&(group, binding), buffer)) in buffers.iter().enumerate() {
        let key = u32::from(group) << 16 | u32::from(binding);
        let entry = [key, count(words.len()), count(buffer.len())];
        words[list + 3 * row..][..3].copy_from_slice(&entry);
        words.extend(buffer);
    }
}

/// Adds the work queue, with capacity for more items if the program uses it.
fn add_queue(queue: &[u32], is_used: bool, words: &mut Vec<u32>, params: &mut Params) {
    let items = queue.len();
    let capacity = if is_used {
        MAX_QUEUE_ITEMS.max(items)
    } else {
        items.max(1)
    };
    params.queue = count(words.len());
    params.queue_capacity = count(capacity);
    words.extend([0, count(items), 0]);
    // An item is stored plus 1; 0 is an empty entry.
    words.extend(queue.iter().map(|item| item.wrapping_add(1)));
    words.resize(words.len() + capacity - items, 0);
}

/// Whether a launch can write any of the resources.
pub(super) fn can_change(resources: &Resources, layout: &Layout) -> bool {
    let has_words = !resources.state.is_empty() || !resources.buffers.is_empty();
    has_words || resources.picture.is_some() || layout.uses.queue
}

/// Updates the resources from the words that the device left.
pub(super) fn read_back(words: &[u32], params: &Params, resources: &mut Resources) {
    let part = |first: u32, length: usize| {
        words
            .get(first as usize..)
            .unwrap_or(&[])
            .get(..length)
            .unwrap_or(&[])
    };
    let state = part(params.state, resources.state.len());
    resources.state = state.to_vec();
    if let Some(picture) = &mut resources.picture {
        let channels = part(params.picture, picture.pixels.len() * 4);
        let (pixels, _) = channels.as_chunks::<4>();
        picture.pixels = pixels
            .iter()
            .map(|pixel| pixel.map(f32::from_bits))
            .collect();
    }
    for (row, buffer) in resources.buffers.values_mut().enumerate() {
        let entry = part(params.buffers + 3 * count(row), 3);
        if let &[_, first, length] = entry {
            *buffer = part(first, length as usize).to_vec();
        }
    }
    let queue = part(params.queue, (QUEUE_ITEMS + params.queue_capacity) as usize);
    if let [head, tail, _, items @ ..] = queue {
        let item = |index: u32| items[(index % params.queue_capacity) as usize].wrapping_sub(1);
        resources.queue = (*head..*tail).map(item).collect();
    }
}
