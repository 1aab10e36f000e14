//! Runs the commands of documents in a folder of their own.
//!
//! In: a command line that calls `anywarp`, or `cargo run` for a program of this workspace. Out: its output and
//! whether it succeeded. What always holds: every program is built from the present sources, without optimization and
//! with the workspace's features, so that after `cargo test --workspace` nothing is compiled again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cargo_metadata::Message;

/// Files that the commands of a document expect.
const FILES: &[(&str, &str)] = &[
    ("wrong.toml", include_str!("files/wrong.toml")),
    ("flip.toml", include_str!("files/flip.toml")),
    ("flip.wgsl", include_str!("files/flip.wgsl")),
];

/// A folder with the repository's folders, in which commands may write.
pub(super) struct Workplace {
    folder: PathBuf,
    root: PathBuf,
}

impl Workplace {
    /// An empty folder of this name, with links to the repository.
    pub(super) fn new(root: &Path, name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for the commands");
        for (name, text) in FILES {
            fs::write(folder.join(name), text).expect("a file of a document");
        }
        #[cfg(unix)]
        for name in ["crates", "docs", "examples", "tests"] {
            let link = folder.join(name);
            std::os::unix::fs::symlink(root.join(name), link).expect("a link to the repository");
        }
        Self {
            folder,
            root: root.to_owned(),
        }
    }
}

/// The output of a command.
pub(super) struct Output {
    pub(super) succeeded: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// A program of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Program {
    Binary(String),
    Example(String),
}

/// The built programs.
pub(super) struct Executables(BTreeMap<Program, PathBuf>);

impl Executables {
    /// Builds `anywarp` and every program that the commands run with cargo.
    pub(super) fn build<'a>(root: &Path, commands: impl Iterator<Item = &'a str>) -> Self {
        let mut programs: Vec<Program> = commands
            .filter_map(cargo_run)
            .map(|(program, _)| program)
            .collect();
        programs.push(Program::Binary("anywarp".to_owned()));
        programs.sort();
        programs.dedup();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build.args([
            "build",
            "--workspace",
            "--message-format",
            "json-render-diagnostics",
        ]);
        for program in &programs {
            match program {
                Program::Binary(name) => build.args(["--bin", name]),
                Program::Example(name) => build.args(["--example", name]),
            };
        }
        let build = build.current_dir(root).stderr(Stdio::inherit()).output();
        let build = build.expect("cargo starts");
        assert!(build.status.success(), "cargo does not build {programs:?}");
        let paths: BTreeMap<_, _> = Message::parse_stream(&build.stdout[..])
            .filter_map(|message| built_program(message.expect("a message of cargo")))
            .collect();
        for program in &programs {
            assert!(
                paths.contains_key(program),
                "cargo has not built {program:?}"
            );
        }
        Self(paths)
    }

    /// Runs a command in the workplace.
    pub(super) fn run(&self, command: &str, workplace: &Workplace) -> Output {
        let anywarp = &self.0[&Program::Binary("anywarp".to_owned())];
        let command = match cargo_run(command) {
            Some((program, arguments)) => format!("'{}' {arguments}", self.0[&program].display()),
            None => command.to_owned(),
        };
        // Cargo finds the workspace of a crate by the resolved path.
        let examples = format!("build '{}/examples'", workplace.root.display());
        let path = std::env::var("PATH").unwrap_or_default();
        let programs = anywarp.parent().expect("the folder of a program").display();
        let output = Command::new("sh")
            .args(["-c", &command.replace("build examples", &examples)])
            .current_dir(&workplace.folder)
            .env("PATH", format!("{programs}:{path}"))
            // It chooses among the commands, and must not choose among the cases that they run.
            .env_remove("ANYWARP_CASE")
            .output()
            .expect("there is a shell");
        Output {
            succeeded: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The program that a `cargo run` runs, and the rest of the line after `--`. `None` for other commands.
fn cargo_run(command: &str) -> Option<(Program, &str)> {
    let (call, arguments) = command.split_once(" -- ").unwrap_or((command, ""));
    let options = call.strip_prefix("cargo run")?;
    let mut program = Program::Binary("anywarp".to_owned());
    let mut words = options.split_whitespace();
    while let Some(word) = words.next() {
        let mut name = || words.next().unwrap_or_default().to_owned();
        match word {
            "--release" => {}
            "-p" | "--bin" => program = Program::Binary(name()),
            "--example" => program = Program::Example(name()),
            _ => panic!("`{command}`: the option {word} is not known here"),
        }
    }
    Some((program, arguments))
}

fn built_program(message: Message) -> Option<(Program, PathBuf)> {
    let Message::CompilerArtifact(artifact) = message else {
        return None;
    };
    let path = artifact.executable?.into_std_path_buf();
    let name = artifact.target.name.clone();
    let program = if artifact.target.is_example() {
        Program::Example(name)
    } else {
        Program::Binary(name)
    };
    Some((program, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_their_arguments_are_found() {
        let binary = |name: &str| Program::Binary(name.to_owned());
        let example = |name: &str| Program::Example(name.to_owned());
        for (command, expected) in [
            (
                "cargo run --release -- devices",
                Some((binary("anywarp"), "devices")),
            ),
            (
                "cargo run --release -p three-ways",
                Some((binary("three-ways"), "")),
            ),
            (
                "cargo run -p anywarp-tests --bin conformance",
                Some((binary("conformance"), "")),
            ),
            (
                "cargo run --release -p mandelbrot --example nucleus -- 0 1 1e-30",
                Some((example("nucleus"), "0 1 1e-30")),
            ),
            ("anywarp run - -- x", None),
        ] {
            assert_eq!(cargo_run(command), expected, "{command}");
        }
    }
}
