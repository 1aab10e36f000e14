//! Variables promoted to SSA values: the current definition of each variable while a function is lowered.
//!
//! A store to a promoted variable replaces its current definition, and at control flow joins blocks get parameters
//! (SSA construction on structured control flow). Every change is recorded in an undo log, so that the changes of
//! one branch can be rolled back before the other branch is lowered, and then merged.

use std::collections::HashSet;
use std::rc::Rc;

use crate::ir::{BlockId, Type, Value};

use crate::lower::Lowering;
use crate::lower::analysis::bit_set::Members;
use crate::lower::arithmetic::scalar::Scalar;
use crate::lower::error::{Result, unsupported};
use crate::lower::memory::layout::ScalarType;

/// The index of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::lower) struct VariableId(pub(in crate::lower) u32);

/// One scalar of a variable.
pub(in crate::lower) type Slot = (VariableId, u32);

/// The owner of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lower) enum Owner {
    /// An activation of a function, by its number, and the index of the local variable in the function.
    Call(u32, u32),
    /// The kernel: the variable outlives activations.
    Kernel,
}

pub(in crate::lower) struct Variable {
    pub(in crate::lower) owner: Owner,
    pub(in crate::lower) kinds: Rc<[ScalarType]>,
    pub(in crate::lower) scalars: Vec<Scalar>,
    /// How many enclosing divergent statements have inactive lanes that may still read it.
    pub(in crate::lower) inactive_readers: u32,
}

/// An entry of the undo log.
pub(in crate::lower) struct UndoEntry {
    slot: Slot,
    before: Scalar,
}

/// The representation of a scalar as a block parameter.
#[derive(Clone, Debug)]
pub(in crate::lower) enum Representation {
    Word,
    UniformLanes,
    Affine(Rc<[u32]>),
    Lanes,
    Mask,
}

