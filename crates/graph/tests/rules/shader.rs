//! Rules about the WGSL of nodes.

use anywarp_graph::model::{FieldType, Grid, InputAccess};
use anywarp_graph::shader::ShaderError;
use anywarp_graph::{GraphError, GraphOptions, GraphRunner, Node, Output, RecordType};
use anywarp_program::Source;

use crate::rules::device::cpu;
use crate::rules::empty;

/// The error of a graph of one node with this text.
fn error(node: Node, text: &str) -> ShaderError {
    let node = node.entry().source(Source::new("n.wgsl", text));
    error_of(node)
}

fn error_of(node: Node) -> ShaderError {
    let record = RecordType::new("R")
        .field("a", FieldType::U32)
        .field("b", FieldType::U32);
    let graph = empty()
        .record(record)
        .node(node)
        .node(
            Node::thread("t")
                .input_type("R")
                .entry()
                .source(Source::new("t.wgsl", "fn t() {}")),
        )
        .build()
        .unwrap();
    let (device, queue) = cpu();
    let runner = GraphRunner::new(&device, &queue, &graph, GraphOptions::default());
    match pollster::block_on(runner) {
        Err(GraphError::Shader(error)) => error,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the graph is legal"),
    }
}

fn thread() -> Node {
    Node::thread("n")
}

fn grid() -> Node {
    Node::broadcasting("n", Grid::Fixed([1; 3]), [1; 3])
}

#[test]
fn text_is_needed() {
    let error = error_of(thread().entry());
    assert!(matches!(error, ShaderError::NoSource(_)));
    assert_eq!(error.to_string(), "node `n` has no WGSL");
}

#[test]
fn errors_have_the_users_own_lines() {
    let error = error(
        thread(),
        "// A comment.\nfn n() {\n    let x = 1u + true;\n}\n",
    );
    assert!(matches!(error, ShaderError::Program { .. }));
    let text = error.to_string();
    assert!(text.starts_with("node `n`:\n"), "{text}");
    assert!(text.contains("n.wgsl:3:"), "{text}");
}

#[test]
fn the_second_file_has_its_own_lines_too() {
    let node = thread()
        .entry()
        .source(Source::new("n.wgsl", "fn n() { helper(); }\n"))
        .source(Source::new("helper.wgsl", "\nfn helper() { missing(); }\n"));
    let text = error_of(node).to_string();
    assert!(text.contains("helper.wgsl:2:"), "{text}");
}

#[test]
fn what_the_prelude_does_not_have_is_found_in_the_users_text() {
    let node = thread().output(Output::of_type("t", "R", 1));
    let text = error(node, "fn n() {\n    let r = alloc_thread_u(1u);\n}").to_string();
    assert!(text.contains("n.wgsl:2:"), "{text}");
    assert!(text.contains("alloc_thread_u"), "{text}");
}

