//! Loads and stores of texels for all lanes of a vector at once, by code for the same machine as the kernel's.
//!
//! In: a request and its rows. Out: the rows with what was loaded, or texels that were stored. What always holds: each lane
//! gets what it would get alone.

#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as has;

use std::sync::atomic::AtomicU32;

use anywarp_interpret::{TextureOp, TextureView};
use anywarp_lanes::{Operand, TextureRequest};
use anywarp_texture::{Extent, Place};

use crate::gather;

/// Loads or stores for all lanes of a mask; whether the request was one of these and the machine has such vectors.
pub(crate) fn access(
    lanes: usize,
    op: &TextureOp,
    request: &TextureRequest,
    texture: &TextureView<'_>,
    rows: &mut [u32],
    mask: u32,
) -> bool {
    match lanes {
        #[cfg(target_arch = "x86_64")]
        16 if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") => {
            // SAFETY: the machine has these features.
            unsafe { with_avx512(op, request, texture, rows, mask) }
        }
        #[cfg(target_arch = "x86_64")]
        8 if has!("avx2") => {
            // SAFETY: the machine has this feature.
            unsafe { with_avx2(op, request, texture, rows, mask) }
        }
        16 => access_each::<16>(op, request, texture, rows, mask, gather::one_by_one),
        8 => access_each::<8>(op, request, texture, rows, mask, gather::one_by_one),
        _ => false,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512(
    op: &TextureOp,
    request: &TextureRequest,
    texture: &TextureView<'_>,
    rows: &mut [u32],
    mask: u32,
) -> bool {
    let gather = |words: &_, places: &_| gather::with_avx512(words, places);
    access_each(op, request, texture, rows, mask, gather)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(
    op: &TextureOp,
    request: &TextureRequest,
    texture: &TextureView<'_>,
    rows: &mut [u32],
    mask: u32,
) -> bool {
    let gather = |words: &_, places: &_| gather::with_avx2(words, places);
    access_each(op, request, texture, rows, mask, gather)
}

/// The same with the number of lanes known, in functions that are compiled for a machine.
#[inline(always)]
fn access_each<const LANES: usize>(
    op: &TextureOp,
    request: &TextureRequest,
    TextureView { words, view }: &TextureView<'_>,
    rows: &mut [u32],
    mask: u32,
    fetch: impl Fn(&[AtomicU32], &[u32; LANES]) -> [u32; LANES],
) -> bool {
    let (rows, _) = rows.as_chunks_mut::<LANES>();
    let mut axes = [[0; LANES]; 6];
    for (axis, operand) in axes.iter_mut().zip(coordinates(request)) {
        match operand {
            Operand::Known(word) => axis.fill(word),
            Operand::Row(row) => axis.copy_from_slice(&rows[row as usize]),
        }
    }
    let place = |lane: usize| place_of(axes.each_ref().map(|axis| axis[lane]));
    let first = request.value as usize;
    match *op {
        TextureOp::Load { n } => {
            let [_, _, rest @ ..] = coordinates(request);
            let is_slice = rest.iter().all(|it| matches!(it, Operand::Known(_)));
            let mut channels = [[0; LANES]; 4];
            let at = [&axes[0], &axes[1]];
            if !is_slice || !view.load_slice(words, place(0), at, &mut channels, fetch) {
                let places: [Place; LANES] = std::array::from_fn(place);
                let mut values = [[0; 4]; LANES];
                view.load_each(words, &places, &mut values);
                channels = std::array::from_fn(|channel| values.map(|value| value[channel]));
            }
            // Whole rows are written: code that reads them at once would wait for parts.
            let taken: [u32; LANES] =
                std::array::from_fn(|lane| 0u32.wrapping_sub(mask >> lane & 1));
            let results = &mut rows[first..][..usize::from(n)];
            for (row, channel) in results.iter_mut().zip(&channels) {
                for ((word, value), taken) in row.iter_mut().zip(channel).zip(taken) {
                    *word = *word & !taken | value & taken;
                }
            }
            true
        }
        TextureOp::Store => {
            let mut places = [Place::default(); LANES];
            let mut values = [[0; 4]; LANES];
            let mut count = 0;
            for lane in lanes_of(mask) {
                places[count] = place(lane);
                values[count] = std::array::from_fn(|channel| rows[first + channel][lane]);
                count += 1;
            }
            view.store_each(words, &places[..count], &values[..count]);
            true
        }
        _ => false,
    }
}

/// What says which texel is meant: position, layer, level and sample.
pub(crate) fn coordinates(request: &TextureRequest) -> [Operand; 6] {
    let [x, y, z] = request.position;
    [x, y, z, request.layer, request.level, request.sample]
}

/// The texel at these coordinates.
#[inline(always)]
pub(crate) fn place_of([x, y, z, layer, level, sample]: [u32; 6]) -> Place {
    Place {
        position: Extent { x, y, z },
        layer,
        level,
        sample,
    }
}

/// The lanes of a mask.
pub(crate) fn lanes_of(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}
