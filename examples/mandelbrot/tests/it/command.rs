//! End-to-end tests of the `mandelbrot` command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mandelbrot-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mandelbrot"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Width and height of a PNG file.
fn png_size(path: &Path) -> (u32, u32) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let reader = decoder.read_info().unwrap();
    (reader.info().width, reader.info().height)
}

#[test]
fn every_board_has_a_view_of_its_own() {
    let folder = folder("boards");
    for (board, method) in [
        ("direct", "direct"),
        ("perturbation", "perturbation with wide exponents"),
        ("adaptive", "perturbation"),
    ] {
        let text = stdout(&run(&folder, &[board, "--size", "24x18"]));
        let begin = format!("mandelbrot-{board}.png (24x18): {method}, ");
        assert!(text.starts_with(&begin), "{text}");
        assert!(text.contains(" 0 retries, "), "{text}");
        let path = folder.join(format!("mandelbrot-{board}.png"));
        assert_eq!(png_size(&path), (24, 18));
    }
}

#[test]
fn checkpoints_have_frames_and_lines() {
    let folder = folder("frames");
    let text = stdout(&run(
        &folder,
        &[
            "direct",
            "--size",
            "16x12",
            "--limit",
            "40",
            "--slots",
            "3",
            "--checkpoints",
            "10,20",
        ]
        .into_iter()
        .chain([
            "--frames",
            "frames",
            "--out",
            "last.png",
            "--palette",
            "grey",
        ])
        .collect::<Vec<_>>(),
    ));
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("10 iterations: "), "{text}");
    assert!(lines[1].starts_with("20 iterations: "), "{text}");
    assert!(
        lines[2].starts_with("last.png (16x12): direct, 40 iterations, "),
        "{text}"
    );
    for name in ["frames/00000010.png", "frames/00000020.png", "last.png"] {
        assert_eq!(png_size(&folder.join(name)), (16, 12), "{name}");
    }
}

#[test]
fn bad_commands_give_one_line_and_exit_code_2() {
    let folder = folder("bad");
    for (arguments, message) in [
        (
            vec!["direct", "--re", "x"],
            "error: re `x` is not a decimal number\n",
        ),
        (
            vec!["direct", "--width", "0"],
            "error: width `0` is out of range: 1e-6020 to 1023\n",
        ),
        (
            vec!["direct", "--width", "-1"],
            "error: width `-1` is out of range: 1e-6020 to 1023\n",
        ),
        (
            vec!["direct", "--width", "NaN"],
            "error: width `NaN` is not a decimal number\n",
        ),
        (
            vec!["direct", "--width", "1e999999"],
            "error: width `1e999999` is out of range: 1e-6020 to 1023\n",
        ),
        (
            vec!["direct", "--size", "0x5"],
            "error: size 0x5 has no pixels\n",
        ),
        (
            vec!["direct", "--size", "100000x100000"],
            "error: size 100000x100000 is too large: the device has room for",
        ),
        (
            vec!["direct", "--size", "16x12", "--limit", "0"],
            "error: limit 0 is out of range: 1 to 1073741824 iterations\n",
        ),
        (
            vec!["direct", "--device", "no such device"],
            "error: no device matches --device no such device; there is `",
        ),
        (
            vec!["direct", "--out", "nowhere/a.png"],
            "error: cannot write nowhere/a.png: its folder does not exist\n",
        ),
        (
            vec!["sideways"],
            "error: invalid value 'sideways' for '<BOARD>': there is no board",
        ),
        (
            vec!["direct", "--size", "5"],
            "error: invalid value '5' for '--size <WxH>': `5` is no size",
        ),
    ] {
        let output = run(&folder, &arguments);
        let text = String::from_utf8(output.stderr).unwrap();
        // Drivers may write to stderr too.
        assert!(text.contains(message), "{arguments:?}: {text}");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
    let left: Vec<_> = fs::read_dir(&folder).unwrap().collect();
    assert!(left.is_empty(), "nothing is written: {left:?}");
}
