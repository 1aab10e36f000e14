//! Host calls of threads on the device: files and prints, handled between slices.
//!
//! In: the entries of the host call ring. Out: bytes in the threads' memories, and results in their
//! slots. Bytes are transferred through a staging buffer, which the shader's `gather` and `scatter`
//! passes fill and empty. Many or large transfers are split into batches, so neither the device nor
//! the host holds all at once.

use crate::bytecode::{Bytecode, Host, TrapCode};
use crate::runtime::{
    FAILED, FileReply, FileRequest, Files, LaunchError, MAX_PATH_BYTES, MAX_TEXT_BYTES, PrintLog,
    path_before_zero, truncated_text,
};

use super::layout::{count, packed, unpacked};
use super::protocol::{LANES, REQUEST_WORDS, RESULT_NONE, RESULT_TRAP, RESULT_VALUE};
use super::watchdog::LaunchClock;
use super::wave::Wave;

/// Bytes of one row.
const ROW_BYTES: u32 = 1 << 16;
/// Bytes of a batch.
const BATCH_BYTES: u64 = 1 << 24;
/// Maximum rows of a dispatch.
const MAX_ROWS: usize = 1 << 15;
/// Maximum workgroups of a dispatch: all of its rows have as many as the longest needs.
const MAX_GROUPS: u64 = 1 << 20;

/// Handles host calls.
#[derive(Debug)]
pub(super) struct HostCalls<'a> {
    pub(super) files: &'a Files,
    pub(super) printed: &'a mut PrintLog,
    pub(super) clock: &'a mut LaunchClock,
    pub(super) program: &'a Bytecode,
}

/// A range of a thread's memory 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryRange {
    pub(super) thread: u32,
    pub(super) at: u32,
    pub(super) bytes: u32,
}

/// A host call, decoded from the ring.
#[derive(Clone, Copy, Debug)]
struct HostCall {
    thread: u32,
    host: Option<Host>,
    slot: u32,
    args: [u32; 4],
    number: u32,
}

impl HostCall {
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

    /// The memory ranges that the call reads: the text or path, and the bytes to write.
    fn ranges(&self) -> [MemoryRange; 2] {
        let [a, b, c, d] = self.args;
        let range = |at, bytes| MemoryRange {
            thread: self.thread,
            at,
            bytes,
        };
        // One byte more than the maximum length shows that a path is too long. For a
        // null-terminated path the shader passes the number of bytes up to the end of memory, at
        // most that many.
        let path = |at, bytes: u32| range(at, bytes.min(MAX_PATH_BYTES + 1));
        match self.host {
            Some(Host::WriteFile) => [path(a, b), range(c, d)],
            Some(Host::WriteFileZ) => [path(a, d), range(b, c)],
            Some(Host::ReadFileZ) => [path(a, d), range(0, 0)],
            Some(Host::ReadFile) => [path(a, b), range(0, 0)],
            _ => [text_range(self.thread, a, b), range(0, 0)],
        }
    }

    /// Bytes that may be transferred for it.
    fn bytes(&self) -> u64 {
        let sent = self
            .ranges()
            .iter()
            .map(|range| u64::from(range.bytes))
            .sum();
        match self.host {
            Some(Host::ReadFile | Host::ReadFileZ) => u64::from(self.buffer().1).max(sent),
            _ => sent,
        }
    }

    /// The destination of a file's bytes, and its size.
    fn buffer(&self) -> (u32, u32) {
        let [_, b, c, d] = self.args;
        match self.host {
            Some(Host::ReadFileZ) => (b, c),
            _ => (c, d),
        }
    }
}

/// The part of a text that is shown.
pub(super) fn text_range(thread: u32, at: u32, length: u32) -> MemoryRange {
    MemoryRange {
        thread,
        at,
        bytes: length.min(MAX_TEXT_BYTES),
    }
}

/// The result with which a thread continues.
enum HostCallResult {
    Nothing,
    Value(u32),
    Trap(TrapCode),
}

