//! From the status words of a launch to how each thread ended.
//!
//! The message of a panic is made by the virtual machine: it runs the function that panics with the
//! words that the kernel left. That function never returns, and reads only its arguments and static
//! data.

use std::collections::HashMap;

use crate::bytecode::{Bytecode, Trap};
use crate::compile::CompiledKernel;
use crate::module::Type;
use crate::runtime::{Grid, LaunchOutcome, MAX_PANIC_BYTES, ThreadEnd, Value};

/// The bytecode of the module.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) program: &'a Bytecode,
    /// The index in the program of each function of the module, if it has one.
    #[cfg_attr(
        not(feature = "vm"),
        expect(dead_code, reason = "the virtual machine makes messages")
    )]
    pub(crate) function_indices: &'a [Option<u32>],
}

/// The outcome of a launch.
pub(super) fn outcome(
    kernel: &CompiledKernel,
    results: &[Type],
    grid: &Grid,
    status: &[u32],
    source: &Source<'_>,
) -> LaunchOutcome {
    let threads = match kernel.status {
        None => vec![ThreadEnd::Done(Vec::new()); grid.threads as usize],
        Some(layout) => {
            let mut traps = Traps {
                kernel,
                source,
                known: HashMap::new(),
                bytes_left: MAX_PANIC_BYTES,
            };
            let rows = status.chunks_exact(layout.words() as usize);
            let end = |row: &[u32]| {
                let (trap, words) = row[1..].split_at(layout.trap_words as usize);
                match row[0].checked_sub(1) {
                    None => ThreadEnd::Done(values(results, words)),
                    Some(site) => ThreadEnd::Trapped(traps.trap(site, trap)),
                }
            };
            rows.take(grid.threads as usize).map(end).collect()
        }
    };
    LaunchOutcome {
        threads,
        printed: Vec::new(),
        instructions: None,
    }
}

fn values(types: &[Type], words: &[u32]) -> Vec<Value> {
    let mut words = words.iter().copied().map(u64::from);
    let mut next = || words.next().unwrap_or(0);
    let value = |&ty: &Type| {
        let low = next();
        let high = if ty.slots() == 2 { next() } else { 0 };
        Value::from_bits(ty, low | high << 32)
    };
    types.iter().map(value).collect()
}

/// The traps of a launch. Threads that trap alike share the work of making a message.
struct Traps<'a> {
    kernel: &'a CompiledKernel,
    source: &'a Source<'a>,
    known: HashMap<(u32, Vec<u32>), Trap>,
    bytes_left: usize,
}

impl Traps<'_> {
    fn trap(&mut self, site: u32, words: &[u32]) -> Trap {
        let key = (site, words.to_vec());
        let mut trap = match self.known.get(&key) {
            Some(trap) => trap.clone(),
            None => {
                let trap = self.make(site, words);
                self.known.insert(key, trap.clone());
                trap
            }
        };
        if let Some(message) = &trap.message {
            match self.bytes_left.checked_sub(message.len()) {
                Some(left) => self.bytes_left = left,
                None => trap.message = None,
            }
        }
        trap
    }

    fn make(&self, site: u32, words: &[u32]) -> Trap {
        let Some(site) = self.kernel.traps.get(site as usize) else {
            return Trap {
                code: crate::TrapCode::Unreachable,
                function: self.kernel.entry_point.clone(),
                offset: None,
                message: None,
            };
        };
        let replayed = site
            .message
            .and_then(|function| replay(self.source, function, words));
        replayed.unwrap_or_else(|| Trap {
            code: site.code,
            function: site.function.clone(),
            offset: Some(site.offset),
            message: None,
        })
    }
}

/// The trap of a function that never returns, as the virtual machine reports it.
#[cfg(feature = "vm")]
fn replay(source: &Source<'_>, function: u32, words: &[u32]) -> Option<Trap> {
    let program = source.program;
    let index = source.function_indices.get(function as usize).copied()??;
    let mut instance = crate::vm::Instance::new(program).ok()?;
    for &init in &program.inits {
        instance.invoke(init, &[]).ok()?;
    }
    let args: Vec<Value> = words.iter().map(|&word| Value::i32(word as i32)).collect();
    instance.invoke(index, &args).err()?.trap()
}

#[cfg(not(feature = "vm"))]
fn replay(_: &Source<'_>, _: u32, _: &[u32]) -> Option<Trap> {
    None
}
