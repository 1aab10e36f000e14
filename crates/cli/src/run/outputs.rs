//! Reads buffers and textures back: output paths are checked before the run, bytes are read after it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, OpenOptions};
use std::path::Path;

use anywarp::Resident;

use super::plan::{Plan, Planned};
use super::request::ResolvedRequest;
use super::sizes::needed_bytes;
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
    resident: &Resident,
    plan: &Plan,
    request: &ResolvedRequest<'_>,
) -> Result<ReadBack, Error> {
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
            Planned::Texture(texture) => texture.bytes(),
            Planned::Sampler(_) => continue,
        };
        let (_, most) = needed.entry(*slot).or_insert((index, 0));
        *most = bytes.max(*most);
    }
    let mut read = ReadBack::new();
    for (slot, (index, bytes)) in needed {
        let found = resident.read_at(index, bytes)?;
        read.insert(slot, found);
    }
    Ok(read)
}
