//! Serving what threads ask for between slices: files and prints.
//!
//! In: the requests of the ring. Out: bytes in the threads' memories and answers in their slots. A
//! request's bytes travel through a buffer, which the kernel's `gather` and `scatter` fill and empty.

use crate::bytecode::{Host, TrapCode};
use crate::machine::{Answer, FAILED, Files, LaunchError, Request};

use super::layout::{count, packed, unpacked};
use super::pipelines::LANES;
use super::wave::{REQUEST_WORDS, Wave};

/// Bytes of one row: as many as a dispatch can reach.
const ROW_BYTES: u32 = 1 << 22;
/// Bytes of a path that ends in a zero byte.
const MOST_PATH: u32 = 4096;

/// What serves requests.
#[derive(Debug)]
pub(super) struct Service<'a> {
    pub(super) files: &'a Files,
    pub(super) printed: &'a mut Vec<(u32, String)>,
}

/// A piece of a thread's memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) thread: u32,
    pub(super) at: u32,
    pub(super) bytes: u32,
}

/// A request as the kernel writes it.
#[derive(Clone, Copy, Debug)]
struct Asked {
    thread: u32,
    host: Option<Host>,
    slot: u32,
    args: [u32; 4],
    number: u32,
}

impl Asked {
    fn new(words: &[u32]) -> Option<Self> {
        let &[thread, host, slot, a, b, c, d, number] = words.first_chunk::<8>()?;
        Some(Self {
            thread,
            host: u16::try_from(host).ok().and_then(Host::from_number),
            slot,
            args: [a, b, c, d],
            number,
        })
    }

    /// The text or the path, and the bytes to write.
    fn pieces(&self) -> [Piece; 2] {
        let [a, b, c, d] = self.args;
        let piece = |at, bytes| Piece {
            thread: self.thread,
            at,
            bytes,
        };
        match self.host {
            Some(Host::WriteFile) => [piece(a, b), piece(c, d)],
            Some(Host::WriteFileZ) => [piece(a, MOST_PATH), piece(b, c)],
            Some(Host::ReadFileZ) => [piece(a, MOST_PATH), piece(0, 0)],
            _ => [piece(a, b), piece(0, 0)],
        }
    }

    /// Where a file's bytes go, and how many at most.
    fn buffer(&self) -> (u32, u32) {
        let [_, b, c, d] = self.args;
        match self.host {
            Some(Host::ReadFileZ) => (b, c),
            _ => (c, d),
        }
    }
}

/// What a thread goes on with.
enum Reply {
    Nothing,
    Value(u32),
    Trap(TrapCode),
}

impl Service<'_> {
    /// Serves requests, in their order.
    pub(super) async fn serve(&mut self, wave: &Wave<'_>, ring: &[u32]) -> Result<(), LaunchError> {
        let asked = ring.chunks(REQUEST_WORDS as usize).filter_map(Asked::new);
        let asked: Vec<_> = asked.collect();
        let pieces: Vec<_> = asked.iter().flat_map(Asked::pieces).collect();
        let bytes = gather(wave, &pieces).await?;
        let mut writes = Vec::new();
        let mut replies = Vec::new();
        for (asked, bytes) in asked.iter().zip(bytes.chunks(2)) {
            if let [text, content] = bytes {
                let reply = self.answer(asked, text, content, &mut writes);
                replies.push((asked, reply));
            }
        }
        scatter(wave, &writes)?;
        resume(wave, &replies)
    }

    fn answer(
        &mut self,
        asked: &Asked,
        text: &[u8],
        content: &[u8],
        writes: &mut Vec<(Piece, Vec<u8>)>,
    ) -> Reply {
        let has_end = matches!(asked.host, Some(Host::ReadFileZ | Host::WriteFileZ));
        let path = match text.iter().position(|&byte| byte == 0) {
            Some(end) if has_end => &text[..end],
            None if has_end => return Reply::Trap(TrapCode::OutOfBoundsMemory),
            _ => text,
        };
        let path = path.to_vec();
        match asked.host {
            Some(Host::Print) => {
                let text = String::from_utf8_lossy(text).into_owned();
                self.printed.push((asked.number, text));
                Reply::Nothing
            }
            Some(Host::WriteFile | Host::WriteFileZ) => {
                let bytes = content.to_vec();
                let Answer { code, .. } = self.files.serve(&Request::Write { path, bytes });
                Reply::Value(code as u32)
            }
            Some(Host::ReadFile | Host::ReadFileZ) => {
                let (at, room) = asked.buffer();
                let answer = self.files.serve(&Request::Read { path, room });
                let piece = Piece {
                    thread: asked.thread,
                    at,
                    bytes: count(answer.bytes.len()),
                };
                writes.push((piece, answer.bytes));
                Reply::Value(answer.code as u32)
            }
            _ => Reply::Value(FAILED as u32),
        }
    }
}

