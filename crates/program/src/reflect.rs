//! The interface of a program: entry points, bindings, overrides, memory.
