//! The state of the emission of one kernel, and its frame: the entry point around the statements.

use std::collections::HashSet;

use naga::{Block, EntryPoint, Handle, Scalar, ShaderStage, Statement};

use super::bounds::Guards;
use super::interface::Interface;
use super::names::identifier;
use super::scan::Scan;
use super::uses::Uses;
use super::writer::{Expr, Writer};
use crate::compile::ir::{self, Builtin, Cfg, Function, Op, Type, Value};
use crate::compile::structure::Regions;
use crate::compile::{CompileError, CompiledKernel};

/// A kernel that is being emitted.
pub(super) struct Kernel<'a> {
    pub function: &'a Function,
    pub regions: &'a Regions,
    pub workgroup_size: [u32; 3],
    pub guards: Guards,
    pub scan: Scan,
    pub uses: Uses,
    pub interface: Interface,
    pub writer: Writer,
    /// The block whose instructions are being emitted.
    pub at: ir::Block,
    /// The copy that is being emitted.
    pub stub: Option<ir::Block>,
    /// The loop whose end is being emitted: values of the blocks that stand directly in its body are in scope.
    pub closing: Option<ir::Block>,
    /// The parameters of the next block are bound already.
    pub is_bound: bool,
    /// For each value its expression, if its definition is in scope.
    pub values: Vec<Option<Expr>>,
    /// For each value its variable.
    pub variables: Vec<Option<Expr>>,
    pub selectors: Vec<Option<Expr>>,
    pub flags: Vec<Option<Expr>>,
    /// For each object its variable, if it is memory of the invocation.
    pub private: Vec<Option<Expr>>,
    /// The linear index of the thread.
    pub thread: Option<Expr>,
    /// Whether the invocation has trapped, if it goes on then.
    pub trapped: Option<Expr>,
    pub trap_function: Option<Handle<naga::Function>>,
    /// Arguments of the entry point.
    pub builtins: Vec<(naga::BuiltIn, Expr)>,
    /// Indices that are less than bounds here.
    pub facts: Vec<(Value, Value)>,
    /// Headers of loops with a barrier.
    pub barrier_loops: HashSet<ir::Block>,
}

impl<'a> Kernel<'a> {
    pub(super) fn new(
        function: &'a Function,
        regions: &'a Regions,
        workgroup_size: [u32; 3],
        guards: Guards,
    ) -> Result<Self, CompileError> {
        let cfg = Cfg::new(function);
        let scan = Scan::new(function, &cfg)?;
        if scan.has_barrier {
            super::host::check_traps(function, &cfg)?;
        }
        let uses = Uses::new(function, &cfg, regions);
        let barrier_loops = super::host::barrier_loops(function, &cfg, &regions.placement);
        let has_results = !function.results.is_empty();
        let needs_threads = !scan.has_barrier || scan.has_trap || has_results;
        let interface = Interface::new(function, &scan, needs_threads)?;
        let count = function.value_count();
        Ok(Self {
            function,
            regions,
            workgroup_size,
            guards,
            uses,
            writer: Writer::default(),
            at: Function::ENTRY,
            stub: None,
            closing: None,
            is_bound: false,
            values: vec![None; count],
            variables: vec![None; count],
            selectors: vec![None; regions.lists.len()],
            flags: vec![None; regions.flags as usize],
            private: vec![None; scan.objects.len()],
            scan,
            interface,
            thread: None,
            trapped: None,
            trap_function: None,
            builtins: Vec::new(),
            facts: Vec::new(),
            barrier_loops,
        })
    }

    pub(super) fn emit(mut self) -> Result<CompiledKernel, CompileError> {
        self.declare_trap();
        self.begin()?;
        let regions = self.regions;
        self.items(&regions.body)?;
        let mut function = self.writer.finish();
        let last = function.body.len().checked_sub(1);
        if let Some(last) = last
            && matches!(function.body[last], Statement::Return { value: None })
        {
            function.body.cull(last..);
        }
        let entry_point = identifier(&self.function.name);
        let mut module = self.interface.module;
        module.entry_points.push(EntryPoint {
            name: entry_point.clone(),
            stage: ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: self.workgroup_size,
            workgroup_size_overrides: None,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        Ok(CompiledKernel {
            module,
            entry_point,
            workgroup_size: self.workgroup_size,
            bindings: self.interface.bindings,
            params: self.interface.params,
            status: self.interface.status.map(|(layout, _)| layout),
            traps: self.function.traps.clone(),
            results: self
                .function
                .results
                .iter()
                .map(|&ty| wasm_type(ty))
                .collect(),
        })
    }

    /// What comes before the statements: arguments, ids, and the test of the thread's index.
    fn begin(&mut self) -> Result<(), CompileError> {
        let needs_thread = self.interface.params.first()
            == Some(&crate::compile::ParamWord::Threads)
            || self.has_linear()
            || self
                .scan
                .floating
                .iter()
                .any(|&value| *self.function.op(value) == Op::Builtin(Builtin::ThreadId));
        if needs_thread {
            self.thread = Some(self.thread_index());
        }
        if !self.scan.has_barrier
            && let Some(is_outside) = self.is_outside()
        {
            self.writer.when(is_outside, |writer| {
                writer.statement(Statement::Return { value: None });
            });
        }
        if self.scan.has_barrier && self.scan.has_trap {
            let trapped = self.local("trapped".to_owned(), Type::Bool);
            self.trapped = Some(trapped);
        }
        self.floating_values()?;
        self.private_memory();
        Ok(())
    }

    fn has_linear(&self) -> bool {
        use super::interface::Storage;
        let is_linear = |storage: &Option<Storage>| matches!(storage, Some(Storage::OfThread(..)));
        self.interface.storage.iter().any(is_linear)
    }

    /// Whether the thread is not one of those that the launch asks for.
    pub(super) fn is_outside(&mut self) -> Option<Expr> {
        let thread = self.thread?;
        let threads = self.param(crate::compile::ParamWord::Threads)?;
        Some(
            self.writer
                .binary(naga::BinaryOperator::GreaterEqual, thread, threads),
        )
    }

    /// A new variable of the invocation, initially zero.
    pub(super) fn local(&mut self, name: String, ty: Type) -> Expr {
        let ty = self.interface.scalar(scalar(ty));
        self.writer.local(name, ty, None)
    }

    /// Statements under a condition.
    pub(super) fn when(
        &mut self,
        condition: Expr,
        body: impl FnOnce(&mut Self) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        let accept = self.nested(body)?;
        self.writer.statement(Statement::If {
            condition,
            accept,
            reject: Block::new(),
        });
        Ok(())
    }

    /// A nested block of statements.
    pub(super) fn nested(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), CompileError>,
    ) -> Result<Block, CompileError> {
        let outer = self.writer.begin_block();
        let facts = self.facts.len();
        let result = body(self);
        self.forget_facts(facts);
        let block = self.writer.end_block(outer);
        result.map(|()| block)
    }
}

/// The naga type of a value.
pub(super) const fn scalar(ty: Type) -> Scalar {
    match ty {
        Type::Unit | Type::Bool => Scalar::BOOL,
        Type::I32 => Scalar::U32,
        Type::I64 => Scalar::U64,
        Type::F32 => Scalar::F32,
        Type::F64 => Scalar::F64,
    }
}

const fn wasm_type(ty: Type) -> crate::module::Type {
    match ty {
        Type::Unit | Type::Bool | Type::I32 => crate::module::Type::I32,
        Type::I64 => crate::module::Type::I64,
        Type::F32 => crate::module::Type::F32,
        Type::F64 => crate::module::Type::F64,
    }
}