/// Pieces as the rows of a dispatch, long ones in several, and the words they need.
fn rows(pieces: &[Piece]) -> (Vec<[u32; 4]>, u64) {
    let mut rows = Vec::new();
    let mut words = 0_u32;
    for piece in pieces {
        let mut done = 0;
        while done < piece.bytes {
            let bytes = (piece.bytes - done).min(ROW_BYTES);
            rows.push([piece.thread, piece.at + done, bytes, words]);
            words += bytes.div_ceil(4);
            done += bytes;
        }
    }
    let list = count(rows.len()) * 4;
    for row in &mut rows {
        row[3] += list;
    }
    (rows, u64::from(list) + u64::from(words))
}

/// A grid with a row of workgroups for each row.
fn grid(rows: &[[u32; 4]]) -> [u32; 2] {
    let longest = rows.iter().map(|row| row[2]).max().unwrap_or(0);
    // One more word, because a piece may begin in the middle of one.
    [(longest.div_ceil(4) + 1).div_ceil(LANES), count(rows.len())]
}

/// The bytes of pieces.
pub(super) async fn gather(wave: &Wave<'_>, pieces: &[Piece]) -> Result<Vec<Vec<u8>>, LaunchError> {
    let (rows, words) = rows(pieces);
    let list = rows.len() as u64 * 4;
    let mut read = Vec::new();
    if !rows.is_empty() {
        let carried = wave.gpu.storage("the bytes of requests", words)?;
        wave.gpu.write(&carried, 0, rows.as_flattened());
        let bindings = wave.bind_carrying(&carried);
        let mut encoder = wave.gpu.encoder();
        Wave::pass(&mut encoder, &wave.pipelines.gather, &bindings, grid(&rows));
        read = wave
            .gpu
            .read(encoder, &[(&carried, list, words - list)])
            .await?;
    }
    let mut at = 0;
    let mut piece = |piece: &Piece| {
        let length = piece.bytes.div_ceil(4) as usize;
        let words = read.get(at..at + length).unwrap_or(&[]);
        at += length;
        unpacked(words, piece.bytes as usize)
    };
    Ok(pieces.iter().map(&mut piece).collect())
}

fn scatter(wave: &Wave<'_>, writes: &[(Piece, Vec<u8>)]) -> Result<(), LaunchError> {
    let pieces: Vec<_> = writes.iter().map(|write| write.0).collect();
    let (rows, words) = rows(&pieces);
    if rows.is_empty() {
        return Ok(());
    }
    let carried = wave.gpu.storage("the bytes of requests", words)?;
    let mut content = rows.as_flattened().to_vec();
    content.extend(writes.iter().flat_map(|write| packed(&write.1)));
    wave.gpu.write(&carried, 0, &content);
    let bindings = wave.bind_carrying(&carried);
    let mut encoder = wave.gpu.encoder();
    Wave::pass(
        &mut encoder,
        &wave.pipelines.scatter,
        &bindings,
        grid(&rows),
    );
    wave.gpu.queue.submit([encoder.finish()]);
    Ok(())
}

fn resume(wave: &Wave<'_>, replies: &[(&Asked, Reply)]) -> Result<(), LaunchError> {
    let row = |(asked, reply): &(&Asked, Reply)| match *reply {
        Reply::Nothing => [asked.thread, 0, 0, 0],
        Reply::Value(value) => [asked.thread, asked.slot, value, 1],
        Reply::Trap(code) => [asked.thread, 0, code as u32, 2],
    };
    let mut rows: Vec<_> = replies.iter().map(row).collect();
    let groups = count(rows.len()).div_ceil(LANES);
    rows.resize((groups * LANES) as usize, [u32::MAX, 0, 0, 0]);
    let carried = wave
        .gpu
        .storage("the answers of requests", rows.len() as u64 * 4)?;
    wave.gpu.write(&carried, 0, rows.as_flattened());
    let bindings = wave.bind_carrying(&carried);
    let mut encoder = wave.gpu.encoder();
    Wave::pass(&mut encoder, &wave.pipelines.resume, &bindings, [groups, 1]);
    wave.gpu.queue.submit([encoder.finish()]);
    Ok(())
}
