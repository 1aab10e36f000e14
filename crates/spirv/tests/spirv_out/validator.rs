//! Runs spirv-val with the rules of Vulkan.

use std::fs::OpenOptions;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// SPIR-V versions, each with the oldest Vulkan environment of spirv-val that supports it.
pub(crate) const TARGETS: &[((u8, u8), &str)] = &[
    ((1, 0), "vulkan1.0"),
    ((1, 1), "vulkan1.1"),
    ((1, 2), "vulkan1.1"),
    ((1, 3), "vulkan1.1"),
    ((1, 4), "vulkan1.1spv1.4"),
    ((1, 5), "vulkan1.2"),
    ((1, 6), "vulkan1.3"),
];

pub(crate) struct Validator {
    folder: PathBuf,
}

impl Validator {
    pub(crate) fn find() -> Option<Self> {
        let found = Command::new("spirv-val")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            report_skip("written SPIR-V is not validated: there is no spirv-val");
            return None;
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("anywarp-spirv-out-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Some(Self { folder })
    }

    /// Validates a module; the error is spirv-val's message.
    pub(crate) fn check(&self, words: &[u32], environment: &str) -> Result<(), String> {
        let path = self.folder.join("module.spv");
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        std::fs::write(&path, bytes).unwrap();
        let run = Command::new("spirv-val")
            .args(["--target-env", environment])
            .arg(&path)
            .output()
            .unwrap();
        if run.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&run.stderr).trim().to_owned())
        }
    }
}

impl Drop for Validator {
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
