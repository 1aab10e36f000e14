//! The name section: names of functions and globals.
//!
//! Names help people only, so a broken section gives the names in front of the break.

use std::collections::HashMap;

use wasmparser::{BinaryReader, CustomSectionReader, Name, NameMap, NameSectionReader};

/// Names by number.
#[derive(Default)]
pub(crate) struct Names {
    /// Of functions, imported ones included.
    pub functions: HashMap<u32, String>,
    /// Of globals, imported ones included.
    pub globals: HashMap<u32, String>,
}

impl Names {
    /// Reads a custom section, if it has names.
    pub(super) fn read(&mut self, section: &CustomSectionReader<'_>) {
        if section.name() != "name" {
            return;
        }
        let offset = section.data_offset();
        for name in NameSectionReader::new(BinaryReader::new(section.data(), offset)) {
            match name {
                Ok(Name::Function(names)) => collect(names, &mut self.functions),
                Ok(Name::Global(names)) => collect(names, &mut self.globals),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

fn collect(from: NameMap<'_>, into: &mut HashMap<u32, String>) {
    for naming in from {
        let Ok(naming) = naming else { return };
        into.insert(naming.index, naming.name.to_owned());
    }
}
