//! Kernels, memory, bindings, executors and errors can be sent to other threads and shared between them. A
//! [`Runner`](anywarp_cpu::Runner) is the memory of one thread.

use anywarp_cpu::{
    BindGroup, BindingError, BoundBuffer, BoundTexture, Buffer, CompileFailure, DispatchError,
    Executor, ExecutorOptions, FrameLimitError, Kernel, KernelError, KernelOptions, LinkError,
    MemoryPool, Monitor, OutOfMemory, ResolvedBindings, SpuriousFailures, Texture, ViewedTexture,
    WhyInterpreted,
};

fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn handles_are_send_and_sync() {
    is_send_and_sync::<Kernel>();
    is_send_and_sync::<KernelOptions>();
    is_send_and_sync::<Executor>();
    is_send_and_sync::<ExecutorOptions>();
    is_send_and_sync::<Monitor>();
    is_send_and_sync::<Buffer>();
    is_send_and_sync::<MemoryPool>();
    is_send_and_sync::<Texture>();
    is_send_and_sync::<ViewedTexture>();
    is_send_and_sync::<BindGroup>();
    is_send_and_sync::<BoundBuffer>();
    is_send_and_sync::<BoundTexture>();
    is_send_and_sync::<ResolvedBindings<'_>>();
    is_send_and_sync::<SpuriousFailures>();
}

#[test]
fn errors_are_send_and_sync() {
    is_send_and_sync::<BindingError>();
    is_send_and_sync::<CompileFailure>();
    is_send_and_sync::<DispatchError>();
    is_send_and_sync::<FrameLimitError>();
    is_send_and_sync::<KernelError>();
    is_send_and_sync::<LinkError>();
    is_send_and_sync::<OutOfMemory>();
    is_send_and_sync::<WhyInterpreted>();
}
