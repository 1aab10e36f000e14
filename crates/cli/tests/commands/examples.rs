//! The examples give the results that they promise, with the commands in their headers.

use crate::harness::{Folder, anywarp, read_png, root, run};

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

/// Runs an example with its picture in `folder`, optionally with some arguments replaced.
fn run_example(example: &str, folder: &Folder, replaced: &[(&str, &str)]) -> String {
    let mut words = command_of(example);
    for word in &mut words {
        for (from, to) in replaced {
            *word = word.replace(from, to);
        }
        // Paths with a folder are inputs.
        if let Some((slot, picture)) = word.split_once('=')
            && picture.contains(".png")
            && !picture.contains('/')
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
    // A smaller grid gives the same picture at a lower resolution: the example takes its size from the grid.
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

#[test]
fn ripples_are_inverted_on_the_left() {
    let folder = Folder::new("ripples");
    run_example("examples/ripples.comp", &folder, &[]);
    let (width, height, _, pixels) = read_png(&folder.path("ripples.png"));
    assert_eq!((width, height), (256, 256));
    let at = |x: usize, y: usize| &pixels[(y * 256 + x) * 3..][..3];
    let rows = (0..128).filter(|&y| (0..256).any(|x| at(x, y) != at(x, 255 - y)));
    assert_eq!(rows.count(), 0, "rows that differ from their mirror image");
    let inverted = (0..96).filter(|&x| at(x, 128) != at(255 - x, 128));
    assert!(inverted.count() > 80);
}

/// The same rules in plain Rust, with the same random cells.
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
        "--bind",
        "0:1=zeros:262144",
    ];
    let run_life = |more: &[&str], out: String| {
        run(life, &[&step[..], more, &["--out", &out]].concat()).done();
    };
    // One step reads 0:0 and does not change it.
    run_life(&[], format!("0:0={start}"));
    run_life(
        &["--swap", "0:0,0:1", "--repeat", "30"],
        format!("0:1={end}"),
    );

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

/// In order the result looks right; the seed in the header shows the race, and reproduces it.
#[test]
fn race_is_shown_by_its_seed() {
    let example = "examples/race.wgsl";
    let print = |schedule: &[&str]| {
        let command = [&["run", example, "--out", "0:0=print:u32"], schedule].concat();
        anywarp(&command).done().stdout
    };
    let right = "0:0 = [1, 1, 2, 3, 4, 5, 6, 7]\n";
    assert_eq!(print(&[]), right);
    assert_eq!(print(&["--schedule", "in-order"]), right);
    let command = command_of(example);
    let seed = ["--schedule", "random:7"];
    assert!(command.windows(2).any(|words| words == seed), "{command:?}");
    let wrong = print(&seed);
    assert_ne!(wrong, right);
    assert_eq!(print(&seed), wrong);
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

#[test]
fn particles_fall() {
    let folder = Folder::new("particles");
    let printed = run_example("examples/particles.wgsl", &folder, &[]);
    let particle = "{position: [0, -1.5, 0], mass: 0, velocity: [0, -2, 0]}";
    assert_eq!(printed, format!("particles = [{particle}, {particle}]\n"));
}

/// Sobel's operator on the brightness of a picture, in plain Rust.
fn sobel(pixels: &[u8], width: usize, height: usize) -> Vec<f64> {
    let brightness = |x: isize, y: isize| {
        let x = x.clamp(0, width as isize - 1) as usize;
        let y = y.clamp(0, height as isize - 1) as usize;
        let pixel = &pixels[(y * width + x) * 4..][..3];
        let weights = [0.2126, 0.7152, 0.0722];
        let weighted = pixel.iter().zip(weights);
        weighted
            .map(|(it, weight)| f64::from(*it) / 255.0 * weight)
            .sum::<f64>()
    };
    let slope = |index: usize| {
        let (x, y) = ((index % width) as isize, (index / width) as isize);
        let across: f64 = (-1..=1)
            .map(|side: isize| {
                let weight = (2 - side.abs()) as f64;
                weight * (brightness(x + 1, y + side) - brightness(x - 1, y + side))
            })
            .sum();
        let down: f64 = (-1..=1)
            .map(|side: isize| {
                let weight = (2 - side.abs()) as f64;
                weight * (brightness(x + side, y + 1) - brightness(x + side, y - 1))
            })
            .sum();
        across.hypot(down).min(1.0) * 255.0
    };
    (0..width * height).map(slope).collect()
}

#[test]
fn edges_are_where_brightness_changes() {
    let folder = Folder::new("edges");
    let line = run_example("examples/edges.wgsl", &folder, &[]);
    assert!(line.contains("edges.png (640x400 rgba8unorm)"), "{line}");
    let picture = root().join("docs/images/ray-tracer.png");
    let (width, height, colour, pixels) = read_png(picture.to_str().unwrap());
    assert_eq!(colour, png::ColorType::Rgba);
    let expected = sobel(&pixels, width as usize, height as usize);
    let (edge_width, edge_height, _, edges) = read_png(&folder.path("edges.png"));
    assert_eq!((edge_width, edge_height), (width, height));
    // Sums in f32 may round to the next byte.
    let wrong = expected
        .iter()
        .zip(edges.chunks(4))
        .filter(|(expected, pixel)| {
            (*expected - f64::from(pixel[0])).abs() > 0.51
                || pixel[0] != pixel[2]
                || pixel[3] != 255
        });
    assert_eq!(wrong.count(), 0, "pixels that are not Sobel's");
    assert!(expected.iter().any(|it| *it > 200.0) && expected.iter().any(|it| *it < 1.0));
}
