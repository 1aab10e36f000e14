//! A wave of a single thread: for instances, and for the initialization of shared memory.

use crate::runtime::{LaunchError, Resources};

use super::layout::Layout;
use super::memories::Memories;
use super::params::Params;
use super::pipelines::Pipelines;
use super::resources::{self, InitialState};
use super::wave::{Wave, WaveBuffers};
use crate::runtime::{Gpu, too_large};

/// The initial state of the thread.
#[derive(Debug)]
pub(super) struct SingleThread<'a> {
    /// The parameters of the grid of which it is the first thread.
    pub(super) params: Params,
    pub(super) resources: &'a Resources,
    pub(super) init_words: &'a [u32],
    pub(super) memories: Memories,
}

impl SingleThread<'_> {
    /// The parameters, and the words of the resource buffer.
    pub(super) fn words(
        &self,
        gpu: &Gpu,
        layout: &Layout,
    ) -> Result<(Params, Vec<u32>), LaunchError> {
        let mut params = Params {
            count: 1,
            threads: 1,
            group_threads: 1,
            ..self.params
        };
        let initial = InitialState {
            init_words: self.init_words,
            args: &[],
        };
        let mut words = resources::words(self.resources, layout, &initial, &mut params)?;
        let all = words.len() as u64 + u64::from(params.group_words);
        let max = gpu.max_buffer_bytes();
        if all > max / 4 {
            return Err(too_large("the memory of a thread", all * 4, max));
        }
        words.resize(all as usize, 0);
        Ok((params, words))
    }

    /// Creates the wave, before its first call.
    pub(super) fn wave<'a>(
        self,
        gpu: &Gpu,
        pipelines: &'a Pipelines,
        layout: &Layout,
        program: wgpu::Buffer,
    ) -> Result<Wave<'a>, LaunchError> {
        let (params, words) = self.words(gpu, layout)?;
        let resource_buffer = gpu.storage("the memory of the grid", words.len() as u64)?;
        gpu.write(&resource_buffer, 0, &words);
        let threads = u64::from(layout.thread_words) + u64::from(params.stack_slots);
        let buffers = WaveBuffers {
            program,
            resource_buffer,
            threads: gpu.storage("the threads' state", threads)?,
            memory: gpu.storage("memory", self.memories.words(1))?,
            memories: self.memories,
            memory_threads: 1,
        };
        Wave::new(gpu, pipelines, params, buffers)
    }
}
