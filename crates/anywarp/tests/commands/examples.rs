//! The examples do what they say, by the very commands in their headers.

use crate::harness::{Folder, read_png, root, run};

/// The arguments of the command in an example's header.
fn command_of(example: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(example)).unwrap();
    let command = text
        .lines()
        .find_map(|line| line.strip_prefix("//   cargo run --release -- run "))
        .expect("a command in the header");
    let mut words = command.split_whitespace().map(str::to_owned);
    assert_eq!(words.next().as_deref(), Some(example));
    words.collect()
}

/// Runs it with its picture in `folder`, perhaps with some words replaced.
fn run_example(example: &str, folder: &Folder, replaced: &[(&str, &str)]) -> String {
    let mut words = command_of(example);
    for word in &mut words {
        for (from, to) in replaced {
            *word = word.replace(from, to);
        }
        if let Some((slot, picture)) = word.split_once('=')
            && picture.contains(".png")
        {
            *word = format!("{slot}={}", folder.path(picture));
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    run(example, &words).done().stdout
}

#[test]
fn mandelbrot_is_dark_inside_and_symmetric() {
    let folder = Folder::new("mandelbrot");
    // A smaller grid of the same picture: the example takes its size from the grid.
    let smaller = [("128,128", "32,32"), ("1024x1024", "256x256")];
    run_example("examples/mandelbrot.wgsl", &folder, &smaller);
    let (width, height, _, pixels) = read_png(&folder.path("mandelbrot.png"));
    assert_eq!((width, height), (256, 256));
    let at = |x: usize, y: usize| &pixels[(y * 256 + x) * 3..][..3];
    assert_eq!(at(150, 128), [0, 0, 4], "inside the set");
    assert_ne!(at(0, 0), at(150, 128), "outside of it");
    let rows = (0..128).filter(|&y| (0..256).any(|x| at(x, y) != at(x, 255 - y)));
    assert_eq!(rows.count(), 0, "rows that differ from their mirror image");
}

/// The same rules in the plainest Rust, from the same random cells.
fn life_steps(cells: &mut [bool], size: usize, steps: usize) {
    for _ in 0..steps {
        let old = cells.to_vec();
        for (index, cell) in cells.iter_mut().enumerate() {
            let (x, y) = (index % size, index / size);
            let mut count = 0;
            for (dx, dy) in [
                (0, 0),
                (1, 0),
                (2, 0),
                (0, 1),
                (2, 1),
                (0, 2),
                (1, 2),
                (2, 2),
            ] {
                let place = ((y + size + dy - 1) % size) * size + (x + size + dx - 1) % size;
                count += usize::from(old[place]);
            }
            *cell = count == 3 || (count == 2 && old[index]);
        }
    }
}

#[test]
fn life_lives_by_its_rules() {
    let folder = Folder::new("life");
    let start = folder.path("start.bin");
    let end = folder.path("end.bin");
    let life = "examples/life.wgsl";
    let step = [
        "--workgroups",
        "32,32",
        "--bind",
        "0:0=random:262144:5",
        "--swap",
        "0:0,0:1",
    ];
    let run_life = |repeat: &str, out: String| {
        run(
            life,
            &[&step[..], &["--repeat", repeat, "--out", &out]].concat(),
        )
        .done();
    };
    // One step reads 0:0 and leaves it as it is.
    run_life("1", format!("0:0={start}"));
    run_life("30", format!("0:1={end}"));

    let cells = |path: &str| -> Vec<bool> {
        let bytes = std::fs::read(path).unwrap();
        bytes.chunks(4).map(|word| word[0] & 1 == 1).collect()
    };
    let mut expected = cells(&start);
    life_steps(&mut expected, 256, 30);
    assert!(expected == cells(&end), "life after 30 steps");
}

#[test]
fn life_makes_its_picture() {
    let folder = Folder::new("life_picture");
    run_example("examples/life.wgsl", &folder, &[("200", "4")]);
    let (width, height, ..) = read_png(&folder.path("life.png"));
    assert_eq!((width, height), (256, 256));
}

#[test]
fn matmul_multiplies() {
    let folder = Folder::new("matmul");
    let printed = run_example("examples/matmul.wgsl", &folder, &[]);
    assert!(printed.starts_with("0:2 = ["), "{printed}");

    let values: Vec<String> = (0..64).map(|i| (i * 7 % 8).to_string()).collect();
    let identity: Vec<&str> = (0..64)
        .map(|i| if i % 9 == 0 { "1" } else { "0" })
        .collect();
    let a = format!("0:0=u32:{}", values.join(","));
    let b = format!("0:1=u32:{}", identity.join(","));
    let outcome = run(
        "examples/matmul.wgsl",
        &[
            "--constant",
            "SIZE=8",
            "--bind",
            &a,
            "--bind",
            &b,
            "--out",
            "0:2=print:f32:64",
        ],
    );
    assert_eq!(
        outcome.done().stdout,
        format!("0:2 = [{}]\n", values.join(", "))
    );
}
