//! The interpreter as an executor, called directly without wgpu.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_interpret::{
    Arguments, BufferView, Elements, Kernel, Limits, Resource, ResourceKind, TextureView, Worker,
};
use anywarp_program::{Program, Source, naga};
use anywarp_texture::View;

use crate::executor::{
    Dispatch, Executor, ExecutorName, MAX_ITERATIONS, Memory, RunError, Slot, entry_point,
};
use crate::texture::TextureSpec;

/// Runs workgroups one after another on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Executor for Interpreter {
    fn name(&self) -> ExecutorName {
        ExecutorName::Interpreter
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let kernel = compile(dispatch)?;
        let memory: Vec<(Slot, Vec<Element>)> = dispatch
            .memory
            .iter()
            .map(|(slot, words)| (*slot, elements(dispatch, *slot, words)))
            .collect();
        let mut views = Views::default();
        views.bind(&kernel, &memory)?;
        run_workgroups(&kernel, dispatch, &views)?;
        Ok(memory
            .iter()
            .map(|(slot, elements)| {
                let spec = dispatch.bindings.textures.get(slot);
                let words = elements.iter().flat_map(|element| element.words_now(spec));
                (*slot, words.collect())
            })
            .collect())
    }
}

/// One buffer or one texture.
struct Element {
    words: Vec<AtomicU32>,
    /// For a texture: its views for programs that only load, and for programs that store.
    views: Option<[View; 2]>,
}

impl Element {
    fn words_now(&self, spec: Option<&TextureSpec>) -> Vec<u32> {
        match spec {
            Some(spec) => spec.packed(&self.words),
            None => self
                .words
                .iter()
                .map(|word| word.load(Ordering::Relaxed))
                .collect(),
        }
    }
}

fn elements(dispatch: &Dispatch, slot: Slot, words: &[u32]) -> Vec<Element> {
    let count = dispatch.bindings.elements(slot);
    let each = words.len() / count;
    let part = |element: usize| &words[element * each..(element + 1) * each];
    (0..count)
        .map(|element| match dispatch.bindings.textures.get(&slot) {
            Some(spec) => Element {
                words: spec.memory(part(element)),
                views: Some([spec.view(false), spec.view(true)]),
            },
            None => Element {
                words: part(element).iter().copied().map(AtomicU32::new).collect(),
                views: None,
            },
        })
        .collect()
}

fn compile(dispatch: &Dispatch) -> Result<Kernel, RunError> {
    let (program, entry) = program(dispatch)?;
    let kernel = Kernel::new(&program, &entry).map_err(RunError::from_display)?;
    Ok(match dispatch.subgroup_size {
        Some(size) => kernel.with_subgroup_size(size),
        None => kernel,
    })
}

/// The program of a dispatch as the CPU adapter runs it: specialised, with products and sums fused where allowed; and
/// the name of its entry point.
pub fn program(dispatch: &Dispatch) -> Result<(Program, String), RunError> {
    let source = Source::new(dispatch.name.as_str(), dispatch.wgsl.as_str());
    let program = Program::from_source(source).map_err(RunError::from_display)?;
    let entry = entry_point(program.module(), dispatch.entry.as_deref())?;
    let constants = dispatch.constants.iter().cloned().collect();
    let program = program
        .specialize(naga::ShaderStage::Compute, &entry, &constants)
        .and_then(|program| program.contracted())
        .map_err(RunError::from_display)?;
    Ok((program, entry))
}

/// The resources of the kernel in its order: single bindings first, then the elements of arrays.
#[derive(Default)]
struct Views<'a> {
    buffers: Vec<BufferView<'a>>,
    textures: Vec<TextureView<'a>>,
    arrays: Vec<Range<u32>>,
}

impl<'a> Views<'a> {
    fn bind(
        &mut self,
        kernel: &Kernel,
        memory: &'a [(Slot, Vec<Element>)],
    ) -> Result<(), RunError> {
        let is_single = |resource: &&Resource| resource.elements == Elements::Single;
        for resource in kernel.resources().iter().filter(is_single) {
            self.add(resource, memory)?;
        }
        for resource in kernel
            .resources()
            .iter()
            .filter(|resource| !is_single(resource))
        {
            let range = self.add(resource, memory)?;
            self.arrays.push(range);
        }
        Ok(())
    }

    fn add(
        &mut self,
        resource: &Resource,
        memory: &'a [(Slot, Vec<Element>)],
    ) -> Result<Range<u32>, RunError> {
        let slot = Slot {
            group: resource.group,
            binding: resource.binding,
        };
        let found = memory.iter().find(|(at, _)| *at == slot);
        let missing = || RunError(format!("nothing is bound at {slot}"));
        let (_, elements) = found.ok_or_else(missing)?;
        let (start, end) = match resource.kind {
            ResourceKind::Texture(wanted) => {
                let start = self.textures.len();
                for element in elements {
                    let views = element.views.as_ref();
                    let [sampled, stored] =
                        views.ok_or_else(|| RunError(format!("no texture at {slot}")))?;
                    let view = match wanted.storage {
                        Some(_) => stored,
                        None => sampled,
                    };
                    wanted
                        .check(view)
                        .map_err(|error| RunError(error.to_string()))?;
                    let words = &element.words;
                    self.textures.push(TextureView { words, view });
                }
                (start, self.textures.len())
            }
            ResourceKind::Uniform | ResourceKind::Storage => {
                let start = self.buffers.len();
                let views = elements.iter().map(|element| BufferView {
                    words: &element.words,
                });
                self.buffers.extend(views);
                (start, self.buffers.len())
            }
        };
        Ok(start as u32..end as u32)
    }
}

fn run_workgroups(kernel: &Kernel, dispatch: &Dispatch, views: &Views<'_>) -> Result<(), RunError> {
    let arguments = Arguments {
        buffers: &views.buffers,
        immediates: &dispatch.immediates,
        textures: &views.textures,
        arrays: &views.arrays,
        workgroup_count: dispatch.workgroups,
    };
    let limits = Limits {
        iterations: MAX_ITERATIONS,
        ..Limits::default()
    };
    let mut worker = Worker::new(kernel);
    let [x_count, y_count, z_count] = dispatch.workgroups;
    for z in 0..z_count {
        for y in 0..y_count {
            for x in 0..x_count {
                worker
                    .run(&arguments, [x, y, z], &limits)
                    .map_err(RunError::from_display)?;
            }
        }
    }
    Ok(())
}
