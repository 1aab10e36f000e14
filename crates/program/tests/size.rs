//! Short texts that would expand to large values are refused before naga evaluates them.

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Program, ProgramError};

#[track_caller]
fn is_refused(text: &str, words: &str) {
    let error = Program::from_wgsl(text).expect_err(words).to_string();
    assert!(error.contains(words), "{error}");
}

/// Constants, each an array of two of the previous one.
fn doubled(first: &str, levels: u32) -> String {
    let more = (1..=levels).map(|it| format!("const A{it} = array(A{0}, A{0});\n", it - 1));
    format!("const A0 = {first};\n{}", more.collect::<String>())
}

#[test]
fn constants_of_constants_are_refused_however_they_are_used() {
    for first in ["array(1.0, 1.0)", "array(1f, 1f)"] {
        let constants = doubled(first, 26);
        for rest in [
            "",
            "fn f() { let x = A26[0]; }",
            "fn f() { var x = A26; }",
            "var<private> x = A26;",
            "override i: u32 = 0; fn f() { let x = A26[i]; }",
        ] {
            is_refused(&format!("{constants}{rest}"), "`A18`");
        }
        let ty = format!("{}f32{}", "array<".repeat(16), ", 2>".repeat(16));
        let text = format!("{}const B: {ty} = A15;", doubled(first, 15));
        Program::from_wgsl(&text).unwrap();
    }
}

#[test]
fn tables_are_not_copied_without_bound() {
    let table = format!("const T = array({});\n", "1f, ".repeat(8000));
    let uses = |count: usize| {
        let uses: String = (0..count).map(|it| format!("x = T[{it}];")).collect();
        format!("{table}var<private> x: f32; fn f() {{ {uses} }}")
    };
    Program::from_wgsl(&uses(100)).unwrap();
    is_refused(&uses(3000), "up to this mention of `T`");
    let at_run_time = "x = T[i];".repeat(3000);
    let text = format!("{table}var<private> x: f32; fn f(i: u32) {{ {at_run_time} }}");
    Program::from_wgsl(&text).unwrap();
}

#[test]
fn operators_on_large_arrays_are_refused_without_their_elements() {
    is_refused(
        "const z = array<u32, 268435456>() == array<u32, 268435456>();",
        "operators do not take arrays",
    );
}

#[test]
fn structures_of_structures_are_refused() {
    let more = (1..28).map(|it| format!("struct S{it} {{ a: S{0}, b: S{0} }}\n", it - 1));
    let text = format!(
        "struct S0 {{ a: f32, b: f32 }}\n{}",
        more.collect::<String>()
    );
    is_refused(&text, "the structure `S14` has more than 16384 members");
}

#[test]
fn glsl_is_bounded_too() {
    let table = format!("const float T[] = float[]({}1.0);\n", "1.0, ".repeat(8000));
    let uses: String = (0..3000).map(|it| format!("x = T[{it}];")).collect();
    let text = format!("#version 450\n{table}void main() {{ float x; {uses} }}");
    let error = Program::from_glsl(&text, ShaderStage::Compute).unwrap_err();
    assert!(error.to_string().contains("mention of `T`"), "{error}");
}

/// Modules that did not come from text have the same limits.
#[test]
fn modules_are_bounded_too() {
    use anywarp_program::naga::{
        ArraySize, Constant, Expression, Literal, Module, Scalar, Span, Type, TypeInner,
    };
    let mut module = Module::default();
    let inner = TypeInner::Scalar(Scalar::F32);
    let mut ty = module
        .types
        .insert(Type { name: None, inner }, Span::UNDEFINED);
    let one = Expression::Literal(Literal::F32(1.0));
    let mut init = module.global_expressions.append(one, Span::UNDEFINED);
    for level in 0..26 {
        let size = ArraySize::Constant(2.try_into().unwrap());
        let inner = TypeInner::Array {
            base: ty,
            size,
            stride: 4 << level,
        };
        ty = module
            .types
            .insert(Type { name: None, inner }, Span::UNDEFINED);
        let components = vec![init, init];
        let both = Expression::Compose { ty, components };
        init = module.global_expressions.append(both, Span::UNDEFINED);
    }
    let name = Some("table".to_owned());
    module
        .constants
        .append(Constant { name, ty, init }, Span::UNDEFINED);
    let error = Program::from_module(module).unwrap_err();
    assert!(matches!(error, ProgramError::TooLarge(_)));
    assert!(error.to_string().contains("up to `table`"), "{error}");
}

#[test]
fn a_switch_of_many_cases_is_not_deep() {
    let values: String = (0..10_000).map(|it| format!("{it}, ")).collect();
    let cases: String = (0..10_000)
        .map(|it| format!("case {it}: {{ x = {it}; }}"))
        .collect();
    for cases in [format!("case {values} {{ x = 1; }}"), cases] {
        let text = format!("fn f() {{ var x = 1; switch x {{ {cases} default {{}} }} }}");
        Program::from_wgsl(&text).unwrap();
    }
}
