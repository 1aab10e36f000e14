//! How the threads of a wave ended.
//!
//! In: the rows of their headers. Out: traps with their source positions, and with the messages of
//! panics, which are read from the threads' memories.

use crate::bytecode::{Bytecode, Trap, TrapCode};
use crate::runtime::{LaunchError, MAX_PANIC_BYTES, MAX_TEXT_BYTES, trap_at, truncated_text};

use super::protocol::{H_STATUS, H_TRAP, H_WANTED, H_WORD, Status};
use super::requests::{gather, text_range};
use super::wave::Wave;

/// Whether a thread has ended, from the rows of the headers.
pub(super) fn has_ended(rows: &[Vec<u32>], thread: usize) -> bool {
    Status::from_number(rows[H_STATUS as usize][thread]).is_some_and(Status::has_ended)
}

/// The trap of the first thread, if it has one, from the rows of the headers.
pub(super) async fn trap_of(
    program: &Bytecode,
    wave: &Wave<'_>,
    rows: &[Vec<u32>],
) -> Result<Option<Trap>, LaunchError> {
    let mut bytes_left = MAX_PANIC_BYTES;
    Ok(traps(program, wave, rows, 1, &mut bytes_left)
        .await?
        .pop()
        .flatten())
}

/// The traps of the first threads. Panic messages are read in one batch, up to the limit.
pub(super) async fn traps(
    program: &Bytecode,
    wave: &Wave<'_>,
    rows: &[Vec<u32>],
    threads: u32,
    bytes_left: &mut usize,
) -> Result<Vec<Option<Trap>>, LaunchError> {
    let header = |word: u32, thread: u32| rows[word as usize][thread as usize];
    let code = |thread: u32| {
        let number = header(H_TRAP, thread);
        let code = TrapCode::from_number(number).unwrap_or(TrapCode::Unreachable);
        (header(H_STATUS, thread) != Status::Done as u32).then_some(code)
    };
    let panicked = (0..threads).filter(|&thread| code(thread) == Some(TrapCode::Panic));
    let length = |thread: u32| header(H_WANTED + 1, thread);
    let fits = |thread: &u32| {
        let bytes = length(*thread).min(MAX_TEXT_BYTES) as usize;
        let left = bytes_left.checked_sub(bytes);
        *bytes_left = left.unwrap_or(0);
        left.is_some()
    };
    let panicked: Vec<_> = panicked.take_while(fits).collect();
    let range = |&thread: &u32| text_range(thread, header(H_WANTED, thread), length(thread));
    let ranges: Vec<_> = panicked.iter().map(range).collect();
    let messages = gather(wave, &ranges).await?;
    let mut texts = messages
        .iter()
        .zip(&panicked)
        .map(|(text, &thread)| truncated_text(text, length(thread)));
    let trap = |thread: u32| {
        let code = code(thread)?;
        let message = (code == TrapCode::Panic).then(|| texts.next()).flatten();
        Some(trap_at(program, header(H_WORD, thread), code, message))
    };
    Ok((0..threads).map(trap).collect())
}
