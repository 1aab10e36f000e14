//! An open device that returns errors as values.
//!
//! wgpu panics on an uncaptured error and when it waits for a lost device. A [`Device`] that this library has opened
//! records the first error and the reason of a loss instead, and [`Device::check`] returns them. The operations of this
//! library capture their errors in error scopes, so a device that the caller has opened keeps its own handlers.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::cpu::{is_cpu, loss};
use super::{DeviceError, DeviceLoss, adapters};
use crate::panics::catch_panic;

/// The features that compute programs may use; requested if the device has them.
const USEFUL_FEATURES: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::IMMEDIATES)
    .union(wgpu::Features::SHADER_F16)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::SHADER_I16)
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_MIN_MAX)
    .union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS)
    .union(wgpu::Features::SHADER_FLOAT32_ATOMIC)
    .union(wgpu::Features::SUBGROUP)
    .union(wgpu::Features::SUBGROUP_BARRIER)
    .union(wgpu::Features::TEXTURE_ADAPTER_SPECIFIC_FORMAT_FEATURES)
    .union(wgpu::Features::TEXTURE_FORMAT_16BIT_NORM)
    .union(wgpu::Features::TEXTURE_ATOMIC)
    .union(wgpu::Features::TEXTURE_INT64_ATOMIC)
    .union(wgpu::Features::BGRA8UNORM_STORAGE)
    .union(wgpu::Features::DEPTH32FLOAT_STENCIL8)
    .union(wgpu::Features::MEMORY_DECORATION_COHERENT)
    .union(wgpu::Features::MEMORY_DECORATION_VOLATILE)
    .union(wgpu::Features::FLOAT32_FILTERABLE);

/// An open device with its queue, and the errors that occurred on it. Clones are the same device.
#[derive(Clone)]
pub struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
    /// `None` for a device that the caller has opened.
    adapter: Option<wgpu::Adapter>,
    is_cpu: bool,
    /// For messages.
    program: String,
    incidents: Arc<Mutex<Incidents>>,
}

/// The first error and the reason of a loss.
#[derive(Default)]
struct Incidents {
    error: Option<wgpu::Error>,
    lost: Option<DeviceLoss>,
}

impl Device {
    /// The CPU: always there, and the same results on every machine.
    #[cfg(feature = "cpu")]
    pub fn cpu() -> Result<Self, DeviceError> {
        Self::open(&anywarp_adapter::adapter(Default::default()))
    }

