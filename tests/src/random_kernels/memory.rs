//! Generates the declarations at module scope: buffers with their contents, private and workgroup variables, atomics,
//! constants and overrides.
//!
//! There are no data races. A buffer that is written has one element for each invocation, which no other invocation
//! accesses. Workgroup arrays have one for each invocation of a workgroup; each writes its own in one barrier region
//! and reads all of them in another. Each atomic has one operation, so that the result does not depend on the order.

use super::generator::{Bools, Generator};
use super::printing::literal;
use super::scope::{Role, Variable};
use super::tree::{Accessor, Buffer, Constness, Expr, Global, Kernel, Kind, Passing, Reference};
use super::types::{Scalar, Type};

/// Commutative operations: the result does not depend on the order.
pub(crate) const COMMUTING: [&str; 7] = [
    "atomicAdd",
    "atomicSub",
    "atomicMax",
    "atomicMin",
    "atomicAnd",
    "atomicOr",
    "atomicXor",
];

/// The commutative operations of floats. The printer keeps sums exact.
const COMMUTING_FLOATS: [&str; 2] = ["atomicAdd", "atomicSub"];

/// The number of elements of an array of atomics.
const ATOMICS: u32 = 4;

/// A workgroup array: one element for each invocation of a workgroup.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) element: Type,
    pub(crate) count: u32,
}

impl Shared {
    /// The element of the invocation.
    pub(crate) fn own(&self) -> Variable {
        let root = format!("{}[lid]", self.name);
        Variable::new(root, self.element.clone(), Role::Writable(None))
    }

    /// The whole array, which all invocations may read.
    pub(crate) fn all(&self) -> Variable {
        let ty = Type::Array(Box::new(self.element.clone()), self.count);
        Variable::new(self.name.clone(), ty, Role::ReadOnly)
    }
}