impl HostCalls<'_> {
    /// Handles host calls, in their order.
    pub(super) async fn serve(&mut self, wave: &Wave<'_>, ring: &[u32]) -> Result<(), LaunchError> {
        let calls: Vec<_> = ring
            .chunks(REQUEST_WORDS as usize)
            .filter_map(HostCall::new)
            .collect();
        let mut left = calls.as_slice();
        while !left.is_empty() {
            let mut bytes = 0;
            let fits = |call: &&HostCall| {
                bytes += call.bytes();
                bytes <= BATCH_BYTES
            };
            let several = left.iter().take_while(fits).count().max(1);
            let (now, later) = left.split_at(several);
            self.serve_some(wave, now).await?;
            left = later;
        }
        Ok(())
    }

    async fn serve_some(&mut self, wave: &Wave<'_>, calls: &[HostCall]) -> Result<(), LaunchError> {
        let ranges: Vec<_> = calls.iter().flat_map(HostCall::ranges).collect();
        let bytes = gather(wave, &ranges).await?;
        let mut writes = Vec::new();
        let mut results = Vec::new();
        for (call, bytes) in calls.iter().zip(bytes.chunks(2)) {
            if let [text, content] = bytes {
                let result = self.execute(call, text, content, &mut writes);
                results.push((call, result));
            }
        }
        scatter(wave, &writes)?;
        resume(wave, &results)
    }

    fn execute(
        &mut self,
        call: &HostCall,
        text: &[u8],
        content: &[u8],
        writes: &mut Vec<(MemoryRange, Vec<u8>)>,
    ) -> HostCallResult {
        let has_end = matches!(call.host, Some(Host::ReadFileZ | Host::WriteFileZ));
        let path = if has_end {
            path_before_zero(text)
        } else {
            Some(text)
        };
        let Some(path) = path.map(<[u8]>::to_vec) else {
            return HostCallResult::Trap(TrapCode::OutOfBoundsMemory);
        };
        match call.host {
            Some(Host::Print) => {
                let [_, length, ..] = call.args;
                let text = truncated_text(text, length);
                self.printed.add(call.number, text.as_bytes());
                HostCallResult::Nothing
            }
            Some(Host::WriteFile | Host::WriteFileZ) => {
                let bytes = content.to_vec();
                let FileReply { code, .. } = self.files.serve(&FileRequest::Write { path, bytes });
                HostCallResult::Value(code as u32)
            }
            Some(Host::ReadFile | Host::ReadFileZ) => {
                let (at, max_bytes) = call.buffer();
                let reply = self.files.serve(&FileRequest::Read { path, max_bytes });
                let range = MemoryRange {
                    thread: call.thread,
                    at,
                    bytes: count(reply.bytes.len()),
                };
                writes.push((range, reply.bytes));
                HostCallResult::Value(reply.code as u32)
            }
            _ => HostCallResult::Value(FAILED as u32),
        }
    }
}

/// The rows of one dispatch of `gather` or `scatter`.
#[derive(Debug, Default)]
struct TransferBatch {
    /// Thread, address, bytes, and the word of the staging buffer at which the bytes begin.
    rows: Vec<[u32; 4]>,
    /// Index of the memory range that each row is a part of.
    of: Vec<usize>,
    /// Words of all rows' bytes.
    words: u32,
    /// Bytes of the longest row.
    longest: u32,
}

impl TransferBatch {
    /// Moves the bytes of the rows after the list of all rows.
    fn finish(mut self) -> Self {
        let list = self.list();
        for row in &mut self.rows {
            row[3] += list;
        }
        self
    }

    fn list(&self) -> u32 {
        count(self.rows.len()) * 4
    }

    /// Workgroups of a row of that many bytes: one more word, because it may begin inside a word.
    fn groups(bytes: u32) -> u32 {
        (bytes.div_ceil(4) + 1).div_ceil(LANES)
    }

    /// The dispatch size: one row of workgroups for each row.
    fn grid(&self) -> [u32; 2] {
        [Self::groups(self.longest), count(self.rows.len())]
    }

    fn has_room(&self, bytes: u32, max: u64) -> bool {
        let rows = self.rows.len() + 1;
        let groups = u64::from(Self::groups(self.longest.max(bytes)));
        let words = u64::from(self.words) + u64::from(bytes).div_ceil(4) + rows as u64 * 4;
        rows <= MAX_ROWS && groups * rows as u64 <= MAX_GROUPS && words * 4 <= max
    }

    fn push(&mut self, range: usize, [thread, at, bytes]: [u32; 3]) {
        self.rows.push([thread, at, bytes, self.words]);
        self.of.push(range);
        self.words += bytes.div_ceil(4);
        self.longest = self.longest.max(bytes);
    }
}

