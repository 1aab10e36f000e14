//! Host calls from machine code: texel accesses that code does not do itself, and transcendental functions of `f64`.
//!
//! In: the host calls of a kernel, and the bindings. Out: results in the frame of the calling subgroup. What always
//! holds: every lane gets the interpreter's result, from the same functions; inactive lanes have no effect; a panic
//! ends the run and is resumed in the runner.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use anywarp_execution::{
    ArgumentIndex, Arguments, Resource, ResourceClass, TextureOp, TextureView, locate,
};
use anywarp_interpret::{access_texture, transcendental};
use anywarp_lanes::ir::{CallOutcome, Context};
use anywarp_lanes::{F64HostCall, HostCall, HostCalls, Operand, TextureHostCall};
use anywarp_texture::{Extent, TexelAddress};

use crate::error::LinkError;

/// The host calls of a kernel, prepared for a run.
#[derive(Debug)]
pub(crate) struct PreparedHostCalls {
    list: Vec<PreparedHostCall>,
    /// The offset of the argument rows in the frame, in bytes.
    offset: usize,
    lanes: usize,
}

/// A prepared host call.
#[derive(Debug)]
enum PreparedHostCall {
    Texture(PreparedTextureCall),
    F64(F64HostCall),
}

/// A texture access, and where its texture is among the bindings.
#[derive(Debug)]
struct PreparedTextureCall {
    index: ArgumentIndex,
    op: TextureOp,
    request: TextureHostCall,
}

impl PreparedHostCalls {
    /// Prepares the host calls of a kernel with this number of lanes.
    pub(crate) fn new(
        resources: &[Resource],
        requests: &HostCalls,
        lanes: u32,
    ) -> Result<Self, LinkError> {
        let list = requests.list.iter().map(|call| prepare(resources, call));
        Ok(Self {
            list: list.collect::<Result<_, _>>()?,
            offset: requests.frame_offset as usize,
            lanes: lanes as usize,
        })
    }
}

fn prepare(resources: &[Resource], request: &HostCall) -> Result<PreparedHostCall, LinkError> {
    match request {
        HostCall::Texture(request) => Ok(PreparedHostCall::Texture(PreparedTextureCall {
            index: locate(resources, request.binding, ResourceClass::Texture)?.0,
            op: request.operation,
            request: request.clone(),
        })),
        HostCall::F64(request) => match transcendental(request.function, 0.0, 0.0) {
            Some(_) => Ok(PreparedHostCall::F64(request.clone())),
            None => Err(LinkError::Function(request.function)),
        },
        other => Err(LinkError::HostCall(format!("{other:?}"))),
    }
}

/// The host-call handler of a run, which [`Context::data`] points to.
pub(crate) struct HostCallHandler<'a> {
    calls: &'a PreparedHostCalls,
    arguments: &'a Arguments<'a>,
    /// A panic of a host call.
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

impl<'a> HostCallHandler<'a> {
    pub(crate) fn new(calls: &'a PreparedHostCalls, arguments: &'a Arguments<'a>) -> Self {
        Self {
            calls,
            arguments,
            panic: Cell::new(None),
        }
    }

    /// Resumes a panic that ended the run, if there is one.
    pub(crate) fn resume_panic(&self) {
        if let Some(panic) = self.panic.take() {
            resume_unwind(panic);
        }
    }

    /// Handles a host call for the active lanes of a mask. The first row has its number.
    fn handle(&self, rows: &mut [u32], mask: u32) {
        let lanes = self.calls.lanes;
        match &self.calls.list[rows[0] as usize] {
            PreparedHostCall::Texture(call) => self.handle_texture_call(call, rows, mask, lanes),
            PreparedHostCall::F64(request) => {
                for lane in active_lanes(mask) {
                    compute_double(request, rows, lane, lanes);
                }
            }
        }
    }

    fn handle_texture_call(
        &self,
        call: &PreparedTextureCall,
        rows: &mut [u32],
        mask: u32,
        lanes: usize,
    ) {
        // Usually the texture is uniform.
        let shared = match call.request.element {
            Operand::Known(element) => Some(self.texture(call.index, element)),
            Operand::Row(_) => None,
        };
        if let Some(Some(texture)) = shared
            && match lanes {
                8 => access_all_lanes::<8>(call, texture, rows, mask),
                16 => access_all_lanes::<16>(call, texture, rows, mask),
                _ => false,
            }
        {
            return;
        }
        for lane in active_lanes(mask) {
            let texture = shared.unwrap_or_else(|| {
                let element = word(call.request.element, rows, lane, lanes);
                self.texture(call.index, element)
            });
            access(call, texture, rows, lane, lanes);
        }
    }

