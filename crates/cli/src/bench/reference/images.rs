//! References of the rows that filter pictures.

/// A picture that continues with the pixels of its edges.
struct Picture<'a> {
    pixels: &'a [f32],
    width: usize,
}

impl Picture<'_> {
    fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    fn at(&self, x: isize, y: isize) -> f32 {
        let clamp = |place: isize, extent: usize| place.clamp(0, extent as isize - 1) as usize;
        self.pixels[clamp(y, self.height()) * self.width + clamp(x, self.width)]
    }

    /// Computes each pixel from its place.
    fn map(&self, pixel: impl Fn(isize, isize) -> f32) -> Vec<f32> {
        let places = 0..self.pixels.len();
        let pixel = |i: usize| pixel((i % self.width) as isize, (i / self.width) as isize);
        places.map(pixel).collect()
    }
}

/// A binomial blur, first in rows and then in columns.
pub(in crate::bench) fn blur(pixels: &[f32], width: usize) -> Vec<f32> {
    let weights = [70.0, 56.0, 28.0, 8.0, 1.0].map(|weight: f32| weight / 256.0);
    let sum = |at: &dyn Fn(isize) -> f32| {
        let taps = -4..=4_isize;
        taps.map(|k| weights[k.unsigned_abs()] * at(k)).sum()
    };
    let source = Picture { pixels, width };
    let rows = source.map(|x, y| sum(&|k| source.at(x + k, y)));
    let rows = Picture {
        pixels: &rows,
        width,
    };
    rows.map(|x, y| sum(&|k| rows.at(x, y + k)))
}

/// The strength of edges by Sobel's operator.
pub(in crate::bench) fn sobel(pixels: &[f32], width: usize) -> Vec<f32> {
    let image = Picture { pixels, width };
    let slope = |at: &dyn Fn(isize, isize) -> f32| {
        let side = |far: isize| at(far, -1) + 2.0 * at(far, 0) + at(far, 1);
        side(1) - side(-1)
    };
    image.map(|x, y| {
        let gx = slope(&|far, along| image.at(x + far, y + along));
        let gy = slope(&|far, along| image.at(x + along, y + far));
        (gx * gx + gy * gy).sqrt()
    })
}
