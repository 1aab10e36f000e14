//! An open device that returns errors as values.
//!
//! wgpu panics on an uncaptured error and when it waits for a lost device. A [`Session`] records the first error and
//! the reason of a loss instead, and [`Session::check`] returns them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::Error;
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

/// An open device with the errors that occurred on it.
pub(crate) struct Session {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    pub(crate) name: String,
    /// The program's file, for messages.
    file: String,
    troubles: Arc<Mutex<Troubles>>,
}

#[derive(Default)]
struct Troubles {
    error: Option<String>,
    lost: Option<String>,
}

impl Session {
    /// Opens a device with all limits and useful features of the adapter; `file` is the program's name for messages.
    pub(crate) fn open(adapter: &wgpu::Adapter, file: &str) -> Result<Self, Error> {
        let info = adapter.get_info();
        let (driver, version) = (&info.driver, &info.driver_info);
        log::info!("device `{}`, driver {driver} {version}", info.name);
        let name = info.name;
        let request = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("anywarp run"),
            required_features: adapter.features() & USEFUL_FEATURES,
            required_limits: adapter.limits(),
            ..Default::default()
        });
        let (device, queue) =
            pollster::block_on(request).map_err(|error| Error::DeviceUnavailable {
                device: name.clone(),
                reason: error.to_string(),
            })?;

        let troubles = Arc::new(Mutex::new(Troubles::default()));
        let seen = Arc::clone(&troubles);
        let is_ours = anywarp_adapter::is_cpu(adapter);
        device.on_uncaptured_error(Arc::new(move |error| {
            let reason = error_text(&error, is_ours);
            with(&seen, |troubles| _ = troubles.error.get_or_insert(reason));
        }));
        let seen = Arc::clone(&troubles);
        device.set_device_lost_callback(move |reason, message| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                with(&seen, |troubles| _ = troubles.lost.get_or_insert(message));
            }
        });
        Ok(Self {
            device,
            queue,
            name,
            file: file.to_owned(),
            troubles,
        })
    }

    /// Returns the first error so far. A device loss comes first, since it explains all other errors.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let (error, lost) = with(&self.troubles, |troubles| {
            (troubles.error.clone(), troubles.lost.clone())
        });
        if let Some(reason) = anywarp_adapter::lost_message(&self.device).or(lost) {
            return Err(self.lost(reason));
        }
        error.map_or(Ok(()), |reason| Err(self.refused(reason)))
    }

    /// Like [`Self::check`]; an error that the device refused something names `thing`.
    pub(crate) fn check_about(&self, thing: &str) -> Result<(), Error> {
        self.check().map_err(|error| match error {
            Error::Refused {
                device,
                file,
                reason,
            } => Error::Refused {
                device,
                file,
                reason: format!("{thing}: {reason}"),
            },
            other => other,
        })
    }

    /// A mapped buffer's bytes.
    pub(crate) fn mapped_bytes(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, Error> {
        let bytes = buffer
            .get_mapped_range(..)
            .map_err(|error| self.refused(error.to_string()))?
            .to_vec();
        Ok(bytes)
    }

    /// The error that the device refused an operation.
    pub(crate) fn refused(&self, reason: String) -> Error {
        Error::Refused {
            device: self.name.clone(),
            file: self.file.clone(),
            reason,
        }
    }

    /// Waits until all submitted work is done, and calls `tick` regularly.
    pub(crate) fn wait(&self, mut tick: impl FnMut()) -> Result<(), Error> {
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
                Err(panic) => return Err(self.lost(panic)),
                Ok(Err(wgpu::PollError::Timeout)) => tick(),
                Ok(Err(error)) => return Err(self.lost(error.to_string())),
                Ok(Ok(_)) => return Ok(()),
            }
        }
    }

    fn lost(&self, reason: String) -> Error {
        Error::Lost {
            device: self.name.clone(),
            file: self.file.clone(),
            reason,
        }
    }
}

/// No update can be left half done, so a poisoned lock is ignored.
fn with<T>(troubles: &Mutex<Troubles>, work: impl FnOnce(&mut Troubles) -> T) -> T {
    work(&mut troubles.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The innermost cause of a wgpu error: wgpu's own text lists labels and call sites, which do not help a user.
///
/// wgpu calls every pipeline that a device refuses an internal error. The CPU device refuses pipelines that exceed a
/// limit or need an unsupported feature, and marks its own bugs as such.
fn error_text(error: &wgpu::Error, is_ours: bool) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    match text.strip_prefix("Internal error: ") {
        Some(reason) if is_ours => reason.to_owned(),
        _ => text,
    }
}
