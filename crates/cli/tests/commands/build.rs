//! `anywarp build`: the cargo commands that it runs, and its error messages. Scripts replace cargo and the compiler
//! where a test depends on what is installed; `three-ways` is compiled for real.

use std::fs;

use crate::harness::{Folder, anywarp};

#[test]
fn folders_that_are_no_kernel_crate_are_named() {
    anywarp(&["build", "docs"]).failed(2, &["docs has no Cargo.toml"]);
    anywarp(&["build", "nowhere"]).failed(2, &["nowhere has no Cargo.toml"]);
    anywarp(&["build", "README.md"]).failed(2, &["README.md has no Cargo.toml"]);
    anywarp(&["build", "."]).failed(2, &["is a workspace without a crate of its own"]);
    let library = anywarp(&["build", "crates/program"]);
    library.failed(1, &["crates/program gives no module", "cdylib"]);
}

#[test]
fn a_manifest_that_cargo_refuses_is_told_in_a_line() {
    let folder = Folder::new("build-manifest");
    folder.file("Cargo.toml", "[package\n");
    let refused =
        anywarp(&["build", &folder.path("")]).failed(1, &["is not a crate that can be built"]);
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("Cargo.toml:1"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_cannot_be_written_is_told_before_anything_is_compiled() {
    let options = ["build", "examples/kernels", "--out", "no/such/folder.wasm"];
    let refused = anywarp(&options).failed(2, &["cannot write no/such/folder.wasm"]);
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
}

/// Scripts that replace the toolchain.
#[cfg(unix)]
mod toolchain {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    use super::*;
    use crate::harness::{CommandOutput, outcome};

    /// A kernel crate with a toolchain of scripts.
    struct Fake(Folder);

    impl Fake {
        /// A compiler without a standard library for wasm32, and a cargo that records its arguments.
        fn new(test: &str, source: &str) -> Self {
            let folder = Folder::new(test);
            for name in ["crate", "sysroot"] {
                fs::create_dir_all(folder.path(name)).unwrap();
            }
            let manifest = "[package]\nname = \"k\"\nedition = \"2024\"\n[workspace]\n\
                            [lib]\npath = \"k.rs\"\ncrate-type = [\"cdylib\"]\n";
            folder.file("crate/Cargo.toml", manifest);
            folder.file("crate/k.rs", source);
            let fake = Self(folder);
            let sysroot = fake.0.path("sysroot");
            fake.program(
                "rustc",
                &format!("case $2 in sysroot) echo {sysroot};; *) echo {sysroot}/nothing;; esac"),
            );
            let (asked, module) = (fake.0.path("asked"), fake.0.file("k.wasm", "module"));
            let artifact = format!(r#"{{"reason":"compiler-artifact","filenames":["{module}"]}}"#);
            // `cargo metadata` calls are passed to the real cargo.
            fake.program(
                "cargo",
                &format!(
                    "if [ $1 = metadata ]; then exec {} \"$@\"; fi\n\
                     echo \"$@ $RUSTC $RUSTC_BOOTSTRAP \
                     $CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER flags: $RUSTFLAGS\" > {asked}\n\
                     echo '{artifact}'",
                    env!("CARGO")
                ),
            );
            fake
        }

        fn program(&self, name: &str, script: &str) {
            let path = self.0.file(name, format!("#!/bin/sh\n{script}\n"));
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }

        fn build(&self) -> CommandOutput {
            outcome(&mut self.command())
        }

        fn command(&self) -> Command {
            let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
            command
                .args(["build", &self.0.path("crate")])
                .env("CARGO", self.0.path("cargo"))
                .env("PATH", self.0.path(""))
                .env_remove("RUSTC");
            command
        }

        /// The sources of a standard library.
        fn with_sources(self) -> Self {
            let sources = self.0.path("sysroot/lib/rustlib/src/rust/library/core");
            fs::create_dir_all(sources).unwrap();
            self
        }

        fn asked(&self) -> String {
            fs::read_to_string(self.0.path("asked")).unwrap()
        }
    }

    #[test]
    fn a_compiler_without_the_target_is_told_how_to_get_it() {
        let fake = Fake::new("build-no-target", "#![no_std]");
        let refused = fake.build();
        refused.failed(1, &["rustup target add wasm32-unknown-unknown"]);
        // The sources alone are not enough: a linker is missing.
        fake.with_sources()
            .build()
            .failed(1, &["rustup target add"]);
    }

    #[test]
    fn the_standard_library_is_compiled_where_there_are_sources() {
        let fake = Fake::new("build-sources", "#![no_std]").with_sources();
        fake.program("wasm-ld", "");
        fake.build().done();
        let asked = fake.asked();
        for part in [
            "-Zbuild-std=core,alloc,panic_abort rustc --release --lib",
            &fake.0.path("wasm-ld"),
            " 1 ",
        ] {
            assert!(asked.contains(part), "no `{part}` in {asked}");
        }
        // A compiler finds its bundled linker by itself.
        let host = "sysroot/lib/rustlib/host/bin";
        fs::create_dir_all(fake.0.path(host)).unwrap();
        fake.0.file(&format!("{host}/rust-lld"), "");
        fake.build().done();
        assert!(!fake.asked().contains("wasm-ld"), "{}", fake.asked());

        let with_std = Fake::new("build-sources-std", "").with_sources();
        with_std.program("rust-lld", "");
        with_std.build().done();
        let asked = with_std.asked();
        assert!(asked.contains("-Zbuild-std=std,panic_abort"), "{asked}");
    }

    #[test]
    fn an_installed_target_is_enough() {
        let fake = Fake::new("build-installed", "#![no_std]").with_sources();
        fake.program("rustc", &format!("echo {}", fake.0.path("sysroot")));
        let built = fake.build().done();
        assert_eq!(built.stdout.trim(), fake.0.path("k.wasm"));
        assert!(!fake.asked().contains("build-std"), "{}", fake.asked());
    }

    #[test]
    fn the_users_flags_stay_as_they_are() {
        let fake = Fake::new("build-flags", "#![no_std]");
        fake.program("rustc", &format!("echo {}", fake.0.path("sysroot")));
        let mut command = fake.command();
        command.args(["--stack", "4096"]);
        outcome(command.env("RUSTFLAGS", "-Copt-level=1")).done();
        let asked = fake.asked();
        for part in ["-- -Clink-arg=-zstack-size=4096 ", "flags: -Copt-level=1\n"] {
            assert!(asked.contains(part), "no `{part}` in {asked}");
        }
    }

    #[test]
    fn a_crate_that_does_not_compile_is_named_behind_what_cargo_says() {
        let fake = Fake::new("build-fails", "#![no_std]");
        fake.program("rustc", &format!("echo {}", fake.0.path("sysroot")));
        fake.program(
            "cargo",
            &format!(
                "if [ $1 = metadata ]; then exec {} \"$@\"; fi\necho 'error[E0308]' >&2; exit 101",
                env!("CARGO")
            ),
        );
        let failed = fake.build().failed(1, &["does not compile for wasm32"]);
        assert!(
            failed.stderr.starts_with("error[E0308]\n"),
            "{}",
            failed.stderr
        );
    }

    #[test]
    fn a_toolchain_that_is_not_there_is_told() {
        let fake = Fake::new("build-no-cargo", "#![no_std]");
        fs::remove_file(fake.0.path("cargo")).unwrap();
        fake.build()
            .failed(1, &["cargo cannot be started", "https://rustup.rs"]);
    }
}
