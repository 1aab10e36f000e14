//! Extracts the buffer from a [`hal::BufferBinding`].
//!
//! The field that holds it is private to wgpu-hal up to 30.0.1, and there is no accessor. The type does derive `Debug`,
//! though, so formatting it calls the `Debug` of *our* buffer, which stores a clone of itself in a thread-local if a
//! capture is in progress. This assumes no layout and needs no unsafe code. A newer wgpu has an accessor; then this
//! module can be deleted. The manifest of this crate requires the one version of wgpu-hal that was checked; tests compare
//! that version, the one in use, and the form of the text.

use std::cell::RefCell;
use std::fmt::{self, Write};

use wgpu::hal;

use crate::resources::Buffer;

/// The state of a capture.
enum Capture {
    /// No capture: `Debug` prints.
    None,
    /// `Debug` is to store the buffer here.
    Open,
    Done(Buffer),
}

thread_local! {
    static CAPTURE: RefCell<Capture> = const { RefCell::new(Capture::None) };
}

/// The buffer that is bound.
pub(crate) fn bound_buffer(binding: &hal::BufferBinding<'_, Buffer>) -> Buffer {
    CAPTURE.set(Capture::Open);
    // The text around the buffer is discarded.
    let _ = write!(DiscardingWriter, "{binding:?}");
    match CAPTURE.replace(Capture::None) {
        Capture::Done(buffer) => buffer,
        Capture::None | Capture::Open => {
            unreachable!("the derived Debug of a buffer binding formats its buffer")
        }
    }
}

/// Stores the buffer if a capture is in progress; returns whether it was.
fn capture(buffer: &Buffer) -> bool {
    CAPTURE.with_borrow_mut(|capture| {
        let open = matches!(capture, Capture::Open);
        if open {
            *capture = Capture::Done(buffer.clone());
        }
        open
    })
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if capture(self) {
            return Ok(());
        }
        fmt::Debug::fmt(&self.memory, f)
    }
}

/// A writer that discards its text.
struct DiscardingWriter;

impl Write for DiscardingWriter {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use wgpu::wgt::BufferSize;

    use super::*;
    use crate::resources::HostAccess;

    /// What to do when a test of this module fails.
    const ADVICE: &str = "wgpu-hal has changed: if `BufferBinding` has a public accessor of its buffer now, call that in \
        `BindGroup::new`, and delete this module and the dependency; else make sure that its derived `Debug` still formats \
        the buffer (`bound_buffer`), and update VERSION and the manifest";

    /// The version for which this was checked.
    const VERSION: &str = "30.0.1";

    fn buffer(size: u64) -> Buffer {
        Buffer {
            memory: anywarp_cpu::Buffer::new(size).unwrap(),
            host_access: HostAccess::None,
            is_upload: false,
        }
    }

    #[test]
    fn the_debug_text_of_a_binding_contains_its_buffer() {
        let bound = buffer(12);
        let binding = hal::BufferBinding::new_unchecked(&bound, 4, BufferSize::new(8));
        let expected = format!("BufferBinding {{ buffer: {bound:?}, offset: 4, size: Some(8) }}");
        assert_eq!(format!("{binding:?}"), expected, "{ADVICE}");
        assert_eq!(bound_buffer(&binding).memory.size(), 12, "{ADVICE}");
        // A capture is over when it has succeeded.
        assert_eq!(format!("{binding:?}"), expected, "{ADVICE}");
    }

    /// In the repository and in the package, whose manifest cargo rewrites as `[dependencies.wgpu-hal]`.
    #[test]
    fn the_manifest_requires_the_version_that_was_checked() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let manifest = std::fs::read_to_string(manifest).unwrap();
        let (_, dependency) = manifest.split_once("\nwgpu-hal = ").unwrap_or_else(|| {
            let table = manifest.split_once("[dependencies.wgpu-hal]");
            table.expect("a dependency on wgpu-hal")
        });
        let mut versions = dependency.split("version = ");
        let version = versions.nth(1).unwrap_or_default();
        let expected = format!("\"={VERSION}\"");
        assert!(version.starts_with(&expected), "{version}: {ADVICE}");
    }

    /// Only in the repository.
    #[test]
    fn wgpu_hal_has_the_version_that_was_checked() {
        let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
        let Ok(lock) = std::fs::read_to_string(lock) else {
            return;
        };
        let mut lines = lock.lines();
        let found = lines.find(|line| *line == "name = \"wgpu-hal\"");
        let version = found.and_then(|_| lines.next()).unwrap_or_default();
        assert_eq!(version, format!("version = \"{VERSION}\""), "{ADVICE}");
    }
}
