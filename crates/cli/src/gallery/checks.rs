//! Compares results with exact ones, which are computed here in the plainest way or known from elsewhere.
//!
//! In: the files and values that an example has written. Out: what was verified, or [`Failure::Wrong`].

use std::fs;

use super::example::{Results, Size};
use super::failure::Failure;
use super::picture::Picture;
use crate::run::contents_bytes;
use crate::specs::{Contents, ElementType};

/// More than any random data of an example.
const MAX_BYTES: u64 = 64 << 20;

fn wrong<T>(problem: impl Into<String>) -> Result<T, Failure> {
    Err(Failure::Wrong(problem.into()))
}

fn bytes(results: &Results<'_>, file: &str) -> Result<Vec<u8>, Failure> {
    let path = results.folder.join(file);
    fs::read(&path).map_err(|source| Failure::Read { path, source })
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(bytes.get(..bytes.len() / 4 * 4).unwrap_or_default())
}

/// The words of `--bind 0:0=random:..`.
fn random(element: Option<ElementType>, count: u64, seed: u64) -> Result<Vec<u32>, Failure> {
    let contents = Contents::Random {
        element,
        count: Some(count),
        seed,
    };
    Ok(words(&contents_bytes(&contents, MAX_BYTES)?))
}

/// The same rules in plain Rust, from the same random cells. A living cell has the brightest colour of the picture.
pub(super) fn life(results: &Results<'_>) -> Result<String, Failure> {
    const SIZE: usize = 256;
    let steps = results.size.choose(200, 20);
    let random = random(None, (SIZE * SIZE * 4) as u64, 0)?;
    let mut cells: Vec<bool> = random.iter().map(|word| word & 1 == 1).collect();
    for _ in 0..steps {
        cells = life_step(&cells, SIZE);
    }
    let picture = Picture::read(&results.folder.join("life.png"))?;
    let is_same = picture
        .pixels()
        .map(|pixel| pixel[..3] == [252, 255, 164])
        .eq(cells.iter().copied());
    if !is_same {
        return wrong("the living cells are not those of the rules");
    }
    let living = cells.iter().filter(|cell| **cell).count();
    Ok(format!(
        "the {living} living cells are those of the rules in plain Rust"
    ))
}

fn life_step(cells: &[bool], size: usize) -> Vec<bool> {
    let row = |y: usize| &cells[y * size..][..size];
    let mut next = Vec::with_capacity(cells.len());
    for y in 0..size {
        let rows = [row((y + size - 1) % size), row(y), row((y + 1) % size)];
        for x in 0..size {
            let columns = [(x + size - 1) % size, x, (x + 1) % size];
            let block = rows.iter().flat_map(|row| columns.map(|x| row[x]));
            let count = block.filter(|cell| *cell).count();
            // The cell itself is counted.
            next.push(count == 3 || (count == 4 && rows[1][x]));
        }
    }
    next
}

pub(super) fn sort(results: &Results<'_>) -> Result<String, Failure> {
    let count = results.size.choose(262_144, 16_384);
    let mut expected = random(Some(ElementType::U32), count, 0)?;
    expected.sort_unstable();
    if words(&bytes(results, "sorted.bin")?) != expected {
        return wrong("the numbers are not in order");
    }
    Ok(format!(
        "{count} numbers are in the order that Rust's sort gives"
    ))
}

/// The exclusive or of the digests of all messages, computed with Python's `hashlib`.
pub(super) fn sha256(results: &Results<'_>) -> Result<String, Failure> {
    let expected = match results.size {
        Size::Full => "2c7f4e9bedce1741bad6ba2ec65cb64ffdb9556091fcc693950af5970abef28e",
        Size::Quick => "663cec0e7c8152488ca333e34394de460aa43c60dd28f950cfe4a038077e1b67",
    };
    let digests = words(&bytes(results, "digests.bin")?);
    let mut all = [0; 8];
    for digest in digests.chunks_exact(8) {
        for (sum, word) in all.iter_mut().zip(digest) {
            *sum ^= word;
        }
    }
    let found: String = all.iter().map(|word| format!("{word:08x}")).collect();
    if found != expected {
        return wrong(format!("the exclusive or of all digests is {found}"));
    }
    let (count, start) = (digests.len() / 8, &expected[..8]);
    Ok(format!(
        "the exclusive or of {count} digests is {start}.., as another implementation says"
    ))
}

