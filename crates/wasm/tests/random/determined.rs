//! Makes modules deterministic: their results must be determined by the specification.
//!
//! wasm-smith canonicalizes NaNs after every operation but two, the conversions between floats.
//! Implementations may choose the bits of their NaN results, so NaNs are replaced before these
//! conversions.

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Instruction, Module};
use wasmparser::{FunctionBody, Operator, Parser};

struct WithoutNans;

impl Reencode for WithoutNans {
    type Error = std::convert::Infallible;

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let operator = operators.read()?;
            // To an integer and back: a NaN becomes 0.
            match operator {
                Operator::F32DemoteF64 => {
                    function.instruction(&Instruction::I64TruncSatF64S);
                    function.instruction(&Instruction::F64ConvertI64S);
                }
                Operator::F64PromoteF32 => {
                    function.instruction(&Instruction::I32TruncSatF32S);
                    function.instruction(&Instruction::F32ConvertI32S);
                }
                _ => {}
            }
            function.instruction(&self.instruction(operator)?);
        }
        code.function(&function);
        Ok(())
    }
}

/// The module with every NaN replaced by a number before float conversions.
pub(crate) fn determined(wasm: &[u8]) -> Vec<u8> {
    let mut module = Module::new();
    let parsed = WithoutNans.parse_core_module(&mut module, Parser::new(0), wasm);
    parsed.expect("a valid module");
    module.finish()
}
