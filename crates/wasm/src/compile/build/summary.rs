//! Summaries of function bodies: control flow and calls, without values.
//!
//! In: a body. Out: a [`Summary`], from which the analyses of calls follow: the call graph, the
//! functions that never return, and what a call can do. Nothing recurses.

use std::collections::HashSet;

use wasmparser::{BinaryReaderError, FunctionBody as Body, Operator};

use crate::module::{
    CallSite, Exits, FunctionBody, FunctionId, Host, HostFunction, Import, LinkedModule,
};

/// An operator that matters to control flow or to calls.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Block,
    Loop,
    If,
    Else,
    End,
    Br(u32),
    BrIf(u32),
    BrTable(Box<[u32]>),
    Return,
    /// `unreachable`, or the host's `panic`.
    Trap,
    Call(FunctionId),
    Indirect {
        table: u32,
        type_index: u32,
    },
}

/// What a function can do by itself, and what it calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    type_index: u32,
    /// Index of the function in its module, which is that of its name.
    function: u32,
    events: Vec<Event>,
    /// It is the host's `panic`.
    pub panics: bool,
    /// It is a host function with an effect that others see.
    pub has_effect: bool,
    /// The mutable globals that it sets, by index in the module.
    pub sets: Vec<u32>,
}

impl Summary {
    /// The summary of a host function.
    pub(super) fn of_import(linked: &LinkedModule<'_>, function: u32, import: &Import) -> Self {
        let panics = import.function == HostFunction::Numbered(Host::Panic);
        let trap = panics.then_some(Event::Trap);
        Self {
            type_index: type_index(linked, function),
            function,
            events: trap.into_iter().chain([Event::End]).collect(),
            panics,
            has_effect: has_effect(import.function),
            sets: Vec::new(),
        }
    }

    /// The summary of a body.
    pub(super) fn of_body(
        linked: &LinkedModule<'_>,
        function: u32,
        body: &Body<'_>,
    ) -> Result<Self, BinaryReaderError> {
        let mut summary = Self {
            type_index: type_index(linked, function),
            function,
            ..Self::default()
        };
        let mut sets = HashSet::new();
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let event = match operators.read()? {
                Operator::Block { .. } => Event::Block,
                Operator::Loop { .. } => Event::Loop,
                Operator::If { .. } => Event::If,
                Operator::Else => Event::Else,
                Operator::End => Event::End,
                Operator::Br { relative_depth } => Event::Br(relative_depth),
                Operator::BrIf { relative_depth } => Event::BrIf(relative_depth),
                Operator::BrTable { targets } => {
                    let mut depths = vec![targets.default()];
                    for depth in targets.targets() {
                        depths.push(depth?);
                    }
                    depths.sort_unstable();
                    depths.dedup();
                    Event::BrTable(depths.into())
                }
                Operator::Return => Event::Return,
                Operator::Unreachable => Event::Trap,
                Operator::Call { function_index } => {
                    Event::Call(linked.functions[function_index as usize].0)
                }
                Operator::CallIndirect {
                    type_index,
                    table_index,
                } => Event::Indirect {
                    table: table_index,
                    type_index: linked.types[type_index as usize].0,
                },
                Operator::GlobalSet { global_index } => {
                    sets.insert(global_index);
                    continue;
                }
                _ => continue,
            };
            summary.events.push(event);
        }
        summary.sets = sets.into_iter().collect();
        summary.sets.sort_unstable();
        Ok(summary)
    }
}

fn type_index(linked: &LinkedModule<'_>, function: u32) -> u32 {
    let (_, ty) = linked.functions[function as usize];
    linked.types[ty as usize].0
}

/// Whether others can see that a host function was called. A printed text does not count: printing
/// is not supported, but a panic may print its message.
fn has_effect(function: HostFunction) -> bool {
    match function {
        HostFunction::AtomicAdd | HostFunction::SetPixel => true,
        HostFunction::ThreadId | HostFunction::Time | HostFunction::ReadInput => false,
        HostFunction::Numbered(host) => matches!(
            host,
            Host::WriteState
                | Host::WriteFile
                | Host::WriteFileZ
                | Host::WorkgroupBarrier
                | Host::StorageBarrier
                | Host::WorkgroupStore
                | Host::WorkgroupAtomic
                | Host::WorkgroupCompareExchange
                | Host::BufferStore
                | Host::BufferAtomic
                | Host::BufferCompareExchange
                | Host::QueuePop
                | Host::QueuePush
                | Host::MemoryAtomic
                | Host::MemoryCompareExchange
        ),
    }
}

/// An open construct during [`FunctionBody::exits`].
struct Construct {
    is_loop: bool,
    /// An `if` before its `else`: its end is reached if the `if` was.
    skips: bool,
    /// Whether the construct was entered.
    entered: bool,
    /// Whether a branch targets its end.
    branched: bool,
}

impl Construct {
    fn new(event: &Event, entered: bool) -> Self {
        Self {
            is_loop: *event == Event::Loop,
            skips: *event == Event::If,
            entered,
            branched: false,
        }
    }
}

impl FunctionBody for Summary {
    fn type_index(&self) -> u32 {
        self.type_index
    }

    fn name(&self) -> u32 {
        self.function
    }

    fn calls(&self) -> impl Iterator<Item = CallSite> {
        self.events.iter().filter_map(|event| match *event {
            Event::Call(function) => Some(CallSite::Direct(function)),
            Event::Indirect { table, type_index } => Some(CallSite::Indirect { table, type_index }),
            _ => None,
        })
    }

    /// Scans the events once. Loops are entered at their header only, so one pass in code order
    /// finds all that can be reached.
    fn exits(&self, returns: impl Fn(FunctionId) -> bool) -> Exits {
        let mut exits = Exits::default();
        let mut open = vec![Construct::new(&Event::Block, true)];
        let mut reachable = true;
        for event in &self.events {
            match event {
                Event::Block | Event::Loop | Event::If => {
                    open.push(Construct::new(event, reachable));
                    continue;
                }
                Event::Else => {
                    if let Some(construct) = open.last_mut() {
                        construct.branched |= reachable;
                        construct.skips = false;
                        reachable = construct.entered;
                    }
                    continue;
                }
                Event::End => {
                    if let Some(construct) = open.pop() {
                        reachable |= construct.branched && !construct.is_loop;
                        reachable |= construct.skips && construct.entered;
                    }
                    continue;
                }
                _ if !reachable => continue,
                _ => {}
            }
            let mut branch = |depth: u32| {
                let at = open.len().checked_sub(depth as usize + 1);
                if let Some(construct) = at.and_then(|at| open.get_mut(at)) {
                    construct.branched = true;
                }
            };
            match event {
                Event::BrIf(depth) => branch(*depth),
                Event::Br(depth) => {
                    branch(*depth);
                    reachable = false;
                }
                Event::BrTable(depths) => {
                    depths.iter().for_each(|&depth| branch(depth));
                    reachable = false;
                }
                Event::Return => {
                    exits.returns = true;
                    reachable = false;
                }
                Event::Trap => {
                    exits.traps = true;
                    reachable = false;
                }
                Event::Call(function) if !returns(*function) => {
                    exits.last_calls.insert(*function);
                    reachable = false;
                }
                _ => {}
            }
        }
        exits.returns |= reachable;
        exits
    }
}
