//! Words of memory at places that differ from lane to lane.
//!
//! Others may write the words meanwhile, through atomics: so they are read by instructions that the compiler does not look
//! into, as generated code reads them. What always holds: nothing outside of the words is read.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

#[cfg(target_arch = "x86_64")]
use std::arch::{asm, x86_64::*};

/// The words at these places, zeros where there are none, on any machine.
#[inline(always)]
pub(crate) fn one_by_one<const LANES: usize>(
    words: &[AtomicU32],
    places: &[u32; LANES],
) -> [u32; LANES] {
    places.map(|it| words.get(it as usize).map_or(0, |word| word.load(Relaxed)))
}

/// The same by AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn with_avx512(words: &[AtomicU32], places: &[u32; 16]) -> [u32; 16] {
    let Ok(count) = i32::try_from(words.len()) else {
        return one_by_one(words, places);
    };
    // SAFETY: the array has as many bytes as the vector, and the load needs no alignment.
    let places = unsafe { _mm512_loadu_si512(places.as_ptr().cast()) };
    let exists = _mm512_cmplt_epu32_mask(places, _mm512_set1_epi32(count));
    let mut vector = _mm512_setzero_si512();
    // SAFETY: only words below the count are read; their places are not negative as signed numbers.
    unsafe {
        asm!(
            "vpgatherdd {vector} {{{exists}}}, [{words} + 4 * {places}]",
            vector = inout(zmm_reg) vector,
            exists = inout(kreg) exists => _,
            words = in(reg) words.as_ptr(),
            places = in(zmm_reg) places,
            options(readonly, nostack, preserves_flags),
        );
    }
    let mut found = [0; 16];
    // SAFETY: as above.
    unsafe { _mm512_storeu_si512(found.as_mut_ptr().cast(), vector) };
    found
}

/// The same by AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn with_avx2(words: &[AtomicU32], places: &[u32; 8]) -> [u32; 8] {
    let Ok(count) = i32::try_from(words.len()) else {
        return one_by_one(words, places);
    };
    // SAFETY: the array has as many bytes as the vector, and the load needs no alignment.
    let places = unsafe { _mm256_loadu_si256(places.as_ptr().cast()) };
    // The machine compares signed numbers: a place that is negative does not exist.
    let is_below = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), places);
    let is_negative = _mm256_srai_epi32::<31>(places);
    let exists = _mm256_andnot_si256(is_negative, is_below);
    let mut vector = _mm256_setzero_si256();
    // SAFETY: only words below the count are read; their places are not negative as signed numbers.
    unsafe {
        asm!(
            "vpgatherdd {vector}, [{words} + 4 * {places}], {exists}",
            vector = inout(ymm_reg) vector,
            exists = inout(ymm_reg) exists => _,
            words = in(reg) words.as_ptr(),
            places = in(ymm_reg) places,
            options(readonly, nostack, preserves_flags),
        );
    }
    let mut found = [0; 8];
    // SAFETY: as above.
    unsafe { _mm256_storeu_si256(found.as_mut_ptr().cast(), vector) };
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Vec<AtomicU32> {
        (0..40).map(|it| AtomicU32::new(it + 100)).collect()
    }

    /// Places of which some are not there.
    fn places<const LANES: usize>(round: u32) -> [u32; LANES] {
        const FAR: [u32; 4] = [40, 1 << 31, u32::MAX, (1 << 30) + 3];
        std::array::from_fn(|lane| {
            let number = (lane as u32 + 7 * round).wrapping_mul(0x9e37_79b9) >> 8;
            match number % 5 {
                0 => FAR[(number >> 8) as usize % 4],
                _ => number % 41,
            }
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn machines_agree() {
        let words = words();
        for round in 0..50 {
            for count in [0, 1, 39, 40] {
                let words = &words[..count];
                if std::arch::is_x86_feature_detected!("avx512f") {
                    // SAFETY: the machine has the feature.
                    let found = unsafe { with_avx512(words, &places(round)) };
                    assert_eq!(found, one_by_one(words, &places(round)));
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has the feature.
                    let found = unsafe { with_avx2(words, &places(round)) };
                    assert_eq!(found, one_by_one(words, &places(round)));
                }
            }
        }
    }

    #[test]
    fn what_is_not_there_is_zero() {
        let found = one_by_one(&words(), &[0, 39, 40, u32::MAX]);
        assert_eq!(found, [100, 139, 0, 0]);
    }
}
