//! subgroups
