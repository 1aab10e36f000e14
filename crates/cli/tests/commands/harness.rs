//! Runs the command and captures its output; creates a folder for each test's files.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The output and status of a command.
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Asserts that the command succeeded.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }

    /// Asserts that the command failed with this exit code, without a panic, and with a message that contains all
    /// these texts.
    #[track_caller]
    pub(crate) fn failed(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        for word in words {
            assert!(
                self.stderr.contains(word),
                "no `{word}` in: {}",
                self.stderr
            );
        }
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}", self.stdout))
    }
}

/// Runs `anywarp` in the repository's root folder.
pub(crate) fn anywarp<S: AsRef<str>>(arguments: &[S]) -> CommandOutput {
    let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
    command.args(arguments.iter().map(AsRef::as_ref));
    outcome(&mut command)
}

/// Runs `anywarp` with these bytes on its standard input.
pub(crate) fn anywarp_with_input(arguments: &[&str], input: &[u8]) -> CommandOutput {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("input_{:?}", std::thread::current().id());
    let path = folder.join(name.replace(['(', ')'], "_"));
    std::fs::write(&path, input).expect("the test's input is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
    let file = std::fs::File::open(&path).expect("the test's input is there");
    command.args(arguments).stdin(file);
    outcome(&mut command)
}

/// Runs a command in the repository's root folder.
pub(crate) fn outcome(command: &mut Command) -> CommandOutput {
    let output = command.current_dir(root()).output();
    let output = output.expect("the command starts");
    CommandOutput {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// `anywarp run` on the device under test.
pub(crate) fn run(file: &str, arguments: &[&str]) -> CommandOutput {
    let device = std::env::var("ANYWARP_TEST_DEVICE").unwrap_or_else(|_| "cpu".to_owned());
    let mut all = vec!["run", file, "--device", &device];
    all.extend(arguments);
    anywarp(&all)
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An empty folder for one test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    /// The path of a file in it, as an argument.
    pub(crate) fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("a plain path").to_owned()
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("the test's file is written");
        path
    }
}

/// Width, height, colour type and bytes of a PNG file.
pub(crate) fn read_png(path: &str) -> (u32, u32, png::ColorType, Vec<u8>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("the picture exists"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG file");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut bytes).expect("a whole picture");
    (info.width, info.height, info.color_type, bytes)
}

/// Reports a skipped test on stderr and appends the line to the file that `ANYWARP_SKIP_LOG` names.
pub(crate) fn report_skip(reason: &str) {
    use std::io::Write;
    let line = format!("SKIPPED: {reason}\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("ANYWARP_SKIP_LOG") {
        std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut log| log.write_all(line.as_bytes()))
            .expect("the file that ANYWARP_SKIP_LOG names can be written");
    }
}
