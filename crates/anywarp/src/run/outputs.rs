//! Reads buffers and textures back: output paths are checked before the run, bytes are read after it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, OpenOptions};
use std::path::Path;

use super::gpu_objects::{GpuObjects, Resource};
use super::plan::{Plan, Planned};
use super::request::ResolvedRequest;
use super::sizes::{needed_bytes, rounded_up};
use super::transfer::read_texture;
use crate::device::Session;
use crate::error::Error;
use crate::specs::Slot;

/// The bytes of each binding that an output names, after the last run.
pub(super) type ReadBack = BTreeMap<Slot, Vec<u8>>;

/// Checks before a possibly long run that its results can be written.
pub(crate) fn check_paths<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<(), Error> {
    let mut seen = HashSet::new();
    for path in paths {
        if !seen.insert(path) {
            return Err(Error::WrittenTwice(path.to_owned()));
        }
        try_open(path).map_err(|source| Error::Write {
            path: path.to_owned(),
            source,
        })?;
    }
    Ok(())
}

/// Has no lasting effect: an existing file keeps its contents, a new one is removed again.
fn try_open(path: &Path) -> std::io::Result<()> {
    let existed = fs::exists(path)?;
    OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map(drop)?;
    if existed {
        Ok(())
    } else {
        fs::remove_file(path)
    }
}

/// Copies the bindings that the outputs need from the device.
pub(super) fn read_back(
    session: &Session,
    objects: &GpuObjects,
    plan: &Plan,
    request: &ResolvedRequest<'_>,
) -> Result<ReadBack, Error> {
    let last = objects.phase(plan.repeat - 1);
    let mut needed: BTreeMap<Slot, (usize, u64)> = BTreeMap::new();
    for (slot, out) in &request.outs {
        let Some(index) = plan.index(*slot) else {
            continue;
        };
        let bytes = match &plan.resources[index] {
            Planned::Buffer(buffer) => {
                let binding = &plan.interface.bindings[index];
                needed_bytes(binding, &out.destination).unwrap_or(buffer.bytes)
            }
            Planned::Texture(texture) => texture.bytes,
            Planned::Sampler(_) => continue,
        };
        let (_, most) = needed.entry(*slot).or_insert((index, 0));
        *most = bytes.max(*most);
    }
    let mut read = ReadBack::new();
    for (slot, (index, bytes)) in needed {
        let found = match &objects.resources[last.resource_of[index]] {
            Resource::Buffer(buffer) => {
                let mut found = read_buffer(session, buffer, rounded_up(bytes))?;
                found.truncate(bytes as usize);
                found
            }
            Resource::Texture(texture) => read_texture(session, texture)?,
            Resource::Sampler(_) => continue,
        };
        read.insert(slot, found);
    }
    Ok(read)
}

/// Reads the first `bytes` bytes of a buffer.
pub(crate) fn read_buffer(
    session: &Session,
    buffer: &wgpu::Buffer,
    bytes: u64,
) -> Result<Vec<u8>, Error> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let staging = session.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: bytes,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = session.device.create_command_encoder(&Default::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, bytes);
    session.queue.submit([encoder.finish()]);
    session.check()?;

    let (sender, receiver) = std::sync::mpsc::channel();
    staging.map_async(wgpu::MapMode::Read, .., move |result| {
        // The receiver exists unless waiting failed, and that error is reported already.
        let _ = sender.send(result);
    });
    session.wait(|| ())?;
    match receiver.recv() {
        Ok(Ok(())) => Ok(session.mapped_bytes(&staging)?),
        Ok(Err(error)) => Err(session.refused(error.to_string())),
        Err(_) => Err(session.refused("a buffer was never mapped".to_owned())),
    }
}
