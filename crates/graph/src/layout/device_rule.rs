//! The rules that are checked on the device, with the numbers that shaders write.
//!
//! One table generates the `const`s of WGSL and the variants of Rust.

use std::fmt::Write;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $message:literal,)+) => {
        /// A rule that node code or an input violated on the device.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u32)]
        pub enum DeviceRule {
            $($(#[doc = $doc])+ $variant,)+
        }

        const RULES: &[(DeviceRule, &str, &str)] = &[
            $((DeviceRule::$variant, $name, $message),)+
        ];
    };
}

rules! {
    /// A launch sent more records than the output's budget.
    Budget "budget" "sent more records than its budget",
    /// Records were sent to a hole, past the end of an array, or past the end of a recursion.
    Hole "hole" "sent records to a missing node (check with `is_valid`)",
    /// A record's grid is larger than the node's maximum.
    Grid "grid" "has a grid larger than the maximum",
    /// An output record beyond the allocated ones was read or written.
    OutputIndex "output_index" "used an output record beyond those it allocated",
    /// Records were used after they were completed.
    AfterComplete "after_complete" "used output records after it completed them",
    /// An input record beyond `input_count` was used.
    InputIndex "input_index" "used an input record beyond those it received",
    /// An element beyond the end of an array field was used.
    Element "element" "used an element beyond the end of an array field",
    /// Records were allocated and never completed.
    Incomplete "incomplete" "allocated records and did not complete them",
    /// Records were completed that were not allocated or already completed.
    CompletedTwice "completed_twice" "completed records that were not allocated or already completed",
    /// Invocations of a workgroup passed different arguments to a group function.
    NotUniform "not_uniform" "called a group function with different arguments in one workgroup",
    /// `finished_cross_group_sharing` was called twice by a workgroup.
    FinishedTwice "finished_twice" "called finished_cross_group_sharing more than once",
    /// A workgroup of a tracked node never called `finished_cross_group_sharing`.
    NeverFinished "never_finished" "did not call finished_cross_group_sharing",
    /// The input of a tracked node was used after `finished_cross_group_sharing` returned false.
    AfterFinished "after_finished" "used its input after finished_cross_group_sharing returned false",
    /// A local argument beyond its row was read.
    LocalArgument "local_argument" "read a local argument beyond its row",
    /// A GPU input refers to an entry that does not exist.
    InputEntry "input_entry" "names an entry that does not exist",
    /// A GPU input refers to a buffer that is not bound.
    InputBuffer "input_buffer" "names a buffer that is not bound",
    /// A GPU input has an invalid offset or stride.
    InputStride "input_stride" "has an offset or stride that is not a multiple of four, or a stride below the record's size",
    /// A GPU input extends past the end of its buffer.
    InputRange "input_range" "reaches past the end of its buffer",
    /// There are more GPU inputs than the cap.
    InputCap "input_cap" "counts more inputs than the upper bound",
    /// A queue overflowed, which admission should make impossible.
    Overflow "overflow" "overflowed its queue; this is a bug in Anywarp",
}

impl DeviceRule {
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        RULES.get(number as usize).map(|(rule, ..)| *rule)
    }

    /// The message of the rule, as the end of a sentence.
    pub fn message(self) -> &'static str {
        RULES[self as usize].2
    }

    /// A short name, as in machine-readable reports.
    pub fn name(self) -> &'static str {
        RULES[self as usize].1
    }
}

/// The rule numbers as WGSL constants.
pub(crate) fn wgsl() -> String {
    let mut text = String::new();
    for (rule, name, _) in RULES {
        let _ = writeln!(text, "const aw_rule_{name}: u32 = {}u;", *rule as u32);
    }
    text
}
