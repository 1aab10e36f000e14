//! Dispatches over memory of the caller: slices are bound as buffers, without a copy.
//!
//! In: a kernel and a [`HostBinding`] for each of its buffers. Out: the slices as the kernel has written them. What
//! always holds: a slice that is bound for reading is only read, since a kernel's interface says which resources it
//! may write; a slice that is not aligned to words, or does not end with one, is copied before and after, padded with
//! zeros to whole words.

use std::sync::atomic::AtomicU32;

use anywarp_execution::{Access, BufferView, Elements, Resource, ResourceKind};
use anywarp_program::units::{Bytes, MAX_BINDING_SIZE};

use crate::bindings::too_large;
use crate::error::HostDispatchError;
use crate::{Arguments, BindingError, DispatchError, Executor, Kernel, Runner};

/// Memory of the caller that a dispatch borrows.
#[derive(Debug)]
pub enum HostMemory<'a> {
    /// Memory that the kernel only reads.
    Read(&'a [u8]),
    /// Memory that the kernel may write.
    ReadWrite(&'a mut [u8]),
}

impl HostMemory<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::ReadWrite(bytes) => bytes,
        }
    }
}

/// Memory of the caller at a binding.
#[derive(Debug)]
pub struct HostBinding<'a> {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// The bytes of the buffer.
    pub memory: HostMemory<'a>,
}

impl Executor {
    /// Runs every workgroup of a grid over memory of the caller.
    ///
    /// # Errors
    ///
    /// If a buffer of the kernel is not bound, too small, or bound for reading although the kernel may write it; if the
    /// kernel uses textures or arrays of bindings; and as [`Self::dispatch`]. After an error of the dispatch the memory
    /// holds what was written until then.
    pub fn dispatch_host(
        &self,
        kernel: &Kernel,
        bindings: &mut [HostBinding<'_>],
        immediates: &[u32],
        workgroup_count: [u32; 3],
    ) -> Result<(), HostDispatchError> {
        let positions: Vec<usize> = kernel
            .resources()
            .iter()
            .map(|resource| position(resource, bindings))
            .collect::<Result<_, _>>()?;
        let mut copies: Vec<WordCopy> = bindings.iter().map(WordCopy::new).collect();
        let result = {
            let words: Vec<&[AtomicU32]> = bindings
                .iter_mut()
                .zip(&mut copies)
                .map(|(binding, copy)| copy.words(&mut binding.memory))
                .collect();
            let buffers: Vec<BufferView<'_>> = positions
                .iter()
                .map(|position| BufferView {
                    words: words[*position],
                })
                .collect();
            let arguments = Arguments {
                buffers: &buffers,
                textures: &[],
                arrays: &[],
                immediates,
                workgroup_count,
            };
            self.dispatch(&mut Runner::new(kernel), &arguments)
        };
        for (binding, copy) in bindings.iter_mut().zip(&copies) {
            copy.store(&mut binding.memory);
        }
        Ok(result?)
    }
}

/// The position of a resource's memory among the bindings, checked against its size and access.
fn position(resource: &Resource, bindings: &[HostBinding<'_>]) -> Result<usize, HostDispatchError> {
    let is_buffer = matches!(resource.kind, ResourceKind::Uniform | ResourceKind::Storage);
    if !is_buffer || resource.elements != Elements::Single {
        return Err(HostDispatchError::NotABuffer {
            name: resource.name.clone(),
        });
    }
    let (group, binding) = (resource.group, resource.binding);
    let name = || resource.name.clone();
    let found = bindings
        .iter()
        .position(|bound| (bound.group, bound.binding) == (group, binding));
    let position = found.ok_or_else(|| BindingError::Missing {
        name: name(),
        group,
        binding,
    })?;
    let memory = &bindings[position].memory;
    let bound = memory.bytes().len() as u64;
    if bound < resource.min_size {
        return Err(HostDispatchError::Binding(BindingError::TooSmall {
            name: name(),
            group,
            binding,
            needed: resource.min_size,
            bound,
        }));
    }
    if Bytes(bound) > MAX_BINDING_SIZE {
        return Err(HostDispatchError::Binding(too_large(
            resource,
            Bytes(bound),
        )));
    }
    // The safety of reading shared memory as words depends on this.
    if resource.access != Access::Read && matches!(memory, HostMemory::Read(_)) {
        return Err(HostDispatchError::ReadOnly { name: name() });
    }
    Ok(position)
}

/// The copy of a slice that is not made of whole, aligned words; empty for others.
struct WordCopy(Vec<u32>);

impl WordCopy {
    fn new(binding: &HostBinding<'_>) -> Self {
        let bytes = binding.memory.bytes();
        if is_words(bytes) {
            return Self(Vec::new());
        }
        let mut words = vec![0; bytes.len().div_ceil(4)];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks(4)) {
            let mut whole = [0; 4];
            whole[..chunk.len()].copy_from_slice(chunk);
            *word = u32::from_le_bytes(whole);
        }
        Self(words)
    }

    /// The words of the copy, or of the memory itself.
    fn words<'w>(&'w mut self, memory: &'w mut HostMemory<'_>) -> &'w [AtomicU32] {
        if !self.0.is_empty() {
            let count = self.0.len();
            // SAFETY: the pointer is that of an exclusive borrow, which lasts as long as the result, of `count` words;
            // atomic words have their layout.
            return unsafe {
                std::slice::from_raw_parts(self.0.as_mut_ptr().cast::<AtomicU32>(), count)
            };
        }
        let (start, length) = match memory {
            HostMemory::Read(bytes) => (bytes.as_ptr(), bytes.len()),
            HostMemory::ReadWrite(bytes) => (bytes.as_mut_ptr().cast_const(), bytes.len()),
        };
        if length == 0 {
            return &[];
        }
        // SAFETY: `is_words` has checked alignment and length. Memory that may be written is borrowed exclusively for as
        // long as the result. Shared memory is only loaded from: `position` refuses it for resources that the kernel
        // may write, and the words go to no one but the kernel. Relaxed loads of 32 bits may be done on memory that is
        // not writable; of aliasing this assumes Tree Borrows, in which a shared reference to plain data may be read through a
        // pointer to atomics.
        unsafe { std::slice::from_raw_parts(start.cast::<AtomicU32>(), length / 4) }
    }

    /// Writes the copy back to memory that the kernel may have written.
    fn store(&self, memory: &mut HostMemory<'_>) {
        if let HostMemory::ReadWrite(bytes) = memory {
            for (word, chunk) in self.0.iter().zip(bytes.chunks_mut(4)) {
                chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
            }
        }
    }
}

