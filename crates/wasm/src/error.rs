//! Errors and warnings of the translation.
//!
//! A [`TranslateError`] rejects the module; a [`Warning`] does not.

use std::fmt;

use crate::escape::escape;

/// wasmparser's messages may show bytes over several lines.
fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Why a module was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    /// The bytes are not a valid module with the supported features.
    #[error("{} (at byte {offset:#x} of the module)", escape(message))]
    Invalid {
        /// What is wrong.
        message: String,
        /// Byte offset in the module.
        offset: u64,
    },
    /// No registered module and no host function has the imported name.
    #[error("unknown import `{}`.`{}`", escape(module), escape(name))]
    UnknownImport {
        /// The module name of the import.
        module: String,
        /// The field name of the import.
        name: String,
    },
    /// An import has a different type than the definition.
    #[error(
        "incompatible import type for `{}`.`{}`: {detail}",
        escape(module),
        escape(name)
    )]
    IncompatibleImport {
        /// The module name of the import.
        module: String,
        /// The field name of the import.
        name: String,
        /// The expected and the actual type.
        detail: String,
    },
    /// Functions are recursive, and recursion was not allowed.
    #[error("Recursion not supported on GPU: {}", Cycle(cycle))]
    Recursion {
        /// The call cycle: each function calls the next, and the last calls the first.
        cycle: Vec<String>,
    },
    /// A function or the module exceeds a limit.
    #[error("{} {what}", escape(place))]
    TooLarge {
        /// The function or the module.
        place: String,
        /// Which limit it exceeds.
        what: String,
    },
}

/// Functions of a cycle that a message shows.
const SHOWN_CYCLE: usize = 16;

/// Displays a call cycle, closed by its first function; a long one is truncated.
struct Cycle<'a>(&'a [String]);

impl fmt::Display for Cycle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in self.0.iter().take(SHOWN_CYCLE) {
            write!(f, "`{}` -> ", escape(name))?;
        }
        match self.0.len().saturating_sub(SHOWN_CYCLE) {
            0 => {}
            more => write!(f, "{more} more -> ")?,
        }
        match self.0.first() {
            Some(first) => write!(f, "`{}`", escape(first)),
            None => Ok(()),
        }
    }
}

// For `?` inside this crate: wasmparser is not part of the interface.
#[doc(hidden)]
impl From<wasmparser::Error> for TranslateError {
    fn from(error: wasmparser::Error) -> Self {
        Self::Invalid {
            message: one_line(error.message()),
            offset: error.offset(),
        }
    }
}

impl TranslateError {
    /// A function exceeds a limit.
    pub(crate) fn function(name: &str, what: impl Into<String>) -> Self {
        Self::TooLarge {
            place: format!("function `{name}`"),
            what: what.into(),
        }
    }

    /// The module exceeds a limit.
    pub(crate) fn module(what: impl Into<String>) -> Self {
        Self::TooLarge {
            place: "the module".to_owned(),
            what: what.into(),
        }
    }
}

/// Something in a module that is valid but may be slow or recursive at run time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A call was not inlined.
    NotInlined {
        /// The calling function.
        caller: String,
        /// The called function.
        callee: String,
        /// Why it was not inlined.
        reason: Reason,
    },
    /// Functions may be recursive through an indirect call.
    PossibleRecursion {
        /// The function with the indirect call.
        function: String,
        /// Index of the table in the program.
        table: u32,
        /// Type of the called function.
        ty: String,
    },
}

/// Why a call was not inlined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The nesting of inlined calls reached the limit.
    Depth,
    /// The caller would exceed the size limit.
    Size,
    /// The caller would need more slots than operands can name.
    Slots,
    /// The function is recursive.
    Recursion,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Depth => "calls are nested too deeply",
            Self::Size => "the code would become too large",
            Self::Slots => "the frame would become too large",
            Self::Recursion => "it is recursive",
        })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInlined {
                caller,
                callee,
                reason,
            } => write!(
                f,
                "the call of `{}` in `{}` is not inlined: {reason}",
                escape(callee),
                escape(caller)
            ),
            Self::PossibleRecursion {
                function,
                table,
                ty,
            } => write!(
                f,
                "recursion is possible in `{}` through table {table} with type {ty}",
                escape(function)
            ),
        }
    }
}

