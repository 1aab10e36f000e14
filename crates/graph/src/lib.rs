//! Work graphs on any wgpu device: kernels that launch kernels, on the device.
//!
//! A *node* is a kernel. It consumes *records* and sends records to other nodes, which are launched
//! for them without a round trip to the host (cf. D3D12 work graphs). Nodes run level by level in
//! ordinary indirect dispatches, so graphs run on every wgpu adapter, and a run can be stopped and
//! inspected after every level.
//!
//! - A [`Graph`] is data: record types, [`Node`]s and their [`Output`]s. All rules are checked when it
//!   is built, and a [`RuleViolation`](model::RuleViolation) names the node and output.
//! - A [`Record`] is a Rust struct that derives its declaration and layout. Records and graphs can
//!   also be declared at run time ([`RecordType`]).
//! - A [`BoundGraph`] is a graph on a device with the user's buffers ([`Graph::on`]). It runs
//!   whole, in [`Steps`](device::Steps), or measured as a [`Trace`](device::Trace). Below it is the
//!   [`GraphRunner`], with inputs on the device and runs recorded into the user's own encoders.
//! - A [`Plan`] computes before a run how much memory the graph takes. Too little memory never
//!   loses work: admission launches only as many workgroups as their output is guaranteed to fit,
//!   and the rest wait for the next *sweep* over the levels.
//! - A [`GraphFile`] is a graph read from a TOML file and WGSL files, with buffers, textures and
//!   inputs.
//! - An [`Oracle`](oracle::Oracle) is the reference implementation of these semantics as a
//!   sequential program, for tests.
//!
//! Node code is plain WGSL that calls functions generated for each node from its records and
//! outputs; `docs/work-graphs.md` in the repository lists them.
//!
//! The features `derive` (typed records), `file` (graph files), `drawing` and `oracle` are on by
//! default.
//!
//! ```
//! # pollster::block_on(async {
//! use anywarp_graph::{Graph, Node, Output, Record};
//! use bytemuck::{Pod, Zeroable};
//! # let instance = anywarp_adapter::instance();
//! # let adapter = instance.request_adapter(&Default::default()).await?;
//! # let (device, queue) = adapter.request_device(&Default::default()).await?;
//!
//! #[derive(Clone, Copy, Pod, Zeroable, Record)]
//! #[repr(C)]
//! struct Number {
//!     id: u32,
//!     number: u32,
//! }
//!
//! // `device` and `queue` are any of wgpu's. A number is halved until it is odd, at most 8 times.
//! let halve = "
//!     @group(0) @binding(0) var<storage, read_write> odd: array<u32>;
//!     fn halve() {
//!         let number = load_input_number();
//!         if number % 2u == 1u || !is_valid_halve() {
//!             odd[load_input_id()] = number;
//!             return;
//!         }
//!         let next = alloc_thread_halve(1u);
//!         store_halve_id(next, 0u, load_input_id());
//!         store_halve_number(next, 0u, number / 2u);
//!         complete_halve(next);
//!     }";
//! let halve = Node::thread("halve")
//!     .entry()
//!     .input::<Number>()
//!     .recursion(8)
//!     .output(Output::to::<Number>("halve", 1))
//!     .wgsl("halve.wgsl", halve);
//! let graph = Graph::builder("halves").node(halve).build()?;
//!
//! let odd = device.create_buffer(&wgpu::BufferDescriptor {
//!     label: Some("odd"),
//!     size: 12,
//!     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
//!     mapped_at_creation: false,
//! });
//! let runner = graph.on(&device, &queue).bind(0, 0, &odd).build().await?;
//! let numbers = [12, 7, 40];
//! let numbers: Vec<_> = (0..).zip(numbers).map(|(id, number)| Number { id, number }).collect();
//! let report = runner.run([("halve", &numbers)]).await?;
//! assert_eq!(report.sweeps, 1);
//! assert_eq!(runner.read_buffer::<u32>(&odd).await?, [3, 7, 5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! # Errors
//!
//! An error does not repeat the text of its source: print the chain of sources, as
//! `anyhow::Error` does with `{:#}`.
//!
//! # Enums
//!
//! Enums of a set that is closed, such as launch modes, access modes and the pixels of an image, are
//! exhaustive, so that a `match` over them stays complete. Errors, options and inputs may get more
//! variants and are `#[non_exhaustive]`.

#![forbid(unsafe_code)]

pub mod device;
#[cfg(feature = "drawing")]
mod drawing;
#[cfg(feature = "file")]
pub mod file;
mod host_data;
mod layout;
pub mod model;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod plan;
pub mod record;
pub mod shader;
mod wgpu_error;

pub use anywarp_program::Source;
pub use device::{BoundGraph, GraphError, GraphOptions, GraphRunner, Input, Report};
#[cfg(feature = "file")]
pub use file::GraphFile;
pub use model::{Graph, GraphBuilder, Node, Output, RecordType};
pub use plan::Plan;
#[cfg(feature = "derive")]
pub use record::Record;
pub use wgpu;

/// The examples of the document compile.
#[cfg(all(doctest, feature = "derive"))]
#[doc = include_str!("../../../docs/work-graphs.md")]
struct Document;
