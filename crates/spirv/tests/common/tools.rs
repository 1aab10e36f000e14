//! Runs glslang and SPIRV-Tools, which produce the inputs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::report_skip;

/// The target environment, as the tools name it.
const TARGET: &str = "vulkan1.2";

pub(crate) struct Tools {
    folder: PathBuf,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

fn next() -> u32 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Tools {
    pub(crate) fn find() -> Option<Self> {
        for tool in ["glslangValidator", "spirv-as", "spirv-opt", "spirv-val"] {
            let found = Command::new(tool)
                .arg("--version")
                .stdout(Stdio::null())
                .status();
            if !found.is_ok_and(|status| status.success()) {
                report_skip(&format!("execution of SPIR-V: there is no {tool}"));
                return None;
            }
        }
        let name = format!("anywarp-spirv-{}-{}", std::process::id(), next());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Some(Self { folder })
    }

    /// Compiles GLSL with these macros defined; panics on compile errors.
    pub(crate) fn compile(&self, source: &str, stage: &str, defined: &[&str]) -> Vec<u32> {
        let input = self.file(stage, source.as_bytes());
        let output = input.with_extension("spv");
        let mut command = Command::new("glslangValidator");
        command.args(defined.iter().map(|name| format!("-D{name}")));
        command.args(["-V", "--target-env", TARGET, "-o"]);
        run(command.args([&output, &input]), source);
        words_of(&output)
    }

    /// Assembles a module with `spirv-as`.
    pub(crate) fn assemble(&self, source: &str) -> Vec<u32> {
        let input = self.file("spvasm", source.as_bytes());
        let output = input.with_extension("spv");
        let mut command = Command::new("spirv-as");
        command.args(["--target-env", "spv1.5", "-o"]);
        run(command.args([&output, &input]), source);
        words_of(&output)
    }

    /// Optimizes a module with spirv-opt; `how` is its argument.
    pub(crate) fn optimize(&self, words: &[u32], how: &str) -> Vec<u32> {
        let input = self.file("spv", bytemuck::cast_slice(words));
        let output = input.with_extension("opt");
        let mut command = Command::new("spirv-opt");
        command.args([how, &format!("--target-env={TARGET}"), "-o"]);
        run(command.args([&output, &input]), "");
        words_of(&output)
    }

    /// The error of spirv-val, if the words are invalid.
    pub(crate) fn fault(&self, words: &[u32]) -> Option<String> {
        let input = self.file("spv", bytemuck::cast_slice(words));
        let mut command = Command::new("spirv-val");
        command.args(["--target-env", TARGET, "--scalar-block-layout"]);
        let output = command.arg(&input).output().unwrap();
        let _ = std::fs::remove_file(input);
        let said = [output.stdout, output.stderr].concat();
        (!output.status.success()).then(|| String::from_utf8_lossy(&said).into_owned())
    }

    fn file(&self, extension: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.join(format!("{}.{extension}", next()));
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn run(command: &mut Command, source: &str) {
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{command:?}:\n{said}\n{source}");
}

fn words_of(file: &Path) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(&std::fs::read(file).unwrap())
}

/// Words as bytes.
pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

impl Drop for Tools {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
