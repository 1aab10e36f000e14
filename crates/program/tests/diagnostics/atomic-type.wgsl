var<workgroup> a: atomic<f64>;
