//! Property tests for memory layouts that no front end chooses: every scalar keeps its byte offset.
//!
//! Modules are generated with gaps before, between and after members, and with strides larger than needed. Each stores
//! a number to every scalar of one buffer, constructs a second buffer from its scalars, and copies the whole to a
//! third. Before and after writing, the scalars must be at the same offsets and the buffers must have the same
//! contents.

use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, Worker};
use anywarp_program::Program;
use anywarp_program::naga::{
    AddressSpace, ArraySize, Block, EntryPoint, Expression, Function, GlobalVariable, Handle,
    Literal, Module, ResourceBinding, Scalar, ScalarKind, ShaderStage, Span, Statement,
    StorageAccess, StructMember, Type, TypeInner, VectorSize,
};
use anywarp_wgsl_writer::{Dialect, WgslOptions, WriteError, write_wgsl};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Shape {
    Scalar(Scalar),
    Vector(VectorSize, Scalar),
    Matrix(VectorSize, VectorSize),
    /// Element, length, and the excess of the stride in multiples of the alignment.
    Array(Box<Shape>, u32, u32),
    /// Members, each with the gap before it, and the gap after the last, in multiples of the alignment.
    Struct(Vec<(u32, Shape)>, u32),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let scalar = prop_oneof![Just(Scalar::F32), Just(Scalar::U32), Just(Scalar::I32)];
    let size = || {
        prop_oneof![
            Just(VectorSize::Bi),
            Just(VectorSize::Tri),
            Just(VectorSize::Quad)
        ]
    };
    let leaf = prop_oneof![
        scalar.clone().prop_map(Shape::Scalar),
        (size(), scalar).prop_map(|(size, scalar)| Shape::Vector(size, scalar)),
        (size(), size()).prop_map(|(columns, rows)| Shape::Matrix(columns, rows)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            (inner.clone(), 1..4u32, 0..3u32).prop_map(|(element, count, extra)| Shape::Array(
                element.into(),
                count,
                extra
            )),
            structure(inner),
        ]
    })
}

fn structure(member: impl Strategy<Value = Shape>) -> impl Strategy<Value = Shape> {
    (prop::collection::vec((0..3u32, member), 1..4), 0..3u32)
        .prop_map(|(members, tail)| Shape::Struct(members, tail))
}

/// A type with its size and alignment in bytes.
#[derive(Clone, Copy)]
struct Laid {
    ty: Handle<Type>,
    size: u32,
    align: u32,
}

fn add(module: &mut Module, name: Option<String>, inner: TypeInner) -> Handle<Type> {
    module.types.insert(Type { name, inner }, Span::UNDEFINED)
}

fn lay(module: &mut Module, shape: &Shape) -> Laid {
    let rows_align = |rows: VectorSize| if rows == VectorSize::Bi { 8 } else { 16 };
    match *shape {
        Shape::Scalar(scalar) => Laid {
            ty: add(module, None, TypeInner::Scalar(scalar)),
            size: 4,
            align: 4,
        },
        Shape::Vector(size, scalar) => Laid {
            ty: add(module, None, TypeInner::Vector { size, scalar }),
            size: 4 * size as u32,
            align: rows_align(size),
        },
        Shape::Matrix(columns, rows) => Laid {
            ty: add(
                module,
                None,
                TypeInner::Matrix {
                    columns,
                    rows,
                    scalar: Scalar::F32,
                },
            ),
            size: columns as u32 * rows_align(rows),
            align: rows_align(rows),
        },
        Shape::Array(ref element, count, extra) => {
            let element = lay(module, element);
            let stride = element.size.next_multiple_of(element.align) + extra * element.align;
            let size = ArraySize::Constant(NonZeroU32::new(count).unwrap());
            let ty = add(
                module,
                None,
                TypeInner::Array {
                    base: element.ty,
                    size,
                    stride,
                },
            );
            Laid {
                ty,
                size: stride * count,
                align: element.align,
            }
        }
        Shape::Struct(ref members, tail) => {
            let (mut end, mut align) = (0u32, 1);
            let mut laid = Vec::new();
            for (index, (gap, shape)) in members.iter().enumerate() {
                let member = lay(module, shape);
                let offset = end.next_multiple_of(member.align) + gap * member.align;
                laid.push(StructMember {
                    name: Some(format!("m{index}")),
                    ty: member.ty,
                    binding: None,
                    offset,
                });
                end = offset + member.size;
                align = align.max(member.align);
            }
            let span = end.next_multiple_of(align) + tail * align;
            let name = format!("S{}", module.types.len());
            let ty = add(
                module,
                Some(name),
                TypeInner::Struct {
                    members: laid,
                    span,
                },
            );
            Laid {
                ty,
                size: span,
                align,
            }
        }
    }
}

