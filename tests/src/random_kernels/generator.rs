//! The state that all parts of the generator share: random numbers, names, the scope, and the remaining budget.

use super::GeneratorOptions;
use super::scope::{Role, Step, Variable, ways};
use super::textures::Load;
use super::tree::{Accessor, Constness, Expr, Function, Kind, Reference};
use super::types::{Scalar, Structs, Type};
use anywarp_test_support::Random;

/// A kernel under construction.
pub(crate) struct Generator<'o> {
    pub(crate) random: Random,
    pub(crate) options: &'o GeneratorOptions,
    pub(crate) structs: Structs,
    pub(crate) functions: Vec<Function>,
    pub(crate) scope: Vec<Variable>,
    /// Atomics: place, operation and type of the operand.
    pub(crate) atomics: Vec<(Reference, &'static str)>,
    /// The type of atomics of which each invocation has its own, so that results do not depend on the order.
    pub(crate) own_atomics: Option<Scalar>,
    /// Functions that load texels.
    pub(crate) loads: Vec<Load>,
    /// Functions that store texels, and the type of their argument.
    pub(crate) stores: Vec<(String, Type)>,
    names: u32,
    /// The number of tree nodes that this function may still get.
    pub(crate) size: u32,
    /// An upper bound on how often the current code runs in one call of its function.
    pub(crate) times: u32,
    /// An upper bound on the number of statements that the function executes.
    pub(crate) cost: u32,
    /// Uniform expressions contain no calls.
    pub(crate) may_call: bool,
}

/// The largest cost of one call of a function.
pub(crate) const MAX_COST: u32 = 1500;

impl<'o> Generator<'o> {
    pub(crate) fn new(seed: u64, options: &'o GeneratorOptions) -> Self {
        Self {
            random: Random::new(seed),
            options,
            structs: Vec::new(),
            functions: Vec::new(),
            scope: Vec::new(),
            atomics: Vec::new(),
            own_atomics: None,
            loads: Vec::new(),
            stores: Vec::new(),
            names: 0,
            size: 0,
            times: 1,
            cost: 0,
            may_call: true,
        }
    }

    /// A unique name.
    pub(crate) fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    pub(crate) fn declare(&mut self, root: impl Into<String>, ty: Type, role: Role) {
        self.scope.push(Variable::new(root, ty, role));
    }

    /// A scalar type for numbers.
    pub(crate) fn number(&mut self) -> Scalar {
        *self.random.pick(&self.options.scalars)
    }

    /// A scalar type of matrices.
    fn float(&mut self) -> Scalar {
        let scalars = self.options.scalars.iter().copied();
        let floats: Vec<Scalar> = scalars.filter(|scalar| scalar.is_float()).collect();
        *self.random.pick(&floats)
    }

    /// A type that a variable can have, with or without booleans.
    pub(crate) fn any_type(&mut self, depth: u32, bools: Bools) -> Type {
        let scalar = match bools {
            Bools::Allowed if self.random.one_in(8) => Scalar::Bool,
            _ => self.number(),
        };
        match self.random.below(if depth == 0 { 7 } else { 11 }) {
            0..=2 => Type::Scalar(scalar),
            3..=5 => Type::Vector(scalar, self.random.between(2, 4) as u32),
            6 => Type::Matrix(
                self.float(),
                self.random.between(2, 4) as u32,
                self.random.between(2, 4) as u32,
            ),
            7 | 8 => {
                let element = self.any_type(depth - 1, bools);
                Type::Array(Box::new(element), self.random.between(1, 5) as u32)
            }
            _ if self.structs.is_empty() => Type::Scalar(scalar),
            _ => Type::Struct(self.random.below(self.structs.len())),
        }
    }

    pub(crate) fn make_structs(&mut self) {
        for _ in 0..self.random.below(4) {
            let count = self.random.between(1, 4);
            let members = (0..count).map(|_| self.any_type(1, Bools::Absent));
            let members = members.collect();
            self.structs.push(members);
        }
    }