    /// The texture of a binding, or an element of a texture array.
    fn texture(&self, index: ArgumentIndex, element: u32) -> Option<&'a TextureView<'a>> {
        let number = match index {
            ArgumentIndex::Single(index) => index,
            ArgumentIndex::Array(number) => {
                let range = self.arguments.arrays.get(number)?;
                let number = range.start.checked_add(element)?;
                range.contains(&number).then_some(number as usize)?
            }
        };
        self.arguments.textures.get(number)
    }
}

/// The operand of a lane.
fn word(operand: Operand, rows: &[u32], lane: usize, lanes: usize) -> u32 {
    match operand {
        Operand::Known(word) => word,
        Operand::Row(row) => rows[row as usize * lanes + lane],
    }
}

/// Computes an `f64` function for a lane.
fn compute_double(request: &F64HostCall, rows: &mut [u32], lane: usize, lanes: usize) {
    let [x, y] = request.arguments.map(|words| {
        let [low, high] = words.map(|operand| u64::from(word(operand, rows, lane, lanes)));
        f64::from_bits(high << 32 | low)
    });
    // `PreparedHostCalls::new` has checked that the function exists.
    let result = transcendental(request.function, x, y).unwrap_or_default();
    let bits = result.to_bits();
    for (row, word) in (request.value as usize..).zip([bits as u32, (bits >> 32) as u32]) {
        rows[row * lanes + lane] = word;
    }
}

/// The active lanes of a mask.
fn active_lanes(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}

/// Loads or stores for all active lanes at once, so that the format is dispatched on once. Returns false for other
/// operations.
fn access_all_lanes<const LANES: usize>(
    call: &PreparedTextureCall,
    TextureView { words, view }: &TextureView<'_>,
    rows: &mut [u32],
    mask: u32,
) -> bool {
    let PreparedTextureCall { op, request, .. } = call;
    let (rows, _) = rows.as_chunks_mut::<LANES>();
    let mut axes = [[0; LANES]; 6];
    for (axis, operand) in axes.iter_mut().zip(coordinates(request)) {
        match operand {
            Operand::Known(word) => axis.fill(word),
            Operand::Row(row) => axis.copy_from_slice(&rows[row as usize]),
        }
    }
    let address = |lane: usize| texel_address(axes.each_ref().map(|axis| axis[lane]));
    let first = request.value as usize;
    let mut values = [[0; 4]; LANES];
    match *op {
        TextureOp::Load { n } => {
            let [_, _, rest @ ..] = coordinates(request);
            let is_slice = rest
                .iter()
                .all(|operand| matches!(operand, Operand::Known(_)));
            if is_slice {
                view.load_slice(words, address(0), [&axes[0], &axes[1]], &mut values);
            } else {
                let addresses: [_; LANES] = std::array::from_fn(address);
                view.load_each(words, &addresses, &mut values);
            }
            let is_full = mask.count_ones() as usize == LANES;
            for (channel, row) in rows[first..][..usize::from(n)].iter_mut().enumerate() {
                for (lane, (word, value)) in row.iter_mut().zip(&values).enumerate() {
                    if is_full || mask >> lane & 1 == 1 {
                        *word = value[channel];
                    }
                }
            }
            true
        }
        TextureOp::Store => {
            let mut addresses = [TexelAddress::default(); LANES];
            let mut count = 0;
            for lane in active_lanes(mask) {
                addresses[count] = address(lane);
                values[count] = std::array::from_fn(|channel| rows[first + channel][lane]);
                count += 1;
            }
            view.store_each(words, &addresses[..count], &values[..count]);
            true
        }
        _ => false,
    }
}

/// The operands that address a texel: position, layer, level and sample.
fn coordinates(request: &TextureHostCall) -> [Operand; 6] {
    let [x, y, z] = request.position;
    [x, y, z, request.layer, request.level, request.sample]
}

/// The address of the texel at these coordinates.
#[inline(always)]
fn texel_address([x, y, z, layer, level, sample]: [u32; 6]) -> TexelAddress {
    TexelAddress {
        position: Extent { x, y, z },
        layer,
        level,
        sample,
    }
}

/// Accesses a texture for a lane.
#[inline]
fn access(
    call: &PreparedTextureCall,
    texture: Option<&TextureView<'_>>,
    rows: &mut [u32],
    lane: usize,
    lanes: usize,
) {
    let PreparedTextureCall { op, request, .. } = call;
    let address =
        texel_address(coordinates(request).map(|operand| word(operand, rows, lane, lanes)));
    let at = |row: usize| (request.value as usize + row) * lanes + lane;
    let mut value = [0; 4];
    for (row, word) in value[..op.words_taken()].iter_mut().enumerate() {
        *word = rows[at(row)];
    }
    let result = access_texture(*op, texture, address, value);
    for (row, word) in result[..op.words_given()].iter().enumerate() {
        rows[at(row)] = *word;
    }
}

