//! What a launch must know about a compiled kernel: its bindings, parameters, results and traps.

use super::ir::TrapSite;
use crate::module::Type;

/// A kernel as a naga module with one compute entry point.
#[derive(Clone, Debug)]
pub struct CompiledKernel {
    /// The module. It is valid.
    pub module: naga::Module,
    /// The name of its entry point.
    pub entry_point: String,
    /// The workgroup size.
    pub workgroup_size: [u32; 3],
    /// The resources that a launch binds.
    pub bindings: Vec<KernelBinding>,
    /// The words of the parameter buffer, in order.
    pub params: Vec<ParamWord>,
    /// The layout of the status buffer, if the kernel has results or traps.
    pub status: Option<StatusLayout>,
    /// The sites of traps, by number; a status word has the number plus 1.
    pub(crate) traps: Vec<TrapSite>,
    /// The types of the results.
    pub results: Vec<Type>,
}

/// A resource of a compiled kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelBinding {
    /// Its group in the module.
    pub group: u32,
    /// Its number in the group.
    pub binding: u32,
    /// Whether the kernel writes it.
    pub written: bool,
    /// What is bound.
    pub role: BindingRole,
}

/// What a launch binds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingRole {
    /// The buffer of the caller at this group and binding.
    Buffer {
        /// Its group.
        group: u32,
        /// Its binding.
        binding: u32,
    },
    /// The words of [`CompiledKernel::params`].
    Params,
    /// For each thread the words of [`StatusLayout`], initially 0.
    Status,
    /// Static data.
    Data(Vec<u32>),
    /// The state words.
    State,
    /// The input words.
    Input,
    /// The pixels of the picture, four `f32` each.
    Pixels,
    /// For each thread its linear memory of a number of words, initially 0 except for the data
    /// segments, which the kernel copies.
    Linear {
        /// Words of one thread.
        words: u32,
    },
}

/// A word of the parameter buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParamWord {
    /// The number of threads to run: those with a lower linear index.
    Threads,
    /// The time, an `f32`.
    Time,
    /// The picture's width.
    PictureWidth,
    /// The picture's height.
    PictureHeight,
    /// A word of an argument.
    Argument {
        /// Index of the argument.
        index: u32,
        /// 0, or 1 for the high word of a 64-bit number.
        word: u32,
    },
}

/// The words of a thread in the status buffer: the status, the words of a trap, the results. The
/// status is 0 if the thread has returned, otherwise a trap's number plus 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusLayout {
    /// Words for the message of a trap.
    pub trap_words: u32,
    /// Words of the results; 64-bit numbers take two, the low one first.
    pub result_words: u32,
}

impl StatusLayout {
    /// Words of one thread.
    pub const fn words(self) -> u32 {
        1 + self.trap_words + self.result_words
    }
}
