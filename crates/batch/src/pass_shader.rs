//! The shader of a pass: WGSL text, a name for messages, and whether it must be guarded.

use std::borrow::Cow;

/// Whether a shader must check the guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GuardCheck {
    /// The entry point, or a function that it calls, must call `batch_is_active()` or
    /// `batch_slot_is_active()`.
    #[default]
    Required,
    /// The pass needs no guard.
    Skipped,
}

/// The WGSL of a pass, without the declarations of the batch, which are added to it.
///
/// `&str` and `String` convert to it. A name makes messages clearer:
///
/// ```
/// use anywarp_batch::PassShader;
/// let shader = PassShader::from("@compute @workgroup_size(1) fn main() {}").label("step.wgsl");
/// assert_eq!(shader.name(), "step.wgsl");
/// ```
#[derive(Clone, Debug)]
pub struct PassShader<'a> {
    text: Cow<'a, str>,
    label: Option<Cow<'a, str>>,
    guard: GuardCheck,
}

impl<'a> PassShader<'a> {
    /// Sets the name for messages and capture tools, such as the name of its file.
    #[must_use]
    pub fn label(self, label: impl Into<Cow<'a, str>>) -> Self {
        Self {
            label: Some(label.into()),
            ..self
        }
    }

    /// Declares that the pass needs no guard, so that its entry point need not call
    /// `batch_is_active()`.
    ///
    /// Such a pass also runs for batches that do not hold the lock. That is correct only if it
    /// writes nothing that other batches, or a second run of this batch, read: for example a pass
    /// that fills scratch memory from the parameters alone.
    #[must_use]
    pub fn unguarded(self) -> Self {
        Self {
            guard: GuardCheck::Skipped,
            ..self
        }
    }

    /// The label, or `shader` without one.
    pub fn name(&self) -> &str {
        self.label.as_deref().unwrap_or("shader")
    }

    pub(crate) fn guard(&self) -> GuardCheck {
        self.guard
    }

    /// The text and then the declarations of the batch, so that line numbers are those of the text,
    /// and its directives come first.
    pub(crate) fn with_declarations(&self, declarations: &str) -> String {
        format!("{}\n{declarations}", self.text)
    }
}

impl<'a> From<&'a str> for PassShader<'a> {
    fn from(text: &'a str) -> Self {
        Self {
            text: text.into(),
            label: None,
            guard: GuardCheck::default(),
        }
    }
}

impl From<String> for PassShader<'_> {
    fn from(text: String) -> Self {
        Self {
            text: text.into(),
            label: None,
            guard: GuardCheck::default(),
        }
    }
}
