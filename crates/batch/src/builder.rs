//! Builder of a [`Batch`].
//!
//! In: parameters, buffers by group and binding, passes as WGSL, ranges to read back. Out: slots,
//! pipelines, bind groups and a runner, or an error that names the pass and its variable. What
//! always holds: bind group layouts are those that the passes declare in their text, and every pass
//! checks the guard unless its shader is declared [unguarded](PassShader::unguarded).

use std::collections::HashSet;
use std::marker::PhantomData;
use std::ops::Range;
use std::time::Duration;

use bytemuck::{NoUninit, Pod};

use crate::batch::Batch;
use crate::clock::Clock;
use crate::error::{BuildError, PassError, RangeProblem};
use crate::lock::BatchLock;
use crate::pass_bindings::{PassBindings, Point};
use crate::pass_shader::PassShader;
use crate::read_back::{AddRange, Results};
use crate::runner::{BatchPass, BatchRunner, BatchRunnerDescriptor, Workgroups};
use crate::shader::BatchBindings;
use crate::slots::{BatchOrder, BatchSlots, BatchSlotsDescriptor, ResultRange};

/// A declared pass.
#[derive(Clone, Debug)]
struct DeclaredPass<'a> {
    shader: PassShader<'a>,
    entry_point: &'a str,
    workgroups: Workgroups,
}

/// Builder of a [`Batch`] with parameters `P` and results `R`. See the [crate's example](crate).
#[derive(Clone, Debug)]
#[must_use]
pub struct BatchBuilder<'a, P = (), R = ()> {
    device: wgpu::Device,
    queue: wgpu::Queue,
    slots: BatchSlotsDescriptor,
    /// The size of the elements of each result range.
    element_sizes: Vec<usize>,
    runner: BatchRunnerDescriptor,
    bindings: PassBindings,
    passes: Vec<DeclaredPass<'a>>,
    types: PhantomData<fn(&P) -> R>,
}

impl<'a> BatchBuilder<'a> {
    pub(crate) fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self {
            device: device.clone(),
            queue: queue.clone(),
            slots: BatchSlotsDescriptor::default(),
            element_sizes: Vec::new(),
            runner: BatchRunnerDescriptor::default(),
            bindings: PassBindings::default(),
            passes: Vec::new(),
            types: PhantomData,
        }
    }
}

