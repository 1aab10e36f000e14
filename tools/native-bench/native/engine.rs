//! The engine: kernels in WGSL over the buffers of a case, without copies.

use std::rc::Rc;

use anywarp_cpu::{Executor, ExecutorOptions, HostBinding, HostMemory, Kernel};
use anywarp_program::Program;

use crate::buffer::Buffer;
use crate::case::Work;

/// The thread pool of all kernels.
pub(crate) struct Engine(Rc<Executor>);

/// A dispatch: the position of its kernel, the buffers at its bindings, and its grid.
pub(crate) struct Pass {
    pub(crate) kernel: usize,
    pub(crate) buffers: Vec<usize>,
    pub(crate) grid: [u32; 2],
}

impl Engine {
    pub(crate) fn new() -> Self {
        Self(Rc::new(Executor::new(&ExecutorOptions::default())))
    }

    /// Compiles kernels, and runs passes of them as the work of a case.
    ///
    /// # Panics
    ///
    /// If a kernel does not become machine code.
    pub(crate) fn work(&self, shaders: &[&str], passes: Vec<Pass>) -> Work {
        let executor = Rc::clone(&self.0);
        let kernels: Vec<Kernel> = shaders.iter().map(|text| kernel(text)).collect();
        Box::new(move |buffers| {
            for pass in &passes {
                dispatch(&executor, &kernels[pass.kernel], pass, buffers);
            }
        })
    }
}

fn kernel(text: &str) -> Kernel {
    let program = Program::from_wgsl(text).expect("the shader is valid");
    let kernel = Kernel::new(&program, "main").expect("the shader has a kernel");
    kernel.code().expect("the kernel becomes machine code");
    kernel
}

fn dispatch(executor: &Executor, kernel: &Kernel, pass: &Pass, buffers: &mut [Buffer]) {
    let bound = |(place, buffer): (usize, _)| Some((pass.binding(place)?, buffer));
    let mut bindings: Vec<HostBinding<'_>> = buffers
        .iter_mut()
        .enumerate()
        .filter_map(bound)
        .map(|(binding, buffer): (u32, &mut Buffer)| HostBinding {
            group: 0,
            binding,
            memory: HostMemory::ReadWrite(buffer.bytes_mut()),
        })
        .collect();
    let [x, y] = pass.grid;
    executor
        .dispatch_host(kernel, &mut bindings, &[], [x, y, 1])
        .expect("the dispatch succeeds");
}

impl Pass {
    fn binding(&self, place: usize) -> Option<u32> {
        let binding = self.buffers.iter().position(|buffer| *buffer == place);
        binding.map(|binding| binding as u32)
    }
}

/// Passes of one kernel that read buffer 0 first, and then buffers 1 and 2 in turn; each state is `fields` buffers.
pub(crate) fn alternating(steps: usize, fields: usize, grid: [u32; 2]) -> Vec<Pass> {
    let target = |step: usize| 1 + step % 2;
    let pass = |step: usize| {
        let from = step.checked_sub(1).map_or(0, target);
        let states = [from, target(step)].into_iter();
        Pass {
            kernel: 0,
            buffers: states
                .flat_map(|state| fields * state..fields * (state + 1))
                .collect(),
            grid,
        }
    };
    (0..steps).map(pass).collect()
}