impl Generator<'_> {
    /// The contents of a buffer: numbers with edge cases among them; all floats are within range.
    fn content(&mut self, ty: &Type) -> (Vec<(u32, Scalar)>, Vec<u32>) {
        let mut leaves = Vec::new();
        ty.leaves(&self.structs, 0, &mut leaves);
        let mut bytes = vec![0; ty.size(&self.structs).next_multiple_of(16) as usize];
        for (offset, scalar) in &leaves {
            let value = scalar.bytes(self.number_of(*scalar));
            bytes[*offset as usize..][..value.len()].copy_from_slice(&value);
        }
        let words = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned);
        (leaves, words.collect())
    }

    fn buffer(&mut self, name: String, space: &'static str, ty: &Type) -> Buffer {
        let (leaves, words) = self.content(ty);
        Buffer {
            name,
            space,
            declared: ty.to_string(),
            leaves,
            words,
            texture: None,
        }
    }

    /// A type of atomics in a buffer.
    fn atomic_scalar(&mut self) -> Scalar {
        let scalar = self.workgroup_atomic_scalar();
        if self.options.float_atomics && self.random.one_in(4) {
            Scalar::F32
        } else {
            scalar
        }
    }

    /// A type of atomics in workgroup memory, which do not support floats.
    fn workgroup_atomic_scalar(&mut self) -> Scalar {
        let wide = self.options.wide_atomics && self.random.one_in(2);
        *self.random.pick(if wide {
            &[Scalar::I64, Scalar::U64]
        } else {
            &[Scalar::I32, Scalar::U32]
        })
    }

    /// Buffers that are only read.
    pub(crate) fn make_inputs(&mut self, kernel: &mut Kernel) {
        for _ in 0..self.random.between(1, 2) {
            let element = self.any_type(1, Bools::Absent);
            let ty = Type::Array(Box::new(element), self.random.between(2, 9) as u32);
            let name = self.name("input");
            let mut buffer = self.buffer(name.clone(), "storage, read", &ty);
            let mut role = Role::ReadOnly;
            if let (Type::Array(element, _), true) = (&ty, self.random.one_in(2)) {
                buffer.declared = format!("array<{element}>");
                // No type here has an alignment above sixteen bytes.
                buffer
                    .words
                    .truncate(ty.size(&self.structs).div_ceil(4) as usize);
                role = Role::Unsized;
            }
            kernel.buffers.push(buffer);
            self.declare(name, ty, role);
        }
        let ty = self.uniform_type();
        let name = self.name("uniforms");
        let buffer = self.buffer(name.clone(), "uniform", &ty);
        kernel.buffers.push(buffer);
        self.declare(name, ty, Role::ReadOnly);
    }

    /// A struct that uniform memory can hold: its arrays have a stride of sixteen.
    fn uniform_type(&mut self) -> Type {
        let members = (0..self.random.between(2, 5)).map(|_| {
            let scalar = self.number();
            match self.random.below(4) {
                // Arrays of such small elements have a smaller stride.
                0 if scalar.size() > 2 => {
                    let element = Type::Vector(scalar, self.random.between(3, 4) as u32);
                    Type::Array(Box::new(element), self.random.between(1, 4) as u32)
                }
                _ => self.any_type(0, Bools::Absent),
            }
        });
        let members = members.collect();
        self.structs.push(members);
        Type::Struct(self.structs.len() - 1)
    }

    /// Buffers that are written, one element by each invocation.
    pub(crate) fn make_outputs(&mut self, kernel: &mut Kernel, invocations: u32) {
        for _ in 0..self.random.between(1, 2) {
            let element = self.any_type(2, Bools::Absent);
            let name = self.name("out");
            let ty = Type::Array(Box::new(element.clone()), invocations);
            let buffer = self.buffer(name.clone(), "storage, read_write", &ty);
            kernel.buffers.push(buffer);
            self.declare(format!("{name}[slot]"), element, Role::Writable(None));
        }
        let ty = Type::Array(Box::new(Type::Scalar(Scalar::U32)), invocations);
        let buffer = self.buffer("sums".to_owned(), "storage, read_write", &ty);
        kernel.buffers.push(buffer);
    }

    /// An atomic for each invocation.
    pub(crate) fn make_own_atomics(&mut self, kernel: &mut Kernel, invocations: u32) {
        let scalar = self.atomic_scalar();
        let ty = Type::Array(Box::new(Type::Scalar(scalar)), invocations);
        let mut buffer = self.buffer("owned".to_owned(), "storage, read_write", &ty);
        buffer.declared = format!("array<atomic<{}>, {invocations}>", scalar.name());
        kernel.buffers.push(buffer);
        self.own_atomics = Some(scalar);
    }

    /// An array of atomics in a buffer; each has one operation.
    pub(crate) fn make_atomics(&mut self, kernel: &mut Kernel) {
        let scalar = self.atomic_scalar();
        let ty = Type::Array(Box::new(Type::Scalar(scalar)), ATOMICS);
        let mut buffer = self.buffer("counters".to_owned(), "storage, read_write", &ty);
        buffer.declared = format!("array<atomic<{}>, {ATOMICS}>", scalar.name());
        kernel.buffers.push(buffer);
        let atomics = self.atomics_of("counters", scalar);
        self.atomics.extend(atomics);
    }

    /// The elements of an array of atomics, each with its operation.
    pub(crate) fn atomics_of(
        &mut self,
        name: &str,
        scalar: Scalar,
    ) -> Vec<(Reference, &'static str)> {
        let places = (0..ATOMICS).map(|index| {
            let place = Reference {
                root: format!("{name}[{index}]"),
                path: Vec::new(),
                ty: Type::Scalar(scalar),
            };
            let operations: &[&str] = if scalar.is_float() {
                &COMMUTING_FLOATS
            } else {
                &COMMUTING
            };
            (place, *self.random.pick(operations))
        });
        places.collect()
    }

    /// Workgroup atomics, and the value of one of them that all invocations read after a barrier.
    pub(crate) fn make_workgroup_atomics(
        &mut self,
        kernel: &mut Kernel,
    ) -> (Vec<(Reference, &'static str)>, Expr) {
        let scalar = self.workgroup_atomic_scalar();
        kernel.globals.push(Global {
            name: "tallies".to_owned(),
            text: format!(
                "var<workgroup> tallies: array<atomic<{}>, {ATOMICS}>;",
                scalar.name()
            ),
        });
        let load = "atomicLoad(&tallies[1])";
        let value = Kind::Name(load.to_owned(), Constness::Runtime);
        let value = Expr::new(Type::Scalar(scalar), value);
        (self.atomics_of("tallies", scalar), value)
    }

    /// A scalar, a vector or an array of literals.
    fn constant(&mut self, ty: &Type) -> String {
        if let Type::Array(element, count) = ty {
            let elements: Vec<_> = (0..*count).map(|_| self.constant(element)).collect();
            return format!("{ty}({})", elements.join(", "));
        }
        let (scalar, width) = (ty.scalar().unwrap_or(Scalar::U32), ty.width().unwrap_or(1));
        let numbers = (0..width).map(|_| literal(scalar, self.number_of(scalar)));
        let numbers = numbers.collect::<Vec<_>>().join(", ");
        match width {
            1 => numbers,
            _ => format!("{ty}({numbers})"),
        }
    }

    pub(crate) fn make_constants(&mut self, kernel: &mut Kernel) {
        for _ in 0..self.random.below(3) {
            let name = self.name("c");
            let scalar = self.number();
            let mut ty = Type::wide(scalar, self.random.between(1, 4) as u32);
            if self.random.one_in(2) {
                // Engines store long lists differently from short ones, and inspect nested lists only once.
                let most = *self.random.pick(&[5, 5, 40]);
                ty = Type::Array(Box::new(ty), self.random.between(2, most) as u32);
                if self.random.one_in(3) {
                    ty = Type::Array(Box::new(ty), self.random.between(2, 4) as u32);
                }
            }
            let value = self.constant(&ty);
            // A variable that is never written is constant too.
            let (word, role) = if self.random.one_in(3) {
                ("var<private>", Role::ReadOnly)
            } else {
                ("const", Role::Value(Constness::Constant))
            };
            kernel.globals.push(Global {
                name: name.clone(),
                text: format!("{word} {name}: {ty} = {value};"),
            });
            self.declare(name, ty, role);
        }
        if self.random.one_in(4) {
            let ty = Type::Vector(*self.random.pick(&[Scalar::I32, Scalar::U32]), 4);
            kernel.globals.push(Global {
                name: "tokens".to_owned(),
                text: format!("var<immediate> tokens: {ty};"),
            });
            (_, kernel.immediates) = self.content(&ty);
            self.declare("tokens", ty, Role::ReadOnly);
        }
        if self.random.one_in(3) {
            let scalar = *self.random.pick(&[Scalar::I32, Scalar::U32, Scalar::F32]);
            let value = self.random.below(9);
            let text = format!("override tuning: {};", scalar.name());
            kernel.globals.push(Global {
                name: "tuning".to_owned(),
                text,
            });
            kernel.overrides.push(("tuning".to_owned(), value as f64));
            self.declare(
                "tuning",
                Type::Scalar(scalar),
                Role::Value(Constness::Constant),
            );
        }
    }

    /// Private variables; functions use only those without pointers to them.
    pub(crate) fn make_private(&mut self, kernel: &mut Kernel, pointer: Option<Passing>) {
        for _ in 0..self.random.below(4) {
            let ty = self.any_type(2, Bools::Allowed);
            let name = self.name("p");
            kernel.globals.push(Global {
                name: name.clone(),
                text: format!("var<private> {name}: {ty};"),
            });
            self.declare(name, ty, Role::Writable(pointer));
        }
    }

    /// Workgroup arrays.
    pub(crate) fn make_shared(&mut self, kernel: &mut Kernel, count: u32) -> Vec<Shared> {
        let shared = (0..self.random.below(3)).map(|_| {
            let element = self.any_type(1, Bools::Allowed);
            let name = self.name("shared");
            kernel.globals.push(Global {
                name: name.clone(),
                text: format!("var<workgroup> {name}: array<{element}, {count}>;"),
            });
            Shared {
                name,
                element,
                count,
            }
        });
        shared.collect()
    }
}

/// The first element of a workgroup array, for `workgroupUniformLoad`.
pub(crate) fn first(shared: &Shared) -> Reference {
    let index = Expr::new(Type::Scalar(Scalar::U32), Kind::Literal(0));
    Reference {
        root: shared.name.clone(),
        path: vec![Accessor::Index(shared.count, Box::new(index))],
        ty: shared.element.clone(),
    }
}
