//! Keeps Mesa's device-select Vulkan layer from writing to standard error.
//!
//! In: the environment of a process that has one thread. Out: the same environment with `NODEVICE_SELECT=1`, if that
//! avoids a useless message. Mesa installs an implicit layer that asks the desktop's compositor which device it uses.
//! Without `XDG_RUNTIME_DIR` (in a container, over SSH) there is no compositor, and libwayland prints `error:
//! XDG_RUNTIME_DIR is invalid or not set in the environment` each time that devices are listed. The Vulkan loader reads
//! the variable when an instance is created and then skips the layer; no option of wgpu does the same.

use std::env;
use std::path::Path;

/// The variable that disables the layer.
const OFF: &str = "NODEVICE_SELECT";

/// Variables by which a user configures the layer.
const DECIDED: [&str; 2] = [OFF, "MESA_VK_DEVICE_SELECT"];

/// Disables Mesa's device-select layer if there is no display server to query.
///
/// Call it first in `main`. It changes nothing if the user has set `NODEVICE_SELECT` or `MESA_VK_DEVICE_SELECT`, if
/// `XDG_RUNTIME_DIR` is the absolute path of a folder, if the process already has other threads, and on systems other
/// than Linux.
pub fn quiet_vulkan_loader() {
    let is_decided = DECIDED.iter().any(|name| env::var_os(name).is_some());
    if !is_decided && !has_desktop() && is_single_threaded() {
        // SAFETY: this thread is the only one of the process, so no other thread reads or writes the
        // environment meanwhile, by std or by C.
        unsafe { env::set_var(OFF, "1") };
    }
}

/// Whether the layer may find a compositor.
fn has_desktop() -> bool {
    env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| is_runtime_folder(Path::new(&folder)))
}

/// Whether this is a folder that exists; libwayland accepts only absolute paths.
fn is_runtime_folder(path: &Path) -> bool {
    path.is_absolute() && path.is_dir()
}

/// Whether this is the only thread of the process; `false` if that cannot be determined.
fn is_single_threaded() -> bool {
    let is_linux = cfg!(target_os = "linux");
    is_linux && std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_folder_is_absolute_and_exists() {
        let folder = env::temp_dir();
        assert!(is_runtime_folder(&folder));
        assert!(!is_runtime_folder(
            &folder.join("no such folder of anywarp")
        ));
        assert!(!is_runtime_folder(Path::new(".")));
        assert!(!is_runtime_folder(Path::new("")));
    }

    #[test]
    fn the_environment_of_a_process_with_threads_stays() {
        // The test harness runs this on a thread of its own.
        let before: Vec<_> = env::vars_os().collect();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert!(!is_single_threaded());
                quiet_vulkan_loader();
            });
        });
        assert_eq!(before, env::vars_os().collect::<Vec<_>>());
    }
}