    /// [`Self::cpu`] with options: the engine, the number of threads, limits on time.
    ///
    /// ```
    /// use anywarp::{AdapterOptions, Device, Engine};
    ///
    /// let options = AdapterOptions::default().engine(Engine::Interpreter);
    /// let device = Device::cpu_with(options)?;
    /// # drop(device);
    /// # Ok::<(), anywarp::DeviceError>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu_with(options: anywarp_adapter::AdapterOptions) -> Result<Self, DeviceError> {
        Self::open(&anywarp_adapter::adapter(options))
    }

    /// The device for tests and tools: the one that the environment variable `ANYWARP_DEVICE` names (as
    /// [`Self::find`] does), else the best GPU of the installed drivers, else the CPU. GPUs need the feature `drivers`.
    ///
    /// ```
    /// let device = anywarp::Device::open_blocking()?;
    /// println!("{}: {} threads in a workgroup", device.name(), device.limits().max_compute_invocations_per_workgroup);
    /// # Ok::<(), anywarp::DeviceError>(())
    /// ```
    pub fn open_blocking() -> Result<Self, DeviceError> {
        match std::env::var("ANYWARP_DEVICE") {
            Ok(wanted) if !wanted.is_empty() => Self::find(&wanted),
            _ => match adapters::devices()
                .iter()
                .rev()
                .max_by_key(|adapter| adapters::rank(adapter))
            {
                Some(adapter) => Self::open(adapter),
                None => Err(adapters::not_found("a device")),
            },
        }
    }

    /// The device with this name: `cpu`, `gpu` for the best GPU, or a part of an adapter's name, in upper or lower case.
    pub fn find(wanted: &str) -> Result<Self, DeviceError> {
        let adapter = adapters::find(wanted).ok_or_else(|| adapters::not_found(wanted))?;
        Self::open(&adapter)
    }

    /// Opens a device with all limits and the useful features of the adapter.
    pub fn open(adapter: &wgpu::Adapter) -> Result<Self, DeviceError> {
        let info = adapter.get_info();
        let (driver, version) = (&info.driver, &info.driver_info);
        log::info!("device `{}`, driver {driver} {version}", info.name);
        let name = info.name;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("anywarp"),
            required_features: adapter.features() & USEFUL_FEATURES,
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) =
            pollster::block_on(request).map_err(|error| DeviceError::Unavailable {
                device: name.clone(),
                source: error,
            })?;
        let mut opened = Self::from_wgpu(device, queue);
        opened.name = name;
        opened.is_cpu = is_cpu(adapter);
        opened.adapter = Some(adapter.clone());
        opened.record_incidents();
        Ok(opened)
    }

    /// A device that the caller has opened, with its own limits, features and error handlers.
    #[must_use]
    pub fn from_wgpu(device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self {
            name: device.adapter_info().name,
            device,
            queue,
            adapter: None,
            is_cpu: false,
            program: "the program".to_owned(),
            incidents: Arc::default(),
        }
    }

    /// The device with the name of the program that it runs, for messages.
    #[must_use]
    pub fn for_program(mut self, name: impl Into<String>) -> Self {
        self.program = name.into();
        self
    }

    fn record_incidents(&self) {
        let seen = Arc::clone(&self.incidents);
        self.device.on_uncaptured_error(Arc::new(move |error| {
            with(&seen, |incidents| _ = incidents.error.get_or_insert(error));
        }));
        let seen = Arc::clone(&self.incidents);
        self.device
            .set_device_lost_callback(move |reason, message| {
                // wgpu ignores what is submitted to a destroyed device, without an error.
                let loss = match reason {
                    wgpu::DeviceLostReason::Destroyed => DeviceLoss::Destroyed,
                    wgpu::DeviceLostReason::Unknown => DeviceLoss::Driver(message),
                };
                with(&seen, |incidents| _ = incidents.lost.get_or_insert(loss));
            });
    }

    /// The device; [`Self`] dereferences to it too.
    #[must_use]
    pub fn wgpu(&self) -> &wgpu::Device {
        &self.device
    }

    /// The queue.
    #[must_use]
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// The adapter's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The adapter, unless the caller has opened the device.
    #[must_use]
    pub fn adapter(&self) -> Option<&wgpu::Adapter> {
        self.adapter.as_ref()
    }

    /// Returns the first error since the last check of an operation outside this library, such as one through the
    /// [`wgpu::Device`]. A device loss comes first, since it explains all other errors, and stays.
    pub fn check(&self) -> Result<(), DeviceError> {
        self.check_loss()?;
        let error = with(&self.incidents, |incidents| incidents.error.take());
        error.map_or(Ok(()), |error| Err(self.refused_by(error)))
    }

    fn check_loss(&self) -> Result<(), DeviceError> {
        let lost = with(&self.incidents, |incidents| incidents.lost.clone());
        match loss(&self.device).or(lost) {
            Some(loss) => Err(self.lost(loss)),
            None => Ok(()),
        }
    }

    /// Runs `work` and returns the first error that wgpu reports of it, or of its panics, as a refusal of `thing`.
    pub(crate) fn capture<T>(
        &self,
        thing: &str,
        work: impl FnOnce() -> T,
    ) -> Result<T, DeviceError> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let scopes =
            [Validation, OutOfMemory, Internal].map(|filter| self.device.push_error_scope(filter));
        let result = catch_panic(work);
        let mut error = None;
        // Scopes are a stack.
        for scope in scopes.into_iter().rev() {
            error = pollster::block_on(scope.pop()).or(error);
        }
        self.check_loss()?;
        let refused = match (error, result) {
            (Some(error), _) => self.refused_by(error),
            (None, Err(panic)) => self.refused(panic),
            (None, Ok(value)) => return Ok(value),
        };
        Err(match thing {
            "" => refused,
            _ => refused.about(thing),
        })
    }

    /// A mapped buffer's bytes.
    pub fn mapped_bytes(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, DeviceError> {
        let bytes = buffer
            .get_mapped_range(..)
            .map_err(|error| self.refused_because(error.to_string(), error))?
            .to_vec();
        Ok(bytes)
    }

    /// The error that the device refused an operation.
    #[must_use]
    pub fn refused(&self, reason: String) -> DeviceError {
        DeviceError::Refused {
            device: self.name.clone(),
            program: self.program.clone(),
            reason,
            source: None,
        }
    }

    fn refused_by(&self, error: wgpu::Error) -> DeviceError {
        self.refused_because(error_text(&error, self.is_cpu), error)
    }

    /// The error that the device refused an operation, with its source.
    pub(crate) fn refused_because(
        &self,
        reason: String,
        error: impl std::error::Error + Send + Sync + 'static,
    ) -> DeviceError {
        DeviceError::Refused {
            device: self.name.clone(),
            program: self.program.clone(),
            reason,
            source: Some(Arc::new(error)),
        }
    }

    /// Waits until all submitted work is done, and calls `tick` every 100 ms.
    pub fn wait(&self, mut tick: impl FnMut()) -> Result<(), DeviceError> {
        const TICK: Duration = Duration::from_millis(100);
        loop {
            let poll = catch_panic(|| {
                self.device.poll(wgpu::PollType::Wait {
                    submission_index: None,
                    timeout: Some(TICK),
                })
            });
            self.check()?;
            match poll {
                Err(panic) => return Err(self.lost(DeviceLoss::Driver(panic))),
                Ok(Err(wgpu::PollError::Timeout)) => tick(),
                Ok(Err(error)) => {
                    return Err(self.lost(DeviceLoss::Driver(error.to_string())));
                }
                Ok(Ok(_)) => return Ok(()),
            }
        }
    }

    fn lost(&self, source: DeviceLoss) -> DeviceError {
        DeviceError::Lost {
            device: self.name.clone(),
            program: self.program.clone(),
            source,
        }
    }
}

impl Deref for Device {
    type Target = wgpu::Device;

    fn deref(&self) -> &wgpu::Device {
        &self.device
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// No update can be left half done, so a poisoned lock is ignored.
fn with<T>(incidents: &Mutex<Incidents>, work: impl FnOnce(&mut Incidents) -> T) -> T {
    work(&mut incidents.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The innermost cause of a wgpu error: wgpu's own text lists labels and call sites, which do not help a user.
///
/// wgpu calls every pipeline that a device refuses an internal error. The CPU device refuses pipelines that exceed a
/// limit or need an unsupported feature, and marks its own bugs as such.
fn error_text(error: &wgpu::Error, is_cpu: bool) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    match text.strip_prefix("Internal error: ") {
        Some(reason) if is_cpu => reason.to_owned(),
        _ => text,
    }
}
