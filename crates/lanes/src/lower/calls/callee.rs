//! Calls of functions that are compiled once, and their calling convention.
//!
//! A function is lowered at its first call. Each function has its own part of the frame, which holds its arguments,
//! its results and its memory. A call stores the arguments there (`FrameStore`), calls for the active lanes, and
//! loads the results (`FrameLoad`). An argument is uniform if it is uniform at every call; a pointer argument is
//! the address of per-lane memory.

use std::rc::Rc;

use anywarp_program::units::Bytes;
use naga::{Expression, Function, Handle, TypeInner};

use crate::build::Builder;
use crate::ir::{
    BlockId, CallOutcome, CalleeWrites, Edge, Function as Code, Op, Terminator, Type, Value,
    VectorMachine, WordBinary,
};

use crate::lower::analysis::uniformity::Role;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::calls::inlining;
use crate::lower::control_flow::branch::carried_form;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::{MemoryLayout, Shape};
use crate::lower::memory::reference::{Base, Lvalue, MemoryRef};
use crate::lower::memory::variables::{Representation, VariableId};
use crate::lower::state::{ControlFlow, FunctionState};
use crate::lower::{Callee, Evaluated, Flow, Lowering};

/// The calling convention of a compiled function.
pub(in crate::lower) struct CallingConvention {
    number: u32,
    writes: CalleeWrites,
    arguments: Vec<Argument>,
    /// Frame offsets of the argument values, in order.
    argument_places: Vec<u32>,
    results: Vec<Representation>,
    /// Frame offsets of the result values, in order.
    result_places: Vec<u32>,
}

/// How an argument is passed.
enum Argument {
    Scalars(Vec<Representation>),
    Pointer,
}

/// The state that belongs to one function.
struct SavedState<'a> {
    function: Builder,
    control: ControlFlow,
    body: FunctionState<'a>,
}

impl<'a> SavedState<'a> {
    fn new(machine: VectorMachine, globals: usize) -> Self {
        Self {
            function: Builder::new(Code::new(machine)),
            control: ControlFlow::new(),
            body: FunctionState::new(globals),
        }
    }
}

