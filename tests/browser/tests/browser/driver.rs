//! Tests of the browser driver: errors in a page are reported, and every call returns in bounded time.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anywarp_browser_tests::{Browser, BrowserError, Pointer, Tab};
use anywarp_pages::Server;

/// A page with this script.
fn page(name: &str, script: &str) -> (Server, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("driver")
        .join(name);
    fs::create_dir_all(&folder).unwrap();
    let html = format!(
        "<!doctype html><style>* {{ touch-action: none }}</style><link rel='icon' href='data:,'><title>x</title><body>text<script>{script}</script>"
    );
    fs::write(folder.join("index.html"), html).unwrap();
    (Server::start(&folder, 0).unwrap(), folder)
}

/// The error of waiting for a condition that never becomes true.
fn wait_in_vain(tab: &Tab) -> Result<(), BrowserError> {
    tab.wait_for("document.title === 'done'", Duration::from_secs(10))
}

#[test]
fn trouble_in_a_page_is_told() {
    let Some(browser) = Browser::launch_for("trouble in a page") else {
        return;
    };
    let failures = [
        ("console", "console.error('bad thing', 3)", "bad thing 3"),
        (
            "exception",
            "setTimeout(() => { throw new Error('thrown') })",
            "thrown",
        ),
        (
            "rejection",
            "Promise.reject(new Error('rejected'))",
            "rejected",
        ),
        ("missing", "fetch('missing.json')", "404"),
        (
            "wasm",
            "WebAssembly.instantiate(new Uint8Array(3))",
            "CompileError",
        ),
    ];
    for (name, script, said) in failures {
        let (server, _) = page(name, script);
        let opened = browser.open(&server.url(), [200, 100]);
        // Some errors occur while the page loads.
        let error = opened.and_then(|tab| wait_in_vain(&tab)).unwrap_err();
        assert!(matches!(error, BrowserError::Page(_)), "{name}: {error}");
        assert!(error.to_string().contains(said), "{name}: {error}");
    }
}

#[test]
fn a_crash_and_a_page_that_hangs_are_told() {
    let Some(browser) = Browser::launch_for("a crash in a page") else {
        return;
    };
    let (server, _) = page("quiet", "console.warn('hm')");
    let tab = browser.open(&server.url(), [200, 100]).unwrap();
    assert_eq!(tab.evaluate("1 + 1").unwrap(), 2);
    assert_eq!(tab.warnings(), ["hm"]);
    let error = tab.evaluate("nothing.there").unwrap_err();
    assert!(
        error.to_string().contains("nothing is not defined"),
        "{error}"
    );

    let begin = Instant::now();
    let waited = tab.wait_for("document.title === 'done'", Duration::from_secs(1));
    let error = waited.unwrap_err().to_string();
    assert!(
        error.contains("after 1 s") && error.contains("x: text"),
        "{error}"
    );
    assert!(begin.elapsed() < Duration::from_secs(20));

    // Chromium crashes the page for this address.
    let error = tab.go_to("chrome://crash").and_then(|()| tab.evaluate("1"));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("crash"), "{error}");
}

#[test]
fn input_reaches_the_page_as_real_events() {
    let Some(browser) = Browser::launch_for("input in a page") else {
        return;
    };
    let script = "
        const seen = [];
        for (const type of ['pointerdown', 'pointermove', 'pointerup', 'wheel', 'keydown'])
            addEventListener(type, (event) => seen.push(
                `${type} ${event.key ?? [event.clientX, event.clientY, event.deltaY]} ${event.isTrusted}`));";
    let (server, _) = page("input", script);
    let tab = browser.open(&server.url(), [200, 100]).unwrap();
    tab.mouse(Pointer::Press, [10.0, 20.0]).unwrap();
    tab.mouse(Pointer::Drag, [30.0, 25.0]).unwrap();
    tab.mouse(Pointer::Release, [30.0, 25.0]).unwrap();
    tab.mouse(Pointer::Wheel(-120.0), [5.0, 6.0]).unwrap();
    tab.key("r").unwrap();
    tab.touch(&[[40.0, 40.0], [60.0, 60.0]], true).unwrap();
    tab.touch(&[[30.0, 30.0], [70.0, 65.0]], false).unwrap();
    tab.touch(&[], false).unwrap();
    tab.wait_for("seen.length >= 11", Duration::from_secs(10))
        .unwrap();
    let seen = tab.text("seen.join('\\n')").unwrap();
    for line in [
        "pointerdown 10,20, true",
        "pointermove 30,25, true",
        "wheel 5,6,-120 true",
        "keydown r true",
        "pointerdown 40,40, true",
        "pointerdown 60,60, true",
        "pointermove 70,65, true",
    ] {
        assert!(seen.contains(line), "{line} is not in\n{seen}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_outlives_its_browser() {
    let Some(browser) = Browser::launch_for("the end of a browser") else {
        return;
    };
    let (server, _) = page("end", "");
    let profile = browser.profile().to_owned();
    let running = || {
        let named = |entry: fs::DirEntry| {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(&*profile.to_string_lossy())
        };
        fs::read_dir("/proc")
            .unwrap()
            .flatten()
            .map(named)
            .filter(|is| *is)
            .count()
    };
    assert!(running() > 0);
    let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _tab = browser.open(&server.url(), [200, 100]).unwrap();
        panic!("on purpose");
    }));
    assert!(failed.is_err());
    let begin = Instant::now();
    while running() > 0 {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "processes are left"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!profile.exists());
}