/// All scalars of a type with their byte offsets, without padding members.
fn leaves(module: &Module, ty: Handle<Type>, at: u32, found: &mut Vec<(u32, Scalar)>) {
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) => found.push((at, scalar)),
        TypeInner::Vector { size, scalar } => {
            found.extend((0..size as u32).map(|index| (at + 4 * index, scalar)));
        }
        TypeInner::Matrix {
            columns,
            rows,
            scalar,
        } => {
            let column = if rows == VectorSize::Bi { 8 } else { 16 };
            for index in 0..columns as u32 {
                found.extend((0..rows as u32).map(|row| (at + index * column + 4 * row, scalar)));
            }
        }
        TypeInner::Array {
            base,
            size: ArraySize::Constant(count),
            stride,
        } => {
            for index in 0..count.get() {
                leaves(module, base, at + index * stride, found);
            }
        }
        TypeInner::Struct { ref members, .. } => {
            for member in members
                .iter()
                .filter(|member| member.name.as_deref() != Some("padding"))
            {
                leaves(module, member.ty, at + member.offset, found);
            }
        }
        ref other => panic!("{other:?}"),
    }
}

/// A builder for the body of the entry point.
struct Author<'a> {
    module: &'a Module,
    function: &'a mut Function,
    body: Block,
    next: u32,
}

impl Author<'_> {
    fn emit(&mut self, expression: Expression) -> Handle<Expression> {
        let before = self.function.expressions.len();
        let handle = self
            .function
            .expressions
            .append(expression, Span::UNDEFINED);
        let range = self.function.expressions.range_from(before);
        self.body.push(Statement::Emit(range), Span::UNDEFINED);
        handle
    }

    fn parts(&self, ty: Handle<Type>) -> Vec<Option<Handle<Type>>> {
        match self.module.types[ty].inner {
            TypeInner::Struct { ref members, .. } => {
                members.iter().map(|member| Some(member.ty)).collect()
            }
            TypeInner::Array {
                base,
                size: ArraySize::Constant(count),
                ..
            } => {
                vec![Some(base); count.get() as usize]
            }
            TypeInner::Matrix { columns, .. } => vec![None; columns as usize],
            TypeInner::Vector { size, .. } => vec![None; size as usize],
            _ => Vec::new(),
        }
    }

    fn number(&mut self, kind: ScalarKind) -> Handle<Expression> {
        self.next += 1;
        let literal = match kind {
            ScalarKind::Float => Literal::F32(self.next as f32),
            ScalarKind::Sint => Literal::I32(-(self.next as i32)),
            _ => Literal::U32(self.next),
        };
        self.function
            .expressions
            .append(Expression::Literal(literal), Span::UNDEFINED)
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) {
        self.body
            .push(Statement::Store { pointer, value }, Span::UNDEFINED);
    }

    /// Stores a number to every scalar.
    fn fill(&mut self, pointer: Handle<Expression>, ty: Handle<Type>) {
        let parts = self.parts(ty);
        for (index, part) in parts.iter().enumerate() {
            let place = self.emit(Expression::AccessIndex {
                base: pointer,
                index: index as u32,
            });
            match (*part, &self.module.types[ty].inner) {
                (Some(part), _) => self.fill(place, part),
                (None, TypeInner::Matrix { rows, .. }) => {
                    for row in 0..*rows as u32 {
                        let leaf = self.emit(Expression::AccessIndex {
                            base: place,
                            index: row,
                        });
                        let number = self.number(ScalarKind::Float);
                        self.store(leaf, number);
                    }
                }
                (None, inner) => {
                    let number = self.number(inner.scalar_kind().unwrap());
                    self.store(place, number);
                }
            }
        }
        if let TypeInner::Scalar(scalar) = self.module.types[ty].inner {
            let number = self.number(scalar.kind);
            self.store(pointer, number);
        }
    }

    /// A value composed of parts that are loaded separately.
    fn rebuild(&mut self, pointer: Handle<Expression>, ty: Handle<Type>) -> Handle<Expression> {
        match self.module.types[ty].inner {
            TypeInner::Struct { .. } | TypeInner::Array { .. } => {
                let parts = self.parts(ty);
                let components = parts
                    .iter()
                    .enumerate()
                    .map(|(index, part)| {
                        let place = self.emit(Expression::AccessIndex {
                            base: pointer,
                            index: index as u32,
                        });
                        self.rebuild(place, part.unwrap())
                    })
                    .collect();
                self.emit(Expression::Compose { ty, components })
            }
            _ => self.emit(Expression::Load { pointer }),
        }
    }
}

