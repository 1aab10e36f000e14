//! The WGSL files of a graph, each read once.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anywarp_program::Source;

/// The most bytes of a file. Text is never longer; what is, is something else.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn read_file(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is larger than 64 MiB"));
    }
    Ok(text)
}

/// Reads files, and remembers them.
pub(super) struct Sources<L> {
    load: L,
    known: HashMap<String, Source>,
}

impl<L: FnMut(&Path) -> io::Result<(String, String)>> Sources<L> {
    pub(super) fn new(load: L) -> Self {
        Self {
            load,
            known: HashMap::new(),
        }
    }

    pub(super) fn get(&mut self, file: &str) -> io::Result<Source> {
        if let Some(known) = self.known.get(file) {
            return Ok(known.clone());
        }
        let (name, text) = (self.load)(Path::new(file))?;
        let source = Source::new(name, text);
        self.known.insert(file.to_owned(), source.clone());
        Ok(source)
    }
}
