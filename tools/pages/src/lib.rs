//! Pages for browsers: crates compiled to WebAssembly, put together and served.
//!
//! A page is a crate with a library of type `cdylib` and a folder `www`, in which `index.html` loads
//! the script of the library's name. In: names of such packages. Out: a folder for each that any
//! static host can serve ([`build`]), or that [`Server`] serves to this machine.
//!
//! No program but cargo is needed: the bindings between WebAssembly and JavaScript are made by
//! wasm-bindgen as a library, of the version that the lock file has for the pages.

#![forbid(unsafe_code)]

mod bind;
mod build;
mod compile;
mod files;
mod request;
mod server;

pub use bind::BindError;
pub use build::{Page, PageError, build};
pub use compile::CompileError;
pub use files::FilesError;
pub use server::{Server, ServerError};
