//! Installs the system packages and the compilation target that the tests need.
//!
//! In: the system's library and program folders, and the compiler's targets. Out: the missing Debian packages and
//! target are installed if `apt-get` and `rustup` can be used. Users of Anywarp need none of them: lavapipe is the
//! independent Vulkan driver for comparing results, `spirv-val` validates SPIR-V output, kernels written in Rust and
//! pages are compiled for wasm32, and pages run in Chromium. What always holds: the chore waits for other programs
//! that hold the package manager's locks; where skips are failures, a missing prerequisite ends the run before the
//! first test.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::{Outcome, command};

/// A package and some of its files; if any of them exists, the package counts as installed.
struct Prerequisite {
    package: &'static str,
    files: &'static [&'static str],
}

const PREREQUISITES: &[Prerequisite] = &[
    Prerequisite {
        package: "mesa-vulkan-drivers",
        files: &[
            "/usr/share/vulkan/icd.d/lvp_icd.json",
            "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json",
            "/usr/share/vulkan/icd.d/lvp_icd.aarch64.json",
        ],
    },
    Prerequisite {
        package: "libvulkan1",
        files: &[
            "/usr/lib/x86_64-linux-gnu/libvulkan.so.1",
            "/usr/lib/aarch64-linux-gnu/libvulkan.so.1",
            "/usr/lib64/libvulkan.so.1",
            "/usr/lib/libvulkan.so.1",
        ],
    },
    Prerequisite {
        package: "spirv-tools",
        files: &["/usr/bin/spirv-val", "/usr/local/bin/spirv-val"],
    },
    Prerequisite {
        package: "glslang-tools",
        files: &[
            "/usr/bin/glslangValidator",
            "/usr/local/bin/glslangValidator",
        ],
    },
    Prerequisite {
        package: "chromium",
        files: &[
            "/usr/bin/chromium",
            "/usr/bin/chromium-browser",
            "/usr/local/bin/chromium",
            "/usr/bin/google-chrome",
            "/usr/bin/google-chrome-stable",
        ],
    },
];

/// The compilation target of kernels and pages.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Seconds for which `apt-get` waits while another program installs packages.
const LOCK_SECONDS: u32 = 600;

/// The time between two attempts to get the lock of the package lists, for which `apt-get` itself does not wait.
const LOCK_RETRY: Duration = Duration::from_secs(5);

/// Installs what is missing. If that fails and skips are allowed, reports it and continues: the tests concerned skip
/// themselves, and skips are counted. If skips are not allowed, it is an error that names what to install.
pub(crate) fn install(skips_allowed: bool) -> Outcome {
    let find_missing = || missing(|file| Path::new(file).exists());
    let packages = find_missing();
    if !packages.is_empty() {
        install_missing(&packages.join(", "), || apt_install(&packages));
    }
    install_target(TARGET);
    let targets = Some(TARGET).filter(|target| !has_target(target));
    if skips_allowed {
        return Ok(());
    }
    complete(&find_missing(), targets)
}

/// An error that names what to install, if something is missing.
fn complete(packages: &[&str], target: Option<&str>) -> Outcome {
    let mut commands = Vec::new();
    if !packages.is_empty() {
        commands.push(format!("apt-get install {}", packages.join(" ")));
    }
    if let Some(target) = target {
        commands.push(format!("rustup target add {target}"));
    }
    if commands.is_empty() {
        return Ok(());
    }
    Err(format!(
        "tests would be skipped, which is not allowed here; install what they need: {}",
        commands.join("; ")
    ))
}

/// Installs a compilation target if it is missing.
pub(crate) fn install_target(target: &str) {
    if !has_target(target) {
        let mut rustup = Command::new("rustup");
        install_missing(target, || {
            command::run(rustup.args(["target", "add", target]))
        });
    }
}

fn install_missing(what: &str, install: impl FnOnce() -> Result<(), String>) {
    println!("missing: {what}");
    if let Err(message) = install() {
        println!("not installed, so what needs it cannot run: {message}");
    }
}

/// Whether the compiler has a standard library for a target.
pub(crate) fn has_target(target: &str) -> bool {
    let mut rustc = Command::new("rustc");
    rustc.args(["--print", "target-libdir", "--target", target]);
    command::output(&mut rustc).is_ok_and(|folder| Path::new(folder.trim()).exists())
}

fn missing(exists: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let is_missing = |p: &&Prerequisite| !p.files.iter().any(|file| exists(file));
    PREREQUISITES
        .iter()
        .filter(is_missing)
        .map(|p| p.package)
        .collect()
}

fn apt_install(packages: &[&str]) -> Result<(), String> {
    if !Path::new("/usr/bin/apt-get").exists() {
        return Err("there is no apt-get; install these by your system's own means".to_owned());
    }
    let tries = LOCK_SECONDS / LOCK_RETRY.as_secs() as u32;
    update_lists(
        tries,
        || update_once(&mut apt_get()?),
        || std::thread::sleep(LOCK_RETRY),
    )?;
    command::run(
        apt_get()?
            .args(["install", "--yes", "--no-install-recommends"])
            .args(packages),
    )
}

