//! Mapping, unmapping, and reading back.

use std::sync::mpsc::channel;

use wgpu::BufferUsages as Usage;

use crate::commands::device::Intent;
use crate::commands::model::State;
use crate::commands::stream::Stream;

impl Stream {
    /// Maps a part of some buffer, now and then one that cannot be mapped.
    pub(crate) fn map(&mut self) {
        let Some(index) = self.choose(|_| true) else {
            return;
        };
        let tracked = &self.buffers[index];
        let size = tracked.size();
        let mode = self
            .random
            .pick(&[wgpu::MapMode::Read, wgpu::MapMode::Write]);
        let needed = match mode {
            wgpu::MapMode::Read => Usage::MAP_READ,
            wgpu::MapMode::Write => Usage::MAP_WRITE,
        };
        let start = self.random.pick(&[0, 0, 0, 8, 16, 4]);
        // Beyond the buffer wgpu panics, as it says it does.
        let end = if self.random.one_in(2) {
            size
        } else {
            size.min(start + 16)
        };
        if start >= end {
            return;
        }
        let can = tracked.is_idle() && tracked.has(needed) && start.is_multiple_of(8);
        let (sender, receiver) = channel();
        let map = || {
            // What was written but not submitted counts too.
            self.gpu.queue.submit([]);
            let answer = move |result| sender.send(result).unwrap();
            tracked.buffer.map_async(mode, start..end, answer);
        };
        let what = ("map_async", start, end, mode, tracked.usage, &tracked.state);
        // Some mistakes are told to the callback alone.
        let intent = if can { Intent::Valid } else { Intent::Either };
        self.gpu.call(what, intent, map);
        self.gpu.wait();
        let answer = receiver.recv().unwrap();
        assert_eq!(
            answer.is_ok(),
            can,
            "{start}..{end} {mode:?} {:?} {answer:?}",
            tracked.state
        );
        if !can && tracked.is_idle() {
            // wgpu believes in the mapping until it is told to end it.
            let buffer = &tracked.buffer;
            self.gpu.call("unmap", Intent::Either, || buffer.unmap());
        }
        if can {
            self.buffers[index].state = State::Mapped(start..end, mode);
            self.touch_mapping(index);
        }
    }

    /// Reads what is mapped and compares it; writes there where that is allowed.
    fn touch_mapping(&mut self, index: usize) {
        let State::Mapped(range, mode) = self.buffers[index].state.clone() else {
            return;
        };
        if range.is_empty() {
            return;
        }
        let words = (range.start / 4) as usize..(range.end / 4) as usize;
        let tracked = &mut self.buffers[index];
        if mode == wgpu::MapMode::Read {
            let view = tracked.buffer.get_mapped_range(range.clone()).unwrap();
            let seen: &[u32] = bytemuck::cast_slice(&view);
            assert_eq!(seen, &tracked.words[words], "what is mapped");
        } else if self.random.one_in(2) {
            let new: Vec<u32> = words.clone().map(|_| self.random.word()).collect();
            let mut view = tracked.buffer.get_mapped_range_mut(range.clone()).unwrap();
            view.copy_from_slice(bytemuck::cast_slice(&new));
            tracked.words[words].copy_from_slice(&new);
        }
        if range.end + 8 <= tracked.size() {
            let outside = range.end.next_multiple_of(8)..range.end + 8;
            assert!(tracked.buffer.get_mapped_range(outside).is_err());
        }
    }

    pub(crate) fn unmap(&mut self) {
        if let Some(index) = self.choose(|_| true) {
            self.touch_mapping(index);
            self.unmap_one(index);
        }
    }

    pub(crate) fn unmap_one(&mut self, index: usize) {
        let tracked = &mut self.buffers[index];
        if matches!(tracked.state, State::Mapped(..)) {
            let buffer = &tracked.buffer;
            self.gpu.call("unmap", Intent::Valid, || buffer.unmap());
            tracked.state = State::Idle;
        }
    }

    pub(crate) fn look(&mut self) {
        if let Some(index) = self.choose(|_| true) {
            self.look_at(index);
        }
    }

    /// Compares a buffer with the model, through a copy.
    pub(crate) fn look_at(&mut self, index: usize) {
        let tracked = &self.buffers[index];
        if !tracked.is_idle() || !tracked.has(Usage::COPY_SRC) || tracked.size() == 0 {
            return;
        }
        let seen = self.gpu.call("look", Intent::Valid, || {
            let device = &self.gpu.device;
            let download = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: tracked.size(),
                usage: Usage::MAP_READ | Usage::COPY_DST,
                mapped_at_creation: false,
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&tracked.buffer, 0, &download, 0, tracked.size());
            self.gpu.queue.submit([encoder.finish()]);
            download.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
            self.gpu.wait();
            let view = download.get_mapped_range(..).unwrap();
            bytemuck::cast_slice::<u8, u32>(&view).to_vec()
        });
        assert_eq!(seen.0, tracked.words, "buffer {index}");
    }
}
