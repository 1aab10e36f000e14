//! Bind groups for the one pipeline of a stream, some with ranges that do not fit.

use std::ops::Range;

use wgpu::BufferUsages as Usage;

use crate::commands::device::{ALIGN, Intent};
use crate::commands::stream::Stream;

/// A bind group, and what a dispatch sees through it.
pub(crate) struct Bound {
    pub(crate) group: wgpu::BindGroup,
    pub(crate) dynamic_offsets: Vec<u32>,
    pub(crate) data: usize,
    /// Of the storage buffer, with the dynamic offset.
    pub(crate) range: Range<u64>,
    pub(crate) params: usize,
    pub(crate) params_offset: u64,
    /// Whether a dispatch may use it.
    pub(crate) is_fine: bool,
}

/// Bytes of the uniform.
const PARAMS: u64 = 16;

impl Stream {
    pub(crate) fn bind(&mut self) -> Option<Bound> {
        let data = self.idle(Usage::STORAGE)?;
        let params = self.idle(Usage::UNIFORM)?;
        let data_size = self.buffers[data].size();
        let params_size = self.buffers[params].size();
        let choices: &[u64] = if self.is_careful {
            &[0, 0, ALIGN, ALIGN * 2]
        } else {
            &[0, 4, 1 << 33]
        };
        let offset = self.random.pick(choices);
        let rest = data_size.saturating_sub(offset).max(4);
        let size = match self.random.below(3) {
            0 => self.random.pick(&[4, 8, 32, 40]),
            1 if !self.is_careful => data_size + 4,
            _ => rest,
        };
        let params_offset = self.random.pick(choices);
        let fits =
            |offset: u64, size, whole| offset + size <= whole && offset.is_multiple_of(ALIGN);
        let is_valid = fits(offset, size, data_size)
            && fits(params_offset, PARAMS, params_size)
            && size.is_multiple_of(4)
            && self.buffers[data].has(Usage::STORAGE)
            && self.buffers[params].has(Usage::UNIFORM);
        if self.is_careful && (!is_valid || data == params) {
            return None;
        }
        let entry = |binding, buffer: usize, offset, size| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.buffers[buffer].buffer,
                offset,
                size: wgpu::BufferSize::new(size),
            }),
        };
        let entries = [
            entry(0, data, offset, size),
            entry(1, params, params_offset, PARAMS),
        ];
        let create = || {
            let layout = &self.gpu.layout;
            self.gpu
                .device
                .create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout,
                    entries: &entries,
                })
        };
        let what = ("create_bind_group", &entries, data_size, params_size);
        let (group, _) = self.gpu.call(what, Intent::valid_if(is_valid), create);
        let mut dynamic = self.random.pick(&[0, 0, ALIGN, 3]);
        if self.is_careful
            && (!dynamic.is_multiple_of(ALIGN) || offset + dynamic + size > data_size)
        {
            dynamic = 0;
        }
        let end = offset + dynamic + size;
        let forgets_offset = !self.is_careful && self.random.one_in(6);
        let dynamic_is_fine = dynamic.is_multiple_of(ALIGN) && end <= data_size && !forgets_offset;
        Some(Bound {
            group,
            dynamic_offsets: if forgets_offset {
                Vec::new()
            } else {
                vec![dynamic as u32]
            },
            data,
            range: offset + dynamic..end,
            params,
            params_offset,
            // A buffer is written or read, not both.
            is_fine: is_valid && dynamic_is_fine && data != params,
        })
    }
}
