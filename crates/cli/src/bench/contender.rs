//! The contenders of a benchmark: the machine-code engine at each vector width, the interpreter, and every adapter of
//! an installed driver.
//!
//! In: this machine. Out: [`Contender`]s, which prepare a [`Task`] and run it. All but the bare engine are wgpu
//! devices and are timed alike, from the submission until wgpu reports its completion.

use std::time::Duration;

use anywarp_adapter::{AdapterOptions, Engine, Floats, Target};
use anywarp_cpu::{Kernel, KernelOptions};
use anywarp_program::Program;

use super::bare::Bare;
use super::on_device::OnDevice;
use super::set::Size;
use super::task::Task;
use crate::error::Error;
use anywarp::Device;
use anywarp::panics::catch_panic;

/// The name of the programs in messages.
const SET: &str = "the benchmark set";

/// The label of the engine without wgpu.
pub(super) const BARE: &str = "bare";

/// An engine or device that takes part in the benchmark.
pub(super) struct Contender {
    /// The name in the table.
    pub(super) label: String,
    /// Further description for the report.
    pub(super) description: String,
    pub(super) role: Role,
    /// How the CPU engines round floats.
    pub(super) floats: Floats,
    /// The wgpu device; `None` for the bare engine.
    pub(super) device: Option<Device>,
}

/// The role of a contender in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Machine code through wgpu, as users run it.
    Code(Target),
    /// Machine code without wgpu: has no column, but a note where its times differ.
    Bare(Target),
    /// The interpreter, which runs the small size.
    Interpreter,
    /// An adapter of an installed driver.
    Driver,
}

/// A task that is ready to run on a contender.
pub(super) trait Prepared {
    /// Runs the task once and returns the time.
    fn run(&mut self) -> Result<Duration, Error>;
    /// The contents of a buffer after the last run.
    fn read(&mut self, buffer: usize) -> Result<Vec<u32>, Error>;
}

impl Contender {
    /// Every contender of this machine, in the order of the table. `floats` applies to the CPU engines.
    pub(super) fn all(floats: Floats) -> Result<Vec<Self>, Error> {
        let mut all = Vec::new();
        for target in Target::all() {
            let description = format!("machine code with {target}, {} lanes", target.lanes());
            let label = target.name().to_owned();
            all.push(Self::ours(label, description, Role::Code(target), floats)?);
        }
        let description = "the interpreter".to_owned();
        let label = "interpreter".to_owned();
        all.push(Self::ours(label, description, Role::Interpreter, floats)?);
        all.extend(Self::drivers()?);
        all.extend(Target::detect().map(|target| Self {
            label: BARE.to_owned(),
            description: described(format!("machine code with {target}, without wgpu"), floats),
            role: Role::Bare(target),
            floats,
            device: None,
        }));
        Ok(all)
    }

    fn ours(label: String, description: String, role: Role, floats: Floats) -> Result<Self, Error> {
        let engine = match role {
            Role::Code(target) => Engine::Code(target),
            _ => Engine::Interpreter,
        };
        let adapter =
            anywarp_adapter::adapter(AdapterOptions::default().engine(engine).floats(floats));
        Ok(Self {
            label,
            description: described(description, floats),
            role,
            floats,
            device: Some(Device::open(&adapter)?.for_program(SET)),
        })
    }

    /// Every adapter of an installed driver that supports compute shaders.
    fn drivers() -> Result<Vec<Self>, Error> {
        let computes = |adapter: &wgpu::Adapter| {
            let flags = adapter.get_downlevel_capabilities().flags;
            flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
        };
        let mut drivers: Vec<Self> = Vec::new();
        for adapter in anywarp::adapters::drivers()
            .iter()
            .filter(|it| computes(it))
        {
            let info = adapter.get_info();
            let backend = info.backend.to_string();
            let same = drivers
                .iter()
                .filter(|driver| driver.label.starts_with(&backend));
            let label = match same.count() {
                0 => backend,
                before => format!("{backend} {}", before + 1),
            };
            drivers.push(Self {
                label,
                description: format!("{}, {} {}", info.name, info.driver, info.driver_info),
                role: Role::Driver,
                floats: Floats::default(),
                device: Some(Device::open(adapter)?.for_program(SET)),
            });
        }
        Ok(drivers)
    }

    /// Whether a name on the command line selects this contender.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let description = self.description.to_lowercase();
        let is_part = || description.contains(&name.to_lowercase());
        self.label == name || self.role == Role::Driver && is_part()
    }

    /// The size that it runs where others run the full one.
    pub(super) fn size(&self) -> Size {
        match self.role {
            Role::Interpreter => Size::Small,
            _ => Size::Full,
        }
    }

    /// The kernel options for machine code of `target`.
    pub(super) fn kernels(&self, target: Target) -> KernelOptions {
        KernelOptions {
            engine: Engine::Code(target),
            floats: self.floats,
            ..Default::default()
        }
    }

    /// Why the contender cannot take part in a task. A kernel without machine code would time the interpreter
    /// instead.
    pub(super) fn obstacle(&self, task: &Task) -> Option<String> {
        let (Role::Code(target) | Role::Bare(target)) = self.role else {
            return None;
        };
        let obstacles = task.shaders.iter().filter_map(|text| {
            let made = catch_panic(|| kernel(text, self.kernels(target)));
            match made {
                Err(panic) => Some(format!("internal error: {panic}")),
                Ok(Err(reason)) => Some(reason),
                Ok(Ok(kernel)) => kernel.code().err().map(|it| format!("interpreted: {it}")),
            }
        });
        { obstacles }.next()
    }

    /// Compiles the shaders and fills the buffers of a task.
    pub(super) fn prepare<'a>(&'a self, task: &'a Task) -> Result<Box<dyn Prepared + 'a>, Error> {
        match (&self.device, self.role) {
            (Some(device), _) => Ok(Box::new(OnDevice::new(device, task)?)),
            (None, Role::Bare(target)) => Ok(Box::new(Bare::new(task, self.kernels(target))?)),
            (None, _) => Err(failed(task.name, &self.label, "there is no device")),
        }
    }
}

fn described(description: String, floats: Floats) -> String {
    match floats {
        Floats::Fused => description,
        Floats::Strict => description + ", without fusion",
    }
}

/// The kernel of a benchmark's shader.
pub(super) fn kernel(text: &str, options: KernelOptions) -> Result<Kernel, String> {
    let program = Program::from_wgsl(text).map_err(|error| error.to_string())?;
    kernel_of(&program, options)
}

/// The kernel of a program's `main`.
pub(super) fn kernel_of(program: &Program, options: KernelOptions) -> Result<Kernel, String> {
    Kernel::with_options(program, "main", options).map_err(|error| error.to_string())
}

/// The error of a kernel that did not run or gave a wrong result.
pub(super) fn failed(kernel: &str, contender: &str, reason: impl std::fmt::Display) -> Error {
    Error::Benchmark {
        kernel: kernel.to_owned(),
        contender: contender.to_owned(),
        reason: reason.to_string(),
    }
}
