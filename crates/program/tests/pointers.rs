//! Functions that take pointers into shared memory are specialised for what they are called with.

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
    // `fetch` for a[0], b[1], and an index into each; `through` for each variable.
    assert_eq!(
        names,
        [
            "fetch", "fetch", "fetch", "fetch", "plain", "through", "through"
        ]
    );
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