/// An unterminated construct of the user would continue in generated text.
#[test]
fn an_early_end_is_found_in_the_users_text() {
    for (text, place) in [
        ("fn n() {\n    let x = load_input_a();\n", "n.wgsl:3:1"),
        (
            "fn n() {\n    let x = load_input_a();\n    if x == 1u {\n}",
            "n.wgsl:",
        ),
        ("fn n() {}\nconst x = 1", "n.wgsl:2:"),
        ("fn n() {}\nstruct S { a: u32,", "n.wgsl:2:"),
        ("fn n() {}\n/* open", "n.wgsl:2:"),
        ("fn n() { _ = load_input_a(", "n.wgsl:1:"),
    ] {
        let error = error(thread().input_type("R"), text);
        assert!(matches!(error, ShaderError::Program { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(place), "{text}: {message}");
        assert!(!message.contains("prelude of"), "{text}: {message}");
    }
}

#[test]
fn names_of_the_graph_are_taken() {
    for (text, name, place) in [
        ("fn n() {}\nfn input_count() {}", "input_count", "2:4"),
        ("fn n() {}\nconst load_input_a = 1;", "load_input_a", "2:7"),
        ("struct Records_t { a: u32 }\nfn n() {}", "Records_t", "1:8"),
        ("var<private> AwStage: u32;\nfn n() {}", "AwStage", "1:14"),
        // Would change the meaning of generated text.
        (
            "fn n() {}\nfn atomicAdd(a: f32) -> f32 { return a; }",
            "atomicAdd",
            "2:4",
        ),
        ("fn n() {\n    aw_control[0] = 1u;\n}", "aw_control", "2:5"),
        ("fn n() {\n    let aw_x = 1u;\n}", "aw_x", "2:9"),
    ] {
        let node = thread()
            .input_type("R")
            .output(Output::of_type("t", "R", 1));
        let error = error(node, text);
        assert!(matches!(error, ShaderError::ReservedName { .. }), "{error}");
        let expected = format!(
            "node `n`: n.wgsl:{place}: `{name}` is reserved for generated code, as are all names that begin with `aw_`; use another name"
        );
        assert_eq!(error.to_string(), expected);
    }
    // The node itself.
    let node = thread().function("min");
    let text = "fn n() {}\nfn aw_main() {}\nfn min() {}";
    let error = error(node, text).to_string();
    assert!(error.contains("n.wgsl:2:4: `aw_main`"), "{error}");
}

/// Locals, fields, comments and names inside generated functions do not conflict.
#[test]
fn other_names_are_free() {
    let text = "// aw_control\n/* aw_ /* min */ aw_control */\nstruct S { input_count: u32 }\n\
                const count = 1u;\nconst first = 1u;\n\
                fn n() { let input_count = count + first; let law_x = S(input_count); _ = law_x; }\n\
                fn m() -> u32 { return 1u; }";
    // It fails with the first rule after those about names.
    let error = error(thread().input_type("R").function("m"), text);
    assert!(matches!(error, ShaderError::Returns { .. }), "{error}");
}

#[test]
fn the_function_is_there() {
    let missing = error(thread(), "fn m() {}");
    assert!(matches!(missing, ShaderError::NoFunction { .. }));
    assert_eq!(
        missing.to_string(),
        "node `n`: `n.wgsl` has no function `n`"
    );
    // A name of the prelude does not belong to the user.
    let prelude = error(thread().function("input_count"), "fn n() {}");
    assert_eq!(
        prelude.to_string(),
        "node `n`: `n.wgsl` has no function `input_count`"
    );
}

#[test]
fn arguments_are_known_for_each_mode() {
    let unknown = error(grid(), "fn n(input_count: u32) {}");
    assert!(matches!(unknown, ShaderError::Argument { .. }));
    assert_eq!(
        unknown.to_string(),
        "node `n`: the function `n` has an unknown parameter `input_count`; known parameters: `group_id: vec3<u32>`, `grid: vec3<u32>`, `local_id: vec3<u32>`, `global_id: vec3<u32>`, `local_index: u32`"
    );
    let coalescing = Node::coalescing("n", 2, [1; 3]);
    assert_eq!(
        error(coalescing, "fn n(group_id: vec3<u32>) {}").to_string(),
        "node `n`: the function `n` has an unknown parameter `group_id`; known parameters: `local_id: vec3<u32>`, `local_index: u32`, `input_count: u32`"
    );
    let wrong_type = error(grid(), "fn n(local_index: i32) {}");
    assert!(matches!(wrong_type, ShaderError::Argument { .. }));
}

#[test]
fn thread_nodes_have_no_arguments() {
    assert_eq!(
        error(thread(), "fn n(local_index: u32) {}").to_string(),
        "node `n`: the function `n` has an unknown parameter `local_index`; known parameters: none"
    );
}

#[test]
fn nothing_is_returned() {
    let error = error(thread(), "fn n() -> u32 { return 1u; }");
    assert!(matches!(error, ShaderError::Returns { .. }));
    assert_eq!(
        error.to_string(),
        "node `n`: the function `n` must not return a value"
    );
}

#[test]
fn generated_names_differ() {
    // `store_input_a` of the input, and of the field `a` of an output `input`, cannot meet: but an
    // output `x` with a field `y_a` and an output `x_y` with a field `a` do.
    let node = thread()
        .entry()
        .output(Output::of_type("x", "P", 1))
        .output(Output::of_type("y", "Q", 1).named("x_y"))
        .source(Source::new("n.wgsl", "fn n() {}"));
    let target = |name: &str, record: &str| {
        Node::thread(name)
            .input_type(record)
            .source(Source::new("t.wgsl", format!("fn {name}() {{}}")))
    };
    let graph = empty()
        .record(RecordType::new("P").field("y_a", FieldType::U32))
        .record(RecordType::new("Q").field("a", FieldType::U32))
        .node(node)
        .node(target("x", "P"))
        .node(target("y", "Q"))
        .build()
        .unwrap();
    let (device, queue) = cpu();
    let runner = GraphRunner::new(&device, &queue, &graph, GraphOptions::default());
    let Err(GraphError::Shader(error)) = pollster::block_on(runner) else {
        panic!("the names are the same");
    };
    assert!(matches!(error, ShaderError::NameClash { .. }));
    assert_eq!(
        error.to_string(),
        "node `n`: its records, fields and outputs give two generated functions the name `load_x_y_a`; rename one of them"
    );
}

#[test]
fn group_3_is_the_graphs() {
    let text = "@group(3) @binding(9) var<storage> mine: array<u32>;\nfn n() { _ = mine[0]; }";
    let error = error(thread(), text);
    assert!(matches!(error, ShaderError::ReservedGroup { .. }));
    assert_eq!(
        error.to_string(),
        "node `n`: `mine` is in group 3, which belongs to the graph; use groups 0 to 2"
    );
}

#[test]
fn thread_nodes_do_not_wait() {
    let message =
        "node `n`: a thread node has no workgroup, so it cannot use barriers or workgroup memory";
    for text in [
        "fn n() { workgroupBarrier(); }",
        "fn n() { helper(); }\nfn helper() { if true { storageBarrier(); } }",
        "var<workgroup> w: u32;\nfn n() { w = 1u; }",
    ] {
        let error = error(thread(), text);
        assert!(matches!(error, ShaderError::ThreadNodeBarrier { .. }));
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_read_only_input_has_no_store() {
    let node = thread().input_type_with("R", InputAccess::ReadOnly);
    let text = error(node, "fn n() { store_input_a(1u); }").to_string();
    assert!(text.contains("n.wgsl:1:"), "{text}");
}
