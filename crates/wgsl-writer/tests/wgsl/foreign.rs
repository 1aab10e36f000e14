//! Modules that WGSL front ends never produce: valid modules with constructs that have no direct WGSL equivalent.

use anywarp_program::Program;
use anywarp_program::naga::{
    Barrier, Block, Expression, Function, Literal, MathFunction, Module, RelationalFunction,
    ScalarKind, Span, Statement,
};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

/// A program whose module was modified after parsing.
fn changed(wgsl: &str, change: impl FnOnce(&mut Module)) -> Program {
    let mut module = Program::from_wgsl(wgsl).unwrap().module().clone();
    change(&mut module);
    Program::from_module(module).unwrap_or_else(|error| panic!("{error}"))
}

/// The written text, which must parse and be stable when written again.
fn written(program: &Program) -> String {
    let options = WgslOptions::default();
    let text = write_wgsl(program, &options).unwrap();
    let again = Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(write_wgsl(&again, &options).unwrap(), text);
    text
}

fn function(module: &mut Module) -> &mut Function {
    module.functions.iter_mut().next().unwrap().1
}

/// Replaces the first expression for which `find` returns true.
fn replace(
    function: &mut Function,
    find: fn(&Expression) -> bool,
    make: impl FnOnce(Expression) -> Expression,
) {
    let (_, expression) = function
        .expressions
        .iter_mut()
        .find(|(_, expression)| find(expression))
        .unwrap();
    *expression = make(expression.clone());
}

#[test]
fn a_function_that_ends_in_discard_returns() {
    let program = changed(
        "fn f(x: f32) -> f32 { return x; } @fragment fn main() { _ = f(1.0); }",
        |module| {
            let body = &mut function(module).body;
            *body = Block::new();
            body.push(Statement::Kill, Span::UNDEFINED);
        },
    );
    let text = written(&program);
    assert!(text.contains("    discard;\n    return 0.0;\n}"), "{text}");
}

#[test]
fn a_loop_that_nothing_leaves_has_a_way_out() {
    let program = changed(
        "fn f(x: i32) -> i32 { var i = x; loop { i += 1; if i == 3 { break; } } return i; }",
        |module| {
            for statement in function(module).body.iter_mut() {
                if let Statement::Loop { body, .. } = statement {
                    body.cull(body.len() - 1..);
                }
            }
        },
    );
    let text = written(&program);
    assert!(
        text.contains("        continuing {\n            break if false;\n        }\n"),
        "{text}"
    );
}

#[test]
fn cases_that_fall_through_have_copies() {
    let program = changed(
        "fn f(x: i32) -> i32 { var r = 0; switch x { case 1: { r += 1; } case 2: { r += 2; } default: { r = 9; } } return r; }",
        |module| {
            for statement in function(module).body.iter_mut() {
                if let Statement::Switch { cases, .. } = statement {
                    cases[0].fall_through = true;
                }
            }
        },
    );
    let text = written(&program);
    assert!(
        text.contains("case 1: {\n            r += 1;\n            r += 2;\n        }"),
        "{text}"
    );
}

#[test]
fn infinities_are_told_by_their_bits() {
    for (fun, sign) in [
        (RelationalFunction::IsNan, ">"),
        (RelationalFunction::IsInf, "=="),
    ] {
        let program = changed(
            "fn f(x: vec2<f32>, b: vec2<bool>) -> bool { let y = x > x; return all(y); }",
            |module| {
                let function = function(module);
                let is_compare =
                    |expression: &Expression| matches!(expression, Expression::Binary { .. });
                replace(function, is_compare, |expression| match expression {
                    Expression::Binary { left, .. } => Expression::Relational {
                        fun,
                        argument: left,
                    },
                    other => other,
                });
            },
        );
        let text = written(&program);
        let expected = format!(
            "(bitcast<vec2<u32>>(x) & vec2<u32>(2147483647u)) {sign} vec2<u32>(2139095040u)"
        );
        assert!(text.contains(&expected), "{text}");
    }
}

#[test]
fn constants_are_not_computed_before_the_program_runs() {
    let infinity = Expression::Literal(Literal::I32(0x7f80_0000));
    let program = changed(
        "fn f(x: i32) -> f32 { return bitcast<f32>(x) * 2.0; }",
        |module| {
            let is_argument =
                |expression: &Expression| matches!(expression, Expression::FunctionArgument(_));
            replace(function(module), is_argument, |_| infinity);
        },
    );
    let text = written(&program);
    assert!(
        text.contains("    let x_1 = 2139095040;\n    return bitcast<f32>(x_1) * 2.0;\n"),
        "{text}"
    );
}

