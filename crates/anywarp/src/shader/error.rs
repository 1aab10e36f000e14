//! Errors of [`Shader`](crate::Shader): each names the variable or the entry point, and what was expected.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use anywarp_program::ProgramError;

use crate::DeviceError;
use crate::reflection::{Binding, ElementType, Slot};

/// Why a shader cannot be read or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShaderError {
    /// The file cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is larger than a program can be.
    #[error("cannot read {}: it has {bytes} bytes, and a program has at most {limit}", path.display())]
    FileTooLarge {
        /// The file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The extension of the file belongs to no language that is read.
    #[error("cannot read {}: {reason}; give a .wgsl, .comp, .spv or .spvasm file", path.display())]
    UnknownLanguage {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The text is not a valid program; the diagnostic has file, line and column.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The bytes are not a SPIR-V module that can be read.
    #[error("{file} is not a SPIR-V module that can be read: {source}")]
    Spirv {
        /// The name of the module.
        file: String,
        /// The error of the reader or the assembler.
        source: Box<dyn Error + Send + Sync>,
    },

    /// The program has no entry point at all.
    #[error("{file} has no entry point")]
    NoEntryPoint {
        /// The name of the program.
        file: String,
    },
    /// The program has no entry point of this name.
    #[error("{file} has no entry point `{name}`; it has {available}")]
    UnknownEntryPoint {
        /// The name of the program.
        file: String,
        /// The name that was looked for.
        name: String,
        /// The names of all entry points.
        available: String,
    },
    /// The program has several compute entry points, and none was chosen.
    #[error("{file} has several compute entry points, choose one: {available}")]
    AmbiguousEntryPoint {
        /// The name of the program.
        file: String,
        /// Their names.
        available: String,
    },
    /// The entry point belongs to another stage.
    #[error(
        "entry point `{name}` of {file} is a {stage} shader; compute shaders can be dispatched"
    )]
    NotCompute {
        /// The name of the program.
        file: String,
        /// The entry point.
        name: String,
        /// Its stage.
        stage: &'static str,
    },

    /// The entry point uses no variable of this name or at this binding.
    #[error("entry point `{entry}` uses no variable {key}; it uses {available}")]
    UnknownVariable {
        /// The entry point.
        entry: String,
        /// The name, in quotes, or the binding.
        key: String,
        /// The variables with their bindings.
        available: String,
    },
    /// A variable was bound twice.
    #[error("variable {variable} is bound twice")]
    BoundTwice {
        /// The variable.
        variable: Box<Variable>,
    },
    /// A variable that the entry point uses was not bound.
    #[error("variable {variable} is not bound; bind {expected}")]
    Unbound {
        /// The variable.
        variable: Box<Variable>,
        /// The kind of data that it takes.
        expected: String,
    },
    /// The data is of another kind than the variable: a slice for a texture, or the like.
    #[error("variable {variable} takes {expected}, not {given}")]
    WrongKind {
        /// The variable.
        variable: Box<Variable>,
        /// The kind of data that it takes.
        expected: String,
        /// The kind of data that was given.
        given: String,
    },
    /// The slice holds numbers of another type.
    #[error("variable {variable} holds {expected}, but the slice holds `{given}`")]
    WrongType {
        /// The variable.
        variable: Box<Variable>,
        /// The scalar type of the shader.
        expected: ElementType,
        /// The Rust type.
        given: &'static str,
    },
    /// Elements of the slice have another size than elements of the array.
    #[error(
        "variable {variable}: an element `{element}` takes {stride} bytes, but `{given}` has {size}; \
         WGSL aligns vec3 and structs, so add padding to the Rust type"
    )]
    ElementSize {
        /// The variable.
        variable: Box<Variable>,
        /// The WGSL type of an element.
        element: String,
        /// Bytes from one element to the next.
        stride: u64,
        /// The Rust type.
        given: &'static str,
        /// Its size in bytes.
        size: u64,
    },
    /// Several variables that the entry point uses have this name.
    #[error(
        "entry point `{entry}` uses several variables {key}, choose one by group and binding: {available}"
    )]
    AmbiguousVariable {
        /// The entry point.
        entry: String,
        /// The name, in quotes.
        key: String,
        /// The variables with their bindings.
        available: String,
    },
    /// A constant was given twice, by its name or by its `@id`.
    #[error("constant `{name}` is given twice")]
    ConstantTwice {
        /// The constant, as it was given the second time.
        name: String,
    },
    /// A buffer does not end with a whole word.
    #[error(
        "variable {variable}: {given} bytes are bound, and buffers have whole words of 4 bytes"
    )]
    PartialWord {
        /// The variable.
        variable: Box<Variable>,
        /// Bytes of the slice.
        given: u64,
    },
    /// The data is larger than a variable of fixed size.
    #[error("variable {variable} has {needed} bytes, but {given} are bound")]
    WrongSize {
        /// The variable.
        variable: Box<Variable>,
        /// Bytes of the variable.
        needed: u64,
        /// Bytes that were given.
        given: u64,
    },
    /// The slice does not end with a whole element.
    #[error(
        "variable {variable}: {given} bytes are bound, which is not a multiple of {stride}, the size of an element"
    )]
    PartialElement {
        /// The variable.
        variable: Box<Variable>,
        /// Bytes of the slice.
        given: u64,
        /// Bytes from one element to the next.
        stride: u64,
    },
    /// The data is smaller than the variable.
    #[error("variable {variable} needs at least {needed} bytes, but {given} are bound")]
    TooSmall {
        /// The variable.
        variable: Box<Variable>,
        /// Bytes that the variable needs.
        needed: u64,
        /// Bytes that were given.
        given: u64,
    },
    /// The data is larger than the device can bind.
    #[error(
        "variable {variable} of {given} bytes is over the limit of {limit} bytes ({limit_name}) of device `{device}`"
    )]
    TooLarge {
        /// The variable.
        variable: Box<Variable>,
        /// Bytes that were given.
        given: u64,
        /// The limit in bytes.
        limit: u64,
        /// wgpu's name of the limit.
        limit_name: &'static str,
        /// The device.
        device: String,
    },
    /// The shader may write a variable that is bound to a shared slice, so results would be lost.
    #[error(
        "the shader may write variable {variable}, but it is bound to a shared reference: bind `&mut`"
    )]
    ReadOnly {
        /// The variable.
        variable: Box<Variable>,
    },
    /// The texels do not fit the texture variable.
    #[error("variable {variable}: {reason}")]
    Texture {
        /// The variable.
        variable: Box<Variable>,
        /// The reason.
        reason: String,
    },
    /// The immediate data does not fit the variable.
    #[error("immediate data has {given} bytes, but entry point `{entry}` takes {needed}")]
    Immediates {
        /// The entry point.
        entry: String,
        /// Bytes that were given.
        given: u64,
        /// Bytes that the shader needs; 0 if it has no `var<immediate>`.
        needed: u64,
    },
    /// A resident variable is read as, or written from, a type that does not divide its bytes.
    #[error("variable {variable} of {bytes} bytes is not a list of `{given}` of {size} bytes")]
    NotAListOf {
        /// The variable.
        variable: Box<Variable>,
        /// Its bytes.
        bytes: u64,
        /// The Rust type.
        given: &'static str,
        /// The size of the Rust type.
        size: u64,
    },
    /// The two variables cannot be exchanged.
    #[error("variables {first} and {second} cannot be swapped: {reason}")]
    Swap {
        /// One variable.
        first: Box<Variable>,
        /// The other.
        second: Box<Variable>,
        /// The difference.
        reason: String,
    },

    /// The grid is larger than the device allows.
    #[error(
        "{given:?} workgroups are over the limit of {limit} in each dimension of device `{device}`"
    )]
    TooManyWorkgroups {
        /// The grid.
        given: [u32; 3],
        /// The limit.
        limit: u32,
        /// The device.
        device: String,
    },
    /// The entry point needs more than the device has.
    #[error("entry point `{entry}` of {file} exceeds a limit of device `{device}`: {reason}")]
    OverLimit {
        /// The name of the program.
        file: String,
        /// The entry point.
        entry: String,
        /// The device.
        device: String,
        /// The limit.
        reason: String,
    },
    /// The device has no feature that the program needs.
    #[error("{file} needs {need} ({feature}), which device `{device}` does not have")]
    MissingFeature {
        /// The name of the program.
        file: String,
        /// The feature in words.
        need: String,
        /// wgpu's name of the feature.
        feature: String,
        /// The device.
        device: String,
    },
    /// The CPU device does not support something in the program yet.
    #[error("variable {variable} is not supported on the CPU device yet: {what}")]
    Unsupported {
        /// The variable.
        variable: Box<Variable>,
        /// What is missing.
        what: &'static str,
    },
    /// The device refused an operation, or was lost.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The entry point can be neither compiled nor interpreted on the CPU.
    #[error("entry point `{entry}` of {file} cannot run on the CPU: {source}")]
    Kernel {
        /// The name of the program.
        file: String,
        /// The entry point.
        entry: String,
        /// The reason.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The dispatch failed on the CPU, for a reason that would lose a device: an endless loop, a limit, or a barrier that
    /// not all invocations reach.
    #[cfg(feature = "cpu")]
    #[error(transparent)]
    Dispatch(#[from] crate::LostReason),
}

/// A variable in a message: `` `numbers` at 0:1 (array<f32>) ``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its group and binding.
    pub slot: Slot,
    /// Its type as WGSL writes it.
    pub ty: String,
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` at {} ({})", self.name, self.slot, self.ty)
    }
}

impl Variable {
    /// Boxed, so that results with this error stay small.
    pub(super) fn of(binding: &Binding) -> Box<Self> {
        Box::new(Self {
            name: binding.name.clone(),
            slot: binding.slot,
            ty: binding.ty.clone(),
        })
    }
}
