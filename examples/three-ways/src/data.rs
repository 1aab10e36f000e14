//! The data of a case, which is the same for all three ways.

use gpu_sdk::host::Resources;

use crate::Words;
use crate::case::{CLOCK, Case, Data};

/// What the kernel reads and writes.
pub(crate) fn resources(case: &Case) -> Resources {
    let mut data = Resources::new().clock(CLOCK);
    if let Data::Picture { width, height } = case.data {
        data = data.picture(width, height);
    }
    for (group, binding, words) in case.buffers() {
        data = data.buffer(group, binding, &words);
    }
    data
}

/// The words that the kernel has written: those of its buffer, or the bits of the picture.
pub(crate) fn result(case: &Case, data: &Resources) -> Words {
    if let Some(buffer) = case.result().and_then(|place| data.buffers.get(&place)) {
        return buffer.clone();
    }
    let picture = data.picture.iter();
    let channels = picture.flat_map(|picture| picture.pixels.as_flattened());
    channels.map(|channel| channel.to_bits()).collect()
}