#[test]
fn names_that_are_illegal_yield_and_entry_points_do_not() {
    let program = changed(
        "struct S { a: f32, b: f32 }
        @group(0) @binding(0) var<storage, read_write> x: S;
        fn f(p: f32) -> f32 { let q = p * 2.0; return q * q; }
        @compute @workgroup_size(1) fn main() { x.a = f(x.b); }",
        |module| {
            let (_, function) = module.functions.iter_mut().next().unwrap();
            function.name = Some("main(f1;".into());
            function.arguments[0].name = Some("loop".into());
            for name in function.named_expressions.values_mut() {
                *name = "__q".into();
            }
            let (_, variable) = module.global_variables.iter_mut().next().unwrap();
            variable.name = Some("a.b[0]".into());
            module.entry_points[0].name = "main".into();
        },
    );
    let text = written(&program);
    assert_eq!(
        text,
        "struct S {
    a: f32,
    b: f32,
}

@group(0) @binding(0) var<storage, read_write> a_b_0: S;

fn main_1(loop_: f32) -> f32 {
    let _q = loop_ * 2.0;
    return _q * _q;
}

@compute @workgroup_size(1)
fn main() {
    a_b_0.a = main_1(a_b_0.b);
}
"
    );
}

#[test]
fn barriers_of_memory_alone_become_barriers() {
    let program = changed(
        "@compute @workgroup_size(8) fn main() { workgroupBarrier(); }",
        |module| {
            for statement in module.entry_points[0].function.body.iter_mut() {
                if let Statement::ControlBarrier(_) = statement {
                    *statement = Statement::MemoryBarrier(Barrier::STORAGE | Barrier::WORK_GROUP);
                }
            }
        },
    );
    let text = written(&program);
    assert!(
        text.contains("    storageBarrier();\n    workgroupBarrier();\n"),
        "{text}"
    );
}

#[test]
fn products_and_inverses_of_matrices_are_written_out() {
    let program = changed(
        "fn f(a: vec3<f32>, b: vec3<f32>) -> mat3x3<f32> { let m = mat3x3<f32>(a, a, b); return m; }
        fn g(m: mat4x4<f32>) -> mat4x4<f32> { return transpose(m); }
        fn h(m: mat3x3<f32>) -> mat3x3<f32> { return transpose(m); }
        fn i(m: mat2x2<f32>) -> mat2x2<f32> { return transpose(m); }",
        |module| {
            for (_, function) in module.functions.iter_mut() {
                let arguments: Vec<_> = function
                    .expressions
                    .iter()
                    .filter(|(_, expression)| matches!(expression, Expression::FunctionArgument(_)))
                    .map(|(handle, _)| handle)
                    .collect();
                for (_, expression) in function.expressions.iter_mut() {
                    match expression {
                        Expression::Compose { .. } => {
                            *expression = Expression::Math {
                                fun: MathFunction::Outer,
                                arg: arguments[0],
                                arg1: Some(arguments[1]),
                                arg2: None,
                                arg3: None,
                            };
                        }
                        Expression::Math { fun, .. } => *fun = MathFunction::Inverse,
                        _ => {}
                    }
                }
            }
        },
    );
    let text = written(&program);
    for name in [
        "outer_3x3_f32(a, b)",
        "inverse_4x4_f32(m)",
        "inverse_3x3_f32(m)",
        "inverse_2x2_f32(m)",
    ] {
        assert!(text.contains(name), "no {name} in\n{text}");
    }
}

#[test]
fn what_only_naga_knows_is_an_error_by_name() {
    let cases = [
        (
            "var<private> x: i64; fn f() { x = 1li; }",
            "variable `x` uses the type `i64`, which WebGPU's WGSL cannot say",
        ),
        (
            "fn f() -> f64 { return 1.5lf; }",
            "function `f` uses the type `f64`, which WebGPU's WGSL cannot say",
        ),
        (
            "enable wgpu_binding_array; @group(0) @binding(0) var t: binding_array<texture_2d<f32>, 4>;
            @fragment fn main() { _ = textureLoad(t[1], vec2<u32>(), 0u); }",
            "variable `t` uses arrays of bindings, which WebGPU's WGSL cannot say",
        ),
        (
            "@compute @workgroup_size(8) fn main() { subgroupBarrier(); }",
            "entry point `main` uses a barrier of a subgroup, which WebGPU's WGSL cannot say",
        ),
        (
            "@fragment fn main(@builtin(view_index) view: u32) {}",
            "entry point `main` uses the builtin value `view_index`, which WebGPU's WGSL cannot say",
        ),
    ];
    for (wgsl, message) in cases {
        let program = Program::from_wgsl(wgsl).unwrap_or_else(|error| panic!("{error}"));
        let error = write_wgsl(&program, &WgslOptions::default()).unwrap_err();
        assert_eq!(error.to_string(), message);
        let text = write_wgsl(&program, &WgslOptions::new(Dialect::Naga)).unwrap();
        Program::from_wgsl(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
}

#[test]
fn numbers_of_naga_keep_their_types() {
    let text = "fn f(a: i64, b: u64, c: f64) -> f64 {
    var x = a + 5li - i64(-9223372036854775807 - 1);
    var y = b << 3u;
    return c * 0.1lf + f64(x) + f64(y | 18446744073709551615lu);
}
";
    let program = Program::from_wgsl(text).unwrap();
    let written = write_wgsl(&program, &WgslOptions::new(Dialect::Naga)).unwrap();
    let again = Program::from_wgsl(&written).unwrap();
    assert_eq!(written, text);
    let kinds = |program: &Program| {
        let (_, function) = program.module().functions.iter().next().unwrap();
        function
            .expressions
            .iter()
            .filter(|(_, e)| {
                matches!(
                    e,
                    Expression::As {
                        kind: ScalarKind::Float,
                        ..
                    }
                )
            })
            .count()
    };
    assert_eq!(kinds(&program), kinds(&again));
}

/// WGSL's `storageBarrier()` is also an execution barrier; SPIR-V's memory barriers are not.
#[test]
fn barriers_of_memory_alone_wait_for_nobody() {
    let with = |body: &str, change: fn(&mut Module)| {
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
            @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {{ {body} }}"
        );
        write_wgsl(&changed(&wgsl, change), &WgslOptions::default())
    };
    fn first(block: &mut Block) {
        for statement in block.iter_mut() {
            match statement {
                Statement::ControlBarrier(barrier) => {
                    *statement = Statement::MemoryBarrier(*barrier);
                    return;
                }
                Statement::If { accept, .. } => first(accept),
                _ => {}
            }
        }
    }
    let change = |module: &mut Module| first(&mut module.entry_points[0].function.body);
    let refused = with(
        "if i == 0u { a[0] = 1u; storageBarrier(); a[1] = 2u; }",
        change,
    );
    assert_eq!(
        refused.unwrap_err().to_string(),
        "function `main` uses a barrier for memory alone where not all invocations may come by, which WebGPU's WGSL cannot say"
    );
    let beside = with(
        "a[i] = 1u; storageBarrier(); storageBarrier(); a[1] = 2u;",
        change,
    );
    assert_eq!(beside.unwrap().matches("storageBarrier()").count(), 1);
}

