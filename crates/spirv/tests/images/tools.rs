//! Runs glslang and SPIRV-Tools, which produce the inputs.

use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) struct Tools {
    folder: PathBuf,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

fn next() -> u32 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Tools {
    pub(crate) fn find() -> Option<Self> {
        for tool in ["glslangValidator", "spirv-as", "spirv-val"] {
            let found = Command::new(tool)
                .arg("--version")
                .stdout(Stdio::null())
                .status();
            if !found.is_ok_and(|status| status.success()) {
                report_skip(&format!("images of SPIR-V: there is no {tool}"));
                return None;
            }
        }
        let name = format!("anywarp-images-{}-{}", std::process::id(), next());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Some(Self { folder })
    }

    /// The module of a case. It must be valid unless its first line says otherwise.
    pub(crate) fn spirv(&self, case: &Path) -> Vec<u8> {
        let source = std::fs::read_to_string(case).unwrap();
        let stage = case.extension().and_then(|it| it.to_str()).unwrap();
        match stage {
            "spvasm" => self.assemble(&source),
            stage => self.compile(&source, stage, &[]),
        }
    }

    fn assemble(&self, source: &str) -> Vec<u8> {
        let input = self.folder.join(format!("{}.spvasm", next()));
        std::fs::write(&input, source).unwrap();
        let output = input.with_extension("spv");
        let mut command = Command::new("spirv-as");
        run(
            command
                .args(["--target-env", "spv1.3", "-o"])
                .args([&output, &input]),
            source,
        );
        if !source.starts_with("; invalid") {
            self.validate(&output, source);
        }
        std::fs::read(output).unwrap()
    }

    /// Compiles GLSL with these macros defined.
    pub(crate) fn compile(&self, source: &str, stage: &str, defined: &[&str]) -> Vec<u8> {
        let input = self.folder.join(format!("{}.{stage}", next()));
        std::fs::write(&input, source).unwrap();
        let output = input.with_extension("spv");
        let mut command = Command::new("glslangValidator");
        command.args(defined.iter().map(|name| format!("-D{name}")));
        command.args(["-V", "--target-env", "vulkan1.2", "-o"]);
        run(command.args([&output, &input]), source);
        self.validate(&output, source);
        std::fs::read(output).unwrap()
    }

    fn validate(&self, file: &Path, source: &str) {
        run(
            Command::new("spirv-val")
                .args(["--target-env", "vulkan1.2"])
                .arg(file),
            source,
        );
    }
}

fn run(command: &mut Command, source: &str) {
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{command:?}:\n{said}\n{source}");
}

impl Drop for Tools {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Reports a skipped test on stderr and in the skip log.
pub(crate) fn report_skip(what: &str) {
    let line = format!("SKIPPED: {what}\n");
    let _ = stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("ANYWARP_SKIP_LOG") {
        let log = OpenOptions::new().append(true).create(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
}