impl Lowering<'_> {
    pub(in crate::lower) fn add_variable(
        &mut self,
        owner: Owner,
        kinds: Rc<[ScalarType]>,
        scalars: Vec<Scalar>,
    ) -> VariableId {
        self.body.variables.push(Variable {
            owner,
            kinds,
            scalars,
            inactive_readers: 0,
        });
        VariableId(self.body.variables.len() as u32 - 1)
    }

    pub(in crate::lower) fn variable(&self, id: VariableId) -> &Variable {
        &self.body.variables[id.0 as usize]
    }

    pub(in crate::lower) fn slot(&self, (id, scalar): Slot) -> &Scalar {
        &self.variable(id).scalars[scalar as usize]
    }

    pub(in crate::lower) fn slot_kind(&self, (id, scalar): Slot) -> ScalarType {
        self.variable(id).kinds[scalar as usize]
    }

    /// Whether inactive lanes may still read a variable.
    fn has_inactive_readers(&self, id: VariableId) -> bool {
        let variable = self.variable(id);
        self.control.exec.is_some()
            && match variable.owner {
                Owner::Call(call, _) if call == self.call().number => variable.inactive_readers > 0,
                Owner::Call(..) | Owner::Kernel => true,
            }
    }

    /// Assigns to a variable in the active lanes.
    pub(in crate::lower) fn assign(&mut self, slot: Slot, value: Scalar) {
        let value = match self.control.exec {
            Some(exec) if self.has_inactive_readers(slot.0) => {
                let (before, kind) = (self.slot(slot).clone(), self.slot_kind(slot));
                self.choose(exec, &value, &before, kind)
            }
            _ => value,
        };
        self.replace(slot, value);
    }

    /// Replaces the current definition of a variable in all lanes.
    pub(in crate::lower) fn replace(&mut self, slot: Slot, value: Scalar) {
        let place = &mut self.body.variables[slot.0.0 as usize].scalars[slot.1 as usize];
        let before = std::mem::replace(place, value);
        self.body.log.push(UndoEntry { slot, before });
    }

    /// Rolls back every change since a position in the undo log. Returns the changed slots and their last values.
    pub(in crate::lower) fn roll_back(&mut self, since: usize) -> Vec<(Slot, Scalar)> {
        let mut seen = HashSet::new();
        let mut changes = Vec::new();
        while self.body.log.len() > since {
            let Some(UndoEntry { slot, before }) = self.body.log.pop() else {
                break;
            };
            let place = &mut self.body.variables[slot.0.0 as usize].scalars[slot.1 as usize];
            let after = std::mem::replace(place, before);
            if seen.insert(slot) {
                changes.push((slot, after));
            }
        }
        changes.sort_by_key(|(slot, _)| *slot);
        changes
    }

    /// Whether a set of local variables contains a variable; `true` for variables of other activations and of the
    /// kernel.
    pub(in crate::lower) fn is_in(&self, id: VariableId, set: &Members) -> bool {
        match self.variable(id).owner {
            Owner::Call(call, local) if call == self.call().number => set.contains(local as usize),
            Owner::Call(..) | Owner::Kernel => true,
        }
    }

    /// Whether the value that a branch assigned may still be read: after the branch, or by lanes that left an
    /// enclosing statement.
    pub(in crate::lower) fn is_read_later(&self, id: VariableId, after: &Members) -> bool {
        self.is_in(id, after) || self.variable(id).inactive_readers > 0
    }

    /// Records (`by` = 1) that inactive lanes may read these variables, or (`by` = -1) that they no longer do.
    pub(in crate::lower) fn count_inactive_readers(&mut self, set: &Members, by: i32) {
        let call = self.call();
        let first = call.first_variable;
        for local in set.iter() {
            let inactive_readers = &mut self.body.variables[first + local].inactive_readers;
            *inactive_readers = inactive_readers.wrapping_add_signed(by);
        }
    }

    /// The representation that can hold either of two scalars.
    pub(in crate::lower) fn common_form(
        &self,
        kind: ScalarType,
        a: &Scalar,
        b: &Scalar,
    ) -> Representation {
        let both_same = a.is_uniform() && b.is_uniform();
        match (kind, both_same) {
            (ScalarType::Bool, true) | (ScalarType::Sint | ScalarType::Uint, true) => {
                Representation::Word
            }
            (ScalarType::Bool, false) => Representation::Mask,
            (ScalarType::Float, true) => Representation::UniformLanes,
            _ => match (a, b) {
                (Scalar::Affine(_, p), Scalar::Affine(_, q)) if p == q => {
                    Representation::Affine(p.clone())
                }
                _ => Representation::Lanes,
            },
        }
    }

    /// A scalar in a representation, as an argument of an edge from the current block.
    pub(in crate::lower) fn argument(
        &mut self,
        scalar: &Scalar,
        form: &Representation,
    ) -> Result<Value> {
        Ok(match (form, scalar) {
            (Representation::Word, _) => match self.word(scalar) {
                Some(word) => word,
                // The uniformity analysis is wrong: no code is better than wrong code.
                None => return unsupported("a value that was taken for uniform"),
            },
            (Representation::Affine(_), Scalar::Affine(Some(base), _)) => *base,
            (Representation::Affine(_), Scalar::Affine(None, _)) => self.word_const(0),
            (Representation::Affine(_), _) => {
                return unsupported("a value that was taken for affine");
            }
            (Representation::UniformLanes, _) if !scalar.is_uniform() => {
                return unsupported("a value that was taken for uniform");
            }
            (Representation::UniformLanes | Representation::Lanes, _) => self.lanes(scalar),
            (Representation::Mask, _) => self.mask(scalar),
        })
    }

    /// Adds a parameter to a block, as a scalar.
    pub(in crate::lower) fn parameter(&mut self, block: BlockId, form: &Representation) -> Scalar {
        let ty = match form {
            Representation::Word | Representation::Affine(_) => Type::Word,
            Representation::UniformLanes | Representation::Lanes => Type::Lanes,
            Representation::Mask => Type::Mask,
        };
        let value = self.function.add_parameter(block, ty);
        match form {
            Representation::Word => Scalar::Word(value),
            Representation::Affine(pattern) => Scalar::Affine(Some(value), pattern.clone()),
            Representation::UniformLanes => Scalar::UniformLanes(value),
            Representation::Lanes => Scalar::Lanes(value),
            Representation::Mask => Scalar::Mask(value),
        }
    }

    /// The current values of slots as edge arguments.
    pub(in crate::lower) fn arguments(
        &mut self,
        carried: &[(Slot, Representation)],
    ) -> Result<Vec<Value>> {
        let mut arguments = Vec::with_capacity(carried.len());
        for (slot, form) in carried {
            let scalar = self.slot(*slot).clone();
            arguments.push(self.argument(&scalar, form)?);
        }
        Ok(arguments)
    }

    /// Adds a block parameter for each slot and makes it the slot's current definition.
    pub(in crate::lower) fn parameters(
        &mut self,
        block: BlockId,
        carried: &[(Slot, Representation)],
    ) {
        for (slot, form) in carried {
            let scalar = self.parameter(block, form);
            self.replace(*slot, scalar);
        }
    }

    /// `count` zeros.
    pub(in crate::lower) fn zeros(count: usize) -> Vec<Scalar> {
        vec![Scalar::ZERO; count]
    }

    /// Whether a uniform scalar is non-zero, as a branch condition.
    pub(in crate::lower) fn condition(&mut self, scalar: &Scalar) -> Result<Value> {
        match scalar {
            Scalar::Known(_) | Scalar::Word(_) => self.argument(scalar, &Representation::Word),
            _ => unsupported("a condition that was taken for uniform"),
        }
    }
}
