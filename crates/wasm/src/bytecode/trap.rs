//! Why a thread stopped before its end.

use std::fmt;

use super::{escape, escape_lines};

/// Declares [`TrapCode`].
macro_rules! traps {
    ($($number:literal $code:ident $text:literal;)*) => {
        /// What went wrong. The texts are those of the WebAssembly specification where it has one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[expect(missing_docs, reason = "the text says it")]
        pub enum TrapCode { $($code = $number,)* }

        impl TrapCode {
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The code of a number, if there is one.
            pub const fn from_number(number: u32) -> Option<Self> {
                match number { $($number => Some(Self::$code),)* _ => None }
            }
        }

        impl fmt::Display for TrapCode {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$code => $text,)* })
            }
        }
    };
}

traps! {
    1 Unreachable "unreachable";
    2 DivideByZero "integer divide by zero";
    3 IntegerOverflow "integer overflow";
    4 InvalidConversion "invalid conversion to integer";
    5 OutOfBoundsMemory "out of bounds memory access";
    6 OutOfBoundsTable "out of bounds table access";
    7 UndefinedElement "undefined element";
    8 UninitializedElement "uninitialized element";
    9 IndirectCallType "indirect call type mismatch";
    10 StackExhausted "call stack exhausted";
    11 Panic "panic";
    12 Barrier "barrier not reached by all threads of the workgroup";
    13 WorkgroupMemory "out of bounds workgroup memory access";
    14 FuelExhausted "out of fuel";
}

/// A trap of one thread, with its place in the source module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// What went wrong.
    pub code: TrapCode,
    /// The function, by its name in the name section, its export, or its number.
    pub function: String,
    /// Byte offset in the module, where it is known.
    pub offset: Option<u32>,
    /// What a panicking kernel said.
    pub message: Option<String>,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            // Rust says where a panic was, and better than the handler's place does.
            Some(message) if message.starts_with("panicked at ") => {
                return f.write_str(&escape_lines(message));
            }
            Some(message) => f.write_str(&escape_lines(message))?,
            None => write!(f, "{}", self.code)?,
        }
        write!(f, " in `{}`", escape(&self.function))?;
        match self.offset {
            Some(offset) => write!(f, " at {offset:#x}"),
            None => Ok(()),
        }
    }
}
