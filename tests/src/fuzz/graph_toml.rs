//! Fuzz target: any text as a graph file, which is read and planned.
//!
//! In: bytes. Files that a graph names are taken from `examples/graphs` only. Random inputs are the graph files of
//! that folder with random changes.

use std::io;
use std::path::Path;

use anywarp_graph::file::FileOptions;
use anywarp_graph::{GraphFile, Plan};

use super::corpus::corpus;
use super::mutate::mutate_text;
use super::stages::Stages;
use super::verdict::Verdict;
use anywarp_test_support::Random;

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    let text = String::from_utf8_lossy(input);
    // Half of a stage's memory limit. A file gets the bytes that it asks for, up to this limit.
    let mut options = FileOptions::default();
    options.bytes = 256 << 20;
    let read = stages.run("read", || {
        GraphFile::parse_with("graph.toml", &text, &options, load)
    });
    let file = match read {
        Ok(file) => file,
        Err(error) => {
            let text = error.to_string();
            return if text.contains('\n') {
                Verdict::wrong("read", format!("more than one line: {text}"))
            } else {
                Verdict::Refused
            };
        }
    };
    let planned = stages.run("plan", || {
        Plan::new(file.graph(), &file.plan_options()).map(|plan| plan.to_string())
    });
    match planned {
        Ok(_) => Verdict::Accepted,
        Err(_) => Verdict::Refused,
    }
}

fn load(path: &Path) -> io::Result<(String, Vec<u8>)> {
    let name = path.display().to_string();
    match corpus().graph_sources.get(path) {
        Some(bytes) => Ok((name, bytes.clone())),
        None => Err(io::ErrorKind::NotFound.into()),
    }
}

pub(crate) fn generate(random: &mut Random) -> Vec<u8> {
    mutate_text(random, &corpus().graphs)
}
