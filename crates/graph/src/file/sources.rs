//! The files that a graph file names: WGSL, each read once, and images.
//!
//! What always holds: a file has at most [`MAX_BYTES`], and each mention of a WGSL file takes its
//! bytes from the byte_budget, since each node keeps a copy.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anywarp_program::Source;

use super::options::{ByteBudget, OverByteLimit};

/// The maximum size of a file in bytes. Larger files are not plausible sources.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn read_file(file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is larger than 64 MiB"));
    }
    Ok(bytes)
}

/// Converts bytes to text, or fails.
pub(super) fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::other(format!("not UTF-8 at byte {at}"))
    })
}

/// Reads files and caches WGSL sources.
pub(super) struct Sources<'a, L> {
    load: L,
    byte_budget: &'a ByteBudget,
    known: HashMap<String, Source>,
}

impl<'a, L: FnMut(&Path) -> io::Result<(String, Vec<u8>)>> Sources<'a, L> {
    pub(super) fn new(load: L, byte_budget: &'a ByteBudget) -> Self {
        Self {
            load,
            byte_budget,
            known: HashMap::new(),
        }
    }

    pub(super) fn get(&mut self, file: &str) -> io::Result<Source> {
        if !self.known.contains_key(file) {
            let (name, bytes) = (self.load)(Path::new(file))?;
            let source = Source::new(name, text(bytes)?);
            self.known.insert(file.to_owned(), source);
        }
        let source = &self.known[file];
        self.take(source.text().len() as u64)
            .map_err(io::Error::other)?;
        Ok(source.clone())
    }

    /// Reads a file without caching.
    pub(super) fn bytes(&mut self, file: &str) -> io::Result<Vec<u8>> {
        let (_, bytes) = (self.load)(Path::new(file))?;
        Ok(bytes)
    }

    /// Takes bytes that are about to be allocated from the limit.
    pub(super) fn take(&self, bytes: u64) -> Result<(), OverByteLimit> {
        self.byte_budget.take(bytes)
    }
}
