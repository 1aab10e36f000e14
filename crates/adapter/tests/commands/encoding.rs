//! Commands on buffers, most of them right: clears, copies and dispatches. Those on textures are elsewhere.

use wgpu::BufferUsages as Usage;

use crate::commands::device::{Intent, MAX_WORKGROUPS};
use crate::commands::model::{Effect, Size};
use crate::commands::stream::{Pending, Stream};

/// A command that was encoded: what it will do, or that it is wrong.
pub(crate) enum Encoded {
    Does(Effect),
    /// An encoder with it cannot be finished.
    IsWrong,
}

impl Stream {
    /// Records a few commands, to be submitted some time later.
    pub(crate) fn encode(&mut self) {
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        let mut effects = Vec::new();
        let mut is_invalid = false;
        let mut is_first = true;
        for _ in 0..1 + self.random.below(5) {
            let encoded = match self.random.below(14) {
                0 | 1 => self.clear(&mut encoder),
                2..=4 => self.copy(&mut encoder),
                5..=8 => self.copy_texels(&mut encoder, is_first),
                9 | 10 => self.dispatch_texels(&mut encoder),
                _ => self.dispatch(&mut encoder),
            };
            is_first &= encoded.is_none();
            match encoded {
                Some(Encoded::Does(effect)) => effects.push(effect),
                Some(Encoded::IsWrong) => is_invalid = true,
                None => {}
            }
        }
        if self.random.one_in(25) {
            // A pass without a matching end call.
            let pass = encoder.begin_compute_pass(&Default::default());
            let pass = pass.forget_lifetime();
            let finish = || encoder.finish();
            self.gpu
                .call("finish with an open pass", Intent::Invalid, finish);
            self.gpu.call("end", Intent::Either, || drop(pass));
            return;
        }
        let intent = Intent::valid_if(!is_invalid);
        let (commands, _) = self
            .gpu
            .call(("finish", &effects), intent, || encoder.finish());
        if self.random.one_in(10) {
            // Dropped without a submission.
            return;
        }
        self.pending.push(Pending {
            commands,
            effects,
            is_invalid,
        });
    }

    fn clear(&mut self, encoder: &mut wgpu::CommandEncoder) -> Option<Encoded> {
        let index = self.idle(Usage::COPY_DST)?;
        let (offset, size) = self.range(self.buffers[index].size());
        let tracked = &self.buffers[index];
        let fits = offset
            .checked_add(size)
            .is_some_and(|end| end <= tracked.size());
        let fine = fits && offset.is_multiple_of(4) && tracked.has(Usage::COPY_DST);
        encoder.clear_buffer(&tracked.buffer, offset, Some(size));
        Some(if fine {
            Encoded::Does(Effect::Clear(index, offset..offset + size))
        } else {
            Encoded::IsWrong
        })
    }

    fn copy(&mut self, encoder: &mut wgpu::CommandEncoder) -> Option<Encoded> {
        let source = self.idle(Usage::COPY_SRC)?;
        let target = self.idle(Usage::COPY_DST)?;
        if source == target && self.is_careful {
            return None;
        }
        // Texels must not become the size of a dispatch: it might never end.
        let is_size = |index: usize| self.buffers[index].has(Usage::INDIRECT);
        if is_size(target) && !is_size(source) {
            return None;
        }
        let (source_size, target_size) = (self.buffers[source].size(), self.buffers[target].size());
        let (source_offset, size) = self.range(source_size);
        let (target_offset, other) = self.range(target_size);
        let size = if self.is_careful {
            size.min(other)
        } else {
            size
        };
        let inside = |offset: u64, whole| offset.checked_add(size).is_some_and(|end| end <= whole);
        let fine = source != target
            && inside(source_offset, source_size)
            && inside(target_offset, target_size)
            && source_offset.is_multiple_of(4)
            && target_offset.is_multiple_of(4)
            && self.buffers[source].has(Usage::COPY_SRC)
            && self.buffers[target].has(Usage::COPY_DST);
        let (from, to) = (&self.buffers[source].buffer, &self.buffers[target].buffer);
        encoder.copy_buffer_to_buffer(from, source_offset, to, target_offset, size);
        Some(if fine {
            Encoded::Does(Effect::Copy {
                source,
                source_offset,
                target,
                target_offset,
                size,
            })
        } else {
            Encoded::IsWrong
        })
    }

    fn dispatch(&mut self, encoder: &mut wgpu::CommandEncoder) -> Option<Encoded> {
        let bound = self.bind()?;
        let forgets_group = !self.is_careful && self.random.one_in(6);
        let immediates = if self.is_careful {
            4
        } else {
            self.random.pick(&[4, 4, 8, 2, 300])
        };
        let j = self.random.word();
        let size = self.size_of_dispatch(bound.data);
        let size_is_fine = match &size {
            Size::Direct(groups) => groups.iter().all(|axis| *axis <= MAX_WORKGROUPS),
            Size::Indirect(buffer, offset) => {
                let tracked = &self.buffers[*buffer];
                offset.is_multiple_of(4)
                    && offset + 12 <= tracked.size()
                    && tracked.has(Usage::INDIRECT)
                    // In one dispatch a buffer is written or read, not both.
                    && *buffer != bound.data
            }
        };
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.gpu.pipeline);
        if !forgets_group {
            pass.set_bind_group(0, &bound.group, &bound.dynamic_offsets);
        }
        let mut bytes = j.to_le_bytes().to_vec();
        bytes.resize(immediates, 0);
        pass.set_immediates(0, &bytes);
        match &size {
            Size::Direct([x, y, z]) => pass.dispatch_workgroups(*x, *y, *z),
            Size::Indirect(buffer, offset) => {
                pass.dispatch_workgroups_indirect(&self.buffers[*buffer].buffer, *offset);
            }
        }
        drop(pass);
        let fine = !forgets_group && immediates == 4 && size_is_fine && bound.is_fine;
        Some(if fine {
            Encoded::Does(Effect::Affine {
                data: (bound.data, bound.range),
                params: (bound.params, bound.params_offset),
                j,
                size,
            })
        } else {
            Encoded::IsWrong
        })
    }

    fn size_of_dispatch(&mut self, data: usize) -> Size {
        if self.random.one_in(3)
            && let Some(buffer) = self.idle(Usage::INDIRECT)
        {
            let (offset, _) = self.range(self.buffers[buffer].size());
            let fits = buffer != data && offset + 12 <= self.buffers[buffer].size();
            if fits || !self.is_careful {
                return Size::Indirect(buffer, offset);
            }
        }
        if !self.is_careful && self.random.one_in(3) {
            return Size::Direct(self.random.pick(&[[70_000, 1, 1], [1, u32::MAX, 1]]));
        }
        Size::Direct([0; 3].map(|_| self.random.below(5) as u32))
    }
}
