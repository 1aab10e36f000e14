//! Constants with shared parts: the length of the text is proportional to the module, not to the expanded values.

use anywarp_program::Program;
use anywarp_program::naga::{
    Constant, Expression, Function, FunctionResult, Literal, LocalVariable, Module, Scalar, Span,
    Statement, StructMember, Type, TypeInner,
};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

/// A constant of `levels` nested structures, each of two copies of the next, and a function that returns it and has a
/// variable `part`.
fn doubled(levels: u32) -> Module {
    let mut module = Module::default();
    let number = Type {
        name: None,
        inner: TypeInner::Scalar(Scalar::U32),
    };
    let mut ty = module.types.insert(number, Span::UNDEFINED);
    let number = ty;
    let literal = Expression::Literal(Literal::U32(7));
    let mut value = module.global_expressions.append(literal, Span::UNDEFINED);
    for level in 0..levels {
        let member = |offset| StructMember {
            name: None,
            ty,
            binding: None,
            offset,
        };
        let size = 4 << level;
        let inner = TypeInner::Struct {
            members: vec![member(0), member(size)],
            span: 2 * size,
        };
        let name = Some(format!("Level{level}"));
        ty = module.types.insert(Type { name, inner }, Span::UNDEFINED);
        let components = vec![value, value];
        let both = Expression::Compose { ty, components };
        value = module.global_expressions.append(both, Span::UNDEFINED);
    }
    let constant = Constant {
        name: None,
        ty,
        init: value,
    };
    let constant = module.constants.append(constant, Span::UNDEFINED);
    let mut function = Function {
        name: Some("give".into()),
        result: Some(FunctionResult { ty, binding: None }),
        ..Function::default()
    };
    let local = LocalVariable {
        name: Some("part".into()),
        ty: number,
        init: None,
    };
    let local = function.local_variables.append(local, Span::UNDEFINED);
    let mut add = |expression| function.expressions.append(expression, Span::UNDEFINED);
    let (given, pointer) = (
        add(Expression::Constant(constant)),
        add(Expression::LocalVariable(local)),
    );
    let number = add(Expression::Literal(Literal::U32(1)));
    let store = Statement::Store {
        pointer,
        value: number,
    };
    let back = Statement::Return { value: Some(given) };
    function.body.push(store, Span::UNDEFINED);
    function.body.push(back, Span::UNDEFINED);
    module.functions.append(function, Span::UNDEFINED);
    module
}

#[test]
fn what_constants_share_is_written_once() {
    let program = Program::from_module(doubled(14)).unwrap();
    for dialect in [Dialect::WebGpu, Dialect::Naga] {
        let options = WgslOptions::new(dialect);
        let text = write_wgsl(&program, &options).unwrap();
        assert!(text.len() < 5000, "{} bytes", text.len());
        let consts = text.matches("\nconst part").count();
        assert!((5..14).contains(&consts), "{consts} constants:\n{text}");
        assert!(text.contains("const part_1: Level"), "{text}");
        // The value is unchanged: every scalar is 7, and there are as many as before.
        let again = Program::from_wgsl(&text).unwrap();
        assert_eq!(sevens(again.module()), 1 << 14);
        assert_eq!(write_wgsl(&again, &options).unwrap(), text);
    }
}

/// The number of literals 7 in the value that the function returns.
fn sevens(module: &Module) -> u64 {
    let mut counts: Vec<u64> = Vec::new();
    for (_, expression) in module.global_expressions.iter() {
        counts.push(match expression {
            Expression::Literal(Literal::U32(7)) => 1,
            Expression::Compose { components, .. } => {
                components.iter().map(|part| counts[part.index()]).sum()
            }
            Expression::Constant(constant) => counts[module.constants[*constant].init.index()],
            other => panic!("{other:?}"),
        });
    }
    counts.into_iter().max().unwrap()
}

#[test]
fn small_parts_stay_where_they_are() {
    let program = Program::from_module(doubled(4)).unwrap();
    let text = write_wgsl(&program, &WgslOptions::default()).unwrap();
    assert!(!text.contains("const "), "{text}");
    assert_eq!(text.matches("7u").count(), 16);
}
