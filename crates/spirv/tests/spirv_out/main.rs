//! SPIR-V out: everything that is written is valid, and means what the program means.

mod corpus;
mod validator;
mod validity;
