//! Programs and errors can be sent to other threads and shared between them.

use anywarp_program::{
    Binding, Diagnostic, EntryPoint, Label, Location, Override, Program, ProgramError, Source,
};

fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn public_types_are_send_and_sync() {
    is_send_and_sync::<Program>();
    is_send_and_sync::<Source>();
    is_send_and_sync::<Location>();
    is_send_and_sync::<ProgramError>();
    is_send_and_sync::<Diagnostic>();
    is_send_and_sync::<Label>();
    is_send_and_sync::<EntryPoint>();
    is_send_and_sync::<Binding>();
    is_send_and_sync::<Override>();
    is_send_and_sync::<anywarp_program::work::Meter>();
}
