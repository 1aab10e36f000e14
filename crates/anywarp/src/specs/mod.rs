//! The small languages of the command line: `--bind`, `--out`, `--swap`, `--constant`, `--workgroups`.
//!
//! In: one argument as the user typed it. Out: a value that says what was meant, or a [`SpecError`]
//! that names the part at fault and what is accepted there. Pure: nothing here reads a file or
//! knows a device. What always holds: every value prints (`Display`) as text that parses back to it.

mod bind;
mod constant;
mod element;
mod out;
mod slot;
mod swap;
mod texture;
mod values;
mod workgroups;

pub(crate) use bind::{Bind, Contents, Given};
pub(crate) use constant::ConstantValue;
pub(crate) use element::{ElementType, Value};
pub(crate) use out::{Destination, Out, Pixels, PixelsFile, PngPicture};
pub(crate) use slot::Slot;
pub(crate) use swap::Swap;
pub(crate) use texture::{PictureSpec, Texels, TextureSize, TextureSpec};
pub(crate) use workgroups::Workgroups;

/// What is wrong with an argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpecError {
    #[error("`{0}` is not a binding: give group and binding as `0:1`")]
    Slot(String),
    #[error("`{0}` has no `=`: give a binding and what belongs to it as `0:1={1}`")]
    Assignment(String, &'static str),
    #[error(
        "`{0}` is no source of data: give zeros:BYTES, random:BYTES[:SEED], numbers as f32:1,2 or @FILE"
    )]
    Contents(String),
    #[error(
        "`{0}` is no source of data: give zeros:BYTES, random:BYTES[:SEED], numbers as f32:1,2 or @FILE; for a texture FILE.png or texture:WxH"
    )]
    Given(String),
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
    #[error("`{0}` is not a count: give a number of at least 1")]
    Count(String),
    #[error("`{text}` is not a number of type {type_name}")]
    Number {
        text: String,
        type_name: &'static str,
    },
    #[error("`{0}` has no values")]
    Empty(String),
    #[error(
        "`{0}` is no destination: give print:TYPE[:COUNT], FILE.bin or FILE.png:WxH:rgba8|f32x4|heat; for a texture FILE.png"
    )]
    Destination(String),
    #[error("`{0}` is not an element type: give f16, f32, f64, i16, i32, i64, u16, u32 or u64")]
    ElementType(String),
    #[error("`{0}` is not a pixel format: give rgba8, f32x4 or heat")]
    Pixels(String),
    #[error("`{0}` is not a picture size: give width and height, each at least 1, as 640x480")]
    PictureSize(String),
    #[error(
        "`{0}` is no picture: give a file and its size as FILE.png:640x480, at most 2^27 pixels"
    )]
    PixelsFile(String),
    #[error("`{0}` is not a pair of bindings: give them as 0:0,0:1")]
    Swap(String),
    #[error("`{0}` swaps a binding with itself")]
    SwapWithItself(String),
    #[error("`{0}` has no value: give a constant as NAME=VALUE")]
    Constant(String),
    #[error("`{0}` is not a constant's value: give a finite number, true or false")]
    ConstantValue(String),
    #[error("`{0}` is not a grid: give one to three counts as X, X,Y or X,Y,Z")]
    Workgroups(String),
}

/// Splits `G:B=REST` at its first `=`.
fn assignment<'a>(text: &'a str, example: &'static str) -> Result<(Slot, &'a str), SpecError> {
    let (slot, rest) = text
        .split_once('=')
        .ok_or_else(|| SpecError::Assignment(text.to_owned(), example))?;
    Ok((slot.parse()?, rest))
}

fn is_named(path: &str, extension: &str) -> bool {
    path.len() > extension.len() && path.ends_with(extension)
}
