//! `anywarp bench` at tiny sizes.

use serde_json::Value;

use crate::harness::{CommandOutput, Folder, anywarp};

const ROWS: [&str; 29] = [
    "mandelbrot",
    "matmul_naive",
    "matmul_tiled",
    "nbody",
    "triad",
    "reduce",
    "histogram",
    "scan",
    "hash",
    "trans",
    "empty",
    "dispatches",
    "sum_strided",
    "sum_grid",
    "sum_vec4",
    "block_scan",
    "heat",
    "heat_rows",
    "heat_mask",
    "life",
    "gray_scott",
    "blur",
    "sobel",
    "bitonic",
    "top_k",
    "fft",
    "ray_march",
    "path_trace",
    "neighbours",
];

fn bench(options: &[&str]) -> CommandOutput {
    anywarp(&[&["bench", "--quick", "--runs", "1"], options].concat())
}

/// The first words of a table's lines.
fn first_words(text: &str) -> Vec<&str> {
    let words = text.lines().map(|line| line.split(' ').next());
    words.map(Option::unwrap_or_default).collect()
}

fn read_json(path: &str) -> Value {
    let text = std::fs::read_to_string(path).expect("the command has written the file");
    serde_json::from_str(&text).expect("the file is JSON")
}

#[test]
fn the_table_has_every_row_and_every_contender() {
    let folder = Folder::new("bench_table");
    let path = folder.path("figures.json");
    let text = bench(&["--json", &path]).done().stdout;
    let words = first_words(&text);
    for row in ROWS {
        assert_eq!(
            words.iter().filter(|word| **word == row).count(),
            1,
            "{text}"
        );
    }
    assert!(text.contains("all checksums are right"), "{text}");

    let json = read_json(&path);
    assert_eq!(json["size"], "small");
    let contenders = json["contenders"].as_array().unwrap();
    for contender in contenders {
        let label = contender["label"].as_str().unwrap();
        assert!(text.contains(label), "no {label} in {text}");
    }
    let rows = json["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ROWS);
    assert_eq!(rows[0]["group"], "limits");
    assert_eq!(rows[ROWS.len() - 1]["group"], "shapes");
    if contenders.iter().any(|it| it["label"] == "vulkan") {
        assert!(text.contains("geometric mean, limits"), "{text}");
        assert!(text.contains("geometric mean, shapes"), "{text}");
    }
    for row in rows {
        let results = row["results"].as_array().unwrap();
        assert_eq!(results.len(), contenders.len(), "{row}");
        results.iter().for_each(|result| check(row, result));
    }
}

/// Each contender has either a time and a checksum, or the reason why it did not take part.
fn check(row: &Value, result: &Value) {
    if result["obstacle"].is_string() {
        assert!(result["ms"].is_null(), "{result}");
        assert_ne!(result["contender"], "interpreter", "{result}");
        return;
    }
    assert!(result["ms"].as_f64() > Some(0.0), "{row}");
    let has_checksum = result["checksum"].is_number();
    assert_eq!(has_checksum, row["name"] != "empty", "{row}");
}

#[test]
fn rows_are_chosen_by_name() {
    let text = bench(&["--only", "scan,hash"]).done().stdout;
    let words = first_words(&text);
    let shown: Vec<&str> = ROWS.into_iter().filter(|row| words.contains(row)).collect();
    assert_eq!(shown, ["scan", "hash"], "{text}");
    let text = bench(&["--only", "hash", "--device", "interpreter"])
        .done()
        .stdout;
    assert!(!text.contains("avx"), "{text}");
    assert!(text.contains("no adapter of a driver"), "{text}");
    bench(&["--device", "abacus"])
        .failed(2, &["no device matches --device abacus", "`interpreter`"]);
    bench(&["--only", "scam"]).failed(2, &["--only", "no row `scam`", "`mandelbrot`", "`compile`"]);
}

#[test]
fn strict_floats_are_said() {
    let options = ["--only", "mandelbrot", "--device", "interpreter"];
    let text = bench(&[&options[..], &["--strict-float"]].concat());
    let text = text.done().stdout;
    assert!(text.contains("the interpreter, without fusion"), "{text}");
    assert!(!bench(&options).done().stdout.contains("without fusion"));
}

#[test]
fn compiling_is_measured_on_a_ladder() {
    let folder = Folder::new("bench_compile");
    let path = folder.path("figures.json");
    let text = bench(&["--only", "compile", "--json", &path]).done().stdout;
    assert!(text.contains("ms from text to result"), "{text}");
    let json = read_json(&path);
    assert_eq!(json["rows"], serde_json::json!([]));
    let rungs = json["compile"].as_array().unwrap();
    let lines: Vec<u64> = rungs
        .iter()
        .filter_map(|rung| rung["lines"].as_u64())
        .collect();
    assert_eq!(lines, [52, 98, 76, 58, 58, 108, 58]);
    for rung in rungs {
        let results = rung["results"].as_array().unwrap();
        let interpreter = results
            .iter()
            .find(|result| result["contender"] == "interpreter");
        assert!(interpreter.unwrap()["ms"].as_f64() > Some(0.0), "{rung}");
        for phases in rung["phases"].as_array().unwrap() {
            for step in [
                "parse", "lower", "passes", "bounds", "select", "allocate", "emit", "scan",
            ] {
                assert!(phases[step].as_f64() > Some(0.0), "{step} in {phases}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_said_before_anything_runs() {
    let folder = Folder::new("bench_wrong");
    let path = folder.path("none/figures.json");
    bench(&["--json", &path]).failed(2, &["cannot write", "figures.json"]);
    anywarp(&["bench", "--runs", "0"]).failed(2, &["--runs"]);
}
