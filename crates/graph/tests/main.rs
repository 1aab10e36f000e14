//! Tests of work graphs: every rule, launch kind and limit, graph files, and random graphs against the oracle.

mod cases;
mod common;
mod file;
mod random;
mod rules;
mod seeing;
