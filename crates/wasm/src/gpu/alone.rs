//! A wave of a single thread: for instances, and for the initialization of shared memory.

use crate::machine::{LaunchError, Resources};

use super::layout::Layout;
use super::memories::Memories;
use super::params::Params;
use super::pipelines::Pipelines;
use super::wave::{Gpu, Parts, Wave, too_large};
use super::world::{self, Beginning};

/// The initial state of the thread.
#[derive(Debug)]
pub(super) struct Alone<'a> {
    /// The parameters of the grid of which it is the first thread.
    pub(super) params: Params,
    pub(super) resources: &'a Resources,
    pub(super) set_up: &'a [u32],
    pub(super) memories: Memories,
}

impl Alone<'_> {
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
        let beginning = Beginning {
            set_up: self.set_up,
            args: &[],
        };
        let mut words = world::words(self.resources, layout, &beginning, &mut params)?;
        let all = words.len() as u64 + u64::from(params.group_words);
        let most = gpu.most_bytes();
        if all > most / 4 {
            return Err(too_large("the memory of a thread", all * 4, most));
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
        let world = gpu.storage("the memory of the grid", words.len() as u64)?;
        gpu.write(&world, 0, &words);
        let threads = u64::from(layout.thread_words) + u64::from(params.stack_slots);
        let parts = Parts {
            program,
            world,
            threads: gpu.storage("the threads' state", threads)?,
            memory: gpu.storage("memory", self.memories.words(1))?,
            memories: self.memories,
            memory_threads: 1,
        };
        Wave::new(gpu, pipelines, params, parts)
    }
}