    /// Every path from a variable in scope to a part of a type.
    pub(crate) fn candidates(
        &self,
        ty: &Type,
        accept: impl Fn(&Variable) -> bool,
    ) -> Vec<(Variable, Vec<Step>)> {
        let mut found = Vec::new();
        for variable in self.scope.iter().filter(|variable| accept(variable)) {
            let mut ways = ways(&variable.ty, ty, &self.structs);
            ways.retain(|way| match variable.root.as_str() {
                // lavapipe 22.3 uses one invocation's index for all of them.
                "tokens" => !way.iter().any(|step| matches!(step, Step::Index(_))),
                _ => !way.is_empty() || variable.role != Role::Unsized,
            });
            // Large composites have many paths, which must not dominate the choice.
            found.extend(ways.into_iter().take(6).map(|way| (variable.clone(), way)));
        }
        found
    }

    /// A place that can be written.
    pub(crate) fn target(&mut self, ty: &Type) -> Option<Reference> {
        let found = self.candidates(ty, Variable::is_writable);
        if found.is_empty() {
            return None;
        }
        let (variable, way) = self.random.pick(&found).clone();
        Some(self.place(&variable, &way, ty))
    }

    pub(crate) fn place(&mut self, variable: &Variable, way: &[Step], ty: &Type) -> Reference {
        let path = way.iter().map(|step| self.access(*step)).collect();
        Reference {
            root: variable.root.clone(),
            path,
            ty: ty.clone(),
        }
    }

    fn access(&mut self, step: Step) -> Accessor {
        match step {
            Step::Member(index) => Accessor::Member(index),
            Step::Component(index) => Accessor::Component(index),
            Step::Index(length) => {
                let scalar = if self.random.one_in(4) {
                    Scalar::I32
                } else {
                    Scalar::U32
                };
                let ty = Type::Scalar(scalar);
                // Indices contain indices: most are literals, so that the recursion ends.
                let index = if self.size == 0 || !self.random.one_in(3) {
                    Expr::new(ty, Kind::Literal(self.random.below(8) as i64))
                } else {
                    self.expr(&ty, 1)
                };
                Accessor::Index(length, Box::new(index))
            }
        }
    }

    /// The value of a variable, or of a part of it.
    pub(crate) fn read(&mut self, variable: &Variable, way: &[Step], ty: &Type) -> Expr {
        let Role::Value(constness) = variable.role else {
            let place = self.place(variable, way, ty);
            return Expr::new(ty.clone(), Kind::Load(place));
        };
        let name = Kind::Name(variable.root.clone(), constness);
        self.part_of(Expr::new(variable.ty.clone(), name), way)
    }

    /// The part of a value at a path.
    pub(crate) fn part_of(&mut self, mut value: Expr, way: &[Step]) -> Expr {
        for step in way {
            let part = self.part(&value.ty, *step);
            let access = self.access(*step);
            value = Expr::new(part, Kind::Access(Box::new(value), access));
        }
        value
    }

    fn part(&self, ty: &Type, step: Step) -> Type {
        match (ty, step) {
            (Type::Struct(index), Step::Member(member)) => self.structs[*index][member].clone(),
            (Type::Array(element, _), _) => (**element).clone(),
            (Type::Matrix(scalar, _, rows), _) => Type::Vector(*scalar, *rows),
            _ => Type::Scalar(ty.scalar().unwrap_or(Scalar::U32)),
        }
    }

    /// Declares the builtin values of the entry point.
    pub(crate) fn declare_builtins(&mut self) {
        let value = Role::Value(Constness::Runtime);
        self.declare("lid", Type::Scalar(Scalar::U32), value);
        for name in ["local", "group", "groups", "global"] {
            self.declare(name, Type::Vector(Scalar::U32, 3), value);
        }
    }
}

/// Whether a type may contain booleans, which buffers cannot hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bools {
    Allowed,
    Absent,
}
