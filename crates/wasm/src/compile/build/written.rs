//! Which state variables each construct of a body writes: only these become block parameters.
//!
//! In: a body, and what its calls can do. Out: [`BodyInfo`]. One pass with a stack of open
//! constructs; the set of a construct is merged into that around it when it ends. What always
//! holds: each variable occurs once in a set. The sizes of all sets together are bounded by the
//! caller's limit, because nested sets can be quadratic in the size of the body.

use std::rc::Rc;

use wasmparser::{BinaryReaderError, FunctionBody, Operator};

use super::calls::Calls;
use super::globals::Globals;
use crate::module::{LinkedModule, Type, value_type};

/// A state variable: a mutable global, or behind these a local of the current function.
pub(super) type Variable = u32;

/// A block, loop or `if`.
#[derive(Clone, Debug)]
pub(super) struct Construct {
    /// The variables that it writes.
    pub written: Rc<[Variable]>,
    /// Whether a branch targets it.
    pub is_target: bool,
}

/// A body.
#[derive(Debug)]
pub(super) struct BodyInfo {
    /// The types of its locals, without parameters.
    pub locals: Vec<Type>,
    /// Its constructs, in the order of their beginnings; the first is the body.
    pub constructs: Vec<Construct>,
    /// The globals that the body writes.
    pub globals: Rc<[Variable]>,
}

/// Why a body has no [`BodyInfo`].
pub(super) enum ScanError {
    /// It has more locals and written variables than the limit.
    TooLarge,
    /// It cannot be read.
    Invalid(BinaryReaderError),
}

impl From<BinaryReaderError> for ScanError {
    fn from(error: BinaryReaderError) -> Self {
        Self::Invalid(error)
    }
}

/// A written variable, and the construct that was its last writer before this one.
type Written = Vec<(Variable, u32)>;

struct Scan {
    /// The index of each open construct, and what it has written so far.
    open: Vec<(u32, Written)>,
    /// For each variable the innermost open construct that has it, or `NONE`.
    last: Vec<u32>,
    constructs: Vec<Construct>,
    /// How many more variables sets may have.
    left: usize,
}

const NONE: u32 = u32::MAX;

impl BodyInfo {
    /// Scans a body.
    pub(super) fn new(
        linked: &LinkedModule<'_>,
        calls: &Calls,
        globals: &Globals,
        (body, params): (&FunctionBody<'_>, usize),
        limit: usize,
    ) -> Result<Self, ScanError> {
        let mut locals = Vec::new();
        for declared in body.get_locals_reader()? {
            let (count, ty) = declared?;
            if locals.len() + count as usize > limit {
                return Err(ScanError::TooLarge);
            }
            locals.resize(locals.len() + count as usize, value_type(ty));
        }
        let variables = globals.variables.len() + params + locals.len();
        let mut scan = Scan {
            open: Vec::new(),
            last: vec![NONE; variables],
            constructs: Vec::new(),
            left: limit,
        };
        scan.begin();
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            scan.operator(&operators.read()?, (linked, calls, globals))?;
        }
        let written = scan.constructs[0].written.iter().copied();
        let count = globals.variables.len() as Variable;
        Ok(Self {
            locals,
            globals: written.filter(|&variable| variable < count).collect(),
            constructs: scan.constructs,
        })
    }
}

impl Scan {
    fn begin(&mut self) {
        let index = u32::try_from(self.constructs.len()).unwrap_or(NONE);
        self.open.push((index, Written::new()));
        self.constructs.push(Construct {
            written: Rc::from([]),
            is_target: false,
        });
    }

    fn operator(
        &mut self,
        operator: &Operator<'_>,
        (linked, calls, globals): (&LinkedModule<'_>, &Calls, &Globals),
    ) -> Result<(), ScanError> {
        let writes_all = match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => {
                self.begin();
                false
            }
            Operator::End => return self.end(),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                let first = globals.variables.len() as Variable;
                return self.write(first + local_index);
            }
            Operator::GlobalSet { global_index } => match globals.variable(*global_index) {
                Some(variable) => return self.write(variable),
                None => false,
            },
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                self.target(*relative_depth);
                false
            }
            Operator::BrTable { targets } => {
                for depth in targets.targets() {
                    self.target(depth?);
                }
                self.target(targets.default());
                false
            }
            Operator::Call { function_index } => {
                let (id, _) = linked.functions[*function_index as usize];
                calls.sets_globals(id)
            }
            Operator::CallIndirect { table_index, .. } => calls.table_sets_globals(*table_index),
            _ => false,
        };
        if writes_all {
            for variable in 0..globals.variables.len() as Variable {
                self.write(variable)?;
            }
        }
        Ok(())
    }

    fn target(&mut self, depth: u32) {
        let at = self.open.len().checked_sub(depth as usize + 1);
        if let Some(&(index, _)) = at.and_then(|at| self.open.get(at)) {
            self.constructs[index as usize].is_target = true;
        }
    }

    /// Adds a variable to the innermost construct.
    fn write(&mut self, variable: Variable) -> Result<(), ScanError> {
        let Some((index, written)) = self.open.last_mut() else {
            return Ok(());
        };
        let last = &mut self.last[variable as usize];
        if *last != *index {
            self.left = self.left.checked_sub(1).ok_or(ScanError::TooLarge)?;
            written.push((variable, *last));
            *last = *index;
        }
        Ok(())
    }

    /// Ends the innermost construct: what it has written, the one around it has written.
    fn end(&mut self) -> Result<(), ScanError> {
        let Some((index, written)) = self.open.pop() else {
            return Ok(());
        };
        let variables = written.iter().map(|&(variable, _)| variable);
        self.constructs[index as usize].written = variables.collect();
        for (variable, before) in written {
            self.last[variable as usize] = before;
            self.write(variable)?;
        }
        Ok(())
    }
}
