//! The verifier: checks the rules of the IR, in tests and in builds with debug assertions.
//!
//! In: a function. Out: the first broken rule, with the block and the value.

use super::{Block, Cfg, Dominators, Function, Op, Terminator, Type, Value};

/// Checks a function.
pub(crate) fn verify(function: &Function) -> Result<(), String> {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let verifier = Verifier {
        function,
        dominators: &dominators,
        definitions: definitions(function)?,
    };
    if !function.block(Function::ENTRY).params.is_empty()
        || !cfg.predecessors(Function::ENTRY).is_empty()
    {
        return Err("the entry block has parameters or predecessors".to_owned());
    }
    for &block in &cfg.order {
        verifier.block(block)?;
    }
    Ok(())
}

/// Where a value is defined: its block and its position there, parameters at 0.
type Definitions = Vec<Option<(Block, usize)>>;

struct Verifier<'a> {
    function: &'a Function,
    dominators: &'a Dominators,
    definitions: Definitions,
}

fn definitions(function: &Function) -> Result<Definitions, String> {
    let mut definitions: Definitions = vec![None; function.value_count()];
    let mut define =
        |value: Value, place: (Block, usize)| match definitions[value.0 as usize].replace(place) {
            None => Ok(()),
            Some((other, _)) => Err(format!(
                "v{} is defined in b{} and b{}",
                value.0, other.0, place.0.0
            )),
        };
    for block in function.block_ids() {
        let data = function.block(block);
        for &param in &data.params {
            if *function.op(param) != Op::Param {
                return Err(format!(
                    "v{} is a parameter of b{}, but not by its definition",
                    param.0, block.0
                ));
            }
            define(param, (block, 0))?;
        }
        for (at, &inst) in data.insts.iter().enumerate() {
            if function.op(inst).is_floating() || *function.op(inst) == Op::Param {
                return Err(format!(
                    "v{} cannot be an instruction of b{}",
                    inst.0, block.0
                ));
            }
            define(inst, (block, at + 1))?;
        }
    }
    Ok(definitions)
}

impl Verifier<'_> {
    fn block(&self, block: Block) -> Result<(), String> {
        let data = self.function.block(block);
        for (at, &inst) in data.insts.iter().enumerate() {
            let mut result = Ok(());
            self.function.op(inst).for_each_operand(|operand| {
                if let (Ok(()), Err(error)) = (&result, self.operand(operand, (block, at + 1))) {
                    result = Err(format!("v{} in b{}: {error}", inst.0, block.0));
                }
            });
            result?;
            self.types(inst)
                .map_err(|error| format!("v{} in b{}: {error}", inst.0, block.0))?;
        }
        self.terminator(block)
            .map_err(|error| format!("the end of b{}: {error}", block.0))
    }

    /// Checks that a use is dominated by its definition.
    fn operand(&self, value: Value, (block, at): (Block, usize)) -> Result<(), String> {
        if self.function.op(value).is_floating() {
            return Ok(());
        }
        match self.definitions[value.0 as usize] {
            None => Err(format!("v{} has no definition", value.0)),
            Some((home, position)) if home == block => {
                let is_before = position < at;
                is_before
                    .then_some(())
                    .ok_or(format!("v{} is used before its definition", value.0))
            }
            Some((home, _)) => {
                let is_above = self.dominators.dominates(home, block);
                is_above.then_some(()).ok_or(format!(
                    "b{} does not dominate the use of v{}",
                    home.0, value.0
                ))
            }
        }
    }

    fn expect(&self, value: Value, ty: Type) -> Result<(), String> {
        let found = self.function.ty(value);
        (found == ty)
            .then_some(())
            .ok_or(format!("v{} is {found:?}, not {ty:?}", value.0))
    }

    fn types(&self, inst: Value) -> Result<(), String> {
        let own = self.function.ty(inst);
        match self.function.op(inst) {
            Op::Unary(unary, operand) => {
                self.expect(inst, unary.result(self.function.ty(*operand)))
            }
            Op::Binary(binary, left, right) => {
                let operand = self.function.ty(*left);
                self.expect(*right, operand)?;
                self.expect(inst, binary.result(operand))
            }
            Op::Select { condition, yes, no } => {
                self.expect(*condition, Type::Bool)?;
                self.expect(*yes, own)?;
                self.expect(*no, own)
            }
            Op::Load { access, address } => {
                self.expect(*address, Type::I32)?;
                self.expect(inst, access.ty)
            }
            Op::Store {
                access,
                address,
                value,
            } => {
                self.expect(*address, Type::I32)?;
                self.expect(*value, access.ty)?;
                self.expect(inst, Type::Unit)
            }
            Op::TrapIf { condition, .. } => {
                self.expect(*condition, Type::Bool)?;
                self.expect(inst, Type::Unit)
            }
            Op::ObjectLoad { index, .. } => self.expect(*index, Type::I32),
            Op::ObjectStore { index, .. } => {
                self.expect(*index, Type::I32)?;
                self.expect(inst, Type::Unit)
            }
            _ => Ok(()),
        }
    }

    fn terminator(&self, block: Block) -> Result<(), String> {
        let terminator = &self.function.block(block).terminator;
        let end = self.function.block(block).insts.len() + 1;
        let mut result = Ok(());
        terminator.for_each_operand(|operand| {
            if let (Ok(()), Err(error)) = (&result, self.operand(operand, (block, end))) {
                result = Err(error);
            }
        });
        result?;
        for edge in terminator.edges() {
            let params = &self.function.block(edge.block).params;
            if params.len() != edge.args.len() {
                return Err(format!(
                    "b{} has {} parameters, {} arguments are passed",
                    edge.block.0,
                    params.len(),
                    edge.args.len()
                ));
            }
            for (&param, &arg) in params.iter().zip(&edge.args) {
                self.expect(arg, self.function.ty(param))?;
            }
        }
        match terminator {
            Terminator::Branch { condition, .. } => self.expect(*condition, Type::Bool),
            Terminator::Switch { index, .. } => self.expect(*index, Type::I32),
            Terminator::Return(values) if values.len() != self.function.results.len() => {
                Err("the wrong number of results".to_owned())
            }
            _ => Ok(()),
        }
    }
}
