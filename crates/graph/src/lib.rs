//! Work graphs on any wgpu device: kernels that launch kernels, on the device.
//!
//! A *node* is a kernel. It consumes *records* and sends records to other nodes, which are launched
//! for them without a round trip to the host (cf. D3D12 work graphs). Nodes run level by level in
//! ordinary indirect dispatches, so graphs run on every wgpu adapter, and a run can be stopped and
//! inspected after every level.
//!
//! - A [`Graph`] is data: [`RecordType`]s, [`Node`]s and their [`Output`]s. All rules are checked
//!   when it is built, and a [`RuleViolation`] names the node and output.
//! - A [`GraphFile`] is a graph read from a TOML file and WGSL files, with buffers, textures and
//!   inputs.
//! - A [`Plan`] computes before a run how much memory the graph takes. Too little memory never
//!   loses work: admission launches only as many workgroups as their output is guaranteed to fit,
//!   and the rest wait for the next *sweep* over the levels.
//! - A [`GraphRunner`] is a graph on a device. It runs whole, in [`Steps`], or measured as a
//!   [`Trace`].
//! - An [`Oracle`] is the reference implementation of these semantics as a sequential program, for
//!   tests.
//!
//! Node code is plain WGSL that calls functions generated for each node from its records and
//! outputs; `docs/work-graphs.md` in the repository lists them.
//!
//! ```
//! # pollster::block_on(async {
//! use anywarp_graph::{
//!     CpuRecords, FieldType, Graph, GraphOptions, GraphRunner, Input, Node, Output, RecordType,
//! };
//! use anywarp_program::Source;
//! # let instance = anywarp_adapter::instance();
//! # let adapter = instance.request_adapter(&Default::default()).await?;
//! # let (device, queue) = adapter.request_device(&Default::default()).await?;
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
//! let number = RecordType::new("Number")
//!     .field("id", FieldType::U32)
//!     .field("number", FieldType::U32);
//! let halve = Node::thread("halve")
//!     .entry()
//!     .input("Number")
//!     .recursion(8)
//!     .output(Output::to("halve", "Number", 1))
//!     .source(Source::new("halve.wgsl", halve));
//! let graph = Graph::builder("halves").record(number).node(halve).build()?;
//! # let buffer = |usage| device.create_buffer(&wgpu::BufferDescriptor {
//! #     label: None,
//! #     size: 12,
//! #     usage,
//! #     mapped_at_creation: false,
//! # });
//! # let odd = buffer(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
//! # let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
//! #     label: None,
//! #     entries: &[wgpu::BindGroupLayoutEntry {
//! #         binding: 0,
//! #         visibility: wgpu::ShaderStages::COMPUTE,
//! #         ty: wgpu::BindingType::Buffer {
//! #             ty: wgpu::BufferBindingType::Storage { read_only: false },
//! #             has_dynamic_offset: false,
//! #             min_binding_size: None,
//! #         },
//! #         count: None,
//! #     }],
//! # });
//! # let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
//! #     label: None,
//! #     layout: &layout,
//! #     entries: &[wgpu::BindGroupEntry { binding: 0, resource: odd.as_entire_binding() }],
//! # });
//! // `layout` and `group` hold the user's own buffer.
//! let options = GraphOptions {
//!     bind_group_layouts: &[&layout],
//!     ..Default::default()
//! };
//! let runner = GraphRunner::new(&device, &queue, &graph, options).await?;
//! let records: Vec<u8> = [0, 12, 1, 7, 2, 40].into_iter().flat_map(u32::to_le_bytes).collect();
//! let report = runner.run(&Input::Cpu(CpuRecords::new("halve", 3, &records)), &[&group]).await?;
//! assert_eq!(report.sweeps, 1);
//! # let read = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! # encoder.copy_buffer_to_buffer(&odd, 0, &read, 0, 12);
//! # queue.submit([encoder.finish()]);
//! # read.map_async(wgpu::MapMode::Read, .., |_| ());
//! # device.poll(wgpu::PollType::wait_indefinitely())?;
//! # let odd: Vec<u32> = bytemuck::cast_slice(&read.get_mapped_range(..)?).to_vec();
//! assert_eq!(odd, [3, 7, 5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

#![forbid(unsafe_code)]

mod code;
mod device;
mod drawing;
mod field_value;
mod file;
mod model;
mod oracle;
mod plan;

pub use code::{CodeError, NodeCode};
pub use device::{
    Clock, CpuRecords, DeviceFault, DeviceFaults, DeviceRule, GraphError, GraphOptions,
    GraphRunner, Input, LocalArguments, Recording, Report, SharedArena, Span, StageCounts,
    StageStep, Step, Steps, Trace,
};
pub use field_value::{FieldValue, Record};
pub use file::{
    BindingPoint, BufferKind, FileBuffer, FileError, FileImage, FileInput, FileOptions,
    FileResources, FileSampler, FileTexture, GraphFile, ImageSource, Pixels, TextureAccess,
};
pub use model::{
    Budget, Field, FieldType, Graph, GraphBuilder, Grid, InputAccess, Launch, MAX_LEVELS,
    MAX_RECORD_BYTES, Node, NodeId, NodeIndex, NodeOverride, Output, RecordType, ResolvedNode,
    ResolvedOutput, Rule, RuleViolation, Scalar, Stage, Target,
};
pub use oracle::{Oracle, OracleError, OracleFault, OracleLaunch, OracleRecord};
pub use plan::{Edge, Plan, PlanError, PlanOptions, PlannedStage, Queue};
