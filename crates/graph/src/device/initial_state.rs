//! The initial state of a recorded run.
//!
//! In: the words of `control`, and records with their offsets. Out: buffers with copies of them,
//! and the bind group of a dispatch that restores them: one dispatch takes less time than a buffer
//! copy, which would end the compute pass. Records have a buffer of their own, so that they may be
//! as large as a binding.

use std::borrow::Cow;

use wgpu::BufferUsages as Usage;

use super::arena::ArenaBuffer;
use super::runner::{GraphRunner, bytes_of, words_of};
use crate::layout::MAX_SIDE;

/// Workgroup size of the dispatch.
const WIDTH: u32 = 64;

/// The saved initial state of a recorded run.
pub(super) struct InitialState {
    /// The table of record ranges, and the words of `control`.
    head: wgpu::Buffer,
    control_at: u64,
    control_bytes: u64,
    pub(super) group: wgpu::BindGroup,
    /// Workgroup count along x and y.
    pub(super) groups: [u32; 2],
}

/// Records that are contiguous in the arena.
struct Part {
    /// The first word, relative to all records.
    to: u32,
    words: Vec<u32>,
}

/// Merges adjacent records. The result has at most one range for each entry, however many inputs
/// there are.
fn joined(records: &[(u64, Cow<'_, [u8]>)]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (at, bytes) in records {
        let (to, words) = ((at / 4) as u32, words_of(bytes));
        match parts.last_mut() {
            Some(last) if last.to + last.words.len() as u32 == to => last.words.extend(words),
            _ => parts.push(Part { to, words }),
        }
    }
    parts
}

impl InitialState {
    /// Saves the words of `control`, and records with their byte offsets, in order.
    pub(super) fn new(
        runner: &GraphRunner,
        control: &[u32],
        records: &[(u64, Cow<'_, [u8]>)],
    ) -> Self {
        let parts = joined(records);
        let mut kept = Vec::new();
        let mut head = vec![0, control.len() as u32, parts.len() as u32];
        for part in &parts {
            head.extend([part.to, part.words.len() as u32]);
            kept.extend_from_slice(&part.words);
        }
        let groups = ((control.len() + kept.len()) as u32).div_ceil(WIDTH);
        let height = groups.div_ceil(MAX_SIDE).max(1);
        let width = groups.div_ceil(height);
        head[0] = width;
        let control_at = 4 * head.len() as u64;
        head.extend_from_slice(control);
        let store = |label, words: &[u32]| {
            // Bindings must not be empty.
            let buffer = runner.buffer(label, 4 * words.len().max(1) as u64, Usage::STORAGE);
            runner.queue.write_buffer(&buffer, 0, &bytes_of(words));
            buffer
        };
        let (head, kept) = (
            store("graph beginning", &head),
            store("graph first records", &kept),
        );
        let resources = [head.as_entire_binding(), kept.as_entire_binding()];
        Self {
            group: runner.group(&runner.pipelines.input_layout, &resources),
            groups: [width, height],
            control_at,
            control_bytes: 4 * control.len() as u64,
            head,
        }
    }

    /// Replaces the saved words of `control` by their current values.
    pub(super) fn keep(&self, encoder: &mut wgpu::CommandEncoder, memory: &ArenaBuffer) {
        let (at, bytes) = (self.control_at, self.control_bytes);
        encoder.copy_buffer_to_buffer(&memory.buffer, 0, &self.head, at, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_that_touch_are_one_part() {
        let record = |at, words: &[u32]| (at, Cow::Owned(bytes_of(words)));
        let records = [
            record(0, &[1, 2]),
            record(8, &[3]),
            record(20, &[4]),
            record(24, &[5]),
        ];
        let parts = joined(&records);
        let parts: Vec<_> = parts.iter().map(|it| (it.to, &it.words[..])).collect();
        assert_eq!(parts, [(0, &[1, 2, 3][..]), (5, &[4, 5])]);
    }
}
