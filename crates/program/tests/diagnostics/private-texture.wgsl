var<private> t: texture_2d<f32>;
