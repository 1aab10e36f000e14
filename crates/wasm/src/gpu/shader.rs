//! Assembles the shader source: the WGSL files, preceded by constants for opcodes, host functions,
//! atomic operations and traps from the tables of [`bytecode`](crate::bytecode).

use std::fmt::Write;

use crate::bytecode::{AtomicOp, Host, Op, TrapCode};
use crate::runtime::MAX_PATH_BYTES;

use super::params;

/// The kind of memory that the shader is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// Each thread has its own memories.
    Private,
    /// All threads share the memories.
    Shared,
}

/// Word indices in the report buffer (`report` in WGSL), which the host reads between slices. This
/// one counts pending host calls.
pub(super) const REPORT_REQUESTS: u32 = 0;
/// The memory growth that a thread waits for: memory and pages.
pub(super) const REPORT_WANTED: u32 = 1;
/// Bits of the pages in it; the memory index is above.
pub(super) const WANTED_PAGES: u32 = 17;
/// Number of threads with each status.
pub(super) const REPORT_COUNTS: u32 = 2;
/// The first entry of the host call ring.
pub(super) const REPORT_RING: u32 = 16;

const ATOMICS: [AtomicOp; 10] = [
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::MinS,
    AtomicOp::MinU,
    AtomicOp::MaxS,
    AtomicOp::MaxU,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
];

/// The WGSL source of the interpreter.
pub fn kernel_wgsl(memory: MemoryKind) -> String {
    let mut text = constants();
    text.push_str(params::WGSL);
    let of_memory = match memory {
        MemoryKind::Private => include_str!("wgsl/memory_private.wgsl"),
        MemoryKind::Shared => include_str!("wgsl/memory_shared.wgsl"),
    };
    let atomics = |buffer: &str| include_str!("wgsl/atomics.wgsl").replace("BUFFER", buffer);
    // Private memory has its own access functions.
    let of_shared = match memory {
        MemoryKind::Private => String::new(),
        MemoryKind::Shared => atomics("memory"),
    };
    for file in [
        include_str!("wgsl/state.wgsl"),
        include_str!("wgsl/integers.wgsl"),
        include_str!("wgsl/floats.wgsl"),
        of_memory,
        include_str!("wgsl/memory.wgsl"),
        include_str!("wgsl/tables.wgsl"),
        include_str!("wgsl/bulk.wgsl"),
        include_str!("wgsl/step.wgsl"),
        &atomics("resources"),
        &of_shared,
        include_str!("wgsl/host.wgsl"),
        include_str!("wgsl/passes.wgsl"),
    ] {
        text.push_str(file);
        text.push('\n');
    }
    text
}

fn constants() -> String {
    let mut text = String::new();
    let mut constant = |kind: &str, name: &dyn std::fmt::Debug, number: u32| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "const {kind}_{name:?}: u32 = {number}u;");
    };
    for &op in Op::ALL {
        constant("OP", &op, op as u32);
    }
    for &host in Host::ALL {
        constant("HOST", &host, host as u32);
    }
    for atomic in ATOMICS {
        constant("ATOMIC", &atomic, atomic as u32);
    }
    for &trap in TrapCode::ALL {
        constant("TRAP", &trap, trap as u32);
    }
    let report = [
        ("REQUESTS", REPORT_REQUESTS),
        ("WANTED", REPORT_WANTED),
        ("COUNTS", REPORT_COUNTS),
        ("RING", REPORT_RING),
    ];
    for (name, number) in report {
        let _ = writeln!(text, "const REPORT_{name}: u32 = {number}u;");
    }
    let _ = writeln!(text, "const MAX_PATH_BYTES: u32 = {MAX_PATH_BYTES}u;");
    let _ = writeln!(text, "const WANTED_PAGES: u32 = {WANTED_PAGES}u;");
    text
}
