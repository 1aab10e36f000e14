//! Stubs for host functions: tiny functions that make the host call, so that it can be inlined,
//! exported and put into a table like any other.

use super::ir::{self, Inst, Origin, Plain};
use crate::bytecode::{Format, Host, HostFunction, Import, Op, Type};

/// The stub of a host function.
pub(super) fn stub(host: &Import, type_index: u32, name: u32) -> ir::Function {
    let params = ir::slots(host.params);
    let results = host.result.map_or(0, Type::slots);
    let mut function = ir::Function {
        type_index,
        name,
        params,
        results,
        locals: params,
        frame: params.max(results),
        ..ir::Function::default()
    };
    let origin = Origin { name, offset: 0 };
    let mut push = |op, (a, b, c), extra| {
        let plain = Plain { op, a, b, c, extra };
        function.push(Inst::Plain(plain), origin);
    };
    let op = match host.function {
        HostFunction::ThreadId => Op::Gid,
        HostFunction::Time => Op::Time,
        HostFunction::ReadInput => Op::LdIn,
        HostFunction::AtomicAdd => Op::AtomicAdd,
        HostFunction::SetPixel => Op::StOut,
        HostFunction::Numbered(_) => Op::Host,
    };
    match host.function {
        HostFunction::SetPixel => {
            push(Op::Host, (0, 2, 1), Host::PixelIndex as u64);
            push(op, (0, 2, 0), 0);
        }
        HostFunction::Numbered(host) => push(op, (0, params, results), host as u64),
        _ => {
            push(op, (0, 0, 1), 0);
            if matches!(op.format(), Format::Dx | Format::Dxy) {
                function.constant_params = (0..params).map(|slot| (slot, 1)).collect();
            }
        }
    }
    function.push(Inst::Return, origin);
    function
}
