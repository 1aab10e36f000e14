//! What a recorded run begins with.
//!
//! In: words and their places. Out: a buffer that keeps them, and the bind group of the dispatch that puts
//! them there: one dispatch takes less time than a copy, for which a device leaves its passes.

use wgpu::BufferUsages as Usage;

use super::arena::Memory;
use super::runner::{GraphRunner, bytes_of, words_of};

/// Invocations of a workgroup of the dispatch.
const WIDTH: u32 = 64;
/// The most workgroups along one side.
const MAX_SIDE: u32 = 65535;

/// The binding that words go to, by its number in begin.wgsl.
#[derive(Clone, Copy)]
enum Target {
    Control = 0,
    Arena = 1,
    Plan = 2,
}

/// Words for one place.
pub(super) struct Part {
    target: Target,
    /// The first word there.
    to: u32,
    words: Vec<u32>,
}

/// Where the words of a part are kept.
struct Kept {
    target: Target,
    to: u32,
    from: u32,
    words: u32,
}

/// The beginning of a recorded run.
pub(super) struct Beginning {
    image: wgpu::Buffer,
    kept: Vec<Kept>,
    pub(super) group: wgpu::BindGroup,
    /// Workgroups along x and y.
    pub(super) groups: [u32; 2],
}

impl Beginning {
    /// All words of `control`.
    pub(super) fn control(words: Vec<u32>) -> Part {
        Part {
            target: Target::Control,
            to: 0,
            words,
        }
    }

    /// Records, so many bytes behind the first one.
    pub(super) fn records(at: u64, bytes: &[u8]) -> Part {
        Part {
            target: Target::Arena,
            to: (at / 4) as u32,
            words: words_of(bytes),
        }
    }

    /// Words of the plan.
    pub(super) fn plan(to: u32, words: Vec<u32>) -> Part {
        Part {
            target: Target::Plan,
            to,
            words,
        }
    }

    pub(super) fn new(runner: &GraphRunner, parts: &[Part]) -> Self {
        let (mut kept, mut image) = (Vec::new(), Vec::new());
        let mut table = vec![parts.len() as u32];
        for part in parts {
            let words = part.words.len() as u32;
            table.extend([part.target as u32, part.to, words]);
            kept.push(Kept {
                target: part.target,
                to: part.to,
                from: image.len() as u32,
                words,
            });
            image.extend_from_slice(&part.words);
        }
        let store = |label, words: &[u32], usage| {
            let buffer = runner.buffer(label, 4 * words.len() as u64, usage | Usage::STORAGE);
            runner.queue.write_buffer(&buffer, 0, &bytes_of(words));
            buffer
        };
        let table = store("graph parts", &table, Usage::empty());
        let groups = (image.len() as u32).div_ceil(WIDTH);
        let image = store("graph beginning", &image, Usage::empty());
        let resources = [table.as_entire_binding(), image.as_entire_binding()];
        let height = groups.div_ceil(MAX_SIDE);
        Self {
            group: runner.group(&runner.pipelines.input, &resources),
            groups: [groups.div_ceil(height.max(1)), height],
            image,
            kept,
        }
    }

    /// Keeps what is there now instead.
    pub(super) fn keep(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        runner: &GraphRunner,
        memory: &Memory,
    ) {
        for kept in &self.kept {
            let (buffer, first) = match kept.target {
                Target::Control => (&memory.buffer, 0),
                Target::Arena => (&memory.buffer, runner.layout.records()),
                Target::Plan => (&runner.buffers.plan, 0),
            };
            let [from, to, size] = [kept.to, kept.from, kept.words].map(|it| 4 * u64::from(it));
            encoder.copy_buffer_to_buffer(buffer, first + from, &self.image, to, size);
        }
    }
}
