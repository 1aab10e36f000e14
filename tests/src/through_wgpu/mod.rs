//! An executor on any wgpu adapter.

mod bound;
mod session;

use std::time::Duration;

use anywarp_adapter::{AdapterOptions, CallPolicy, Engine, SubgroupSize, Target};

pub use bound::wgpu_format;
pub use session::{Compiled, Session};

use crate::executor::{Dispatch, Executor, ExecutorName, MAX_ITERATIONS, Memory, RunError};
use crate::feature::Feature;

/// Runs each program on a new device, so that a lost device does not affect other cases.
#[derive(Debug)]
pub struct ThroughWgpu {
    name: ExecutorName,
    adapter: wgpu::Adapter,
    /// For the CPU adapter: which functions are called instead of inlined.
    calls: CallPolicy,
}

/// The CPU adapter, found as a user's program finds it.
pub fn adapter() -> ThroughWgpu {
    ThroughWgpu::new(
        ExecutorName::Adapter,
        ours(ExecutorName::Adapter, None, CallPolicy::Large),
    )
}

/// The CPU adapter with machine code, once for each vector width that this machine supports.
pub fn code() -> Vec<ThroughWgpu> {
    [ExecutorName::Avx512, ExecutorName::Avx2]
        .into_iter()
        .filter(|name| target(*name).is_some())
        .map(|name| ThroughWgpu::new(name, ours(name, None, CallPolicy::Large)))
        .collect()
}

/// The same, with every function called that can be.
pub fn code_with_calls() -> Vec<ThroughWgpu> {
    let mut executors = code();
    for executor in &mut executors {
        executor.calls = CallPolicy::All;
        executor.adapter = ours(executor.name, None, CallPolicy::All);
    }
    executors
}

fn target(name: ExecutorName) -> Option<Target> {
    match name {
        ExecutorName::Avx512 => Target::named("avx512"),
        ExecutorName::Avx2 => Target::named("avx2"),
        _ => None,
    }
}

fn ours(
    name: ExecutorName,
    subgroup_size: Option<SubgroupSize>,
    calls: CallPolicy,
) -> wgpu::Adapter {
    let mut options = AdapterOptions::default().calls(calls);
    match target(name) {
        Some(target) => {
            options.engine = Engine::Code(target);
            options.watchdog = Some(Duration::from_secs(1));
        }
        None => options.loop_iterations = Some(MAX_ITERATIONS),
    }
    options.subgroup_size = subgroup_size;
    let instance = anywarp_adapter::instance_with(options);
    pollster::block_on(instance.request_adapter(&Default::default()))
        .expect("our instance always has an adapter")
}

/// Mesa's software Vulkan device; `None` where it is not installed.
pub fn lavapipe() -> Option<ThroughWgpu> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: wgpu::Backends::VULKAN,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
        .into_iter()
        .find(|adapter| adapter.get_info().name.contains("llvmpipe"))
        .map(|adapter| ThroughWgpu::new(ExecutorName::Lavapipe, adapter))
}

impl ThroughWgpu {
    /// An executor on an adapter.
    pub fn new(name: ExecutorName, adapter: wgpu::Adapter) -> Self {
        Self {
            name,
            adapter,
            calls: CallPolicy::Large,
        }
    }

    /// The adapter.
    pub fn wgpu_adapter(&self) -> &wgpu::Adapter {
        &self.adapter
    }
}

impl Executor for ThroughWgpu {
    fn name(&self) -> ExecutorName {
        self.name
    }

    fn leaves_out(&self, feature: &Feature) -> bool {
        self.name == ExecutorName::Lavapipe && !self.adapter.features().contains(feature.requested)
    }

    fn has_subgroups_of(&self, size: SubgroupSize) -> bool {
        let info = self.adapter.get_info();
        let sizes = (info.subgroup_min_size, info.subgroup_max_size);
        self.name != ExecutorName::Lavapipe || sizes == (size.get(), size.get())
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let session = match dispatch.subgroup_size {
            Some(size) if self.name != ExecutorName::Lavapipe => {
                Session::open(&ours(self.name, Some(size), self.calls), &dispatch.needs)?
            }
            _ => Session::open(&self.adapter, &dispatch.needs)?,
        };
        let (result, misuse) = session.guarded(|| session.run(dispatch));
        // The message of a lost device says more than the call that noticed the loss.
        match anywarp_adapter::lost_message(&session.device)
            .map(RunError)
            .or(misuse)
        {
            Some(error) => Err(error),
            None => result,
        }
    }
}
