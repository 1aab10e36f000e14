//! SPIR-V becomes a module of naga.
mod constants;
mod layout;
mod structure;
mod types;
