//! The binary interface of machine code: the context that it receives, byte for byte, and its outcomes.
//!
//! A function of machine code is `extern "sysv64" fn(context, frame, resume) -> outcome`. The frame belongs to one
//! subgroup, or to all subgroups that a call loops over. It lives as long as the workgroup and is aligned to 64 bytes.
//! A callee ([`Op::Call`](super::Op::Call)) has the same signature, except that its third argument is the active lanes.

use std::ffi::c_void;

/// A word of the [`Context`] that code can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContextField {
    /// `workgroup_id` along an axis, 0 to 2.
    WorkgroupId(u8),
    /// `num_workgroups` along an axis, 0 to 2.
    WorkgroupCount(u8),
    /// `subgroup_id`: the number of the subgroup in its workgroup.
    Subgroup,
}

/// A memory with a base address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// A buffer, by its number in [`Context::buffers`].
    Buffer(u32),
    /// Workgroup memory.
    Workgroup,
    /// Immediate data.
    Immediates,
    /// Constant tables of the kernel.
    Constants,
    /// Memory in the frame of a subgroup, at this byte offset.
    Frame(u32),
}

/// A buffer as machine code sees it: an entry of [`Context::buffers`], or of an array of bindings.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BufferEntry {
    /// The address of the first word.
    pub start: *mut u32,
    /// The length in words.
    pub words: u64,
}

/// A mip level of a texture as machine code sees it, for accesses without a host call.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TextureLevelEntry {
    /// How channels are encoded.
    pub encoding: TexelEncoding,
    /// The width in texels.
    pub width: u32,
    /// The height in texels.
    pub height: u32,
    /// The number of depth slices, or of array layers.
    pub depth: u32,
    /// The base-2 logarithm of the bytes from one texel to the next.
    pub step: u32,
    /// Bytes from one row to the next.
    pub row: u32,
    /// Bytes from one depth slice, or array layer, to the next.
    pub slice: u32,
    /// Bytes from the start of the level's words to the first texel.
    pub first: u32,
    /// Words of a texel; 1 for smaller texels.
    pub size: u32,
    /// By channel: the word of the texel that contains it. A texel smaller than a word is shifted to the lowest bits
    /// first.
    pub words: [u32; 4],
    /// By channel: its first bit in that word.
    pub shifts: [u32; 4],
    /// By channel: the mask of its bits after the shift; 0 for a missing channel.
    pub masks: [u32; 4],
    /// By channel: the sign bit after the shift; 0 for unsigned channels.
    pub signs: [u32; 4],
    /// By channel: the number, as a float, that encodes 1.0.
    pub ones: [f32; 4],
    /// The alpha of a format without alpha, else 0. Other missing channels read as 0.
    pub alpha: u32,
    /// The decoded value of every byte, for [`TexelEncoding::Table8`]: always 256 words, whatever the encoding is.
    pub table: BufferEntry,
}

/// How the channels of a texel are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum TexelEncoding {
    /// An encoding that only the host knows: accesses are host calls.
    Other = 0,
    /// Integers, or 32-bit floats: no conversion.
    Raw = 1,
    /// 8-bit unsigned normalized channels in one word.
    Unorm8 = 2,
    /// 8-bit channels in one word: alpha as [`Self::Unorm8`], the others by [`TextureLevelEntry::table`] (sRGB).
    Table8 = 3,
    /// 16-bit floats, two in a word.
    Float16 = 4,
    /// Normalized integers of another size.
    Normalized = 5,
}

/// The context that machine code receives. The code never writes to it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Context {
    /// `workgroup_id`.
    pub workgroup_id: [u32; 3],
    /// `num_workgroups`.
    pub workgroup_count: [u32; 3],
    /// The number of the subgroup that starts or resumes.
    pub subgroup: u32,
    /// Padding; keeps the pointers 8-byte aligned.
    pub padding: u32,
    /// The cancel flag: not 0 when the run is to end.
    pub cancelled: *const u32,
    /// Workgroup memory, aligned to 64 bytes.
    pub workgroup: *mut u32,
    /// A page of [`Self::ZEROS`] zero bytes, aligned to 64 bytes.
    pub zeros: *const u32,
    /// Immediate data.
    pub immediates: *const u32,
    /// Constant tables.
    pub constants: *const u32,
    /// The buffers.
    pub buffers: *const BufferEntry,
    /// The callees, by number: each is an `unsafe extern "sysv64" fn(*const Context, *mut u8, u32) -> u32` of the
    /// context, the frame and the active lanes, which returns a [`CallOutcome`].
    pub functions: *const *const c_void,
    /// Data of the host, for the callees that are host functions.
    pub data: *const c_void,
}

impl Context {
    /// The size of the page of zeros to which a pointer out of bounds is redirected.
    pub const ZEROS: usize = 4096;
}

/// The position of a poll relative to the numbered loops of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PollSite {
    /// In the loop with this number.
    Loop(u32),
    /// After the loop with this number, or in a callee, and not in any numbered loop.
    AfterLoop(u32),
    /// Before all numbered loops.
    Unknown,
}

/// How a call of machine code ended. Numbers other than the constants below are barriers, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallOutcome(pub u32);

impl CallOutcome {
    /// The subgroup has finished.
    pub const FINISHED: Self = Self(0);
    /// The run has been cancelled, at a poll with number 0. The numbers of other polls are added to it. A poll has the
    /// number of the loop that it is in.
    pub const CANCELLED: Self = Self(1 << 31);
    /// Added to the number of a loop for polls after it that are not in a loop.
    pub const AFTER_LOOP: u32 = 1 << 29;
    /// The number of polls with no loop around or before them. Includes [`Self::AFTER_LOOP`].
    pub const OUTSIDE_LOOPS: u32 = (1 << 30) - 1;
    /// Only some lanes reached a barrier, which is not known. The numbers of known barriers are added to it.
    pub const DIVERGED: Self = Self(3 << 30);

    /// The outcome of a run that was cancelled at the poll with a number.
    pub fn cancelled(number: u32) -> Self {
        Self(Self::CANCELLED.0 + number)
    }

    /// The position of the poll at which the run was cancelled, if it was.
    pub fn cancelled_at(self) -> Option<PollSite> {
        let number = self.cancelled_in()?;
        Some(match number {
            Self::OUTSIDE_LOOPS => PollSite::Unknown,
            _ if number & Self::AFTER_LOOP != 0 => PollSite::AfterLoop(number & !Self::AFTER_LOOP),
            _ => PollSite::Loop(number),
        })
    }

    /// The number of the poll at which the run was cancelled, if it was.
    pub fn cancelled_in(self) -> Option<u32> {
        let number = self.0.checked_sub(Self::CANCELLED.0)?;
        (self.0 < Self::DIVERGED.0).then_some(number)
    }

    /// The outcome if only some lanes reached the barrier with a number.
    pub fn diverged(number: u32) -> Self {
        Self(Self::DIVERGED.0 + number)
    }

    /// The barrier that only some lanes reached, if the call ended for that reason.
    pub fn diverged_at(self) -> Option<u32> {
        self.0.checked_sub(Self::DIVERGED.0)
    }

    /// Whether the workgroup ends with this outcome: finished, cancelled or diverged.
    pub fn is_last(self) -> bool {
        self == Self::FINISHED || self.0 >= Self::CANCELLED.0
    }
}