impl<'a> Lowering<'a> {
    /// Switches to another function; the frame is shared. Returns the state of the previous one.
    fn swap_state(&mut self, mut body: SavedState<'a>) -> SavedState<'a> {
        use std::mem::swap;
        body.function.frame_bytes = self.function.frame_bytes;
        swap(&mut self.function, &mut body.function);
        swap(&mut self.control, &mut body.control);
        swap(&mut self.body, &mut body.body);
        body
    }

    /// Finds for every called function which of its arguments are uniform at every call. `same` says so for the
    /// entry point.
    pub(in crate::lower) fn find_uniform_arguments(
        &mut self,
        entry: &'a Function,
        same: Vec<bool>,
    ) -> Result {
        let functions = self.module.functions.iter();
        self.callees.uniform_arguments = functions
            .map(|entry| vec![true; entry.1.arguments.len()])
            .collect();
        self.merge_same(entry, Role::Entry, same)?;
        let functions: Vec<_> = self.module.functions.iter().collect();
        // Functions come after their callees, so a reverse walk knows all calls of each.
        for (handle, function) in functions.into_iter().rev() {
            if self.plan.is_called(handle) {
                let same = self.callees.uniform_arguments[handle.index()].clone();
                self.merge_same(function, Role::Called, same)?;
            }
        }
        Ok(())
    }

    /// Merges the arguments of all calls in a function and in the functions inlined in it (the meet is logical
    /// and).
    fn merge_same(&mut self, function: &'a Function, role: Role, same: Vec<bool>) -> Result {
        let mut seen = std::collections::HashSet::new();
        let mut open = vec![(function, role, same)];
        while let Some((function, role, same)) = open.pop() {
            let analysis = self.analyses.of(function, role, &same)?;
            self.work(analysis.calls.len())?;
            for (callee, same) in &analysis.calls {
                let body = &self.module.functions[*callee];
                if !self.plan.is_called(*callee) {
                    if seen.insert((*callee, same.clone())) {
                        open.push((body, Role::Called, same.clone()));
                    }
                    continue;
                }
                let arguments = body.arguments.iter();
                let known = self.callees.uniform_arguments[callee.index()]
                    .iter_mut()
                    .zip(same);
                for (argument, (known, is_uniform)) in arguments.zip(known) {
                    let inner = &self.module.types[argument.ty].inner;
                    // A pointer argument is a uniform address.
                    *known &= *is_uniform || inner.pointer_space().is_some();
                }
            }
        }
        Ok(())
    }

    /// Calls a compiled function.
    pub(in crate::lower) fn call_compiled(
        &mut self,
        function: Handle<Function>,
        arguments: &[Evaluated],
        result: Option<Handle<Expression>>,
    ) -> Result {
        let interface = self.interface(function)?;
        let after_call = self.skip_call_if_no_active_lane();
        let mut values = Vec::with_capacity(interface.argument_places.len());
        for (argument, given) in interface.arguments.iter().zip(arguments) {
            match (argument, given) {
                (Argument::Scalars(forms), Evaluated::Scalars(scalars)) => {
                    for (form, scalar) in forms.iter().zip(scalars) {
                        values.push(self.argument(scalar, form)?);
                    }
                }
                (Argument::Pointer, Evaluated::Lvalue(Lvalue::Memory(memory))) => {
                    values.push(self.address(memory)?);
                }
                _ => return unsupported("this argument of a function"),
            }
        }
        for (value, place) in values.into_iter().zip(&interface.argument_places) {
            self.effect(Op::FrameStore(*place), &[value]);
        }
        let lanes = match self.control.exec {
            Some(exec) => self.emit(Op::Ballot, &[exec], Type::Word),
            None => self.word_const(self.function.all_lanes()),
        };
        let op = Op::Call(interface.number, interface.writes);
        self.effect(op, &[lanes]);
        if let Some(after_call) = after_call {
            self.end(Terminator::Jump(Edge::to(after_call)));
            self.control.block = after_call;
        }
        if let Some(result) = result {
            let next = self.function.add_block();
            let forms = interface.results.iter();
            let scalars: Scalars = forms.map(|form| self.parameter(next, form)).collect();
            self.jump_with_reloaded(next, &interface.result_places);
            self.set(result, Evaluated::Scalars(scalars));
        }
        Ok(())
    }

    /// Skips a call if no lane is active: a loop in the callee may wait for an effect of an active lane and never
    /// end. Returns the block after the call. The result slots of the frame then hold garbage that no active lane
    /// reads.
    fn skip_call_if_no_active_lane(&mut self) -> Option<BlockId> {
        if self.has_active_lane() {
            return None;
        }
        let exec = self.exec_mask();
        let (inside, after_call) = (self.function.add_block(), self.function.add_block());
        let (to_inside, to_behind) = (Edge::to(inside), Edge::to(after_call));
        self.end(Terminator::Branch(exec, to_inside, to_behind));
        self.control.block = inside;
        Some(after_call)
    }

    /// Jumps to a block with values loaded from the frame as arguments.
    fn jump_with_reloaded(&mut self, next: BlockId, places: &[u32]) {
        let parameters = self.function.function().block(next).parameters.clone();
        let types: Vec<_> = parameters
            .iter()
            .map(|parameter| self.function.type_of(*parameter))
            .collect();
        self.function.switch_to(self.control.block);
        let reloaded = places.iter().zip(types);
        let arguments = reloaded
            .map(|(place, ty)| self.function.frame_load(*place, ty))
            .collect();
        self.end(Terminator::Jump(Edge {
            block: next,
            arguments,
        }));
        self.control.block = next;
    }

    /// The address of per-lane memory.
    fn address(&mut self, memory: &MemoryRef) -> Result<Value> {
        let Base::Lanes { pointer } = memory.base else {
            return unsupported("a pointer to memory that lanes share");
        };
        if !memory.checks.is_empty() || !matches!(memory.index, Scalar::Known(0)) {
            return unsupported("a pointer that was found by an index");
        }
        let rows = self.word_const(memory.layout.units(memory.fixed)?);
        let lanes = self.word_const(self.function.lanes);
        let words = self.word_binary(WordBinary::Mul, rows, lanes);
        Ok(self.emit(Op::Advance, &[pointer, words], Type::Pointer))
    }

    /// The calling convention of a function, which is lowered if it has not been.
    fn interface(&mut self, function: Handle<Function>) -> Result<Rc<CallingConvention>> {
        if let Some(known) = &self.callees.interfaces[function.index()] {
            return Ok(known.clone());
        }
        let span = self.source.span;
        let body = SavedState::new(self.function.machine(), self.body.globals.len());
        let caller = self.swap_state(body);
        let lowered = self.lower_callee(function);
        let callee = self.swap_state(caller);
        let (mut interface, number) = (lowered?, self.callees.list.len() as u32);
        let function_code = callee.function.finish();
        self.callees.lowered_values += function_code.types.len();
        self.callees.list.push(Callee::Function(function_code));
        interface.number = number;
        let interface = Rc::new(interface);
        self.callees.interfaces[function.index()] = Some(interface.clone());
        self.source.span = span;
        Ok(interface)
    }

    /// Lowers a function as a separate function of the vector IR.
    fn lower_callee(&mut self, handle: Handle<Function>) -> Result<CallingConvention> {
        let (module, function) = (self.module, &self.module.functions[handle]);
        let info = &self.program.info()[handle];
        let start = self.function.add_block();
        let (arguments, given) = self.declare_arguments(handle, start)?;
        let parameters = self.function.function().block(start).parameters.clone();
        let argument_places = self.places(&parameters);
        let lanes = self.emit_early(Op::ActiveLanes, &[], Type::Word);
        let exec = self.emit_early(Op::FromBallot, &[lanes], Type::Mask);
        self.control.exec = Some(exec);
        self.control.first_exec = self.control.exec;
        self.jump_with_reloaded(start, &argument_places);
        if self.plan.calls(handle) {
            // A chain of calls can run for long without any loop.
            self.source.span = module.functions.get_span(handle);
            let number = self.number_loop();
            self.effect(Op::Poll(number), &[]);
        }
        self.enter(function, info, Role::Called, given)?;
        let has_uniform_result = self.call().analysis.has_uniform_result;
        if self.statements(&function.body, true)? == Flow::Terminated {
            // Unreachable.
            self.control.block = self.function.add_block();
        }
        let (results, result_places) = match self.leave().and_then(|call| call.result) {
            Some(variable) => self.store_results(variable, has_uniform_result)?,
            None => (Vec::new(), Vec::new()),
        };
        self.end(Terminator::Return(CallOutcome::FINISHED));
        Ok(CallingConvention {
            number: 0,
            writes: inlining::callee_writes(module, info),
            arguments,
            argument_places,
            results,
            result_places,
        })
    }

    /// Adds a parameter to the first block of a callee for each argument value. Returns how arguments are passed, and
    /// their values in the callee.
    fn declare_arguments(
        &mut self,
        handle: Handle<Function>,
        start: BlockId,
    ) -> Result<(Vec<Argument>, Vec<Evaluated>)> {
        let (module, function) = (self.module, &self.module.functions[handle]);
        let mut arguments = Vec::new();
        let mut given = Vec::new();
        let same = self.callees.uniform_arguments[handle.index()].clone();
        for (argument, is_uniform) in function.arguments.iter().zip(same) {
            let inner = &module.types[argument.ty].inner;
            if let TypeInner::Pointer { base, .. } = *inner {
                let pointer = self.function.add_parameter(start, Type::Pointer);
                given.push(Evaluated::Lvalue(Lvalue::Memory(MemoryRef {
                    base: Base::Lanes { pointer },
                    layout: MemoryLayout::Packed,
                    shape: Shape::Handle(base),
                    fixed: Bytes(0),
                    index: Scalar::ZERO,
                    checks: Default::default(),
                })));
                arguments.push(Argument::Pointer);
                continue;
            }
            let kinds = self.shapes.kinds(inner)?.into_iter();
            let forms: Vec<_> = kinds.map(|kind| carried_form(kind, !is_uniform)).collect();
            let scalars = forms.iter().map(|form| self.parameter(start, form));
            given.push(Evaluated::Scalars(scalars.collect()));
            arguments.push(Argument::Scalars(forms));
        }
        Ok((arguments, given))
    }

    /// Stores the results of a callee to its frame. Returns their representations and frame offsets.
    fn store_results(
        &mut self,
        variable: VariableId,
        is_uniform: bool,
    ) -> Result<(Vec<Representation>, Vec<u32>)> {
        let kinds = self.variable(variable).kinds.clone();
        let results: Vec<_> = kinds
            .iter()
            .map(|kind| carried_form(*kind, !is_uniform))
            .collect();
        let scalars = self.variable(variable).scalars.clone();
        let mut values = Vec::new();
        for (form, scalar) in results.iter().zip(&scalars) {
            values.push(self.argument(scalar, form)?);
        }
        let places = self.places(&values);
        for (value, place) in values.into_iter().zip(&places) {
            self.effect(Op::FrameStore(*place), &[value]);
        }
        Ok((results, places))
    }

    /// Allocates frame slots for values.
    fn places(&mut self, values: &[Value]) -> Vec<u32> {
        let row = Type::Lanes.bytes(self.function.lanes);
        let mut places = Vec::with_capacity(values.len());
        for value in values {
            let bytes = self.function.type_of(*value).bytes(self.function.lanes);
            let place = self.function.frame_bytes.next_multiple_of(bytes);
            self.function.frame_bytes = place + bytes;
            places.push(place);
        }
        self.function.frame_bytes = self.function.frame_bytes.next_multiple_of(row);
        places
    }
}
