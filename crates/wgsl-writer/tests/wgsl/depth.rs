//! Deeply nested expressions and statements: no stack overflow, and the text is valid WGSL.

use anywarp_program::Program;
use anywarp_program::naga::{
    BinaryOperator, Expression, Function, FunctionArgument, FunctionResult, Literal, Module,
    Scalar, Span, Statement, Type, TypeInner,
};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

/// A function that adds its parameter repeatedly, nested to the left or to the right.
fn chain(length: usize, to_the_right: bool) -> Module {
    let mut module = Module::default();
    let ty = Type {
        name: None,
        inner: TypeInner::Scalar(Scalar::I32),
    };
    let ty = module.types.insert(ty, Span::UNDEFINED);
    let mut function = Function {
        name: Some("sum".into()),
        arguments: vec![FunctionArgument {
            name: Some("x".into()),
            ty,
            binding: None,
        }],
        result: Some(FunctionResult { ty, binding: None }),
        ..Function::default()
    };
    let argument = function
        .expressions
        .append(Expression::FunctionArgument(0), Span::UNDEFINED);
    let literal = Expression::Literal(Literal::I32(1));
    let one = function.expressions.append(literal, Span::UNDEFINED);
    let from = function.expressions.len();
    let mut sum = argument;
    for _ in 0..length {
        let (left, right) = if to_the_right { (one, sum) } else { (sum, one) };
        let expression = Expression::Binary {
            op: BinaryOperator::Add,
            left,
            right,
        };
        sum = function.expressions.append(expression, Span::UNDEFINED);
    }
    let range = function.expressions.range_from(from);
    function.body.push(Statement::Emit(range), Span::UNDEFINED);
    function
        .body
        .push(Statement::Return { value: Some(sum) }, Span::UNDEFINED);
    module.functions.append(function, Span::UNDEFINED);
    module
}

#[test]
fn ten_thousand_additions_are_written_and_read() {
    for to_the_right in [false, true] {
        let program = Program::from_module(chain(10_000, to_the_right)).unwrap();
        for dialect in [Dialect::WebGpu, Dialect::Naga] {
            let text = write_wgsl(&program, &WgslOptions::new(dialect)).unwrap();
            assert_eq!(text.matches('+').count(), 10_000);
            let again = Program::from_wgsl(&text).unwrap();
            assert_eq!(
                write_wgsl(&again, &WgslOptions::new(dialect)).unwrap(),
                text
            );
        }
    }
}

#[test]
fn nested_statements_keep_their_depth() {
    let depth = 60;
    let text = format!(
        "fn f(x: i32) -> i32 {{ var y = x; {} y += 1; {} return y; }}",
        "if y > 0 { loop { y -= 1; ".repeat(depth),
        "break; } }".repeat(depth),
    );
    let program = Program::from_wgsl(&text).unwrap();
    let written = write_wgsl(&program, &WgslOptions::default()).unwrap();
    assert_eq!(written.matches("loop {").count(), depth);
    let again = Program::from_wgsl(&written).unwrap();
    assert_eq!(
        write_wgsl(&again, &WgslOptions::default()).unwrap(),
        written
    );
}
