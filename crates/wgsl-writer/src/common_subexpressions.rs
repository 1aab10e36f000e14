//! Shares parts of constants: common subexpressions of constant initializers.
//!
//! A module stores each part of a constant once, text repeats it at each use: twenty structures, each of two copies of
//! the previous one, are a million numbers. In: a module. Out: the parts that are large and used more than once, which
//! get a `const` of their own. What always holds: the text of all constants is at most [`MIN_SHARED_SIZE`] times as
//! long as the module. Parts that depend on overrides are not shared, because WGSL overrides are scalars.

use anywarp_program::naga::{
    Constant, Expression, FastHashMap, Function, Handle, Module, Statement,
};

use super::name::Name;
use anywarp_program::{operands, walk};

/// Minimal number of expressions of a shared part.
const MIN_SHARED_SIZE: u32 = 32;

type Part = Handle<Expression>;

/// The shared parts and their names.
#[derive(Debug, Default)]
pub(super) struct CommonSubexpressions {
    /// Parts that are not the value of a constant of the module, operands first.
    pub(super) parts: Vec<(Part, Name)>,
    /// The names of all shared parts.
    names: FastHashMap<Part, Name>,
    /// The constants whose names are used for their values.
    owners: FastHashMap<Handle<Constant>, Part>,
}

impl CommonSubexpressions {
    /// Finds the shared parts. `constants` are the names of the module's constants, `pick` creates more names.
    pub(super) fn new(
        module: &Module,
        constants: &[Option<Name>],
        mut pick: impl FnMut() -> Name,
    ) -> Self {
        let mut shared = Self::default();
        let survey = SharingAnalysis::new(module, constants);
        if !survey.sizes.iter().any(|size| *size >= MIN_SHARED_SIZE) {
            return shared;
        }
        let shared_parts = survey.shared();
        let is_shared = |part: Part| shared_parts[part.index()];
        for (handle, constant) in module.constants.iter() {
            if let Some(name) = &constants[handle.index()]
                && is_shared(constant.init)
                && !shared.names.contains_key(&constant.init)
            {
                shared.names.insert(constant.init, name.clone());
                shared.owners.insert(handle, constant.init);
            }
        }
        for (part, expression) in module.global_expressions.iter() {
            // A constant without a name is written as its value, which then has the name.
            if is_shared(part)
                && !matches!(expression, Expression::Constant(_))
                && !shared.names.contains_key(&part)
            {
                let name = pick();
                shared.parts.push((part, name.clone()));
                shared.names.insert(part, name);
            }
        }
        shared
    }

    /// The name of a shared part.
    pub(super) fn name(&self, part: Part) -> Option<&Name> {
        if self.names.is_empty() {
            None
        } else {
            self.names.get(&part)
        }
    }

    /// Whether the name of a constant is used for its value, so that its declaration must be written in full.
    pub(super) fn is_owner(&self, constant: Handle<Constant>) -> bool {
        self.owners.contains_key(&constant)
    }
}

struct SharingAnalysis<'a> {
    module: &'a Module,
    constants: &'a [Option<Name>],
    /// Number of expressions when written in full.
    sizes: Vec<u32>,
    /// Whether it depends on an override.
    overridden: Vec<bool>,
}

impl<'a> SharingAnalysis<'a> {
    fn new(module: &'a Module, constants: &'a [Option<Name>]) -> Self {
        let count = module.global_expressions.len();
        let mut survey = Self {
            module,
            constants,
            sizes: Vec::with_capacity(count),
            overridden: Vec::with_capacity(count),
        };
        for (_, expression) in module.global_expressions.iter() {
            let mut size = 1_u32;
            let mut overridden = matches!(expression, Expression::Override(_));
            survey.written(expression, |used| {
                // In a valid module operands come first.
                size = size.saturating_add(survey.sizes.get(used.index()).copied().unwrap_or(1));
                overridden |= survey.overridden.get(used.index()) == Some(&true);
            });
            survey.sizes.push(size);
            survey.overridden.push(overridden);
        }
        survey
    }

    /// Visits the operands that appear in the text of an expression.
    fn written(&self, expression: &Expression, mut visit: impl FnMut(Part)) {
        match *expression {
            Expression::Constant(constant) => {
                if self.constants[constant.index()].is_none() {
                    visit(self.module.constants[constant].init);
                }
            }
            _ => operands::of_expression(expression, |&used| visit(used)),
        }
    }

    /// Whether each part is large and used more than once.
    fn shared(&self) -> Vec<bool> {
        let (mentions, in_functions) = self.mentions();
        let mut shared: Vec<bool> = Vec::with_capacity(self.sizes.len());
        let mut has_shared: Vec<bool> = Vec::with_capacity(self.sizes.len());
        for (part, expression) in self.module.global_expressions.iter() {
            let index = part.index();
            let mut has = false;
            self.written(expression, |used| {
                let used = used.index();
                has |= shared.get(used) == Some(&true) || has_shared.get(used) == Some(&true);
            });
            // In a function naga would copy the operands of a constant for each use.
            let is_mentioned = mentions[index] > 1 || (has && in_functions[index]);
            shared.push(
                self.sizes[index] >= MIN_SHARED_SIZE && is_mentioned && !self.overridden[index],
            );
            has_shared.push(has);
        }
        shared
    }

    /// Number of uses of each part, and whether functions use it.
    fn mentions(&self) -> (Vec<u32>, Vec<bool>) {
        let module = self.module;
        let mut mentions = vec![0_u32; self.sizes.len()];
        let mut in_functions = vec![false; self.sizes.len()];
        let mut mention = |part: Part| mentions[part.index()] += 1;
        for (_, expression) in module.global_expressions.iter() {
            self.written(expression, &mut mention);
        }
        for (handle, constant) in module.constants.iter() {
            if self.constants[handle.index()].is_some() {
                mention(constant.init);
            }
        }
        for (_, variable) in module.global_variables.iter() {
            variable.init.into_iter().for_each(&mut mention);
        }
        for function in walk::functions(module) {
            let mut in_function = |used: Handle<Expression>, times: u32| {
                if let Expression::Constant(constant) = function.expressions[used]
                    && self.constants[constant.index()].is_none()
                {
                    let part = module.constants[constant].init.index();
                    mentions[part] += times;
                    in_functions[part] = true;
                }
            };
            for (_, local) in function.local_variables.iter() {
                local.init.into_iter().for_each(|init| in_function(init, 1));
            }
            for statement in walk::statements(&function.body) {
                of_statement(function, statement, &mut in_function);
            }
        }
        (mentions, in_functions)
    }
}

/// Visits the expressions that a statement uses, without those of nested blocks, with a lower bound of their uses in the
/// text.
fn of_statement(
    function: &Function,
    statement: &Statement,
    visit: &mut impl FnMut(Handle<Expression>, u32),
) {
    let Statement::Emit(range) = statement else {
        return operands::of_statement(statement, |&used| visit(used, 1));
    };
    for expression in range.clone() {
        let expression = &function.expressions[expression];
        // Members are written out at each use.
        let times = match expression {
            Expression::AccessIndex { .. } => 2,
            _ => 1,
        };
        operands::of_expression(expression, |&used| visit(used, times));
    }
}
