//! Functions with pointer parameters into shared memory are specialized for their callers.

use anywarp_program::{Program, ProgramError};

fn names(program: &Program) -> Vec<String> {
    let functions = program.module().functions.iter();
    functions
        .map(|(_, function)| function.name.clone().unwrap_or_default())
        .collect()
}

#[test]
fn one_function_for_each_place() {
    let program = Program::from_wgsl(
        "var<workgroup> a: array<u32, 4>;
         var<workgroup> b: array<u32, 4>;
         fn unused(p: ptr<workgroup, u32>) {}
         fn fetch(p: ptr<workgroup, u32>) -> u32 { return *p; }
         fn through(p: ptr<workgroup, array<u32, 4>>, i: u32) -> u32 { return fetch(&p[i]); }
         fn plain(x: u32) -> u32 { return x; }
         @compute @workgroup_size(1) fn main() {
             _ = fetch(&a[0]) + fetch(&a[0]) + fetch(&b[1]) + through(&a, 1) + through(&b, plain(2));
         }",
    )
    .unwrap();
    let mut names = names(&program);
    names.sort();
    // `fetch` for an index into each variable, constant or not; `through` for each variable.
    assert_eq!(names, ["fetch", "fetch", "plain", "through", "through"]);
    assert!(program.naga_wgsl().is_none());
    let written = program.written_wgsl().unwrap();
    assert!(naga_takes(&written), "{written}");
}

fn naga_takes(text: &str) -> bool {
    Program::from_wgsl(text).is_ok_and(|program| program.naga_wgsl().is_some())
}

#[test]
fn programs_without_such_pointers_stay_as_they_are() {
    let text = "var<private> v: u32; fn fetch(p: ptr<private, u32>, q: ptr<function, u32>) -> u32 { return *p + *q; }
         @compute @workgroup_size(1) fn main() { var x = 1u; _ = fetch(&v, &x); }";
    assert_eq!(Program::from_wgsl(text).unwrap().naga_wgsl(), Some(text));
}

#[test]
fn diagnostics_are_about_the_users_function() {
    let error = Program::from_wgsl(
        "var<workgroup> a: u32;
         fn fetch(p: ptr<workgroup, u32>) -> f32 {
             return 1.0f + f32(*p) * vec2<u32>(1u);
         }
         @compute @workgroup_size(1) fn main() { _ = fetch(&a); }",
    )
    .unwrap_err();
    let location = error.diagnostic().unwrap().location().unwrap();
    assert_eq!(location.line, 3, "{error}");
}

#[test]
fn too_many_variants_are_refused() {
    let mut text =
        "struct S0 { v: u32 } fn f0(p: ptr<workgroup, S0>) -> u32 { return p.v; }\n".to_owned();
    for n in 1..14 {
        let below = n - 1;
        text.push_str(&format!(
            "struct S{n} {{ a: S{below}, b: S{below} }}
             fn f{n}(p: ptr<workgroup, S{n}>) -> u32 {{ return f{below}(&p.a) + f{below}(&p.b); }}\n"
        ));
    }
    text.push_str("var<workgroup> s: S13; @compute @workgroup_size(1) fn main() { _ = f13(&s); }");
    let error = Program::from_wgsl(&text).unwrap_err();
    assert!(matches!(error, ProgramError::TooLarge(_)), "{error}");
    assert!(error.to_string().contains("shader.wgsl"), "{error}");
}

#[test]
fn elements_share_a_variant_and_members_do_not() {
    let program = Program::from_wgsl(
        "struct S { a: u32, b: array<array<u32, 3>, 2> }
         var<workgroup> s: array<S, 4>;
         var<workgroup> m: mat2x2<f32>;
         fn fetch(p: ptr<workgroup, u32>) -> u32 { return *p; }
         fn column(p: ptr<workgroup, vec2<f32>>) -> f32 { return (*p).x; }
         @compute @workgroup_size(1) fn main() {
             _ = fetch(&s[0].a) + fetch(&s[3].a) + fetch(&s[1].b[1][2]) + fetch(&s[2].b[0][1]);
             _ = column(&m[0]) + column(&m[1]);
         }",
    )
    .unwrap();
    let mut names = names(&program);
    names.sort();
    assert_eq!(names, ["column", "column", "fetch", "fetch"]);
    let written = program.written_wgsl().unwrap();
    assert!(naga_takes(&written), "{written}");
}

/// A function with `statements` statements, called for each of these pointers.
fn called_with(
    statements: usize,
    variables: &str,
    pointers: impl Iterator<Item = String>,
) -> String {
    let body = "*p += 1u; ".repeat(statements);
    let calls: String = pointers.map(|it| format!("f({it}); ")).collect();
    format!(
        "{variables} fn f(p: ptr<workgroup, u32>) {{ {body} }}
         @compute @workgroup_size(1) fn main() {{ {calls} }}"
    )
}

#[test]
fn many_constant_indices_need_one_variant() {
    let pointers = (0..1000).map(|n| format!("&t[{n}]"));
    let text = called_with(2000, "var<workgroup> t: array<u32, 1000>;", pointers);
    assert_eq!(names(&Program::from_wgsl(&text).unwrap()), ["f"]);
}

#[test]
fn too_much_specialized_code_is_refused() {
    let members: String = (0..1000).map(|n| format!("m{n}: u32, ")).collect();
    let variables = format!("struct S {{ {members} }} var<workgroup> s: S;");
    let text = |statements| {
        let pointers = (0..1000).map(|n| format!("&s.m{n}"));
        called_with(statements, &variables, pointers)
    };
    let error = Program::from_wgsl(&text(2000)).unwrap_err();
    assert!(matches!(error, ProgramError::TooLarge(_)), "{error}");
    assert!(error.to_string().contains("1000000 expressions"), "{error}");
    assert_eq!(names(&Program::from_wgsl(&text(2)).unwrap()).len(), 1000);
}

#[test]
fn plain_functions_are_no_variants() {
    // Callers are visited first: `f` is requested after all others.
    let plain: String = (0..5000).map(|n| format!("fn g{n}() {{}} ")).collect();
    let text = format!(
        "var<workgroup> t: u32; fn f(p: ptr<workgroup, u32>) {{}} fn first() {{ f(&t); }} {plain}
         @compute @workgroup_size(1) fn main() {{ first(); }}"
    );
    let program = Program::from_wgsl(&text);
    assert!(program.is_ok(), "{}", program.unwrap_err());
}