/// A program with three buffers of a type.
fn program(shape: &Shape) -> (Module, Laid) {
    let mut module = Module::default();
    let laid = lay(&mut module, shape);
    let buffers: Vec<_> = (0..3)
        .map(|binding| {
            module.global_variables.append(
                GlobalVariable {
                    name: Some(format!("buffer{binding}")),
                    space: AddressSpace::Storage {
                        access: StorageAccess::LOAD | StorageAccess::STORE,
                    },
                    binding: Some(ResourceBinding { group: 0, binding }),
                    ty: laid.ty,
                    init: None,
                    memory_decorations: Default::default(),
                },
                Span::UNDEFINED,
            )
        })
        .collect();
    let mut function = Function::default();
    let pointers: Vec<_> = buffers
        .iter()
        .map(|buffer| {
            function
                .expressions
                .append(Expression::GlobalVariable(*buffer), Span::UNDEFINED)
        })
        .collect();
    let mut author = Author {
        module: &module,
        function: &mut function,
        body: Block::new(),
        next: 0,
    };
    author.fill(pointers[0], laid.ty);
    let rebuilt = author.rebuild(pointers[0], laid.ty);
    author.store(pointers[1], rebuilt);
    let whole = author.emit(Expression::Load {
        pointer: pointers[1],
    });
    author.store(pointers[2], whole);
    function.body = author.body;
    function
        .body
        .push(Statement::Return { value: None }, Span::UNDEFINED);
    module.entry_points.push(EntryPoint {
        name: "main".into(),
        stage: ShaderStage::Compute,
        early_depth_test: None,
        workgroup_size: [1, 1, 1],
        workgroup_size_overrides: None,
        function,
        mesh_info: None,
        task_payload: None,
        incoming_ray_payload: None,
    });
    (module, laid)
}

fn run(program: &Program, bytes: u32) -> Vec<Vec<u32>> {
    let kernel = Kernel::new(program, "main").unwrap();
    let memory: Vec<Vec<AtomicU32>> = (0..3)
        .map(|_| {
            (0..bytes / 4)
                .map(|_| AtomicU32::new(0xdead_beef))
                .collect()
        })
        .collect();
    let buffers: Vec<_> = kernel
        .resources()
        .iter()
        .map(|resource| BufferView {
            words: &memory[resource.binding as usize],
        })
        .collect();
    let arguments = Arguments {
        buffers: &buffers,
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: [1, 1, 1],
    };
    Worker::new(&kernel)
        .run(&arguments, [0, 0, 0], &Limits::default())
        .unwrap();
    let words = |buffer: &Vec<AtomicU32>| {
        buffer
            .iter()
            .map(|word| word.load(Ordering::Relaxed))
            .collect()
    };
    memory.iter().map(words).collect()
}

/// The words of a buffer that contain scalars; padding is ignored.
fn seen(buffer: &[u32], leaves: &[(u32, Scalar)]) -> Vec<u32> {
    leaves
        .iter()
        .map(|(offset, _)| buffer[*offset as usize / 4])
        .collect()
}

