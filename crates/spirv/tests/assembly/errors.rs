//! Syntax errors: line, column and message.

use anywarp_spirv::{assemble, disassemble};

#[track_caller]
fn fails(text: &str, line: u32, column: u32, words: &[&str]) {
    let error = assemble(text).expect_err(text);
    let message = error.to_string();
    assert_eq!((error.line(), error.column()), (line, column), "{message}");
    assert!(message.starts_with(&format!("line {line}, column {column}: ")));
    for word in words {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
}

#[test]
fn instructions() {
    fails("OpNop\n  OpFoo", 2, 3, &["`OpFoo`"]);
    fails("foo", 1, 1, &["expected an instruction", "`foo`"]);
    fails("%1 OpTypeVoid", 1, 1, &["`=`", "`%1`"]);
    fails("%1 =", 1, 1, &["expected an instruction"]);
    fails("OpTypeVoid", 1, 1, &["result", "%id = OpTypeVoid"]);
    fails("%1 = OpNop", 1, 1, &["`OpNop` has no result"]);
    fails("OpReturn %1", 1, 10, &["`OpReturn` has no operand `%1`"]);
}

#[test]
fn operands() {
    fails("OpCapability", 1, 1, &["expected a capability"]);
    fails("OpCapability Shade", 1, 14, &["a capability", "`Shade`"]);
    fails(
        "OpDecorate %1 BuiltIn\n\nOpNop",
        1,
        15,
        &["expected a builtin"],
    );
    fails("OpDecorate 1 Block", 1, 12, &["expected an id", "`1`"]);
    fails("OpName %1 a", 1, 11, &["expected a string", "`a`"]);
    fails("OpName %1 \"a", 1, 11, &["string does not end"]);
    fails("%1 = OpTypeInt 32 -1", 1, 19, &["`-1`", "no sign"]);
    fails("%1 = OpTypeInt 0x100000000 0", 1, 16, &["32 bits"]);
    fails("OpMemoryModel Logical !", 1, 23, &["`!`", "word"]);
    fails(
        "OpLoopMerge %1 %2 Unroll|Foo",
        1,
        19,
        &["a control", "`Foo`"],
    );
    fails(
        "OpName %4294967295 \"a\"",
        1,
        8,
        &["`%4294967295`", "too large"],
    );
    fails("OpName % \"a\"", 1, 8, &["expected an id"]);
    fails("OpName %a=b \"a\"", 1, 8, &["expected an id", "`%a=b`"]);
}

#[test]
fn literals() {
    let byte = "%b = OpTypeInt 8 1\n%c = OpConstant %b ";
    fails(&format!("{byte}200"), 2, 20, &["`200`", "signed", "8 bits"]);
    fails(&format!("{byte}1.5"), 2, 20, &["`1.5`"]);
    let float = "%f = OpTypeFloat 32\n%c = OpConstant %f ";
    fails(&format!("{float}1e99"), 2, 20, &["`1e99`", "32 bits"]);
    fails(&format!("{float}inf"), 2, 20, &["`inf`"]);
    fails("%c = OpConstant %f 1", 1, 20, &["type of the constant"]);
    fails("OpSwitch %x %a 1 %b", 1, 16, &["selector"]);
}

#[test]
fn sets_and_operations() {
    let import = "%g = OpExtInstImport \"GLSL.std.450\"\n";
    fails(
        &format!("{import}%1 = OpExtInst %t %g Foo %2"),
        2,
        22,
        &["`Foo`"],
    );
    fails("%1 = OpExtInst %t %g Sin %2", 1, 22, &["not imported"]);
    fails(
        "%1 = OpSpecConstantOp %t Foo %2",
        1,
        26,
        &["operation", "`Foo`"],
    );
    fails(
        "%1 = OpSpecConstantOp %t SpecConstantOp %2",
        1,
        26,
        &["operation"],
    );
}

#[test]
fn columns_are_characters() {
    fails("OpName %1 \"äöü€\" x", 1, 18, &["`x`"]);
    fails("OpString \"a\nb\" \"c\" x", 1, 1, &["result"]);
    fails("%s = OpString \"a\nb\" x", 2, 4, &["`x`"]);
}

#[test]
fn too_many_words() {
    let text = format!("%1 = OpTypeStruct{}", " %2".repeat(70_000));
    fails(&text, 1, 6, &["OpTypeStruct", "65535"]);
}

#[test]
fn words_that_are_no_module() {
    let fails = |words: &[u32], text: &str| {
        let error = disassemble(words).unwrap_err().to_string();
        assert!(error.contains(text), "no `{text}` in: {error}");
    };
    let header = [0x0723_0203, 0x10300, 0, 1, 0];
    fails(&[], "5 words");
    fails(&[1, 2, 3, 4, 5], "not SPIR-V");
    fails(&[&header[..], &[0]].concat(), "word 5");
    fails(
        &[&header[..], &[9 << 16 | 17, 1]].concat(),
        "word 5: OpCapability: it has 9 words",
    );
}
