//! Facade of the project.
