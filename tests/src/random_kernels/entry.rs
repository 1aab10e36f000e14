//! Generates the entry point of a random kernel: barrier regions, and a checksum of all variables at the end.

use super::GeneratorOptions;
use super::generator::Generator;
use super::memory::{Shared, first};
use super::scope::{Role, Variable, ways};
use super::statements::JumpContext;
use super::tree::{Block, Constness, Expr, Kernel, Kind, Passing, Phase, Reference, Statement};
use super::types::{Scalar, Type};

/// The largest number of nodes in the entry point's tree.
const SIZE: usize = 500;

/// The additional variables of the entry point's scope.
struct Workgroup {
    shared: Vec<Shared>,
    atomics: Vec<(Reference, &'static str)>,
    /// The value of a workgroup atomic.
    tally: Option<Expr>,
    /// Variables with a workgroup-uniform value.
    uniform: Vec<Variable>,
}

/// The kernel of a seed.
pub(crate) fn kernel(seed: u64, options: &GeneratorOptions) -> Kernel {
    let mut generator = Generator::new(seed, options);
    let g = &mut generator;
    let workgroup_size = *g.random.pick(&[
        [1, 1, 1],
        [4, 1, 1],
        [8, 1, 1],
        [2, 3, 1],
        [4, 2, 2],
        [33, 1, 1],
    ]);
    let workgroups = *g
        .random
        .pick(&[[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1], [1, 2, 2]]);
    let size: u32 = workgroup_size.iter().product();
    let invocations = size * workgroups.iter().product::<u32>();
    let mut kernel = Kernel {
        scalars: options.scalars.clone(),
        features: options.features(),
        structs: Vec::new(),
        globals: Vec::new(),
        overrides: Vec::new(),
        immediates: Vec::new(),
        buffers: Vec::new(),
        functions: Vec::new(),
        locals: Vec::new(),
        phases: Vec::new(),
        workgroup_size,
        workgroups,
    };
    kernel.globals.push(super::tree::Global {
        name: "slot".to_owned(),
        text: "var<private> slot: u32;".to_owned(),
    });
    g.make_structs();
    g.make_constants(&mut kernel);
    g.make_inputs(&mut kernel);
    let uniform = uniform_part(&g.scope);
    g.make_outputs(&mut kernel, invocations);
    if g.random.one_in(2) {
        g.make_atomics(&mut kernel);
    }
    if g.random.one_in(3) {
        g.make_own_atomics(&mut kernel, invocations);
    }
    g.make_textures(&mut kernel, invocations);
    g.make_private(&mut kernel, None);
    for _ in 0..g.random.below(5) {
        g.make_function();
    }
    g.make_private(&mut kernel, Some(Passing::PrivatePointer));
    let mut workgroup = Workgroup {
        shared: g.make_shared(&mut kernel, size),
        atomics: Vec::new(),
        tally: None,
        uniform,
    };
    if g.random.one_in(3) {
        let (atomics, tally) = g.make_workgroup_atomics(&mut kernel);
        workgroup.atomics = atomics;
        workgroup.tally = Some(tally);
    }
    g.declare_builtins();
    g.size = g.random.between(SIZE / 5, SIZE) as u32;
    g.cost = 0;
    g.make_main(&mut kernel, &workgroup);
    kernel.structs = generator.structs;
    kernel.functions = generator.functions;
    kernel
}

/// Constants and uniform buffers are uniform.
fn uniform_part(scope: &[Variable]) -> Vec<Variable> {
    let is_uniform = |variable: &&Variable| {
        let root = &variable.root;
        variable.role == Role::Value(Constness::Constant)
            || root.starts_with("uniforms")
            || root == "tokens"
    };
    let mut uniform: Vec<_> = scope.iter().filter(is_uniform).cloned().collect();
    let ids = Type::Vector(Scalar::U32, 3);
    let role = Role::Value(Constness::Runtime);
    uniform.push(Variable::new("group", ids.clone(), role));
    uniform.push(Variable::new("groups", ids, role));
    uniform
}

impl Generator<'_> {
    fn make_main(&mut self, kernel: &mut Kernel, workgroup: &Workgroup) {
        kernel.locals = (0..self.random.between(1, 5))
            .map(|_| self.new_var())
            .collect();
        let count = self.random.below(4);
        kernel.phases = self.phases(count, 2, workgroup);
        let outside = self.scope.len();
        self.look_at_all(workgroup);
        self.size = self.size.max(80);
        let mut last = self.block(6, 3, JumpContext::FUNCTION, None);
        last.extend(self.sum());
        kernel.phases.push(Phase::Body(last));
        self.scope.truncate(outside);
    }

