//! Parses the values of command-line options: `--bind`, `--out`, `--swap`, `--constant`, `--workgroups`.
//!
//! In: one argument as text. Out: the parsed value, or a [`SpecError`] that names the faulty part and what is
//! accepted there. No file is read and no device is used. What always holds: every value prints (`Display`) as text
//! that parses back to the same value.

use anywarp::reflection::{SlotError, UnknownElementType};

mod bind;
mod constant;
mod count;
mod member;
mod out;
mod sampler;
mod swap;
mod target;
mod texture;
mod values;
mod workgroups;

pub(crate) use anywarp::reflection::{ElementType, ElementValue, Slot};
pub(crate) use bind::{Bind, Contents, Given};
pub(crate) use constant::ConstantValue;
pub(crate) use count::{count, count_u32};
pub(crate) use member::{Step, given_twice};
pub(crate) use out::{Destination, Out, Pixels, PixelsFile, PngPicture};
pub(crate) use sampler::{Address, Compare, Filter, SamplerSpec};
pub(crate) use swap::Swap;
pub(crate) use target::Target;
pub(crate) use texture::{PictureSpec, Texels, TextureSpec};
pub(crate) use workgroups::Workgroups;

/// Why an argument cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    #[error(transparent)]
    Slot(#[from] SlotError),
    #[error("`{0}` is not a binding: give group and binding as `0:1`, or the variable's name")]
    Target(String),
    #[error("`{0}` has no `=`: give a binding and a value as `0:1={1}`")]
    Assignment(String, &'static str),
    #[error(
        "`{0}` is not a data source{suggestion}: give zeros:BYTES, random:BYTES[:SEED], random:f32:COUNT[:SEED], fill:f32:VALUE:COUNT, numbers as f32:1,2, members as NAME=VALUE, or @FILE",
        suggestion = suggestion(.0)
    )]
    Contents(String),
    #[error(
        "`{0}` is not a data source{suggestion}: give zeros:BYTES, random:BYTES[:SEED], random:f32:COUNT[:SEED], fill:f32:VALUE:COUNT, numbers as f32:1,2, members as NAME=VALUE, or @FILE; for a texture FILE.png or texture:WxH; for a sampler sampler:linear",
        suggestion = suggestion(.0)
    )]
    Given(String),
    #[error("`{0}` does not fill a buffer: give type, value and count as fill:f32:0.5:64")]
    FillBuffer(String),
    #[error("`{0}` does not set a member: give NAME=VALUE, as count=3 or lights[1].radius=2.5")]
    Member(String),
    #[error("`{0}` is not JSON: {1}")]
    MemberJson(String, String),
    #[error(
        "`{0}` is not a property of samplers: give linear or nearest, mipmap=linear or mipmap=nearest, clamp, repeat or mirror, and for a comparison sampler never, less, less-equal, equal, not-equal, greater, greater-equal or always"
    )]
    Sampler(String),
    #[error(
        "`{0}` is not a texture's size: give one to three numbers, each at least 1, as 256x256"
    )]
    TextureSize(String),
    #[error(
        "`{0}` is neither a format nor texels: give zeros, random[:SEED], fill:1,0,0,1, numbers as f32:1,2 or @FILE"
    )]
    Texels(String),
    #[error("`{0}` does not fill a texture: give one to four numbers")]
    Fill(String),
    #[error("`{0}` is not a texture format: give one of WebGPU's, such as rgba8unorm")]
    Format(String),
    #[error(
        "`{0}` is not a count: give a number, perhaps with k, M or G for 1024, its square or its cube"
    )]
    Count(String),
    #[error("`{0}` is not a count: give a number of at least 1")]
    CountOfOne(String),
    #[error(
        "`{0}` is not a range of {1}: give two whole numbers that the type holds exactly, the first one smaller, as 0..64"
    )]
    Range(String, &'static str),
    #[error("`{0}` is too long: a list of numbers can have at most {1} bytes")]
    LongList(String, u64),
    #[error("`{text}` is not a number of type {type_name}")]
    Number {
        text: String,
        type_name: &'static str,
    },
    #[error("`{0}` has no values")]
    Empty(String),
    #[error(
        "`{0}` is not a destination: give print[:TYPE][:COUNT], FILE.bin, `-` for standard output, or FILE.png:WxH:rgba8|f32x4|heat; for a texture FILE.png"
    )]
    Destination(String),
    #[error(transparent)]
    ElementType(#[from] UnknownElementType),
    #[error("`{0}` is not a pixel format: give rgba8, f32x4 or heat")]
    Pixels(String),
    #[error("`{0}` is not a picture size: give width and height, each at least 1, as 640x480")]
    PictureSize(String),
    #[error(
        "`{0}` is not a picture: give a file and its size as FILE.png:640x480, at most 2^27 pixels"
    )]
    PixelsFile(String),
    #[error("`{0}` is not a pair of bindings: give them as 0:0,0:1 or by their names")]
    Swap(String),
    #[error("`{0}` swaps a binding with itself")]
    SwapWithItself(String),
    #[error("`{0}` has no value: give a constant as NAME=VALUE")]
    Constant(String),
    #[error("`{0}` is not a constant's value: give a finite number, true or false")]
    ConstantValue(String),
    #[error("`{0}` is not a grid: give one to three counts of at least 1, as X, X,Y or X,Y,Z")]
    Workgroups(String),
    #[error("give a positive number of seconds, or off")]
    TimeLimit,
    #[error("give in-order, or random:SEED with a whole number")]
    Schedule,
    #[error("give at least 1")]
    NoRuns,
    #[error("give 4, 8, 16, 32, 64 or 128")]
    SubgroupSize,
    #[error("give 1.0 to 1.6")]
    SpirvVersion,
    #[error("pictures are written as PNG: give a name that ends in .png")]
    PngFile,
    #[error("`{0}` has no `=`: give a buffer and where it goes as NAME=print:u32")]
    BufferOut(String),
}

/// Splits `TARGET=REST` at its first `=`.
fn assignment<'a>(text: &'a str, example: &'static str) -> Result<(Target, &'a str), SpecError> {
    let (target, rest) = text
        .split_once('=')
        .ok_or_else(|| SpecError::Assignment(text.to_owned(), example))?;
    Ok((target.parse()?, rest))
}

/// The data source closest to a misspelled one, as part of a message.
fn suggestion(text: &str) -> String {
    let (kind, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
    let sources = ["zeros", "random", "fill", "texture", "sampler"];
    let types = ElementType::ALL.map(ElementType::name);
    let words = sources.into_iter().chain(types);
    // In a short word, two letters would be most of it.
    let most = if kind.chars().count() > 4 { 2 } else { 1 };
    let near = words.filter(|word| kind.len() > 2 && edit_distance(kind, word) <= most);
    near.min_by_key(|word| edit_distance(kind, word))
        .map_or(String::new(), |word| {
            format!(" (did you mean `{word}{rest}`?)")
        })
}

/// The Levenshtein distance: the number of insertions, deletions and replacements of letters.
pub(crate) fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

fn is_named(path: &str, extension: &str) -> bool {
    path.len() > extension.len() && path.ends_with(extension)
}
