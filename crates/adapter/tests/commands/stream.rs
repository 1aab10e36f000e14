//! A stream: random calls, one after the other, and a comparison of every buffer and texture in the end.

use wgpu::BufferUsages as Usage;

use crate::commands::device::{Gpu, Intent};
use crate::commands::images::Image;
use crate::commands::model::{Effect, State, Tracked};
use crate::commands::random::Random;
use crate::commands::texture_kernels::Pipelines;

/// Calls of a stream, at most.
const CALLS: u64 = 120;
/// Bytes that are uploaded in another way than few.
const LARGE: u64 = 1 << 20;
/// Buffers that are alive at a time.
const BUFFERS: usize = 8;

/// A command buffer that waits for its submission.
pub(crate) struct Pending {
    pub(crate) commands: wgpu::CommandBuffer,
    pub(crate) effects: Vec<Effect>,
    /// Encoding it went wrong, so it cannot be submitted.
    pub(crate) is_invalid: bool,
}

/// A device in use.
pub(crate) struct Stream {
    pub(crate) gpu: Gpu,
    pub(crate) random: Random,
    pub(crate) buffers: Vec<Tracked>,
    pub(crate) images: Vec<Image>,
    pub(crate) pipelines: Pipelines,
    pub(crate) pending: Vec<Pending>,
    /// Whether the next calls are meant to be valid. One mistake invalidates a whole submission, so most are.
    pub(crate) is_careful: bool,
}

/// Something that a stream can do.
type Call = fn(&mut Stream);

/// What a stream can do, and how often.
const TABLE: &[(u64, Call)] = &[
    (6, Stream::create_buffer),
    (10, Stream::write_buffer),
    (6, Stream::create_texture),
    (8, Stream::write_texture),
    (2, Stream::look_at_a_texture),
    (1, Stream::destroy_texture),
    (20, Stream::encode),
    (12, Stream::submit),
    (6, Stream::map),
    (5, Stream::unmap),
    (2, Stream::look),
    (1, Stream::destroy_buffer),
    (4, Stream::misuse),
    (1, Stream::poll),
];

impl Stream {
    pub(crate) fn new(gpu: Gpu, seed: u64) -> Self {
        Self {
            gpu,
            random: Random::new(seed),
            buffers: Vec::new(),
            images: Vec::new(),
            pipelines: Pipelines::new(),
            pending: Vec::new(),
            is_careful: true,
        }
    }

    pub(crate) fn run(mut self) {
        for _ in 0..3 {
            self.create_buffer();
        }
        self.create_texture();
        let total = TABLE.iter().map(|(weight, _)| weight).sum();
        for _ in 0..self.random.below(CALLS) + 10 {
            self.is_careful = !self.random.one_in(8);
            let mut at = self.random.below(total);
            for (weight, call) in TABLE {
                if at < *weight {
                    call(&mut self);
                    break;
                }
                at -= weight;
            }
        }
        self.finish();
        assert_eq!(anywarp_adapter::lost_message(&self.gpu.device), None);
    }

    /// A buffer that the device may use, with this usage if the stream is careful.
    pub(crate) fn idle(&mut self, usage: Usage) -> Option<usize> {
        let usage = if self.is_careful {
            usage
        } else {
            Usage::empty()
        };
        let fits =
            |tracked: &Tracked| tracked.is_idle() && tracked.has(usage) && tracked.size() > 0;
        self.choose(fits)
    }

