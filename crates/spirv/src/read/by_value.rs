//! Passes read-only pointer parameters by value.
//!
//! In SPIR-V from GLSL, an `in` parameter is a pointer to a local variable of the caller, which is stored to right
//! before the call. In: a module. Out: the parameters that their function only reads, and the *carriers*: local
//! variables whose only purpose is to hold an argument for such a parameter. Such a parameter is only loaded from,
//! whole or at constant members; a carrier is not written between its store and the call.

use rspirv::spirv::{Op, StorageClass};

use super::aliased_pointers::AliasedPointers;
use crate::error::Result;
use crate::maps::{HashMap, HashSet};
use crate::module::{Block, Function, Id, Instruction, Module};

/// The maximum depth of nested structs in the search for arrays.
const MAX_DEPTH: usize = 16;

/// The parameters and variables to pass by value.
#[derive(Debug, Default)]
pub(crate) struct ByValueParameters {
    pub(crate) parameters: HashSet<Id>,
    /// For each function with such parameters: whether each parameter is one, by index.
    functions: HashMap<Id, Vec<bool>>,
    /// Local variables that only hold arguments for such parameters.
    pub(crate) carriers: HashSet<Id>,
}

impl ByValueParameters {
    pub(crate) fn find(spirv: &Module<'_>, aliased: &AliasedPointers) -> Result<Self> {
        let mut found = Self::default();
        for function in &spirv.functions {
            let mut own = HashSet::default();
            for parameter in &function.parameters {
                let id = parameter.result()?;
                if !aliased.parameters.contains(&id) && is_candidate(spirv, parameter) {
                    own.insert(id);
                }
            }
            if own.is_empty() {
                continue;
            }
            keep_read_only(spirv, function, &mut own);
            if !own.is_empty() {
                let parameters = function.parameters.iter();
                let places = parameters
                    .map(|parameter| parameter.result.is_some_and(|id| own.contains(&id)));
                found.functions.insert(function.id, places.collect());
                found.parameters.extend(own);
            }
        }
        if !found.functions.is_empty() {
            for function in &spirv.functions {
                found.find_carriers(function, aliased);
            }
        }
        Ok(found)
    }

    /// Whether a function takes this argument by value instead of by pointer.
    pub(crate) fn takes_value(&self, function: Id, index: usize) -> bool {
        let places = self.functions.get(&function);
        places.is_some_and(|places| places.get(index).copied().unwrap_or(false))
    }

    fn calls_by_value(&self, function: &Function<'_>) -> bool {
        let mut calls = function.calls.iter();
        calls.any(|call| call.id(0).is_ok_and(|id| self.functions.contains_key(&id)))
    }

    fn find_carriers(&mut self, function: &Function<'_>, aliased: &AliasedPointers) {
        let Some(first) = function.blocks.first() else {
            return;
        };
        if !self.calls_by_value(function) {
            return;
        }
        let variables = first
            .body()
            .filter(|instruction| instruction.op == Op::Variable);
        let plain = variables.filter(|variable| variable.optional(1).is_none());
        let mut carriers: HashSet<Id> = plain.filter_map(|variable| variable.result).collect();
        carriers.retain(|id| !aliased.variables.contains(id));
        for block in &function.blocks {
            self.keep_carriers(block, &mut carriers);
        }
        self.carriers.extend(carriers);
    }

    /// Removes the variables that a block uses in any other way.
    fn keep_carriers(&self, block: &Block<'_>, carriers: &mut HashSet<Id>) {
        let mut set = HashSet::default();
        for instruction in block.inside() {
            let mut place = 0;
            instruction.each_used(|id| {
                let at = place;
                place += 1;
                if !carriers.contains(&id) {
                    return;
                }
                let is_kept = match instruction.op {
                    Op::Store if at == 0 => {
                        set.insert(id);
                        true
                    }
                    Op::FunctionCall if at > 0 => {
                        let callee = instruction.id(0);
                        set.contains(&id)
                            && callee.is_ok_and(|callee| self.takes_value(callee, at - 1))
                    }
                    _ => false,
                };
                if !is_kept {
                    carriers.remove(&id);
                }
            });
        }
    }
}

/// Whether a parameter points to a local variable of the caller without arrays.
fn is_candidate(spirv: &Module<'_>, parameter: &Instruction<'_>) -> bool {
    let ty = parameter
        .result_type
        .and_then(|ty| spirv.definition(ty).ok());
    let Some(ty) = ty.filter(|ty| ty.op == Op::TypePointer) else {
        return false;
    };
    ty.optional(0) == Some(StorageClass::Function as u32)
        && ty.optional(1).is_some_and(|ty| is_small(spirv, Id(ty), 0))
}

/// Whether a type is cheap to copy: scalars, vectors, matrices and structs of these, but no arrays.
fn is_small(spirv: &Module<'_>, ty: Id, depth: usize) -> bool {
    let Ok(definition) = spirv.definition(ty) else {
        return false;
    };
    match definition.op {
        Op::TypeBool | Op::TypeInt | Op::TypeFloat | Op::TypeVector | Op::TypeMatrix => true,
        Op::TypeStruct if depth < MAX_DEPTH => definition
            .ids(0)
            .all(|member| is_small(spirv, member, depth + 1)),
        _ => false,
    }
}

/// Removes the parameters that a function uses for anything but loads.
fn keep_read_only(spirv: &Module<'_>, function: &Function<'_>, own: &mut HashSet<Id>) {
    let mut chains: HashMap<Id, Id> = HashMap::default();
    let is_constant = |id: Id| {
        spirv
            .definition(id)
            .is_ok_and(|definition| definition.op == Op::Constant)
    };
    for instruction in function.blocks.iter().flat_map(|block| block.inside()) {
        let mut place = 0;
        instruction.each_used(|id| {
            let at = place;
            place += 1;
            let root = chains.get(&id).copied().unwrap_or(id);
            if !own.contains(&root) {
                return;
            }
            match instruction.op {
                Op::Load if at == 0 => {}
                Op::AccessChain | Op::InBoundsAccessChain
                    if at == 0 && instruction.ids(1).all(is_constant) =>
                {
                    chains.extend(instruction.result.map(|chain| (chain, root)));
                }
                _ => {
                    own.remove(&root);
                }
            }
        });
    }
}
