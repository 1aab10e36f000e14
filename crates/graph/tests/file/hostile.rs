//! Untrusted files: the paths and the memory that they can request are bounded, each with one
//! error.

use std::fs;
use std::path::{Path, PathBuf};

use anywarp_graph::file::FileOptions;
use anywarp_graph::model::Rule;
use anywarp_graph::{GraphFile, Plan};

use crate::file::{load, parse};

/// A separate folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("anywarp-graph-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("graph/shaders")).unwrap();
    folder
}

/// A graph whose only node has this source.
fn graph(source: &str) -> String {
    format!("[[node]]\nname = \"a\"\nlaunch = \"thread\"\nentry = true\nsource = \"{source}\"\n")
}

fn read(folder: &Path, source: &str, options: &FileOptions) -> Result<GraphFile, String> {
    let path = folder.join("graph/g.toml");
    fs::write(&path, graph(source)).unwrap();
    GraphFile::read_with(&path, options).map_err(|error| error.to_string())
}

#[track_caller]
fn is_refused(folder: &Path, source: &str, reason: &str) {
    let error = read(folder, source, &FileOptions::default()).unwrap_err();
    assert!(error.contains(reason), "{source}: {error}");
    assert!(!error.contains("confidential"), "{source}: {error}");
}

const OUTSIDE: &str =
    "it is outside the folder of the graph file; allow its folder with `--allow-dir`";

#[test]
fn sources_outside_the_folder_are_refused_unless_allowed() {
    let folder = folder("outside");
    fs::write(folder.join("secret.wgsl"), "confidential").unwrap();
    fs::write(folder.join("graph/shaders/a.wgsl"), "fn a() {}").unwrap();
    let absolute = folder.join("secret.wgsl");
    let absolute = absolute.to_str().unwrap();
    for source in [
        absolute,
        "../secret.wgsl",
        "shaders/../../secret.wgsl",
        "/etc/passwd",
    ] {
        is_refused(&folder, source, OUTSIDE);
    }
    for source in ["shaders/a.wgsl", "./shaders/../shaders/a.wgsl"] {
        read(&folder, source, &FileOptions::default()).unwrap();
    }
    let allowed = FileOptions::default().allow_folder(&folder);
    for source in [absolute, "../secret.wgsl"] {
        read(&folder, source, &allowed).unwrap();
    }
    let elsewhere = FileOptions::default().allow_folder(folder.join("graph/shaders"));
    assert!(
        read(&folder, absolute, &elsewhere)
            .unwrap_err()
            .contains(OUTSIDE)
    );
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[test]
fn links_that_lead_outside_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = folder("links");
    fs::write(folder.join("secret.wgsl"), "confidential").unwrap();
    symlink(
        folder.join("secret.wgsl"),
        folder.join("graph/absolute.wgsl"),
    )
    .unwrap();
    symlink("../secret.wgsl", folder.join("graph/relative.wgsl")).unwrap();
    symlink("..", folder.join("graph/up")).unwrap();
    for source in ["absolute.wgsl", "relative.wgsl", "up/secret.wgsl"] {
        let error = read(&folder, source, &FileOptions::default()).unwrap_err();
        assert!(
            error.contains(OUTSIDE) || error.contains("link"),
            "{source}: {error}"
        );
    }
    fs::remove_dir_all(folder).unwrap();
}

