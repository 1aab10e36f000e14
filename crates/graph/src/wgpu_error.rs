//! Error scopes around the creation and writing of resources.

/// ErrorScopes for validation and out-of-memory errors. They belong to a thread, so there must be no
/// await before they are popped.
pub(crate) struct ErrorScopes {
    out_of_memory: wgpu::ErrorScopeGuard,
    invalid: wgpu::ErrorScopeGuard,
}

impl ErrorScopes {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        Self {
            out_of_memory: device.push_error_scope(wgpu::ErrorFilter::OutOfMemory),
            invalid: device.push_error_scope(wgpu::ErrorFilter::Validation),
        }
    }

    /// Pops both scopes; their results come later. An allocation that fails also causes a
    /// validation error.
    pub(crate) fn end(self) -> impl Future<Output = Option<wgpu::Error>> {
        let invalid = self.invalid.pop();
        let out_of_memory = self.out_of_memory.pop();
        async move { out_of_memory.await.or(invalid.await) }
    }
}