impl<'a, P: NoUninit, R: Results> BatchBuilder<'a, P, R> {
    /// Sets the type of the parameters of each batch, a uniform that the shaders declare at
    /// [`BatchBindings::params`]: group 0, binding 2, unless changed.
    pub fn params<T: NoUninit>(mut self) -> BatchBuilder<'a, T, R> {
        // No type has 2^32 bytes on the stack; the limit of uniforms is far below.
        self.slots.params_size = u32::try_from(size_of::<T>()).unwrap_or(u32::MAX);
        self.typed()
    }

    /// Binds a whole buffer, as the passes that use the binding declare it.
    pub fn bind(mut self, group: u32, binding: u32, buffer: &wgpu::Buffer) -> Self {
        let bound = (Point { group, binding }, buffer.clone());
        self.bindings.buffers.push(bound);
        self
    }

    /// Uses a bind group of the caller for all passes: for textures, samplers and parts of buffers.
    pub fn bind_group(
        mut self,
        group: u32,
        layout: &wgpu::BindGroupLayout,
        bind_group: &wgpu::BindGroup,
    ) -> Self {
        let bound = (group, layout.clone(), bind_group.clone());
        self.bindings.groups.push(bound);
        self
    }

    /// Adds a pass: WGSL, the name of an entry point, and the number of workgroups.
    ///
    /// The declarations of the batch are added to the text. The entry point, or a function that it
    /// calls, must call `batch_is_active()` and do nothing if it is false, unless the shader is
    /// declared [unguarded](PassShader::unguarded).
    pub fn pass(
        mut self,
        shader: impl Into<PassShader<'a>>,
        entry_point: &'a str,
        workgroups: impl Into<Workgroups>,
    ) -> Self {
        self.passes.push(DeclaredPass {
            shader: shader.into(),
            entry_point,
            workgroups: workgroups.into(),
        });
        self
    }

    /// Reads a whole buffer back after each batch. The results of several calls become a tuple.
    pub fn read_back<T: Pod>(self, buffer: &wgpu::Buffer) -> BatchBuilder<'a, P, R::Added>
    where
        R: AddRange<T>,
    {
        self.read_back_range(buffer, 0..buffer.size())
    }

    /// Reads a range of a buffer, in bytes, back after each batch.
    pub fn read_back_range<T: Pod>(
        mut self,
        buffer: &wgpu::Buffer,
        range: Range<u64>,
    ) -> BatchBuilder<'a, P, R::Added>
    where
        R: AddRange<T>,
    {
        self.slots.results.push(ResultRange {
            buffer: buffer.clone(),
            offset: range.start,
            size: range.end.saturating_sub(range.start),
        });
        self.element_sizes.push(size_of::<T>());
        self.typed()
    }

    /// Sets how many batches may be in flight at a time; two by default.
    pub fn slots(mut self, slots: u32) -> Self {
        self.slots.slots = slots;
        self
    }

    /// Sets whether batches are applied in the order of submission, which is the default.
    pub fn order(mut self, order: BatchOrder) -> Self {
        self.slots.order = order;
        self
    }

    /// Shares the lock of others that work on the same state.
    pub fn lock(mut self, lock: &BatchLock) -> Self {
        self.slots.lock = Some(lock.clone());
        self
    }

    /// Sets the group and binding numbers of the batch's own bindings.
    pub fn batch_bindings(mut self, bindings: BatchBindings) -> Self {
        self.slots.bindings = bindings;
        self
    }

    /// Sets how long a batch may take from `submit` to its results.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.runner.timeout = Some(timeout);
        self
    }

    /// Sets the clock of the timeout, which platforms without one need.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.runner.clock = Some(clock);
        self
    }

    fn typed<T, S>(self) -> BatchBuilder<'a, T, S> {
        BatchBuilder {
            device: self.device,
            queue: self.queue,
            slots: self.slots,
            element_sizes: self.element_sizes,
            runner: self.runner,
            bindings: self.bindings,
            passes: self.passes,
            types: PhantomData,
        }
    }

    /// Creates the slots, pipelines, bind groups and the runner.
    pub fn build(self) -> Result<Batch<P, R>, BuildError> {
        self.check_elements()?;
        self.bindings.check(self.slots.bindings.group)?;
        let slots = BatchSlots::new(&self.device, &self.queue, self.slots)?;
        let mut used = HashSet::new();
        let mut passes = Vec::new();
        for (index, pass) in self.passes.into_iter().enumerate() {
            let made = make_pass(&slots, &self.bindings, pass, &mut used);
            passes.push(made.map_err(|source| BuildError::Pass {
                pass: index,
                source,
            })?);
        }
        self.bindings.check_used(&used)?;
        let runner = BatchRunnerDescriptor {
            passes,
            ..self.runner
        };
        Ok(Batch::new(BatchRunner::new(slots, runner)?))
    }

    /// Checks that result ranges are whole elements.
    fn check_elements(&self) -> Result<(), BuildError> {
        let ranges = self.slots.results.iter().zip(&self.element_sizes);
        for (index, (range, &element)) in ranges.enumerate() {
            if element == 0 || !range.size.is_multiple_of(element as u64) {
                return Err(BuildError::Results {
                    index,
                    problem: RangeProblem::Elements { element },
                });
            }
        }
        Ok(())
    }
}

/// Creates the pipeline and the bind groups of a pass, and notes the bindings that it uses.
fn make_pass(
    slots: &BatchSlots,
    bindings: &PassBindings,
    pass: DeclaredPass<'_>,
    used: &mut HashSet<Point>,
) -> Result<BatchPass, PassError> {
    let DeclaredPass {
        shader,
        entry_point,
        workgroups,
    } = pass;
    let compiled = slots.compile(&shader, entry_point, |analysis| {
        workgroups.check(&slots.device().limits())?;
        bindings.resolve(slots, analysis, used)
    })?;
    Ok(BatchPass {
        pipeline: compiled.pipeline,
        bind_groups: compiled.bind_groups,
        workgroups,
    })
}
