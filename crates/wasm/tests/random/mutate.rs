//! Mutations of a module: bytes changed, removed, inserted, truncated.

/// The module with mutations that the random bytes select.
pub(crate) fn mutated(wasm: &[u8], random: &[u8]) -> Vec<u8> {
    let mut wasm = wasm.to_vec();
    for change in random.chunks_exact(8).take(1 + random[0] as usize % 6) {
        if wasm.is_empty() {
            break;
        }
        let place = u32::from_le_bytes([change[0], change[1], change[2], change[3]]) as usize;
        let place = place % wasm.len();
        match change[4] % 8 {
            0..=4 => wasm[place] = change[5],
            5 => {
                wasm.remove(place);
            }
            6 => wasm.insert(place, change[5]),
            _ => wasm.truncate(place.max(wasm.len() / 2)),
        }
    }
    wasm
}
