//! `anywarp gallery`: the list, single examples, and all of them at a small size.

use std::path::Path;
use std::process::Command;

use crate::harness::{CommandOutput, Folder, anywarp, outcome, read_png, report_skip, root};

/// Runs examples with little work, on the device under test, into a folder.
fn quick(names: &[&str], folder: &str) -> CommandOutput {
    let device = std::env::var("ANYWARP_TEST_DEVICE").unwrap_or_else(|_| "cpu".to_owned());
    let options = ["--quick", "--out", folder, "--device", &device];
    anywarp(&[&["gallery"], names, &options].concat())
}

/// The values of an attribute in a page.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let mark = format!(" {name}=\"");
    let values = html.split(&mark).skip(1);
    values
        .map(|rest| rest.split('"').next().unwrap_or_default())
        .collect()
}

/// The part of a page about an example.
fn card<'a>(html: &'a str, name: &str) -> &'a str {
    let mark = format!("<article id=\"{name}\">");
    let (_, rest) = html
        .split_once(&mark)
        .unwrap_or_else(|| panic!("no card {name}"));
    rest.split("</article>").next().unwrap_or_default()
}

/// Checks that a page refers to files of its folder only, and that pictures have the sizes that it states.
fn check_references(html: &str, folder: &Folder) {
    for name in attributes(html, "href")
        .into_iter()
        .chain(attributes(html, "src"))
    {
        assert!(
            !name.contains("//") && !name.starts_with(['/', '.']),
            "{name}"
        );
        assert!(Path::new(&folder.path(name)).is_file(), "{name}");
    }
    let pictures = attributes(html, "src");
    let sizes = attributes(html, "width")
        .into_iter()
        .zip(attributes(html, "height"));
    assert!(!pictures.is_empty());
    for (picture, (page_width, page_height)) in pictures.into_iter().zip(sizes) {
        let (width, height, ..) = read_png(&folder.path(picture));
        let size = (width.to_string(), height.to_string());
        assert_eq!(
            (page_width, page_height),
            (size.0.as_str(), size.1.as_str()),
            "{picture}"
        );
    }
}

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path(name)).unwrap()
}

#[test]
fn examples_are_listed_with_what_they_show() {
    let list = anywarp(&["gallery"]).done().stdout;
    for (name, capability) in [
        ("mandelbrot", "divergent loops as vector code"),
        ("quadtree", "recursive work graph"),
        ("deep-zoom", "guarded batches"),
        ("ripples", "GLSL"),
    ] {
        let line = list.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(line.ends_with(capability), "{line}");
    }
}

#[test]
fn one_example_gives_its_picture_its_source_and_a_page() {
    let folder = Folder::new("gallery_one");
    let outcome = quick(&["mandelbrot"], &folder.path("new/deep")).done();
    assert!(
        outcome.stdout.contains("mandelbrot.png"),
        "{}",
        outcome.stdout
    );
    let (width, height, ..) = read_png(&folder.path("new/deep/mandelbrot.png"));
    assert_eq!((width, height), (256, 256));
    let source = std::fs::read_to_string(root().join("examples/mandelbrot.wgsl")).unwrap();
    assert_eq!(read(&folder, "new/deep/examples/mandelbrot.wgsl"), source);
    let html = read(&folder, "new/deep/index.html");
    assert!(html.contains("1 example ran on "));
    assert!(card(&html, "mandelbrot").contains("fn escape_time(c: vec2f)"));
    assert!(!html.contains("<article id=\"life\">"));
}

/// The page's command gives the same picture, in the gallery's folder.
#[test]
fn the_command_of_the_page_gives_the_same_picture() {
    let folder = Folder::new("gallery_by_hand");
    quick(&["reaction"], &folder.path("")).done();
    let html = read(&folder, "index.html");
    let (_, command) = card(&html, "reaction").split_once("$ anywarp ").unwrap();
    let command = command.split('<').next().unwrap();
    let drawn = std::fs::read(folder.path("reaction.png")).unwrap();
    std::fs::remove_file(folder.path("reaction.png")).unwrap();
    let again = Command::new(env!("CARGO_BIN_EXE_anywarp"))
        .args(command.split(' '))
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    assert!(
        again.status.success(),
        "{}",
        String::from_utf8_lossy(&again.stderr)
    );
    assert_eq!(std::fs::read(folder.path("reaction.png")).unwrap(), drawn);
}