/// Splits memory ranges into the rows of dispatches.
fn batches(wave: &Wave<'_>, ranges: &[MemoryRange]) -> Vec<TransferBatch> {
    let max = wave.gpu.max_buffer_bytes().min(BATCH_BYTES);
    let longest = u64::from(ROW_BYTES).min(max / 2).max(4) as u32 & !3;
    let mut batches = Vec::new();
    let mut batch = TransferBatch::default();
    for (index, range) in ranges.iter().enumerate() {
        let mut done = 0;
        while done < range.bytes {
            let bytes = (range.bytes - done).min(longest);
            if !batch.rows.is_empty() && !batch.has_room(bytes, max) {
                batches.push(std::mem::take(&mut batch).finish());
            }
            batch.push(index, [range.thread, range.at + done, bytes]);
            done += bytes;
        }
    }
    if !batch.rows.is_empty() {
        batches.push(batch.finish());
    }
    batches
}

/// Reads memory ranges.
pub(super) async fn gather(
    wave: &Wave<'_>,
    ranges: &[MemoryRange],
) -> Result<Vec<Vec<u8>>, LaunchError> {
    let mut gathered = vec![Vec::new(); ranges.len()];
    for batch in batches(wave, ranges) {
        let (list, words) = (u64::from(batch.list()), u64::from(batch.words));
        let transfer = wave.gpu.storage("the bytes of requests", list + words)?;
        wave.gpu.write(&transfer, 0, batch.rows.as_flattened());
        let bindings = wave.bind_transfer(&transfer);
        let mut encoder = wave.gpu.encoder();
        Wave::pass(
            &mut encoder,
            &wave.pipelines.gather,
            &bindings,
            batch.grid(),
        );
        let read = wave.gpu.read(encoder, &[(&transfer, list, words)]).await?;
        for (&[_, _, bytes, first], &range) in batch.rows.iter().zip(&batch.of) {
            let words = &read[(first - batch.list()) as usize..];
            gathered[range].extend(unpacked(words, bytes as usize));
        }
    }
    Ok(gathered)
}

fn scatter(wave: &Wave<'_>, writes: &[(MemoryRange, Vec<u8>)]) -> Result<(), LaunchError> {
    let ranges: Vec<_> = writes.iter().map(|write| write.0).collect();
    for batch in batches(wave, &ranges) {
        let words = u64::from(batch.list()) + u64::from(batch.words);
        let transfer = wave.gpu.storage("the bytes of requests", words)?;
        let mut content = batch.rows.as_flattened().to_vec();
        for (&[_, at, bytes, _], &range) in batch.rows.iter().zip(&batch.of) {
            let (range, all) = &writes[range];
            let first = (at - range.at) as usize;
            content.extend(packed(&all[first..first + bytes as usize]));
        }
        wave.gpu.write(&transfer, 0, &content);
        let bindings = wave.bind_transfer(&transfer);
        let mut encoder = wave.gpu.encoder();
        let grid = batch.grid();
        Wave::pass(&mut encoder, &wave.pipelines.scatter, &bindings, grid);
        wave.gpu.queue.submit([encoder.finish()]);
    }
    Ok(())
}

fn resume(wave: &Wave<'_>, results: &[(&HostCall, HostCallResult)]) -> Result<(), LaunchError> {
    let row = |(call, result): &(&HostCall, HostCallResult)| match *result {
        HostCallResult::Nothing => [call.thread, 0, 0, RESULT_NONE],
        HostCallResult::Value(value) => [call.thread, call.slot, value, RESULT_VALUE],
        HostCallResult::Trap(code) => [call.thread, 0, code as u32, RESULT_TRAP],
    };
    let mut rows: Vec<_> = results.iter().map(row).collect();
    let groups = count(rows.len()).div_ceil(LANES);
    rows.resize((groups * LANES) as usize, [u32::MAX, 0, 0, 0]);
    let transfer = wave
        .gpu
        .storage("the answers of requests", rows.len() as u64 * 4)?;
    wave.gpu.write(&transfer, 0, rows.as_flattened());
    let bindings = wave.bind_transfer(&transfer);
    let mut encoder = wave.gpu.encoder();
    Wave::pass(&mut encoder, &wave.pipelines.resume, &bindings, [groups, 1]);
    wave.gpu.queue.submit([encoder.finish()]);
    Ok(())
}
