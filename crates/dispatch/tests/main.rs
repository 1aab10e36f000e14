//! Tests of dispatches: workgroups, fragments, failures and soundness.

mod compute;
mod failures;
mod fragments;
mod soundness;