#[test]
fn every_example_runs_and_the_page_shows_them() {
    let folder = Folder::new("gallery_all");
    let outcome = quick(&["all"], &folder.path("")).done();
    let html = read(&folder, "index.html");
    check_references(&html, &folder);
    assert!(!outcome.stdout.contains("failed"), "{}", outcome.stdout);
    for line in outcome
        .stdout
        .lines()
        .filter(|line| line.contains("skipped"))
    {
        report_skip(&format!("gallery: {line}"));
    }
    for name in [
        "sort",
        "sha256",
        "life",
        "walks",
        "matmul",
        "particle-grid",
        "deep-zoom",
    ] {
        assert!(card(&html, name).contains("✓ verified: "), "{name}");
    }
}

#[test]
fn a_kernel_needs_a_checkout() {
    let folder = Folder::new("gallery_no_checkout");
    let mut command = Command::new(env!("CARGO_BIN_EXE_anywarp"));
    let path = folder.path("");
    command.args(["gallery", "ray-tracer", "life", "--quick", "--out", "here"]);
    let output = command.current_dir(&path).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    assert!(
        stdout.contains("ray-tracer      skipped  `examples/kernels` is not here"),
        "{stdout}"
    );
    assert!(stdout.contains("life.png"), "{stdout}");
    let html = read(&folder, "here/index.html");
    assert!(card(&html, "ray-tracer").contains("skipped: "));
}

/// A folder in the place of a picture makes one example fail.
#[test]
fn a_failing_example_does_not_stop_the_others() {
    let folder = Folder::new("gallery_failing");
    std::fs::create_dir(folder.path("edges.png")).unwrap();
    let outcome =
        quick(&["edges", "ripples"], &folder.path("")).failed(1, &["1 of 2 examples failed"]);
    assert!(
        outcome.stdout.contains("edges            failed  "),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("ripples.png"), "{}", outcome.stdout);
    let html = read(&folder, "index.html");
    assert!(card(&html, "edges").contains("failed: "));
    check_references(&html, &folder);
}

#[test]
fn unknown_names_are_refused_before_anything_runs() {
    let folder = Folder::new("gallery_unknown");
    let page = folder.path("page");
    quick(&["life", "mandelbrod"], &page).failed(
        2,
        &["no example `mandelbrod`", "did you mean `mandelbrot`?"],
    );
    assert!(!Path::new(&page).exists());
    quick(&["xyzzy"], &page).failed(2, &["no example `xyzzy`", "`anywarp gallery` lists them"]);
}

#[test]
fn wrong_options_are_refused() {
    let folder = Folder::new("gallery_wrong");
    let file = folder.file("file", "text");
    quick(&["life"], &file).failed(2, &["file: it is a file, not a folder"]);
    let inside = folder.path("file/inside");
    quick(&["life"], &inside).failed(2, &["cannot write"]);
    anywarp(&["gallery", "--out", &folder.path("new")]).failed(2, &["NAME"]);
    anywarp(&[
        "gallery",
        "life",
        "--out",
        &folder.path("new"),
        "--device",
        "nothing",
    ])
    .failed(2, &["no device matches --device nothing"]);
    assert!(!Path::new(&folder.path("new")).exists());
}

#[test]
fn other_devices_skip_what_they_cannot_do() {
    let Some(driver) =
        outcome(Command::new(env!("CARGO_BIN_EXE_anywarp")).args(["devices", "--json"]))
            .json()
            .as_array()
            .and_then(|devices| devices.get(1).cloned())
    else {
        report_skip("gallery: there is no device besides the CPU");
        return;
    };
    let folder = Folder::new("gallery_device");
    let name = driver["name"].as_str().unwrap();
    let options = ["--quick", "--device", name, "--out", &folder.path("")];
    let done = anywarp(&[&["gallery", "race", "ripples"], &options[..]].concat()).done();
    assert!(
        done.stdout.contains("race            skipped  "),
        "{}",
        done.stdout
    );
    assert!(done.stdout.contains("ripples.png"), "{}", done.stdout);
}