    fn phases(&mut self, count: usize, depth: u32, workgroup: &Workgroup) -> Vec<Phase> {
        let outside = self.scope.len();
        let mut phases = Vec::new();
        for _ in 0..count {
            let inner = self.random.between(1, 3);
            phases.push(match self.random.below(if depth == 0 { 6 } else { 8 }) {
                6 => {
                    let condition = self.uniform_condition(workgroup);
                    Phase::When(condition, self.phases(inner, depth - 1, workgroup))
                }
                7 => {
                    let (counter, count) = (self.name("r"), self.random.between(1, 3) as u32);
                    self.times *= count;
                    let body = self.phases(inner, depth - 1, workgroup);
                    self.times /= count;
                    Phase::Repeat(counter, count, body)
                }
                5 if !workgroup.shared.is_empty() => {
                    let place = first(self.random.pick(&workgroup.shared));
                    let name = self.name("w");
                    let role = Role::Value(Constness::Runtime);
                    self.declare(&name, place.ty.clone(), role);
                    Phase::UniformLoad(name, place)
                }
                _ => Phase::Body(self.body(workgroup)),
            });
        }
        self.scope.truncate(outside);
        phases
    }

    /// The code of an invocation between two barriers: it uses its own part of workgroup memory, or reads all of it.
    fn body(&mut self, workgroup: &Workgroup) -> Block {
        let (outside, atomics) = (self.scope.len(), self.atomics.len());
        if self.random.one_in(2) {
            self.look_at_all(workgroup);
        } else {
            self.scope.extend(workgroup.shared.iter().map(Shared::own));
            self.atomics.extend(workgroup.atomics.iter().cloned());
        }
        let body = self.block(6, 3, JumpContext::default(), None);
        self.scope.truncate(outside);
        self.atomics.truncate(atomics);
        body
    }

    fn look_at_all(&mut self, workgroup: &Workgroup) {
        self.scope.extend(workgroup.shared.iter().map(Shared::all));
        if let Some(Expr {
            ty,
            kind: Kind::Name(text, constness),
        }) = &workgroup.tally
        {
            self.declare(text, ty.clone(), Role::Value(*constness));
        }
    }

    fn uniform_condition(&mut self, workgroup: &Workgroup) -> Expr {
        let scope = std::mem::replace(&mut self.scope, workgroup.uniform.clone());
        self.may_call = false;
        let condition = self.expr(&Type::Scalar(Scalar::Bool), 2);
        self.may_call = true;
        self.scope = scope;
        condition
    }

    /// Combines a few scalars of everything in scope in one word, which is written to the output.
    fn sum(&mut self) -> Block {
        let word = Type::Scalar(Scalar::U32);
        let check = Reference {
            root: "check".to_owned(),
            path: Vec::new(),
            ty: word.clone(),
        };
        let mut block = vec![Statement::Var("check".to_owned(), word.clone(), None)];
        for variable in self.scope.clone() {
            for scalar in self.options.scalars.iter().chain([&Scalar::Bool]).copied() {
                let ty = Type::Scalar(scalar);
                let ways = ways(&variable.ty, &ty, &self.structs);
                if ways.is_empty() {
                    continue;
                }
                let way = self.random.pick(&ways).clone();
                let value = as_word(self.read(&variable, &way, &ty));
                let load = Expr::new(word.clone(), Kind::Load(check.clone()));
                let mixed = binary(&word, "^", load, value);
                let prime = Expr::new(word.clone(), Kind::Literal(16_777_619));
                let next = binary(&word, "*", mixed, prime);
                block.push(Statement::Assign(check.clone(), "=", next));
            }
        }
        let target = Reference {
            root: "sums[slot]".to_owned(),
            path: Vec::new(),
            ty: word.clone(),
        };
        let load = Expr::new(word, Kind::Load(check));
        block.push(Statement::Assign(target, "=", load));
        block
    }
}

fn binary(ty: &Type, operator: &'static str, left: Expr, right: Expr) -> Expr {
    let kind = Kind::Binary(operator, Box::new(left), Box::new(right));
    Expr::new(ty.clone(), kind)
}

/// A scalar as a word that contains all its bits.
fn as_word(value: Expr) -> Expr {
    let word = Type::Scalar(Scalar::U32);
    match value.ty.scalar() {
        Some(Scalar::U32) => value,
        Some(scalar) if scalar.is_float() => {
            let whole = Kind::Convert(Box::new(value));
            let whole = Expr::new(Type::Scalar(Scalar::I32), whole);
            Expr::new(word, Kind::Bitcast(Box::new(whole)))
        }
        Some(Scalar::I32) => Expr::new(word, Kind::Bitcast(Box::new(value))),
        _ => Expr::new(word, Kind::Convert(Box::new(value))),
    }
}
