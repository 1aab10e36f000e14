//! Errors of the device around what is made and written on it.

/// What the device refuses or has no room for. Scopes belong to a thread, so nothing is waited for
/// before they end.
pub(crate) struct Scopes {
    out_of_memory: wgpu::ErrorScopeGuard,
    invalid: wgpu::ErrorScopeGuard,
}

impl Scopes {
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        Self {
            out_of_memory: device.push_error_scope(wgpu::ErrorFilter::OutOfMemory),
            invalid: device.push_error_scope(wgpu::ErrorFilter::Validation),
        }
    }

    /// Ends both at once; their answers come later. What is not there for lack of memory is invalid, too.
    pub(crate) fn end(self) -> impl Future<Output = Option<wgpu::Error>> {
        let invalid = self.invalid.pop();
        let out_of_memory = self.out_of_memory.pop();
        async move { out_of_memory.await.or(invalid.await) }
    }
}
