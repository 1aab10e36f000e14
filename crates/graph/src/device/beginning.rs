//! What a recorded run begins with.
//!
//! In: the words of `control`, and records with their places. Out: buffers that keep them, and the bind
//! group of the dispatch that puts them there: one dispatch takes less time than a copy, for which a device
//! leaves its passes. Records have a buffer of their own, so that they may be as many as a binding has.

use std::borrow::Cow;

use wgpu::BufferUsages as Usage;

use super::arena::Memory;
use super::layout::MAX_SIDE;
use super::runner::{GraphRunner, bytes_of, words_of};

/// Invocations of a workgroup of the dispatch.
const WIDTH: u32 = 64;

/// The beginning of a recorded run.
pub(super) struct Beginning {
    /// Where everything goes, and the words of `control`.
    head: wgpu::Buffer,
    control_at: u64,
    control_bytes: u64,
    pub(super) group: wgpu::BindGroup,
    /// Workgroups along x and y.
    pub(super) groups: [u32; 2],
}

/// Records that lie side by side.
struct Part {
    /// The first word among all records.
    to: u32,
    words: Vec<u32>,
}

/// Records that touch become one part: there is at most one for each entry, however many inputs there are.
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

impl Beginning {
    /// Keeps the words of `control`, and records at their places in bytes, in order.
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
            // No binding is empty.
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
            group: runner.group(&runner.pipelines.input, &resources),
            groups: [width, height],
            control_at,
            control_bytes: 4 * control.len() as u64,
            head,
        }
    }

    /// Keeps the words of `control` that are there now instead.
    pub(super) fn keep(&self, encoder: &mut wgpu::CommandEncoder, memory: &Memory) {
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
