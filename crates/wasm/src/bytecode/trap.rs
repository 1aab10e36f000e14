//! Traps: why a thread stopped before its end.

use std::fmt;

use super::{escape, escape_lines};

/// Declares [`TrapCode`].
macro_rules! traps {
    ($($number:literal $code:ident $text:literal;)*) => {
        /// The kind of a trap. The texts are those of the WebAssembly specification where it has
        /// one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the text says it")]
        pub enum TrapCode { $($code = $number,)* }

        impl TrapCode {
            /// All trap codes.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The code with a number, if there is one.
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

/// A trap of one thread, with its source position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The kind of trap.
    pub code: TrapCode,
    /// The function: its name from the name section, its export name, or `func[index]`.
    pub function: String,
    /// Byte offset in the module, if known.
    pub offset: Option<u32>,
    /// The message of a panic.
    pub message: Option<String>,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            // Rust's panic message already has the source location, which is better than the
            // handler's.
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
