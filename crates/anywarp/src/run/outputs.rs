//! Buffers on their way back: files checked beforehand, bytes read afterwards.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, OpenOptions};
use std::path::Path;

use super::pipeline::Machine;
use super::plan::Plan;
use crate::device::Session;
use crate::error::Error;
use crate::specs::{Out, Slot};

/// Bytes of each binding that an output names, as the last run left it.
pub(super) type ReadBack = BTreeMap<Slot, Vec<u8>>;

/// Finds out before a long run whether its results can be written.
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

/// Leaves no trace: an existing file keeps its contents, a new one goes again.
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

/// Copies what the outputs need from the device.
pub(super) fn read_back(
    session: &Session,
    machine: &Machine,
    plan: &Plan,
    outs: &[Out],
) -> Result<ReadBack, Error> {
    let last = machine.phase(plan.repeat - 1);
    let mut needed: BTreeMap<Slot, u64> = BTreeMap::new();
    for out in outs {
        let whole = plan.index(out.slot).map(|index| plan.buffers[index].bytes);
        let bytes = out.destination.bytes().or(whole).unwrap_or(0);
        let entry = needed.entry(out.slot).or_default();
        *entry = bytes.max(*entry);
    }
    let mut read = ReadBack::new();
    for (slot, bytes) in needed {
        if let Some(index) = plan.index(slot) {
            let buffer = &machine.buffers[last.buffer_of[index]];
            read.insert(slot, read_buffer(session, buffer, bytes)?);
        }
    }
    Ok(read)
}

/// The first bytes of a buffer.
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
        // The receiver is gone only when waiting failed, which is reported already.
        let _ = sender.send(result);
    });
    session.wait(|| ())?;
    match receiver.recv() {
        Ok(Ok(())) => Ok(session.mapped_bytes(&staging)?),
        Ok(Err(error)) => Err(session.refused(error.to_string())),
        Err(_) => Err(session.refused("a buffer was never mapped".to_owned())),
    }
}
