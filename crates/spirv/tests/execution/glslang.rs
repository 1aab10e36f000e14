//! glslang, which turns GLSL into SPIR-V.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::device::report_skip;

pub(crate) struct Glslang {
    folder: PathBuf,
}

impl Glslang {
    pub(crate) fn find() -> Option<Self> {
        let found = Command::new("glslangValidator")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            report_skip("shaders from GLSL: there is no glslangValidator");
            return None;
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("anywarp-glsl-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Some(Self { folder })
    }

    pub(crate) fn compile(&self, source: &str, stage: &str) -> Vec<u8> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let input = self.folder.join(format!("{number}.{stage}"));
        let output = self.folder.join(format!("{number}.spv"));
        std::fs::write(&input, source).unwrap();
        let run = Command::new("glslangValidator")
            .args(["-V", "--target-env", "vulkan1.1", "-o"])
            .args([&output, &input])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "glslang refuses:\n{said}\n{source}");
        std::fs::read(output).unwrap()
    }
}

impl Drop for Glslang {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