/// Why one `apt-get update` failed.
#[derive(Debug, PartialEq)]
enum UpdateError {
    /// Another program holds the lock of the package lists.
    Locked,
    Failed(String),
}

impl From<String> for UpdateError {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

/// Updates the package lists as soon as another program has released the lock.
fn update_lists(
    tries: u32,
    mut update: impl FnMut() -> Result<(), UpdateError>,
    mut wait: impl FnMut(),
) -> Outcome {
    for _ in 0..tries {
        match update() {
            Ok(()) => return Ok(()),
            Err(UpdateError::Failed(message)) => return Err(message),
            Err(UpdateError::Locked) => {
                println!("another program holds the lock of the package lists; waiting");
                wait();
            }
        }
    }
    Err(format!(
        "another program has held the lock of the package lists for {LOCK_SECONDS} s"
    ))
}

fn update_once(apt_get: &mut Command) -> Result<(), UpdateError> {
    let child = apt_get
        .arg("update")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("`apt-get update` did not start: {error}"))?;
    let output = child
        .wait_with_output()
        .map_err(|error| format!("`apt-get update` was lost: {error}"))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        Ok(())
    } else if messages.contains("/lists/lock") {
        Err(UpdateError::Locked)
    } else {
        let status = output.status;
        Err(format!("`apt-get update` failed: {status}: {}", messages.trim()).into())
    }
}

/// `apt-get` as root, waiting for the package manager's lock.
fn apt_get() -> Result<Command, String> {
    let is_root = command::output(Command::new("id").arg("-u"))?.trim() == "0";
    let mut apt_get = if is_root {
        Command::new("env")
    } else if Path::new("/usr/bin/sudo").exists() {
        // Without a terminal, sudo must not wait for a password.
        let mut sudo = Command::new("sudo");
        sudo.args(["--non-interactive", "env"]);
        sudo
    } else {
        return Err("apt-get needs root, and there is no sudo".to_owned());
    };
    apt_get.args(["DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"]);
    apt_get.args(apt_get_words());
    Ok(apt_get)
}

fn apt_get_words() -> [String; 3] {
    [
        "apt-get".to_owned(),
        "--quiet".to_owned(),
        format!("--option=DPkg::Lock::Timeout={LOCK_SECONDS}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_a_packages_files_will_do() {
        assert_eq!(missing(|_| true), [""; 0]);
        assert_eq!(missing(|_| false).len(), PREREQUISITES.len());
        let has = |file: &str| file.ends_with("lvp_icd.aarch64.json") || file.contains("libvulkan");
        assert_eq!(missing(has), ["spirv-tools", "glslang-tools", "chromium"]);
    }

    #[test]
    fn lists_that_are_locked_are_tried_again_and_other_failures_are_not() {
        let (mut tried, mut waited) = (0, 0);
        let update = || {
            tried += 1;
            if tried < 3 {
                Err(UpdateError::Locked)
            } else {
                Ok(())
            }
        };
        assert_eq!(update_lists(5, update, || waited += 1), Ok(()));
        assert_eq!((tried, waited), (3, 2));

        let message = update_lists(5, || Err(UpdateError::Locked), || waited += 1).unwrap_err();
        assert_eq!(waited, 7);
        assert!(message.contains("another program"), "{message}");

        let broken = || Err(UpdateError::Failed("no network".to_owned()));
        assert_eq!(
            update_lists(5, broken, || panic!("waits for nothing")),
            Err("no network".to_owned())
        );
    }

    #[test]
    fn a_held_lock_is_told_from_other_failures() {
        let script = |text: &str| {
            let mut shell = Command::new("sh");
            shell.args(["-c", text]);
            update_once(&mut shell)
        };
        assert_eq!(script("true"), Ok(()));
        let locked =
            "echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held' >&2; exit 100";
        assert_eq!(script(locked), Err(UpdateError::Locked));
        let failed = script("echo 'E: no network' >&2; exit 100").unwrap_err();
        assert!(matches!(failed, UpdateError::Failed(message) if message.contains("no network")));
    }

    #[test]
    fn apt_get_waits_for_the_lock() {
        let words = apt_get_words();
        assert!(words.contains(&"--option=DPkg::Lock::Timeout=600".to_owned()));
    }

    #[test]
    fn what_is_still_missing_is_named_with_the_command_that_installs_it() {
        assert_eq!(complete(&[], None), Ok(()));
        let message = complete(&["spirv-tools", "chromium"], Some(TARGET)).unwrap_err();
        assert!(message.contains("apt-get install spirv-tools chromium"));
        assert!(message.contains("rustup target add wasm32-unknown-unknown"));
    }

    #[test]
    fn the_compiler_knows_what_it_compiles_for() {
        let host = command::output(Command::new("rustc").args(["--print", "host-tuple"])).unwrap();
        assert!(has_target(host.trim()));
        assert!(!has_target("no-such-target"));
    }
}
