//! The repository's own programs, from which random inputs are made.
//!
//! In: the checkout, which is read once. Out: WGSL, SPIR-V, WebAssembly and graph files; also written as folders of
//! files, the seed corpora of libFuzzer ([`write_corpus`]).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};

use super::targets::TARGETS;

/// The number of generated inputs for targets with few files or none.
const GENERATED: u64 = 64;

/// Files of the repository by language.
#[derive(Debug)]
pub(crate) struct Corpus {
    pub(crate) wgsl: Vec<Vec<u8>>,
    pub(crate) spirv: Vec<Vec<u8>>,
    pub(crate) wasm: Vec<Vec<u8>>,
    pub(crate) graphs: Vec<Vec<u8>>,
    /// The files that graph files refer to, by path.
    pub(crate) graph_sources: BTreeMap<PathBuf, Vec<u8>>,
}

/// The files.
///
/// # Panics
///
/// If the checkout from which this program was built is gone.
pub(crate) fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| read().expect("the checkout that this program was built from"))
}

fn read() -> Result<Corpus> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let graphs = root.join("examples/graphs");
    let mut graph_sources = BTreeMap::new();
    for path in files(&graphs, "wgsl")? {
        graph_sources.insert(path.strip_prefix(&graphs)?.to_owned(), fs::read(&path)?);
    }
    let mut wgsl = all(&root.join("tests/conformance"), "wgsl")?;
    for folder in [
        "examples",
        "crates/program/tests/programs",
        "crates/cli/src",
    ] {
        wgsl.extend(all(&root.join(folder), "wgsl")?);
    }
    Ok(Corpus {
        wgsl,
        spirv: all(&root.join("crates/spirv/tests/fuzz"), "spv")?,
        wasm: all(&root.join("crates/wasm/tests/fixtures"), "wasm")?,
        graphs: all(&graphs, "toml")?,
        graph_sources,
    })
}

fn all(folder: &Path, extension: &str) -> Result<Vec<Vec<u8>>> {
    let read = |path: PathBuf| Ok(fs::read(path)?);
    files(folder, extension)?.into_iter().map(read).collect()
}

/// The files of a folder and its subfolders, in order.
fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Writes a seed corpus for each target in libFuzzer's format.
pub fn write_corpus(folder: &Path) -> Result<()> {
    let corpus = corpus();
    for target in TARGETS {
        let own = folder.join(target.name);
        fs::create_dir_all(&own)?;
        let files: &[Vec<u8>] = match target.name {
            "wgsl" => &corpus.wgsl,
            "spirv" => &corpus.spirv,
            "wasm" => &corpus.wasm,
            "graph_toml" => &corpus.graphs,
            _ => &[],
        };
        for (number, bytes) in files.iter().enumerate() {
            fs::write(own.join(format!("file-{number}")), bytes)?;
        }
        for seed in 0..GENERATED {
            fs::write(own.join(format!("seed-{seed}")), target.generate(seed))?;
        }
    }
    Ok(())
}
