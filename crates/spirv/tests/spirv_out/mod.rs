//! SPIR-V out: everything that is written is valid, and means what the program means.

mod corpus;
pub(crate) mod device;
mod execution;
mod interface;
mod validator;
mod validity;
mod words;

use crate::common::cases;
