//! wide
