//! A wave of one thread: for instances, and for what sets shared memory up.

use crate::machine::{LaunchError, Resources};

use super::layout::Layout;
use super::memories::Memories;
use super::params::Params;
use super::pipelines::Pipelines;
use super::wave::{Gpu, Parts, Wave};
use super::world::{self, Beginning};

/// What the thread begins with.
#[derive(Debug)]
pub(super) struct Alone<'a> {
    /// Of which those that tell of the grid do not count.
    pub(super) params: Params,
    pub(super) clock: f32,
    pub(super) set_up: &'a [u32],
    pub(super) memories: Memories,
}

impl Alone<'_> {
    /// The parameters, and the words that the thread acts on.
    pub(super) fn words(&self, layout: &Layout) -> Result<(Params, Vec<u32>), LaunchError> {
        let mut params = Params {
            count: 1,
            threads: 1,
            group_threads: 1,
            groups_x: 1,
            groups_y: 1,
            groups_z: 1,
            size_x: 1,
            size_y: 1,
            size_z: 1,
            ..self.params
        };
        let beginning = Beginning {
            set_up: self.set_up,
            args: &[],
        };
        let resources = Resources {
            clock: self.clock,
            ..Resources::default()
        };
        let mut words = world::words(&resources, layout, &beginning, &mut params)?;
        words.resize(words.len() + params.group_words as usize, 0);
        Ok((params, words))
    }

    /// The wave, before its first call.
    pub(super) fn wave<'a>(
        self,
        gpu: &Gpu,
        pipelines: &'a Pipelines,
        layout: &Layout,
        program: wgpu::Buffer,
    ) -> Result<Wave<'a>, LaunchError> {
        let (params, words) = self.words(layout)?;
        let world = gpu.storage("what threads act on", words.len() as u64)?;
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
