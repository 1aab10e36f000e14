//! The Mandelbrot page gives the same picture as the CPU device, also after user input.

use anywarp_browser_tests::{Browser, Pointer, Tab};
use mandelbrot::{Board, Job, JobDescriptor};
use mandelbrot_page::settings::Settings;

use crate::pages::{serve, wait_for, wait_until_done};
use crate::picture::Picture;

/// For each board, views that exercise it: boundary and interior, distances in f32, and distances below the range of
/// f32. The deep ones are small copies of the set.
const VIEWS: &[(Board, &str)] = &[
    (Board::Direct, "re=-0.75&im=0&width=3&limit=300"),
    (
        Board::Perturbation,
        "re=0.0000000000000000000000000000003544771316819328420445298389516158397798671392851&\
         im=0.9999999999999999999999999999989394325361289183561328939347583321065608558984987&\
         width=5e-60&limit=1000",
    ),
    (
        Board::Adaptive,
        "re=-0.75&im=0.125&width=0.015625&limit=400",
    ),
    (
        Board::Adaptive,
        "re=0.000006842778712581655930934244&im=0.999996585822812043869649916877&\
         width=5e-10&limit=auto",
    ),
];

/// The checksum for the same settings on the CPU adapter.
fn native_checksum(query: &str, hash: &str, slots: u32) -> String {
    let settings = Settings::parse(query, hash, 1.0).unwrap();
    let adapter = anywarp_adapter::adapter(Default::default());
    let descriptor = wgpu::DeviceDescriptor {
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    let size = settings.size.expect("the test says which size");
    let mut descriptor = JobDescriptor::new(settings.view, size, settings.board);
    descriptor.limit = settings.limit;
    descriptor.slots = slots;
    let mut job = pollster::block_on(Job::new(&device, &queue, descriptor)).unwrap();
    while let Some(progress) = job.wait() {
        progress.unwrap();
    }
    let counts = job.image().counts();
    let first = counts[0];
    assert!(
        counts.iter().any(|count| *count != first),
        "the picture is blank"
    );
    format!("{:08x}", job.image().checksum())
}

/// Waits until the picture is complete, and reads its checksum.
fn page_checksum(tab: &Tab) -> String {
    wait_until_done(tab);
    tab.text("document.documentElement.dataset.checksum")
        .unwrap()
}

#[test]
fn every_board_gives_the_same_picture_in_the_browser() {
    let Some(browser) = Browser::launch_for("the Mandelbrot page") else {
        return;
    };
    let server = serve("mandelbrot-page");
    for (slots, (board, view)) in (1..).zip(VIEWS) {
        let query = format!("?{view}&board={board}&size=96x72&slots={slots}");
        let url = format!("{}{query}", server.url());
        let tab = browser.open(&url, [640, 480]).unwrap();
        let checksum = page_checksum(&tab);
        // The number of slots has no effect on the result, so it differs here.
        assert_eq!(checksum, native_checksum(&query, "", 5 - slots), "{query}");
        tab.close().unwrap();
    }
}

#[test]
fn a_view_moved_by_hand_ends_as_if_it_had_been_asked_for() {
    let Some(browser) = Browser::launch_for("moving the Mandelbrot page") else {
        return;
    };
    let server = serve("mandelbrot-page");
    let query = "?re=-0.7436&im=0.1318&width=0.01&board=adaptive&limit=1500&size=160x120";
    let url = format!("{}{query}", server.url());
    let tab = browser.open(&url, [640, 480]).unwrap();
    wait_for(&tab, "document.documentElement.dataset.batches > 0");
    // To the right of the panel, which covers a part of the picture.
    for (action, at) in [
        (Pointer::Press, [360.0, 240.0]),
        (Pointer::Drag, [350.0, 236.0]),
        (Pointer::Drag, [330.0, 230.0]),
        (Pointer::Release, [330.0, 230.0]),
        (Pointer::Wheel(-300.0), [380.0, 250.0]),
        (Pointer::Wheel(-150.0), [350.0, 250.0]),
    ] {
        tab.mouse(action, at).unwrap();
    }
    tab.key("ArrowUp").unwrap();
    tab.key("+").unwrap();
    let checksum = page_checksum(&tab);
    let hash = tab.text("location.hash").unwrap();
    assert_eq!(checksum, native_checksum(query, &hash, 1), "{hash}");

    // The view is the one after the input, not the initial one.
    let width = Settings::parse(query, &hash, 1.0).unwrap().view.width();
    let width: f64 = width.parse().unwrap();
    let expected = 0.01 / (450.0_f64 * 0.002).exp2() / 2.0;
    assert!(
        (width / expected - 1.0).abs() < 1e-3,
        "{width}, not {expected}"
    );
    let epoch = tab.evaluate("Number(document.documentElement.dataset.epoch)");
    assert!(epoch.unwrap().as_f64().unwrap() >= 1.0);

    // The choices, the whole set, and an address with a view.
    tab.evaluate("void (location.hash = '#re=-1.76&im=0&width=0.5&board=direct&limit=200')")
        .unwrap();
    let checksum = page_checksum_of_next(&tab, &checksum);
    let hash = tab.text("location.hash").unwrap();
    assert!(hash.contains("board=direct"), "{hash}");
    assert_eq!(checksum, native_checksum(query, &hash, 2));
    tab.key("r").unwrap();
    let checksum = page_checksum_of_next(&tab, &checksum);
    let hash = tab.text("location.hash").unwrap();
    assert!(hash.contains("re=-0.75&im=0&"), "{hash}");
    assert_eq!(checksum, native_checksum(query, &hash, 2));
}

/// Waits for a picture that differs from the last one.
fn page_checksum_of_next(tab: &Tab, last: &str) -> String {
    let is_next = format!(
        "document.documentElement.dataset.checksum !== '{last}' && document.documentElement.dataset.state === 'done'"
    );
    wait_for(tab, &is_next);
    page_checksum(tab)
}

#[test]
fn fingers_pinch_the_view() {
    let Some(browser) = Browser::launch_for("fingers on the Mandelbrot page") else {
        return;
    };
    let server = serve("mandelbrot-page");
    let query = "?re=-0.75&im=0&width=3&board=direct&limit=200&size=160x120";
    let tab = browser
        .open(&format!("{}{query}", server.url()), [640, 480])
        .unwrap();
    let before = page_checksum(&tab);
    // To the right of the panel, which covers a part of the picture.
    tab.touch(&[[370.0, 240.0], [390.0, 240.0]], true).unwrap();
    tab.touch(&[[360.0, 240.0], [400.0, 240.0]], false).unwrap();
    tab.touch(&[], false).unwrap();
    let checksum = page_checksum_of_next(&tab, &before);
    let hash = tab.text("location.hash").unwrap();
    assert_eq!(checksum, native_checksum(query, &hash, 2), "{hash}");
    let width = Settings::parse(query, &hash, 1.0).unwrap().view.width();
    assert_eq!(width, "1.5");
}

#[test]
fn the_page_fills_the_window_and_is_not_blank() {
    let Some(browser) = Browser::launch_for("a picture of the Mandelbrot page") else {
        return;
    };
    let server = serve("mandelbrot-page");
    // A small copy of the set, deeper than the range of f32.
    let url = format!(
        "{}#re=0.00000684277871258&im=0.99999658582281204&width=1.5e-9&palette=ocean",
        server.url()
    );
    let tab = browser.open(&url, [900, 560]).unwrap();
    page_checksum(&tab);
    let picture = Picture::keep("mandelbrot-page.png", &tab.screenshot().unwrap());
    assert_eq!(picture.size(), [900, 560]);
    // To the right of the panel is only the set.
    for corner in [[360, 0], [630, 0], [360, 280], [630, 280]] {
        let (colours, most) = picture.colours(corner, [270, 280]);
        assert!(
            colours > 30 && most < 0.5,
            "{colours} colours, one covers {most}"
        );
    }
    for id in [
        "method",
        "iterations",
        "pixels",
        "batches",
        "retries",
        "re",
        "im",
        "width",
        "checksum",
        "adapter",
    ] {
        let text = tab.text(&format!("document.getElementById('{id}').textContent"));
        assert!(!text.unwrap().is_empty(), "#{id} says nothing");
    }
}

#[test]
fn without_webgpu_the_page_says_so() {
    let Some(browser) = Browser::launch_for("the Mandelbrot page without WebGPU") else {
        return;
    };
    let server = serve("mandelbrot-page");
    for (script, query, said) in [
        (
            "delete Navigator.prototype.gpu",
            "",
            "This browser has no WebGPU",
        ),
        (
            "GPU.prototype.requestAdapter = async () => null",
            "",
            "no adapter",
        ),
        ("", "?width=wide", "width `wide` is not a decimal number"),
        ("", "?size=100000x100000", "100000x100000"),
    ] {
        let url = format!("{}{query}", server.url());
        let tab = browser.open_with(&url, [640, 480], script).unwrap();
        wait_for(&tab, "document.documentElement.dataset.state === 'failed'");
        let message = tab
            .text("document.getElementById('message').innerText")
            .unwrap();
        assert!(message.contains(said), "{message}");
        tab.close().unwrap();
    }
}