    pub(crate) fn choose(&mut self, fits: impl Fn(&Tracked) -> bool) -> Option<usize> {
        let buffers = self.buffers.iter().enumerate();
        let fitting = buffers.filter(|(_, tracked)| fits(tracked));
        let fitting: Vec<usize> = fitting.map(|(index, _)| index).collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting))
    }

    pub(crate) fn create_buffer(&mut self) {
        let alive = self.buffers.iter();
        if alive
            .filter(|tracked| tracked.state != State::Destroyed)
            .count()
            >= BUFFERS
        {
            return;
        }
        let size = self
            .random
            .pick(&[0, 4, 16, 64, 100, 256, 1024, 4096, LARGE]);
        let all = [
            Usage::COPY_SRC,
            Usage::COPY_DST,
            Usage::STORAGE,
            Usage::UNIFORM,
            Usage::INDIRECT,
            Usage::MAP_READ,
            Usage::MAP_WRITE,
        ];
        // What can be copied can be looked at.
        let mut usage = Usage::COPY_SRC;
        for one in all {
            usage.set(one, usage.contains(one) || !self.random.one_in(3));
        }
        let mapped_at_creation = self.random.one_in(6);
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation,
        };
        let create = || self.gpu.device.create_buffer(&descriptor);
        let (buffer, _) = self.gpu.call(&descriptor, Intent::Valid, create);
        let state = if mapped_at_creation {
            State::Mapped(0..size, wgpu::MapMode::Write)
        } else {
            State::Idle
        };
        self.buffers.push(Tracked {
            buffer,
            usage,
            words: vec![0; size as usize / 4],
            state,
        });
    }

    pub(crate) fn write_buffer(&mut self) {
        let Some(index) = self.idle(Usage::COPY_DST) else {
            return;
        };
        let (offset, size) = self.range(self.buffers[index].size());
        let words: Vec<u32> = (0..size / 4).map(|_| self.random.word()).collect();
        let tracked = &mut self.buffers[index];
        let fits = offset + size <= tracked.size() && tracked.has(Usage::COPY_DST);
        let intent = Intent::valid_if(fits && offset.is_multiple_of(4));
        let bytes = bytemuck::cast_slice(&words);
        let write = || self.gpu.queue.write_buffer(&tracked.buffer, offset, bytes);
        let what = ("write_buffer", offset, size, tracked.usage);
        let (_, fine) = self.gpu.call(what, intent, write);
        if fine {
            let first = offset as usize / 4;
            tracked.words[first..first + words.len()].copy_from_slice(&words);
        }
    }

    /// An offset and a size in bytes; mostly inside a buffer, at words, and not empty.
    pub(crate) fn range(&mut self, whole: u64) -> (u64, u64) {
        if !self.is_careful && self.random.one_in(2) {
            let offset = self
                .random
                .pick(&[0, 1, 2, 4, whole, whole + 4, u64::from(u32::MAX) + 1]);
            return (offset, self.random.pick(&[4, 8, whole + 4]));
        }
        if whole > 0 && self.random.one_in(4) {
            return (0, whole);
        }
        let words = whole / 4;
        let first = self.random.below(words.max(1));
        let count = 1 + self.random.below((words - first.min(words)).max(1));
        (first * 4, count * 4)
    }

    pub(crate) fn submit(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let count = 1 + self.random.below(self.pending.len() as u64) as usize;
        let chosen: Vec<Pending> = self.pending.drain(..count).collect();
        let mut used = chosen.iter().flat_map(|pending| &pending.effects);
        let all_idle = used.all(|effect| {
            let buffers = effect.uses().into_iter();
            buffers
                .map(|index| &self.buffers[index])
                .all(Tracked::is_idle)
                && effect
                    .images()
                    .into_iter()
                    .all(|index| !self.images[index].is_destroyed)
        });
        let is_invalid = chosen.iter().any(|pending| pending.is_invalid);
        let (commands, effects): (Vec<_>, Vec<_>) =
            chosen.into_iter().map(|p| (p.commands, p.effects)).unzip();
        let intent = Intent::valid_if(all_idle && !is_invalid);
        let submit = || self.gpu.queue.submit(commands);
        if self.gpu.call(("submit", &effects), intent, submit).1 {
            for effect in effects.iter().flatten() {
                effect.apply(&mut self.buffers, &mut self.images);
            }
        }
    }

    fn poll(&mut self) {
        if self.random.one_in(2) {
            self.gpu.wait();
        } else {
            let _ = self.gpu.device.poll(wgpu::PollType::Poll).unwrap();
        }
    }

    fn destroy_buffer(&mut self) {
        if let Some(index) = self.choose(|tracked| tracked.state != State::Destroyed) {
            let tracked = &mut self.buffers[index];
            let buffer = &tracked.buffer;
            self.gpu.call("destroy", Intent::Valid, || buffer.destroy());
            tracked.state = State::Destroyed;
        }
    }

    /// Everything comes to an end, and every buffer is looked at.
    fn finish(&mut self) {
        while !self.pending.is_empty() {
            self.submit();
        }
        for index in 0..self.buffers.len() {
            self.unmap_one(index);
            self.look_at(index);
        }
        for index in 0..self.images.len() {
            self.look_at_texture(index);
        }
    }
}
