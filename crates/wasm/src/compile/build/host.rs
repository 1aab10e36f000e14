//! Calls of host functions.
//!
//! Ids and the time become [`Builtin`]s, `panic` a trap, the others [`Op::Host`]. What waits for
//! the host is not supported.

use super::builder::Builder;
use crate::TrapCode;
use crate::compile::CompileError;
use crate::compile::ir::{Binary, Builtin, Op, Type, Value};
use crate::module::{Host, HostFunction, Import};

/// Ids with a component, which is the operand.
fn vector(host: Host) -> Option<fn(u8) -> Builtin> {
    match host {
        Host::GlobalId => Some(Builtin::GlobalId),
        Host::LocalId => Some(Builtin::LocalId),
        Host::WorkgroupId => Some(Builtin::WorkgroupId),
        Host::NumWorkgroups => Some(Builtin::NumWorkgroups),
        Host::WorkgroupSize => Some(Builtin::WorkgroupSize),
        _ => None,
    }
}

/// What a failing call is reported as.
fn trap_code(host: Host) -> TrapCode {
    match host {
        Host::WorkgroupLoad
        | Host::WorkgroupStore
        | Host::WorkgroupAtomic
        | Host::WorkgroupCompareExchange => TrapCode::WorkgroupMemory,
        Host::WorkgroupBarrier | Host::StorageBarrier => TrapCode::Barrier,
        _ => TrapCode::OutOfBoundsMemory,
    }
}

fn is_supported(host: Host) -> bool {
    !matches!(
        host,
        Host::ReadFile
            | Host::WriteFile
            | Host::ReadFileZ
            | Host::WriteFileZ
            | Host::Print
            | Host::QueuePop
            | Host::QueuePush
    )
}

impl Builder<'_> {
    pub(super) fn host_call(&mut self, import: &Import) -> Result<(), CompileError> {
        let mut args = self.pop_many(import.params.len());
        for arg in &mut args {
            *arg = self.number(*arg);
        }
        let builtin = match import.function {
            HostFunction::ThreadId => Builtin::ThreadId,
            HostFunction::Numbered(Host::LocalIndex) => Builtin::LocalIndex,
            HostFunction::Time => Builtin::Time,
            HostFunction::Numbered(Host::Panic) => {
                self.panic(args);
                return Ok(());
            }
            HostFunction::Numbered(host) => match vector(host) {
                Some(vector) => {
                    let value = self.component(vector, args[0]);
                    self.stack.push(value);
                    return Ok(());
                }
                None if is_supported(host) => {
                    return self.host_operation(import, args, trap_code(host));
                }
                None => return Err(self.refuse(format!("the import `{}`", import.name))),
            },
            _ => return self.host_operation(import, args, TrapCode::OutOfBoundsMemory),
        };
        let ty = import.result.map_or(Type::Unit, Type::of);
        let value = self.function.floating(Op::Builtin(builtin), ty);
        self.stack.push(value);
        Ok(())
    }

    fn host_operation(
        &mut self,
        import: &Import,
        args: Vec<Value>,
        code: TrapCode,
    ) -> Result<(), CompileError> {
        if matches!(
            import.function,
            HostFunction::Numbered(Host::MemoryAtomic | Host::MemoryCompareExchange)
        ) {
            self.check_memory()?;
        }
        let trap = self.site(code, None);
        let ty = import.result.map_or(Type::Unit, Type::of);
        let function = import.function;
        let op = Op::Host {
            function,
            args,
            trap,
        };
        let value = self.add(op, ty);
        if ty != Type::Unit {
            self.stack.push(value);
        }
        Ok(())
    }

    /// A component of an id: 0 for an axis above 2.
    fn component(&mut self, vector: fn(u8) -> Builtin, axis: Value) -> Value {
        let of = |ir: &mut crate::compile::ir::Function, axis| {
            ir.floating(Op::Builtin(vector(axis)), Type::I32)
        };
        match self.function.as_word(axis) {
            Some(axis @ 0..=2) => return of(&mut self.function, axis as u8),
            Some(_) => return self.function.word(0),
            None => {}
        }
        let mut value = self.function.word(0);
        for component in 0..3_u8 {
            let number = self.function.word(component.into());
            let condition = self.binary(Binary::Eq, axis, number);
            let yes = of(&mut self.function, component);
            let no = value;
            value = self.add(Op::Select { condition, yes, no }, Type::I32);
        }
        value
    }
}
