//! The uniform buffer of the shader: buffer offsets, and the sizes of the launch.
//!
//! One macro declares both the Rust struct and the WGSL struct, so they cannot diverge.

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The parameters, one word each.
        #[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
        #[repr(C)]
        pub(super) struct Params { $($(#[$doc])* pub(super) $name: u32,)* }

        /// The WGSL declaration of the struct.
        pub(super) const WGSL: &str = concat!("struct Params {\n", $("    ", stringify!($name), ": u32,\n",)* "}\n");
    };
}

params! {
    /// Threads of the wave.
    count,
    /// Maximum loop iterations of an invocation in a slice, roughly.
    slice,
    // Offsets in a thread's state.
    sizes,
    dropped,
    globals,
    tables,
    stack,
    stack_slots,
    // Offsets in the program buffer.
    functions,
    segments,
    data_segments,
    table_rows,
    // Memories.
    memories,
    /// Capacity of all memories of one thread, in pages.
    pages_allocated,
    /// Maximum capacity of all memories of one thread that fits on the device, in pages.
    max_pages_allocated,
    // The grid.
    groups_x,
    groups_y,
    groups_z,
    size_x,
    size_y,
    size_z,
    group_threads,
    first_group,
    threads,
    // Offsets in the resource buffer (`resources` in WGSL).
    memory_rows,
    shared_sizes,
    init_words,
    init_word_count,
    arguments,
    argument_words,
    clock,
    state,
    state_words,
    input,
    input_words,
    picture,
    picture_pixels,
    picture_width,
    picture_height,
    buffers,
    buffer_count,
    group_memory,
    group_words,
    statics,
    queue,
    queue_capacity,
    ring,
    // Initial state of threads.
    entry,
    fuel_low,
    fuel_high,
    has_fuel,
    stack_bytes,
    stack_pointer,
    stacks,
}
