//! What the tests need from the system.
//!
//! In: the system's library and program folders, and what the compiler can compile for. Out: the
//! Debian packages and the compile target that are missing, installed where `apt-get` and `rustup`
//! can be used. Nothing here is needed to use Anywarp: lavapipe is the independent Vulkan driver
//! that results are compared with, `spirv-val` judges our output, kernels written in Rust and pages
//! are compiled for wasm32, and pages run in Chromium.

use std::path::Path;
use std::process::Command;

use crate::command;

/// A package and the files any of which shows that what it brings is there.
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

/// What kernels and pages are compiled for.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// Installs what is missing. Where that is impossible it says so and goes on: the tests concerned
/// skip themselves, and skips are counted.
pub(crate) fn install() {
    let packages = missing(|file| Path::new(file).exists());
    if !packages.is_empty() {
        install_missing(&packages.join(", "), || apt_install(&packages));
    }
    install_target();
}

/// Installs what compiles for browsers, if it is missing.
pub(crate) fn install_target() {
    if !has_target(TARGET) {
        let mut rustup = Command::new("rustup");
        install_missing(TARGET, || {
            command::run(rustup.args(["target", "add", TARGET]))
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
fn has_target(target: &str) -> bool {
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
    command::run(apt_get()?.arg("update"))?;
    command::run(
        apt_get()?
            .args(["install", "--yes", "--no-install-recommends"])
            .args(packages),
    )
}

/// `apt-get`, as root.
fn apt_get() -> Result<Command, String> {
    let is_root = command::output(Command::new("id").arg("-u"))?.trim() == "0";
    let mut apt_get = if is_root {
        Command::new("env")
    } else if Path::new("/usr/bin/sudo").exists() {
        // Without a terminal to ask for a password on, sudo must not wait for one.
        let mut sudo = Command::new("sudo");
        sudo.args(["--non-interactive", "env"]);
        sudo
    } else {
        return Err("apt-get needs root, and there is no sudo".to_owned());
    };
    apt_get.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]);
    Ok(apt_get)
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
    fn the_compiler_knows_what_it_compiles_for() {
        let host = command::output(Command::new("rustc").args(["--print", "host-tuple"])).unwrap();
        assert!(has_target(host.trim()));
        assert!(!has_target("no-such-target"));
    }
}
