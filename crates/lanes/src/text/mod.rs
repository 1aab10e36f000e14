//! Functions as text: a printer ([`Display`](std::fmt::Display) for [`Function`](crate::ir::Function)) and a parser ([`parse`](fn@parse)).
//!
//! What always holds: parsing a printed function gives the same function, except for the types of values without a
//! definition, which the text does not contain. Parsing never panics. It checks only what it needs to understand the
//! text; [`verify`](crate::verify::verify) checks the rules of the IR.
//!
//! # Grammar
//!
//! Text is lines; `//` begins a comment that goes to the end of its line; empty lines and indentation mean nothing.
//!
//! ```text
//! function   = header pattern* block+
//! header     = "kernel" "lanes" "=" integer "frame" "=" integer "barriers" "=" integer
//! pattern    = "p" N "=" "[" number { "," number } "]"            in order from p0 on
//! block      = label line* terminator
//! label      = "b" N [ "(" [ value ":" type { "," value ":" type } ] ")" ] ":"     in order from b0 on
//! line       = [ value "=" ] name [ extra ] [ operand { "," operand } ]
//! operand    = [ "limit" | "mask" ] value
//! value      = "v" N
//! type       = "word" | "ptr" | "lanes" | "mask"
//! terminator = "jump" edge
//!            | "branch" value "," edge "," edge
//!            | "return" ( "finished" | "cancelled" | "diverged" | integer )
//!            | "suspend" integer "," "b" N
//!            | "resume" "b" N { "," "b" N }
//! edge       = "b" N [ "(" [ value { "," value } ] ")" ]
//! number     = integer | float "f"                                 an integer may be negative or hexadecimal
//! ```
//!
//! Mnemonics: words have `add sub mul and or xor shl shru shrs divu divs remu rems minu maxu mins maxs mulhighu`, `eq ne
//! ltu leu lts les`, `select`, `any`, `ballot`, `activelanes`. The same arithmetic and comparisons with a `v` in front
//! are those of integer lanes; floats have `vaddf vsubf vmulf vdivf vminf vmaxf vscalef`, `veqf vnef vltf vlef vnltf
//! vnlef`, `vfmaf`. With `masked.` in front they are the masked ones. Unary operations are `vsqrtf vrsqrtf vroundf
//! vfloorf vceilf vtruncf vfromu vfroms vtou vtos vfromhalf vtohalf vcountones vleadingzeros`. 64-bit floats have
//! `f64.low.OP` and `f64.high.OP`, with OP one of `add sub mul div fma sqrt round floor ceil trunc fromf32`, and
//! `f64.tof32`. Further there are `vselect`, `vpermute`, `broadcast`, `fromballot`, `mand mor mxor mandnot`, `advance`,
//! `advanceorzeros`, and those of the table below.
//!
//! Some names are followed by immediates:
//!
//! ```text
//! word, splat                                   number
//! mask, ternary's table (vternary)              integer
//! extract                                       lane
//! vshlby, vshruby, vshrsby, vrotateby           amount
//! field                                         workgroup.x … workgroup.z | count.x … count.z | subgroup
//! base                                          buffer N | workgroup | immediates | constants | frame BYTES
//! length                                        N
//! pattern                                       p N
//! loadword, loadpointer, loadsplat, loadrow,
//!   storerow, storerownontemporal, gather, scatter,
//!   scatterhalves                               offset, a sign and an integer
//! atomic.add …, atomic.compareexchange,
//!   atomic64.add …                              thread | threads, then the offset
//! framestore, framestoreat                      offset in bytes
//! frameload, frameloadat                        type, then the offset in bytes
//! poll                                          [ N ]
//! call                                          N, then frame | everything
//! ```
//!
//! The mask operand of a masked instruction, its last operand, is preceded by `mask`, and the limit of a row by
//! `limit`.
//!
//! ```
//! let text = "\
//! kernel lanes=8 frame=0 barriers=0
//! p0 = [0, 1, 2, 3, 4, 5, 6, 7]
//! b0:
//!   v0 = field workgroup.x
//!   v1 = base buffer 0
//!   v2 = length 0
//!   v3 = loadrow +0 v1, v0, limit v2
//!   v4 = splat 1.5f
//!   v5 = vmulf v3, v4
//!   v6 = pattern p0
//!   v7 = vltu v6, v5
//!   storerow +0 v1, v0, v5, limit v2, mask v7
//!   branch v7, b1(v0), b2
//! b1(v8: word):
//!   jump b2
//! b2:
//!   return finished
//! ";
//! let function = anywarp_lanes::text::parse(text)?;
//! anywarp_lanes::verify::verify(&function)?;
//! assert_eq!(function.to_string(), text);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod line;
mod names;
mod number;
mod parse;
mod print;

pub use parse::parse;

use crate::ir::{BlockId, Inst, Kind, Op, Type};
use names::mnemonic;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct TextError {
    /// The line, from 1 on.
    pub line: usize,
    /// The column in characters, from 1 on.
    pub column: usize,
    /// The error, without its location.
    pub message: String,
}

/// The keyword before an operand of an instruction, if it has one.
fn label(op: Op, operand: usize) -> Option<&'static str> {
    const MASK: Kind = Kind::Of(Type::Mask);
    let kinds = op.signature().operands;
    let is_last = operand + 1 == kinds.len();
    if is_last && operand > 0 && kinds[operand] == MASK && kinds[operand - 1] != MASK {
        return Some("mask");
    }
    let limit = match op {
        Op::LoadRow(row) if row.is_limited => 2,
        Op::StoreRow(row) if row.is_limited => 3,
        Op::StoreRowNonTemporal(_) => 3,
        _ => return None,
    };
    (operand == limit).then_some("limit")
}

/// The location of an instruction in an error message: its block, its index there, its name and its result.
pub(crate) fn location(block: BlockId, index: usize, inst: &Inst) -> String {
    let name = mnemonic(inst.op);
    match inst.result {
        Some(result) => format!("{block}, instruction {index}, {result} = {name}"),
        None => format!("{block}, instruction {index}, {name}"),
    }
}
