//! Tests of the SPIR-V writer: its output is valid, and has the semantics of the program.

mod corpus;
pub(crate) mod device;
mod execution;
mod interface;
mod validator;
mod validity;
mod words;

use crate::common::cases;