/// A thread swaps the folder of a source for a link to a folder outside, and back, while the source
/// is read.
#[cfg(unix)]
#[test]
fn a_folder_that_is_exchanged_for_a_link_never_leads_outside() {
    use std::sync::atomic::{AtomicBool, Ordering};
    const TRIES: u32 = 20_000;
    const ENOUGH: u32 = 300;
    let folder = folder("race");
    fs::create_dir(folder.join("outside")).unwrap();
    fs::write(folder.join("outside/a.wgsl"), "fn a() { secret(); }").unwrap();
    fs::write(folder.join("graph/shaders/a.wgsl"), "fn a() {}").unwrap();
    std::os::unix::fs::symlink("../outside", folder.join("graph/link")).unwrap();
    let path = folder.join("graph/g.toml");
    fs::write(&path, graph("shaders/a.wgsl")).unwrap();
    let is_done = AtomicBool::new(false);
    let exchange = || {
        let at = |name| folder.join("graph").join(name);
        while !is_done.load(Ordering::Relaxed) {
            fs::rename(at("shaders"), at("kept")).unwrap();
            fs::rename(at("link"), at("shaders")).unwrap();
            fs::rename(at("shaders"), at("link")).unwrap();
            fs::rename(at("kept"), at("shaders")).unwrap();
        }
    };
    // Reads inside, refusals of the link, and other errors: for a moment there is neither a folder nor a link.
    let (mut inside, mut refused, mut missing, mut leaks) = (0, 0, 0, Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(exchange);
        for _ in 0..TRIES {
            match GraphFile::read_with(&path, &FileOptions::default()) {
                Ok(file) => {
                    let sources = format!("{:?}", file.graph());
                    inside += u32::from(sources.contains("fn a() {}"));
                    leaks.extend(sources.contains("secret").then_some(sources));
                }
                Err(error) => {
                    let error = error.to_string();
                    let is_refused = !error.contains("No such file");
                    *(if is_refused {
                        &mut refused
                    } else {
                        &mut missing
                    }) += 1;
                    leaks.extend(error.contains("secret").then_some(error));
                }
            }
            if !leaks.is_empty() || (inside > ENOUGH && refused > ENOUGH) {
                break;
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    assert_eq!(leaks, [""; 0], "read outside");
    let counts = format!("{inside} inside, {refused} refused, {missing} missing");
    assert!(inside > 0 && refused > 0, "{counts}");
    fs::remove_dir_all(folder).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_is_refused_instead_of_waited_for() {
    let folder = folder("fifo");
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("graph/a.wgsl"))
        .status();
    assert!(made.unwrap().success());
    is_refused(&folder, "a.wgsl", "it is not a regular file");
    is_refused(&folder, "shaders", "it is not a regular file");
    fs::remove_dir_all(folder).unwrap();
}

fn record(fields: usize) -> String {
    let fields: Vec<_> = (0..fields).map(|it| format!("\"f{it}: u32\"")).collect();
    let fields = fields.join(", ");
    format!("[[record]]\nname = \"R\"\nfields = [{fields}]\n")
}

#[test]
fn a_record_of_100_000_fields_is_one_error() {
    parse(&record(1024)).unwrap();
    let error = parse(&record(100_000)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "folder/g.toml: record `R`: has 100000 fields; at most 1024 are allowed"
    );
}

#[test]
fn nested_types_of_fields_do_not_recurse() {
    let ty = format!("{}u32{}", "array<".repeat(100_000), ", 1>".repeat(100_000));
    let text = format!("[[record]]\nname = \"R\"\nfields = [\"a: {ty}\"]\n");
    assert!(
        parse(&text)
            .unwrap_err()
            .to_string()
            .contains("is not a field")
    );
}

#[test]
fn many_outputs_to_large_arrays_are_one_error() {
    let output = |index: usize| {
        let budget = match index {
            0 => "budget = 8".to_owned(),
            _ => "share_budget = \"o0\"".to_owned(),
        };
        format!("{{ to = \"b\", name = \"o{index}\", array = \"sparse\", size = 4096, {budget} }}")
    };
    let text = |outputs: usize| {
        let outputs: Vec<_> = (0..outputs).map(output).collect();
        let outputs = outputs.join(", ");
        format!(
            "[[node]]\nname = \"a\"\nlaunch = \"thread\"\nentry = true\nsource = \"a.wgsl\"\noutput = [{outputs}]\n\
             [[node]]\nname = \"b\"\nlaunch = \"thread\"\nsource = \"a.wgsl\"\n"
        )
    };
    let file = parse(&text(256)).unwrap();
    Plan::new(file.graph(), &file.plan_options()).unwrap();
    let error = parse(&text(257)).unwrap_err().to_string();
    assert!(
        error.contains("more than 1048576 targets in all"),
        "{error}"
    );
}

#[test]
fn what_a_file_asks_for_is_bounded() {
    let over = "the file asks for more than 1073741824 bytes in all";
    let rows = "[], ".repeat(30_000);
    let columns = "0, ".repeat(30_000);
    let buffer = |index: u32, size: u64| {
        format!("[[buffer]]\nname = \"b{index}\"\nbinding = {index}\nsize = {size}\n")
    };
    let huge = [
        "memory = 17179869184\n".to_owned(),
        format!("local_arguments = [{rows}[{columns}]]\n"),
        buffer(0, 1 << 40),
        (0..5).map(|index| buffer(index, 1 << 28)).collect(),
        "[[texture]]\nname = \"t\"\nbinding = 0\nsize = [32768, 32768]\n".to_owned(),
    ];
    for text in huge {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(over), "{error}");
        assert!(error.contains("`--max-bytes`"), "{error}");
    }
    let options = FileOptions::default().with_bytes(1 << 40);
    GraphFile::parse_with("g.toml", &buffer(0, 1 << 40), &options, load).unwrap();
}

/// Each node keeps a copy of its texts.
#[test]
fn a_text_that_is_named_often_counts_each_time() {
    let names = "\"a.wgsl\", ".repeat(200);
    let text =
        format!("[[node]]\nname = \"a\"\nlaunch = \"thread\"\nentry = true\nsource = [{names}]\n");
    let options = FileOptions::default().with_bytes(1000);
    let error = GraphFile::parse_with("g.toml", &text, &options, load).unwrap_err();
    assert!(
        error.to_string().contains("more than 1000 bytes in all"),
        "{error}"
    );
}

/// A cycle of every node, and the overrides and inputs of a large graph, take linear time.
#[test]
fn large_graphs_are_read_in_linear_time() {
    let nodes: String = (0..20_000)
        .map(|it| {
            let next = (it + 1) % 20_000;
            format!(
                "[[node]]\nname = \"n{it}\"\nlaunch = \"thread\"\nentry = true\nsource = \"a.wgsl\"\n\
                 output = [{{ to = \"n{next}\", budget = 1 }}]\n"
            )
        })
        .collect();
    let error = parse(&nodes).unwrap_err().to_string();
    assert!(error.contains("form a cycle"), "{}", &error[..200]);
    let nodes: String = (0..20_000)
        .map(|it| {
            format!(
                "[[node]]\nname = \"n{it}\"\nlaunch = \"thread\"\nentry = true\nsource = \"a.wgsl\"\n\
                 [[override]]\nnode = \"n{it}\"\nentry = true\n[[input]]\nnode = \"n{it}\"\ncount = 1\n"
            )
        })
        .collect();
    assert_eq!(parse(&nodes).unwrap().plan_options().input_records, 1);
}

/// The rule is public, for programs that build graphs themselves.
#[test]
fn the_limit_of_fields_is_a_rule() {
    let mut record = anywarp_graph::RecordType::new("R");
    for field in 0..1025 {
        record = record.field(format!("f{field}"), anywarp_graph::model::FieldType::U32);
    }
    let fault = anywarp_graph::Graph::builder("g")
        .record(record)
        .build()
        .unwrap_err();
    assert_eq!(fault.rule(), &Rule::TooManyFields(1025));
}
