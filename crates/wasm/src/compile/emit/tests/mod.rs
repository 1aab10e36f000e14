//! Tests on the CPU device: bits of every operation, control flow, memory, traps, barriers.

mod control;
mod device;
mod memory;
mod operands;
mod operations;
mod reference;
mod traps;

use super::emit;
use crate::compile::CompiledKernel;
use crate::compile::ir::Function;

/// Emits a kernel, which must be valid, and whose text must be readable by naga again.
fn emitted(function: &Function, workgroup_size: [u32; 3]) -> CompiledKernel {
    let kernel =
        emit(function, workgroup_size).unwrap_or_else(|error| panic!("{error}\n{function}"));
    check(&kernel, function);
    kernel
}

/// Validates a module and writes it as WGSL and SPIR-V.
fn check(kernel: &CompiledKernel, function: &Function) {
    let info = validate(&kernel.module).unwrap_or_else(|error| {
        panic!(
            "{error:#?}\n{function}\n{:#?}",
            kernel.module.entry_points[0].function
        )
    });
    let text = wgsl(kernel);
    let parsed = naga::front::wgsl::parse_str(&text);
    let parsed = parsed.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&text)));
    validate(&parsed).unwrap_or_else(|error| panic!("{error:#?}\n{text}"));
    let options = naga::back::spv::Options::default();
    naga::back::spv::write_vec(&kernel.module, &info, &options, None).unwrap();
}

type Invalid = Box<naga::WithSpan<naga::valid::ValidationError>>;

fn validate(module: &naga::Module) -> Result<naga::valid::ModuleInfo, Invalid> {
    validate_with(module, naga::valid::Capabilities::all())
}

fn validate_with(
    module: &naga::Module,
    capabilities: naga::valid::Capabilities,
) -> Result<naga::valid::ModuleInfo, Invalid> {
    let flags = naga::valid::ValidationFlags::all();
    let mut validator = naga::valid::Validator::new(flags, capabilities);
    validator.validate(module).map_err(Box::new)
}

/// The text of a kernel.
fn wgsl(kernel: &CompiledKernel) -> String {
    let info = validate(&kernel.module).unwrap();
    let flags = naga::back::wgsl::WriterFlags::empty();
    naga::back::wgsl::write_string(&kernel.module, &info, flags).unwrap()
}
