//! The devices of the tests, and running jobs to completion.

use std::fs::OpenOptions;
use std::io::{Write, stderr};

use anywarp_adapter::{AdapterOptions, Misbehaviour};
use mandelbrot::{Job, JobDescriptor, Progress};

pub(crate) struct Gpu {
    pub(crate) name: &'static str,
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
}

impl Gpu {
    fn open(name: &'static str, adapter: &wgpu::Adapter) -> Self {
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) = pollster::block_on(request).unwrap();
        Self {
            name,
            device,
            queue,
        }
    }

    pub(crate) fn cpu() -> Self {
        Self::open("cpu", &anywarp_adapter::adapter(AdapterOptions::default()))
    }

    pub(crate) fn reordering(misbehaviour: Misbehaviour) -> Self {
        let options = AdapterOptions::default().misbehaviour(misbehaviour);
        Self::open("reordering", &anywarp_adapter::adapter(options))
    }

    fn lavapipe() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let mut adapters = adapters.into_iter();
        let adapter = adapters.find(|adapter| adapter.get_info().name.contains("llvmpipe"))?;
        Some(Self::open("lavapipe", &adapter))
    }

    /// All available devices, without simulated misbehaviour.
    pub(crate) fn all(what: &str) -> Vec<Self> {
        let mut devices = vec![Self::cpu()];
        match Self::lavapipe() {
            Some(gpu) => devices.push(gpu),
            None => report_skip(&format!(
                "{what} on lavapipe: no Vulkan adapter named llvmpipe"
            )),
        }
        devices
    }

    pub(crate) fn job(&self, descriptor: JobDescriptor) -> Job {
        pollster::block_on(Job::new(&self.device, &self.queue, descriptor)).unwrap()
    }

    /// Runs a job to completion.
    pub(crate) fn run(&self, descriptor: JobDescriptor) -> Job {
        let mut job = self.job(descriptor);
        finish(&mut job);
        job
    }
}

/// Runs a job to completion, and returns the progress after each batch.
pub(crate) fn finish(job: &mut Job) -> Vec<Progress> {
    let steps: Vec<Progress> = std::iter::from_fn(|| job.wait().map(Result::unwrap)).collect();
    assert!(job.progress().is_done);
    steps
}

/// Reports a skipped test on stderr, and in the file named by `ANYWARP_SKIP_LOG`.
fn report_skip(reason: &str) {
    let line = format!("SKIPPED: {reason}\n");
    // Written to the stream directly, because the test harness captures the print macros.
    let _ = stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().create(true).append(true).open(path);
        log.and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that ANYWARP_SKIP_LOG names can be written");
    }
}
