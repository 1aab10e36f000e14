//! A private runtime folder for test runs: the value of `XDG_RUNTIME_DIR` where a machine has none.
//!
//! In: cargo's target folder. Out: a folder in it that only the user can access, as the XDG base directory specification
//! demands. Without such a folder (in a container, over SSH) Mesa's device-select Vulkan layer makes libwayland print
//! `error: XDG_RUNTIME_DIR is invalid or not set in the environment` each time that a test lists devices.

use std::path::{Path, PathBuf};

/// The variable.
pub(crate) const VARIABLE: &str = "XDG_RUNTIME_DIR";

/// A private folder, if the environment names none that exists. Without it tests run as well, only with more output.
pub(crate) fn create_if_missing(target: &Path) -> Option<PathBuf> {
    let is_valid = std::env::var_os(VARIABLE).is_some_and(|folder| is_valid(Path::new(&folder)));
    if is_valid {
        return None;
    }
    create(&target.join("runtime")).ok()
}

fn is_valid(folder: &Path) -> bool {
    folder.is_absolute() && folder.is_dir()
}

#[cfg(unix)]
fn create(folder: &Path) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};

    const PRIVATE: u32 = 0o700;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(PRIVATE)
        .create(folder)?;
    // The folder may be that of an earlier run.
    std::fs::set_permissions(folder, PermissionsExt::from_mode(PRIVATE))?;
    folder.canonicalize()
}

#[cfg(not(unix))]
fn create(_: &Path) -> std::io::Result<PathBuf> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_folder_is_private_and_can_be_created_again() {
        let target = std::env::temp_dir().join(format!("xtask-{}", std::process::id()));
        for _ in 0..2 {
            let folder = create(&target.join("runtime")).unwrap();
            assert!(is_valid(&folder));
            let mode = folder.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
        std::fs::remove_dir_all(target).unwrap();
        assert!(!is_valid(Path::new("relative")));
    }
}