fn is_words(bytes: &[u8]) -> bool {
    bytes.len().is_multiple_of(4) && bytes.as_ptr().cast::<AtomicU32>().is_aligned()
}

impl From<BindingError> for HostDispatchError {
    fn from(error: BindingError) -> Self {
        Self::Binding(error)
    }
}

impl From<DispatchError> for HostDispatchError {
    fn from(error: DispatchError) -> Self {
        Self::Dispatch(error)
    }
}

#[cfg(test)]
mod tests {
    use anywarp_program::Program;

    use super::*;
    use crate::{Engine, ExecutorOptions, KernelOptions};

    const DOUBLE: &str = "
        @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
        @group(1) @binding(2) var<storage> factors: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            numbers[id.x] *= factors[id.x % arrayLength(&factors)];
        }";

    fn run(
        engine: Engine,
        numbers: HostMemory<'_>,
        factors: HostMemory<'_>,
    ) -> Result<(), HostDispatchError> {
        let program = Program::from_wgsl(DOUBLE).unwrap_or_else(|error| panic!("{error}"));
        let options = KernelOptions {
            engine,
            ..Default::default()
        };
        let kernel = Kernel::with_options(&program, "main", options).unwrap();
        let executor = Executor::new(&ExecutorOptions::default());
        let mut bindings = [
            HostBinding {
                group: 1,
                binding: 2,
                memory: factors,
            },
            HostBinding {
                group: 0,
                binding: 0,
                memory: numbers,
            },
        ];
        executor.dispatch_host(&kernel, &mut bindings, &[], [8, 1, 1])
    }

    #[test]
    fn slices_of_any_alignment_are_bound() {
        for engine in [Engine::Fastest, Engine::Interpreter] {
            for (offset, length) in [
                (0, 2048),
                (4, 2044),
                (1, 2044),
                (3, 400),
                (0, 403),
                (2, 401),
            ] {
                let mut bytes = vec![0; 2048 + 8];
                let start = bytes.as_ptr().align_offset(64) % 4 + offset;
                bytes[start..start + length].fill(1);
                let memory = HostMemory::ReadWrite(&mut bytes[start..start + length]);
                run(engine, memory, HostMemory::Read(&3_u32.to_le_bytes())).unwrap();
                let (before, rest) = bytes.split_at(start);
                let (bound, after) = rest.split_at(length);
                assert!(bound.iter().all(|byte| *byte == 3), "{offset} {length}");
                assert!(before.iter().chain(after).all(|byte| *byte == 0));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let three = 3_u32.to_le_bytes();
        let message = |numbers, factors| {
            run(Engine::Fastest, numbers, factors)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(HostMemory::Read(&three), HostMemory::Read(&three)),
            "`numbers` may be written by the kernel, but its memory is bound for reading"
        );
        assert_eq!(
            message(HostMemory::ReadWrite(&mut [0; 8]), HostMemory::Read(&[])),
            "`factors` at @group(1) @binding(2) needs 4 bytes, but 0 are bound"
        );
    }
}
