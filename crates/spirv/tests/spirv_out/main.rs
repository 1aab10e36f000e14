//! SPIR-V out: everything that is written is valid, and means what the program means.

#[path = "../common/cases.rs"]
mod cases;
mod corpus;
mod device;
mod execution;
mod interface;
mod validator;
mod validity;
mod words;