pub(super) fn walks(results: &Results<'_>) -> Result<String, Failure> {
    const STEPS: usize = 512;
    let found = words(&bytes(results, "walks.bin")?);
    let mut place = 0_u32;
    for (index, found) in found.iter().enumerate() {
        if index % STEPS == 0 {
            place = 0;
        }
        place = place.wrapping_add(walk_step(index as u32));
        if *found != place {
            let (walk, step) = (index / STEPS, index % STEPS);
            let (found, place) = (*found as i32, place as i32);
            return wrong(format!(
                "walk {walk} is at {found} after step {step}, not at {place}"
            ));
        }
    }
    let walks = found.len() / STEPS;
    Ok(format!(
        "{walks} walks of {STEPS} steps are where a plain sum takes them"
    ))
}

/// 1 or -1, as `step` in the shader.
fn walk_step(seed: u32) -> u32 {
    let state = seed.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    if ((word >> 22) ^ word) & 1 == 1 {
        1
    } else {
        u32::MAX
    }
}

pub(super) fn translation(results: &Results<'_>) -> Result<String, Failure> {
    let direct = bytes(results, "wgsl.bin")?;
    if direct != bytes(results, "spirv.bin")? {
        return wrong("the SPIR-V module and the WGSL text give different results");
    }
    let count = direct.len();
    Ok(format!(
        "{count} bytes from SPIR-V are equal to those from WGSL"
    ))
}

pub(super) fn race(results: &Results<'_>) -> Result<String, Failure> {
    let right = "neighbours = [1,1,2,3,4,5,6,7]";
    match results.printed {
        [in_order, random] if in_order == right && random != right => {
            Ok("the race shows with the seed, and not in order".to_owned())
        }
        printed => wrong(printed.join("; ")),
    }
}

pub(super) fn matmul(results: &Results<'_>) -> Result<String, Failure> {
    let size: usize = results.size.choose(256, 64);
    let elements = |seed| -> Result<Vec<u32>, Failure> {
        let random = random(None, (size * size * 4) as u64, seed)?;
        Ok(random.iter().map(|word| word & 7).collect())
    };
    let (a, b) = (elements(0)?, elements(1)?);
    let product = bytes(results, "product.bin")?;
    let found: Vec<f32> = bytemuck::pod_collect_to_vec(&product);
    let expected = (0..size * size).map(|index| {
        let (row, column) = (index / size, index % size);
        let products = (0..size).map(|k| a[row * size + k] * b[k * size + column]);
        products.sum::<u32>() as f32
    });
    if !expected.eq(found) {
        return wrong("the product is not that of the definition");
    }
    Ok(format!(
        "{size}x{size} elements are those of the definition"
    ))
}

pub(super) fn particles(results: &Results<'_>) -> Result<String, Failure> {
    // Two steps of 0.5 with the acceleration -2: the velocity is -1 and -2, so the place is -0.5 and then -1.5.
    let particle = r#"{"mass":0.0,"position":[0.0,-1.5,0.0],"velocity":[0.0,-2.0,0.0]}"#;
    let expected = format!("particles = [{particle},{particle}]");
    match results.printed {
        [printed] if *printed == expected => Ok("they are where two steps take them".to_owned()),
        printed => wrong(printed.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blinker_blinks() {
        let cells = |alive: [usize; 3]| -> Vec<bool> {
            (0..25).map(|cell| alive.contains(&cell)).collect()
        };
        let (lying, standing) = (cells([11, 12, 13]), cells([7, 12, 17]));
        assert_eq!(life_step(&lying, 5), standing);
        assert_eq!(life_step(&standing, 5), lying);
    }
}
