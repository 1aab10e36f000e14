//! Guarded batches in a browser: several in flight, retried, abandoned, all without blocking.

use anywarp_browser_tests::Browser;

use crate::pages::{serve, wait_until_done};

/// The expected report, from the guarantees of batches.
const EXPECTED: &str = "\
1 slots: [1, 12, 123, 1234, 12345, 123456, 1234567, 12345678, 123456789], 9 applied
2 slots: [1, 12, 123, 1234, 12345, 123456, 1234567, 12345678, 123456789], 9 applied
3 slots: [1, 12, 123, 1234, 12345, 123456, 1234567, 12345678, 123456789], 9 applied
50000 numbers: [1, 12, 123]
lock held: [1, 12, 123], retried true
second cancelled: [1, 13]
reset to 7: [74, 745, 7456]
dropped: the runner was dropped
";

#[test]
fn batches_are_right_on_the_cpu_adapter() {
    let report = pollster::block_on(async {
        let instance = anywarp_adapter::instance();
        let adapter = instance.request_adapter(&Default::default()).await.unwrap();
        let (device, queue) = adapter.request_device(&Default::default()).await.unwrap();
        batch_page::report(&device, &queue).await.unwrap()
    });
    assert_eq!(report, EXPECTED);
}

#[test]
fn batches_are_right_in_a_browser() {
    let Some(browser) = Browser::launch_for("batches in a browser") else {
        return;
    };
    let server = serve("batch-page");
    let tab = browser.open(&server.url(), [640, 480]).unwrap();
    wait_until_done(&tab);
    let report = tab.text("document.getElementById('report').textContent");
    assert_eq!(report.unwrap(), EXPECTED);
}
