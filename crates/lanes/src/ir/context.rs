//! What machine code is given when it runs, byte for byte.
//!
//! A function of machine code is `extern "sysv64" fn(context, frame, resume) -> outcome`. The frame belongs
//! to one subgroup, or to all that a call goes over, and lives as long as the workgroup; it begins at a multiple of 64
//! bytes. A function that is called by others ([`Op::Call`](super::Op::Call)) is the same, but for its third argument:
//! the lanes that take part.

use std::ffi::c_void;

/// A word that the run is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// `workgroup_id` along an axis, 0 to 2.
    WorkgroupId(u8),
    /// `num_workgroups` along an axis, 0 to 2.
    WorkgroupCount(u8),
    /// The number of the subgroup in its workgroup.
    Subgroup,
}

/// Memory that has a beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// A buffer, by its number in [`Context::buffers`].
    Buffer(u32),
    /// The workgroup's own memory.
    Workgroup,
    /// Immediate data.
    Immediates,
    /// Constant tables, which come with the code.
    Constants,
    /// Memory in the frame that belongs to one subgroup, so many bytes from its beginning.
    Frame(u32),
}

/// A buffer as machine code sees it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BufferEntry {
    /// Where it begins.
    pub start: *mut u32,
    /// How many words it has.
    pub words: u64,
}

/// A level of a texture as machine code sees it, where it reads and writes texels by itself.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LevelEntry {
    /// How channels become numbers.
    pub coding: Coding,
    /// Texels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slices, or layers.
    pub depth: u32,
    /// Bytes from one texel to the next, as a power of two.
    pub step: u32,
    /// Bytes from one row to the next.
    pub row: u32,
    /// Bytes from one slice, or layer, to the next.
    pub slice: u32,
    /// Bytes from the beginning of the level's words to the first texel.
    pub first: u32,
    /// Words of a texel; 1 where it has less.
    pub size: u32,
    /// In which word of its texel each channel is; where a texel has less than a word, it is moved to the lowest bits.
    pub words: [u32; 4],
    /// Where each channel begins in its word, in bits.
    pub shifts: [u32; 4],
    /// The bits of each channel, where they begin at 0; none for channels that there are not.
    pub masks: [u32; 4],
    /// The sign of each channel among those bits; 0 where there is none.
    pub signs: [u32; 4],
    /// The number, a float, that stands for 1 in each channel.
    pub ones: [f32; 4],
    /// What alpha is where there is none, and 0 where there is; other channels are 0 where there are none.
    pub alpha: u32,
    /// The number of every byte, for [`Coding::Table`]: 256 words, whatever the coding is.
    pub table: BufferEntry,
}

/// How the channels of a texel become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Coding {
    /// In another way: whoever runs the code has to be asked.
    Other = 0,
    /// They are numbers already.
    Numbers = 1,
    /// They are bytes in one word, which stand for fractions of 255.
    Bytes = 2,
    /// They are bytes in one word: alpha like [`Self::Bytes`], the others by a table.
    Table = 3,
    /// They are floats of 16 bits, two in a word.
    Halves = 4,
    /// They stand for fractions.
    Fractions = 5,
}

/// What machine code is given. Nothing in it is written by the code.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Context {
    /// `workgroup_id`.
    pub workgroup_id: [u32; 3],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
    /// The number of the subgroup that begins or goes on.
    pub subgroup: u32,
    /// Nothing.
    pub padding: u32,
    /// A word that is not 0 when the run is to end.
    pub cancelled: *const u32,
    /// The workgroup's memory, at a multiple of 64 bytes.
    pub workgroup: *mut u32,
    /// [`Self::ZEROS`] bytes of zeros, at a multiple of 64 bytes.
    pub zeros: *const u32,
    /// Immediate data.
    pub immediates: *const u32,
    /// Constant tables.
    pub constants: *const u32,
    /// The buffers.
    pub buffers: *const BufferEntry,
    /// The functions that are called, by number: each is an `unsafe extern "sysv64" fn(*const Context, *mut u8, u32) ->
    /// u32` of the context, the frame and the lanes that take part, which gives an [`Outcome`].
    pub functions: *const *const c_void,
    /// What those of the functions want that are no code of ours.
    pub data: *const c_void,
}

impl Context {
    /// Bytes of zeros that a pointer to what does not exist is replaced by.
    pub const ZEROS: usize = 4096;
}

/// Where a poll is, in numbers of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Site {
    /// In a loop.
    Loop(u32),
    /// Behind a loop, or in a function that is called; in no loop that has a number.
    Past(u32),
    /// Before all loops.
    Unknown,
}

/// How a call of machine code ended. Other numbers are those of barriers, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome(pub u32);

impl Outcome {
    /// The subgroup is done.
    pub const FINISHED: Self = Self(0);
    /// The run has been cancelled, at a poll with the number 0; the numbers behind it are those of other polls. A poll has
    /// the number of the loop that it is in.
    pub const CANCELLED: Self = Self(1 << 31);
    /// Added to the number of a loop for polls behind it, in no loop.
    pub const PASSED: u32 = 1 << 29;
    /// The number of polls with no loop around or before them; [`Self::PASSED`] is part of it.
    pub const UNPLACED: u32 = (1 << 30) - 1;
    /// Only some lanes came to a barrier, nobody knows which; the numbers behind it are those of barriers.
    pub const DIVERGED: Self = Self(3 << 30);

    /// The run has been cancelled in a loop.
    pub fn cancelled(number: u32) -> Self {
        Self(Self::CANCELLED.0 + number)
    }

    /// Where the run has been cancelled, if it has.
    pub fn cancelled_at(self) -> Option<Site> {
        let number = self.cancelled_in()?;
        Some(match number {
            Self::UNPLACED => Site::Unknown,
            _ if number & Self::PASSED != 0 => Site::Past(number & !Self::PASSED),
            _ => Site::Loop(number),
        })
    }

    /// The number of the poll at which the run has been cancelled, if it has.
    pub fn cancelled_in(self) -> Option<u32> {
        let number = self.0.checked_sub(Self::CANCELLED.0)?;
        (self.0 < Self::DIVERGED.0).then_some(number)
    }

    /// Only some lanes came to a barrier, by its number.
    pub fn diverged(number: u32) -> Self {
        Self(Self::DIVERGED.0 + number)
    }

    /// The barrier that only some lanes came to, if that was so.
    pub fn diverged_at(self) -> Option<u32> {
        self.0.checked_sub(Self::DIVERGED.0)
    }

    /// Whether the workgroup ends here, for better or worse.
    pub fn is_last(self) -> bool {
        self == Self::FINISHED || self.0 >= Self::CANCELLED.0
    }
}