/// Function names that a folded line shows.
const NAMES: usize = 3;

/// Summarizes warnings: one line for all calls that are not inlined, and one for all indirect calls
/// that may be recursive. A single warning of its kind is shown in full.
pub fn fold_warnings(warnings: &[Warning]) -> Vec<String> {
    let is_call = |warning: &&Warning| matches!(warning, Warning::NotInlined { .. });
    let (calls, tables): (Vec<_>, Vec<_>) = warnings.iter().partition(is_call);
    let line = |warnings: &[&Warning], fold: fn(&[&Warning]) -> String| match warnings {
        [] => None,
        [only] => Some(only.to_string()),
        several => Some(fold(several)),
    };
    let lines = [line(&tables, fold_tables), line(&calls, fold_calls)];
    lines.into_iter().flatten().collect()
}

fn fold_calls(warnings: &[&Warning]) -> String {
    let mut callees = Vec::new();
    let mut reasons = Vec::new();
    for warning in warnings {
        if let Warning::NotInlined { callee, reason, .. } = warning {
            add(&mut callees, callee.as_str());
            add(&mut reasons, *reason);
        }
    }
    let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    format!(
        "{} calls are not inlined, those of {}: {}",
        warnings.len(),
        names(&callees),
        reasons.join(", or ")
    )
}

fn fold_tables(warnings: &[&Warning]) -> String {
    let (mut functions, mut places) = (Vec::new(), Vec::new());
    for warning in warnings {
        if let Warning::PossibleRecursion {
            function,
            table,
            ty,
        } = warning
        {
            add(&mut functions, function.as_str());
            add(&mut places, format!("table {table} with type {ty}"));
        }
    }
    let more = match places.len().saturating_sub(NAMES) {
        0 => String::new(),
        more => format!(" and {more} more types"),
    };
    places.truncate(NAMES);
    format!(
        "recursion is possible in {} through {}{more}",
        names(&functions),
        places.join(", ")
    )
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// The first names, and how many more there are.
fn names(names: &[&str]) -> String {
    let truncated_text: Vec<String> = names
        .iter()
        .take(NAMES)
        .map(|name| format!("`{}`", escape(name)))
        .collect();
    match names.len().saturating_sub(NAMES) {
        0 => truncated_text.join(", "),
        more => format!("{} and {more} more", truncated_text.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(callee: &str, reason: Reason) -> Warning {
        Warning::NotInlined {
            caller: "main".to_owned(),
            callee: callee.to_owned(),
            reason,
        }
    }

    fn table(function: &str) -> Warning {
        Warning::PossibleRecursion {
            function: function.to_owned(),
            table: 0,
            ty: "(i32) -> ()".to_owned(),
        }
    }

    #[test]
    fn many_warnings_are_a_line_of_each_kind() {
        assert_eq!(fold_warnings(&[]), [""; 0]);
        let only = call("a", Reason::Depth);
        assert_eq!(
            fold_warnings(std::slice::from_ref(&only)),
            [only.to_string()]
        );
        let mut all: Vec<Warning> = ["a", "b", "c", "d", "e", "a"]
            .map(|callee| call(callee, Reason::Size))
            .to_vec();
        all.push(call("a", Reason::Recursion));
        all.extend([table("f"), table("g")]);
        assert_eq!(
            fold_warnings(&all),
            [
                "recursion is possible in `f`, `g` through table 0 with type (i32) -> ()",
                "7 calls are not inlined, those of `a`, `b`, `c` and 2 more: \
                 the code would become too large, or it is recursive",
            ]
        );
    }
}