fn check(shape: &Shape) {
    let (module, laid) = program(shape);
    let before = Program::from_module(module).unwrap();
    let mut expected = Vec::new();
    leaves(before.module(), laid.ty, 0, &mut expected);
    for dialect in [Dialect::WebGpu, Dialect::Naga] {
        let text = write_wgsl(&before, &WgslOptions::new(dialect)).unwrap();
        let after = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let again = write_wgsl(&after, &WgslOptions::new(dialect)).unwrap();
        assert_eq!(text, again, "not the same again");
        for (_, variable) in after.module().global_variables.iter() {
            let mut found = Vec::new();
            leaves(after.module(), variable.ty, 0, &mut found);
            assert_eq!(found, expected, "{text}");
        }
        let (left, right) = (run(&before, laid.size), run(&after, laid.size));
        let numbers = seen(&left[0], &expected);
        assert!(numbers.iter().all(|number| *number != 0xdead_beef));
        for buffer in left.iter().chain(&right) {
            assert_eq!(seen(buffer, &expected), numbers, "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_leaf_stays_at_its_byte(shape in structure(shapes())) {
        check(&shape);
    }

    #[test]
    fn arrays_alone_keep_their_stride(element in shapes(), count in 1..4u32, extra in 0..3u32) {
        check(&Shape::Array(element.into(), count, extra));
    }
}

/// A module with one storage buffer of a type.
fn buffer_of(make: impl FnOnce(&mut Module) -> Handle<Type>) -> Module {
    let mut module = Module::default();
    let ty = make(&mut module);
    module.global_variables.append(
        GlobalVariable {
            name: Some("buffer".into()),
            space: AddressSpace::Storage {
                access: StorageAccess::LOAD,
            },
            binding: Some(ResourceBinding {
                group: 0,
                binding: 0,
            }),
            ty,
            init: None,
            memory_decorations: Default::default(),
        },
        Span::UNDEFINED,
    );
    module
}

#[test]
fn a_stride_within_the_element_is_refused_by_name() {
    let module = buffer_of(|module| {
        let base = lay(
            module,
            &Shape::Struct(vec![(0, Shape::Scalar(Scalar::F32)); 4], 0),
        )
        .ty;
        let size = ArraySize::Constant(NonZeroU32::new(4).unwrap());
        add(
            module,
            None,
            TypeInner::Array {
                base,
                size,
                stride: 8,
            },
        )
    });
    let error = write_wgsl(
        &Program::from_module(module).unwrap(),
        &WgslOptions::default(),
    )
    .unwrap_err();
    assert!(
        matches!(error, WriteError::Layout { offset: 8, .. }),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "an array of `S1` cannot be laid out by WGSL: element 1 is at offset 8, but an element takes 16 bytes and is aligned to 4"
    );
}

/// The padding member must not have a larger alignment than the structure.
#[test]
fn halves_may_begin_at_any_multiple_of_two() {
    for (offset, padding) in [
        (2, "    padding: f16,\n"),
        (4, "    @size(4) padding: f16,\n"),
        (6, "    @size(6) padding: f16,\n"),
    ] {
        let module = buffer_of(|module| {
            let half = add(module, None, TypeInner::Scalar(Scalar::F16));
            let member = StructMember {
                name: Some("half".into()),
                ty: half,
                binding: None,
                offset,
            };
            add(
                module,
                Some("Late".into()),
                TypeInner::Struct {
                    members: vec![member],
                    span: offset + 2,
                },
            )
        });
        let text = write_wgsl(
            &Program::from_module(module).unwrap(),
            &WgslOptions::default(),
        )
        .unwrap();
        let expected = format!("struct Late {{\n{padding}    half: f16,\n}}");
        assert!(text.contains(&expected), "{text}");
        let again = Program::from_wgsl(&text).unwrap();
        let (_, ty) = again
            .module()
            .types
            .iter()
            .find(|(_, ty)| ty.name.as_deref() == Some("Late"))
            .unwrap();
        let TypeInner::Struct { members, span } = &ty.inner else {
            panic!("{text}");
        };
        assert_eq!((members[1].offset, *span), (offset, offset + 2));
    }
}

#[test]
fn a_natural_layout_says_nothing() {
    let shape = Shape::Struct(
        vec![
            (0, Shape::Scalar(Scalar::F32)),
            (0, Shape::Vector(VectorSize::Tri, Scalar::F32)),
            (0, Shape::Scalar(Scalar::F32)),
            (
                0,
                Shape::Array(Shape::Vector(VectorSize::Tri, Scalar::U32).into(), 3, 0),
            ),
        ],
        0,
    );
    let (module, _) = program(&shape);
    let text = write_wgsl(
        &Program::from_module(module).unwrap(),
        &WgslOptions::default(),
    )
    .unwrap();
    assert!(
        !text.contains("@size") && !text.contains("padding"),
        "{text}"
    );
}
