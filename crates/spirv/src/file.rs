//! Converts SPIR-V files to words.
//!
//! In: the bytes of a file. Out: its words in native byte order. The byte order is detected by the magic number;
//! nothing else is validated.

use rspirv::spirv::MAGIC_NUMBER;

use crate::error::ReadError;

/// The words of a SPIR-V file of either byte order.
pub fn words(bytes: &[u8]) -> Result<Vec<u32>, ReadError> {
    let (chunks, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let message = format!("{} bytes are not a whole number of words", bytes.len());
        return Err(ReadError::invalid(message));
    }
    let little = chunks.iter().map(|chunk| u32::from_le_bytes(*chunk));
    Ok(match chunks.first() {
        Some(first) if u32::from_be_bytes(*first) == MAGIC_NUMBER => chunks
            .iter()
            .map(|chunk| u32::from_be_bytes(*chunk))
            .collect(),
        _ => little.collect(),
    })
}
