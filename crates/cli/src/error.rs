//! The errors that end a command, and its exit code.
//!
//! Each message is one sentence that names the object and the place. Exit code 2 means that the command was wrong, 1
//! that the program or the device failed.

use std::io;
use std::path::PathBuf;

use anywarp::{DeviceError, ShaderError};
use anywarp_build::BuildError;
use anywarp_graph::GraphError;
use anywarp_graph::file::FileError;
use anywarp_program::ProgramError;
use anywarp_wasm::bytecode::escape_lines;
use anywarp_wasm::runtime::LaunchError;
use clap::builder::styling::{AnsiColor, Style};

use crate::specs::{ElementType, Slot, Target, Workgroups};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    // The files of the command.
    #[error("cannot read {}: {}", path.display(), io_reason(source))]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot read {}: it has more than the {limit} bytes that can be used", path.display())]
    FileTooLarge { path: PathBuf, limit: u64 },
    #[error("cannot read {}: not UTF-8 at byte {offset}", path.display())]
    NotUtf8 { path: PathBuf, offset: usize },
    #[error("cannot read {}: {reason}", path.display())]
    UnsupportedInput { path: PathBuf, reason: String },
    #[error("cannot write {}: {}", path.display(), io_reason(source))]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {reason}", path.display())]
    UnsupportedOutput { path: PathBuf, reason: String },
    #[error("cannot write {}: two outputs of this command name it", .0.display())]
    WrittenTwice(PathBuf),
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
    #[error("no memory for a thread: {0}")]
    Thread(io::Error),

    // The entry point and its constants.
    #[error("{file} has no entry point: nothing to run")]
    NoEntryPoint { file: String },
    #[error("{file} has several {kind}entry points, choose with --entry: {available}")]
    AmbiguousEntryPoint {
        file: String,
        kind: &'static str,
        available: String,
    },
    #[error("{file} has no entry point `{name}`; it has {available}")]
    UnknownEntryPoint {
        file: String,
        name: String,
        available: String,
    },
    #[error("entry point `{name}` of {file} is a {stage} shader; `run` runs compute shaders")]
    NotCompute {
        file: String,
        name: String,
        stage: &'static str,
    },
    #[error("--constant {0} is given twice")]
    ConstantGivenTwice(String),
    #[error("constants of {file}: {reason}")]
    Constant { file: String, reason: String },

    // Bindings.
    #[error("{option} {target}: entry point `{entry}` has {problem}; it has {available}")]
    UnknownBinding {
        option: &'static str,
        target: Target,
        problem: &'static str,
        entry: String,
        available: String,
    },
    #[error("--bind {0} is given twice")]
    BoundTwice(Target),
    #[error(
        "binding {slot} (`{name}`, {ty}) has no size: it follows neither from an --out nor from the grid; give --bind {slot}=zeros:BYTES, or --bind {slot}=zeros:{element}:COUNT, or data"
    )]
    MissingBinding {
        slot: Slot,
        name: String,
        ty: String,
        element: ElementType,
    },
    #[error("binding {slot} (`{name}`, {ty}): `run` cannot bind {what}")]
    Unbindable {
        slot: Slot,
        name: String,
        ty: String,
        what: String,
    },
    #[error(
        "binding {slot} (`{name}`, {ty}): `run` cannot bind samplers on the CPU device, which does not sample textures yet; use --device gpu"
    )]
    NoSamplers {
        slot: Slot,
        name: String,
        ty: String,
    },
    #[error("binding {slot} (`{name}`, {ty}) has no size; give {expected}")]
    NoTextureSize {
        slot: Slot,
        name: String,
        ty: String,
        expected: String,
    },
    #[error("--bind {slot}: `{name}` ({ty}) is a buffer, but {given} is a {what}")]
    NotATexture {
        slot: Slot,
        name: String,
        ty: String,
        given: String,
        what: &'static str,
    },
    #[error("{place}{reason}")]
    MemberValues { place: String, reason: String },
    // Becomes `MemberValues` once the place is known.
    #[error("{reason}")]
    Members { reason: String },
    #[error("{}: {reason}", path.display())]
    Json { path: PathBuf, reason: String },
    #[error("`{contents}` has no size here: give a count")]
    NoCount { contents: String },
    #[error("`{contents}` has {bytes} bytes, but at most {limit} are possible")]
    ContentsTooLarge {
        contents: String,
        bytes: u64,
        limit: u64,
    },
    #[error("binding {slot} (`{name}`, {ty}): {reason}")]
    Texture {
        slot: Slot,
        name: String,
        ty: String,
        reason: String,
    },
    #[error(
        "--out {target}: {wanted} is a picture of a buffer: give its size and pixels as FILE.png:WxH:rgba8|f32x4|heat"
    )]
    BufferPicture { target: Target, wanted: String },
    #[error("--out {out}: {reason}, and bytes need standard output for themselves")]
    OutToStdout { out: String, reason: String },
    #[error(
        "--out {target}: print:{count} prints {count} elements of an array, but `{name}` is a {ty}; give a type, as print:f32:{count}"
    )]
    PrintCount {
        target: Target,
        count: u64,
        name: String,
        ty: String,
    },
    #[error(
        "--bind {slot} gives {given} bytes, but the shader needs at least {needed} for `{name}` ({ty})"
    )]
    BindTooSmall {
        slot: Slot,
        name: String,
        ty: String,
        given: u64,
        needed: u64,
    },
    #[error("--bind {slot} gives {bytes} bytes, but buffers take multiples of 4 bytes")]
    NotWholeWords { slot: Slot, bytes: u64 },
    #[error(
        "binding {slot} (`{name}`) of {bytes} bytes is over the device's limit of {limit} bytes ({limit_name})"
    )]
    BufferTooLarge {
        slot: Slot,
        name: String,
        bytes: u64,
        limit: u64,
        limit_name: &'static str,
    },
    #[error("--immediate gives {given} bytes, but the shader's `{name}` takes {needed}")]
    ImmediateSize {
        name: String,
        given: u64,
        needed: u64,
    },
    #[error("--immediate is given, but entry point `{entry}` uses no var<immediate>")]
    NoImmediate { entry: String },
    #[error(
        "--swap {first},{second}: binding {first} has {first_bytes} bytes and {second} has {second_bytes}; swapped bindings need equal sizes"
    )]
    SwapSizes {
        first: Slot,
        second: Slot,
        first_bytes: u64,
        second_bytes: u64,
    },
    #[error("{file}: entry point `{entry}` has no machine code: {reason}")]
    NoMachineCode {
        file: String,
        entry: String,
        reason: String,
    },
    #[error("--swap {0},{1}: --swap needs --repeat of 2 or more, for it acts between runs")]
    SwapOfOneRun(Slot, Slot),
    #[error("--swap {first},{second}: {reason}")]
    SwapKinds {
        first: Slot,
        second: Slot,
        reason: String,
    },
    #[error(
        "--out {target}: {wanted} needs {needed} bytes, but binding {target} (`{name}`) has {have}"
    )]
    OutSize {
        target: Target,
        name: String,
        wanted: String,
        needed: u64,
        have: u64,
    },

    // The device.
    #[error(
        "--workgroups {given} is over the limit of {limit} in each dimension of device `{device}`"
    )]
    TooManyWorkgroups {
        given: Workgroups,
        limit: u32,
        device: String,
    },
    #[error(
        "binding {slot} (`{name}`) of {file} is in a group over the limit of {limit} groups of device `{device}`"
    )]
    GroupOverLimit {
        slot: Slot,
        name: String,
        file: String,
        limit: u32,
        device: String,
    },
    #[error("binding {slot} (`{name}`): device `{device}` has no {what}")]
    NoSuchTexture {
        slot: Slot,
        name: String,
        device: String,
        what: String,
    },
    #[error("{file} needs {need} ({feature}), which device `{device}` does not have")]
    MissingFeature {
        file: String,
        need: String,
        feature: String,
        device: String,
    },
    #[error("no device matches --device {wanted}; there is {available}")]
    NoDevice { wanted: String, available: String },
    #[error("{0} is for the CPU; device `{1}` is watched by its driver")]
    NoWatchdog(&'static str, String),
    #[error("--schedule is for the CPU; device `{0}` runs invocations in its own order")]
    NoSchedule(String),
    #[error("--subgroup-size is for the CPU; device `{0}` has subgroups of its own size")]
    NoSubgroupSize(String),
    #[error("--compile-steps is for the CPU; device `{0}` compiles in its own way")]
    NoCompileSteps(String),
    #[error("--max-frame-memory is for the CPU; device `{0}` allocates frames in its own way")]
    NoFrameMemory(String),
    #[error("--engine is for the CPU; device `{0}` runs programs in its own way")]
    NoEngine(String),
    #[error("--strict-float is for the CPU; device `{0}` rounds in its own way")]
    NoStrictFloat(String),
    #[error(transparent)]
    Device(#[from] DeviceError),
    // Boxed, because results carry it along every path.
    #[error(transparent)]
    Shader(Box<ShaderError>),

    // The program.
    #[error("{0}")]
    Program(#[from] ProgramError),
    #[error("{file} is not a SPIR-V module that can be read: {reason}")]
    Spirv { file: String, reason: String },
    #[error("{file} cannot be written as {language}: {reason}")]
    Translate {
        file: String,
        language: &'static str,
        reason: String,
    },
    #[error("{}", with_sources(.0))]
    GraphFile(#[from] FileError),
    // Boxed, because results carry it along every path.
    #[error("{}", with_sources(.0.as_ref()))]
    Graph(Box<GraphError>),
    #[error("{failed} of {all} files could not be translated")]
    Untranslated { failed: usize, all: usize },
    #[error("{file}: {reason}")]
    Module { file: String, reason: String },
    // It may contain function names of the module.
    #[error("{}", crate::wasm::one_line(&.0.to_string()))]
    Launch(#[from] LaunchError),
    #[error("{trapped} of {threads} threads trapped")]
    Trapped { trapped: usize, threads: usize },
    #[error("{0}")]
    Build(#[from] BuildError),
    #[error("{option}: {reason}")]
    Argument {
        option: &'static str,
        reason: String,
    },
    #[error(
        "there is no example `{name}`{}; `anywarp gallery` lists them",
        did_you_mean(close)
    )]
    UnknownExample { name: String, close: Vec<String> },
    #[error("{failed} of {all} examples failed")]
    ExamplesFailed { failed: usize, all: usize },
    #[error("kernel `{kernel}` on {contender}: {reason}")]
    Benchmark {
        kernel: String,
        contender: String,
        reason: String,
    },
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        Self::Graph(Box::new(error))
    }
}

impl Error {
    /// Adds the binding to an error in the values of its members.
    pub(crate) fn about_binding(self, slot: Slot, name: &str) -> Self {
        self.in_members(format!("--bind {slot} (`{name}`): "))
    }

    /// Adds the variable to an error in the values of immediate data.
    pub(crate) fn about_immediate(self, name: &str) -> Self {
        self.in_members(format!("--immediate (`{name}`): "))
    }

    fn in_members(self, place: String) -> Self {
        match self {
            Self::Members { reason } => Self::MemberValues { place, reason },
            Self::Json { path, reason } => Self::MemberValues {
                place,
                reason: format!("{}: {reason}", path.display()),
            },
            other => other,
        }
    }

    /// The message for the terminal, in colour. Diagnostics of a program already begin with `error`.
    pub(crate) fn report(&self) -> String {
        if let Self::Program(ProgramError::Invalid(diagnostic)) = self {
            return diagnostic.colored().to_owned();
        }
        // Names in a program may contain control characters, which must not reach the terminal.
        let message = self.to_string();
        let text = escape_lines(&message);
        let rest = text.strip_prefix("error: ").unwrap_or(&text);
        // The colours of clap.
        let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        if text.starts_with("error") && rest.len() == text.len() {
            text.into_owned()
        } else {
            format!("{red}error:{red:#} {rest}")
        }
    }

    /// 2 when the command was wrong, 1 when the program failed.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Build(BuildError::NoCrate(_) | BuildError::Workspace(_)) => 2,
            // Errors in what the command asked of the program, not in the program.
            Self::Program(ProgramError::EntryPoint(_) | ProgramError::Constant(_)) => 2,
            Self::Program(_)
            | Self::Spirv { .. }
            | Self::Translate { .. }
            | Self::Untranslated { .. }
            | Self::Device(_)
            | Self::Shader(_)
            | Self::GroupOverLimit { .. }
            | Self::NoSuchTexture { .. }
            | Self::NoSamplers { .. }
            | Self::MissingFeature { .. }
            | Self::Module { .. }
            | Self::Trapped { .. }
            | Self::GraphFile(_)
            | Self::Graph(_)
            | Self::Build(_)
            | Self::Launch(
                LaunchError::Init(_)
                | LaunchError::Device { .. }
                | LaunchError::OutOfMemory { .. }
                | LaunchError::Watchdog { .. }
                | LaunchError::TooMuchWork { .. },
            )
            | Self::ExamplesFailed { .. }
            | Self::Benchmark { .. }
            | Self::NoMachineCode { .. }
            | Self::Stdout(_)
            | Self::Thread(_) => 1,
            _ => 2,
        }
    }
}

/// The reason without the operating system's error number, in lower case.
fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

/// An error with the chain of its sources. Of an error of wgpu, which repeats all its sources, only the innermost is
/// included.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(mut source) = next {
        if source.is::<wgpu::Error>() || source.is::<Box<wgpu::Error>>() {
            while let Some(inner) = source.source() {
                source = inner;
            }
        }
        text = format!("{text}: {source}");
        next = source.source();
    }
    text
}

/// A question about names in backquotes, as part of a message.
fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", names.join(" or "))
    }
}

/// Names in a message: `` `a`, `b` ``, or `none`.
pub(crate) fn listing<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(", ")
    }
}
