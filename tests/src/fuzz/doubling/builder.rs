//! Builds a program: declarations, and the statements of its entry point.

use std::fmt::Write;

use arbitrary::Unstructured;

use crate::fuzz::mutate::MAX_BYTES;

/// The beginning of every program.
const HEAD: &str = "\
@group(0) @binding(0) var<storage, read_write> results: array<u32>;
@group(0) @binding(1) var<storage, read> inputs: array<u32>;
";

/// A program under construction, controlled by choices.
pub(super) struct Builder<'a> {
    choices: Unstructured<'a>,
    declarations: String,
    statements: String,
    names: u32,
}

impl<'a> Builder<'a> {
    pub(super) fn new(choices: &'a [u8]) -> Self {
        Self {
            choices: Unstructured::new(choices),
            declarations: HEAD.to_owned(),
            statements: String::new(),
            names: 0,
        }
    }

    /// A number below `end`; zero when the choices are used up.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.choices.int_in_range(0..=end - 1).unwrap_or(0)
    }

    /// A number from `first` to `last`, both included.
    pub(super) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    /// A number of at least 1 and at most `most`, of any magnitude.
    pub(super) fn size(&mut self, most: usize) -> usize {
        let magnitude = self.below(most.ilog2() as usize + 1);
        let rest = self.below(1 << magnitude);
        ((1 << magnitude) + rest).min(most)
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A name prefix that is used only once.
    pub(super) fn name(&mut self) -> String {
        self.names += 1;
        format!("n{}", self.names)
    }

    /// The number of names given.
    pub(super) fn count(&self) -> u32 {
        self.names
    }

    /// Whether the program may have another line; patterns that repeat something stop when it may not.
    pub(super) fn has_room(&self) -> bool {
        self.declarations.len() + self.statements.len() < MAX_BYTES
    }

    /// Appends a declaration.
    pub(super) fn declare(&mut self, text: &str) {
        self.declarations += text;
        self.declarations.push('\n');
    }

    /// Appends a statement of the entry point.
    pub(super) fn say(&mut self, text: &str) {
        self.statements += text;
        self.statements.push('\n');
    }

    /// The program.
    pub(super) fn finish(mut self) -> String {
        let size = self.pick(&[1, 32, 64, 256, 1024]);
        let mut text = self.declarations;
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "@compute @workgroup_size({size})\n\
             fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n\
             var x = id.x + inputs[id.x % 8u];\n{}results[id.x] = x;\n}}\n",
            self.statements
        );
        text
    }
}
