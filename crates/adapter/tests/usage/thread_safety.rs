//! What the adapter gives out can be sent to other threads and shared between them.

use anywarp_adapter::{AdapterOptions, LossReport, LostReason, Misbehaviour, Progress};

fn is_send_and_sync<T: Send + Sync>(_: &T) {}

#[test]
fn handles_are_send_and_sync() {
    let options = AdapterOptions::default().misbehaviour(Misbehaviour::default());
    is_send_and_sync(&options);
    is_send_and_sync(&LossReport::default());
    is_send_and_sync(&None::<LostReason>);
    is_send_and_sync(&None::<Progress>);
    is_send_and_sync(&anywarp_adapter::instance());
    is_send_and_sync(&anywarp_adapter::adapter(options));
}