#[test]
fn more_braces_than_wgsl_takes_are_refused_by_name() {
    let nested = |depth: usize| {
        changed("fn f(x: bool) {}", |module| {
            let function = function(module);
            let (condition, _) = function.expressions.iter().next().unwrap_or_else(|| {
                panic!("the parameter has no expression");
            });
            let mut block = Block::new();
            block.push(Statement::Return { value: None }, Span::UNDEFINED);
            for _ in 0..depth {
                let accept = std::mem::take(&mut block);
                let reject = Block::new();
                let statement = Statement::If {
                    condition,
                    accept,
                    reject,
                };
                block.push(statement, Span::UNDEFINED);
            }
            function.body = block;
        })
    };
    assert!(write_wgsl(&nested(126), &WgslOptions::default()).is_ok());
    let error = write_wgsl(&nested(127), &WgslOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "function `f` nests braces deeper than 127, which is WGSL's limit"
    );
}

#[test]
fn a_bitcast_of_an_integer_is_an_integer() {
    let program = changed(
        "fn f(x: u32) -> u32 { var k = x; k += u32(7i + i32(x)); return k; }",
        |module| {
            let function = function(module);
            let is_cast = |expression: &Expression| {
                matches!(
                    expression,
                    Expression::As {
                        kind: ScalarKind::Uint,
                        ..
                    }
                )
            };
            let (literal, _) = function
                .expressions
                .iter()
                .find(|(_, it)| matches!(it, Expression::Literal(Literal::I32(7))))
                .unwrap();
            replace(function, is_cast, |_| Expression::As {
                expr: literal,
                kind: ScalarKind::Uint,
                convert: None,
            });
        },
    );
    let text = written(&program);
    assert!(text.contains("k += 7u;"), "{text}");
}

/// naga evaluates functions again with the values of overrides, and looks through `let`.
#[test]
fn constants_are_hidden_in_variables_where_there_are_overrides() {
    let program = Program::from_wgsl(
        "override o: u32 = 3;
        @group(0) @binding(0) var<storage, read_write> a: array<f32>;
        @compute @workgroup_size(1) fn main() {
            let x = mat2x2<f32>(vec2<f32>(1.0, 2.0), vec2<f32>(3.0, 4.0));
            a[o] = x[0].x * x[1].x;
        }",
    )
    .unwrap();
    let text = write_wgsl(&program, &WgslOptions::default()).unwrap();
    assert!(text.contains("    var x = mat2x2<f32>("), "{text}");
    let again = Program::from_wgsl(&text).unwrap();
    let constants = Default::default();
    again
        .specialize(naga::ShaderStage::Compute, "main", &constants)
        .unwrap();
}

#[test]
fn what_nothing_uses_need_not_be_sayable() {
    let program = Program::from_wgsl(
        "enable wgpu_binding_array;
        @group(0) @binding(0) var<storage, read_write> a: array<f32>;
        @group(0) @binding(1) var unused: binding_array<texture_2d<f32>, 4>;
        @compute @workgroup_size(1) fn main() { a[0] = 1.0; }",
    )
    .unwrap();
    let text = write_wgsl(&program, &WgslOptions::default()).unwrap();
    assert!(!text.contains("unused"), "{text}");
}
