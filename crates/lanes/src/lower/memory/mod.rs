//! Variables and memory: how values are laid out, where a pointer expression points to, and loads and stores.
//!
//! A pointer expression is a `reference`: a variable in SSA form (`variables`), or memory. Accesses to memory are checked
//! against its bounds where they are made (`access`).

pub(in crate::lower) mod access;
pub(in crate::lower) mod bindings;
pub(in crate::lower) mod constant_table;
pub(in crate::lower) mod layout;
pub(in crate::lower) mod reference;
mod small_arrays;
pub(in crate::lower) mod sub_word;
pub(in crate::lower) mod variables;
