//! Guarded batches on real devices: the CPU adapter, a software Vulkan driver, and a queue that
//! reorders submissions. One binary, one module per topic.

mod broken;
mod builder;
mod cancelling;
mod encoder;
mod gpu;
mod loss;
mod machine;
mod misuse;
mod passes;
mod reordering;
mod running;
mod tasks;