/// Defines the host-call entry with the calling convention of generated code. Without a code generator nothing calls
/// it, and any convention will do.
macro_rules! host_call {
    ($abi:literal) => {
        /// The function that generated code calls for every host call.
        ///
        /// # Safety
        ///
        /// The context's data must be a [`HostCallHandler`], and the frame that of the code whose host calls it
        /// handles.
        pub(crate) unsafe extern $abi fn handle_host_call(
            context: *const Context,
            frame: *mut u8,
            mask: u32,
        ) -> u32 {
            // SAFETY: the caller promises the same.
            unsafe { handle_in_frame(context, frame, mask) }
        }
    };
}

#[cfg(target_arch = "x86_64")]
host_call!("sysv64");
#[cfg(not(target_arch = "x86_64"))]
host_call!("C");

/// Handles the host call in the first row of the frame, for the active lanes of a mask.
///
/// # Safety
///
/// As for [`handle_host_call`].
unsafe fn handle_in_frame(context: *const Context, frame: *mut u8, mask: u32) -> u32 {
    // SAFETY: the caller promises it.
    let handler = unsafe { &*(*context).data.cast::<HostCallHandler<'_>>() };
    let count = HostCalls::ROWS as usize * handler.calls.lanes;
    // SAFETY: the frame has space for the rows, at a multiple of the size of a row, and code does not access it now.
    let rows = unsafe {
        let first = frame.add(handler.calls.offset).cast::<u32>();
        std::slice::from_raw_parts_mut(first, count)
    };
    // Unwind safety: after a panic only the panic is used.
    match catch_unwind(AssertUnwindSafe(|| handler.handle(rows, mask))) {
        Ok(()) => CallOutcome::FINISHED.0,
        Err(panic) => {
            handler.panic.set(Some(panic));
            CallOutcome::CANCELLED.0
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;

    const LANES: usize = 8;

    fn call_host(
        list: Vec<PreparedHostCall>,
        rows: &mut [u32; 16 * LANES],
        mask: u32,
    ) -> Result<u32, String> {
        let calls = PreparedHostCalls {
            list,
            offset: 0,
            lanes: LANES,
        };
        let arguments = Arguments {
            buffers: &[],
            textures: &[],
            arrays: &[],
            immediates: &[],
            workgroup_count: [1; 3],
        };
        let handler = HostCallHandler::new(&calls, &arguments);
        let context = Context {
            workgroup_id: [0; 3],
            workgroup_count: [1; 3],
            subgroup: 0,
            padding: 0,
            cancelled: ptr::null(),
            workgroup: ptr::null_mut(),
            zeros: ptr::null(),
            immediates: ptr::null(),
            constants: ptr::null(),
            buffers: ptr::null(),
            functions: ptr::null(),
            data: ptr::from_ref(&handler).cast(),
        };
        // SAFETY: the data is a handler, and the frame has all rows.
        let outcome = unsafe { handle_host_call(&context, rows.as_mut_ptr().cast(), mask) };
        let resumed = catch_unwind(AssertUnwindSafe(|| handler.resume_panic()));
        match resumed {
            Ok(()) => Ok(outcome),
            Err(panic) => Err(format!(
                "{outcome:x}: {}",
                anywarp_program::panic_message(&*panic)
            )),
        }
    }

    /// A load of two words from the element that a row names.
    fn load(index: ArgumentIndex) -> PreparedHostCall {
        let zero = Operand::Known(0);
        PreparedHostCall::Texture(PreparedTextureCall {
            index,
            op: TextureOp::Load { n: 2 },
            request: TextureHostCall {
                binding: (0, 0),
                element: Operand::Row(1),
                position: [zero; 3],
                layer: zero,
                level: zero,
                sample: zero,
                operation: TextureOp::Load { n: 2 },
                value: 2,
            },
        })
    }

    #[test]
    fn textures_that_are_not_there_read_as_zeros_where_lanes_take_part() {
        for index in [ArgumentIndex::Single(3), ArgumentIndex::Array(0)] {
            let mut rows = [0; 16 * LANES];
            rows[LANES..].fill(7);
            assert_eq!(call_host(vec![load(index)], &mut rows, 0b1010_0001), Ok(0));
            assert_eq!(rows[LANES..2 * LANES], [7; LANES]);
            let found = [0, 7, 7, 7, 7, 0, 7, 0];
            assert_eq!(rows[2 * LANES..4 * LANES], [found, found].concat());
            assert_eq!(rows[4 * LANES], 7);
        }
    }

    #[test]
    fn a_panic_ends_the_run_and_is_resumed_after_it() {
        let mut rows = [0; 16 * LANES];
        rows[0] = 1;
        let outcome = call_host(vec![load(ArgumentIndex::Single(0))], &mut rows, 0xff);
        assert_eq!(
            outcome.unwrap_err(),
            "80000000: index out of bounds: the len is 1 but the index is 1"
        );
    }
}
