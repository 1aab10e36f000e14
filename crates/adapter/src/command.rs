//! Recorded commands: plain data, which the queue's thread runs later.

use std::ops::Range;
use std::sync::Arc;

use wgpu::hal;

use crate::resources::{BindGroup, Buffer, ComputePipeline, QuerySet};
use crate::texture_command::TextureCommand;

/// A recorded command. Ranges of `usize` refer to [`Recording::words`].
#[derive(Debug)]
pub(crate) enum Command {
    ClearBuffer {
        buffer: Buffer,
        range: Range<u64>,
    },
    CopyBuffer {
        source: Buffer,
        target: Buffer,
        region: hal::BufferCopy,
    },
    Texture(TextureCommand),
    /// Resets pipeline, bind groups and immediates.
    BeginComputePass,
    SetPipeline(ComputePipeline),
    SetBindGroup {
        index: u32,
        group: BindGroup,
        dynamic_offsets: Range<usize>,
    },
    SetImmediates {
        /// In words.
        offset: usize,
        values: Range<usize>,
    },
    Dispatch([u32; 3]),
    DispatchIndirect {
        buffer: Buffer,
        offset: u64,
    },
    WriteTimestamp {
        queries: QuerySet,
        index: u32,
    },
    ResetQueries {
        queries: QuerySet,
        range: Range<u32>,
    },
    CopyQueryResults {
        queries: QuerySet,
        range: Range<u32>,
        target: Buffer,
        offset: u64,
        stride: u64,
    },
    PushDebugGroup(Box<str>),
    PopDebugGroup,
}

/// Commands in order, with the words that they refer to.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) commands: Vec<Command>,
    /// Dynamic offsets and immediates.
    pub(crate) words: Vec<u32>,
}

impl Recording {
    /// Appends words and returns their range.
    pub(crate) fn keep(&mut self, words: &[u32]) -> Range<usize> {
        let start = self.words.len();
        self.words.extend_from_slice(words);
        start..self.words.len()
    }
}

/// A finished recording, shared by wgpu-core and the queue.
#[derive(Debug)]
pub(crate) struct CommandBuffer {
    pub(crate) recording: Arc<Recording>,
}
