//! Copies between buffers and textures and among textures, with every stride, against a model that
//! moves one texel at a time.

use wgpu::{TextureDimension as Dimension, TextureFormat as Format};

use crate::usage::program::Gpu;
use crate::usage::texels::{ALL, extent, flat};

const ROUNDS: usize = 120;

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end.max(1))) as u32
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// A texture, and its texels as the test believes them to be.
struct Modelled {
    texture: wgpu::Texture,
    texel: usize,
    /// By level; then slices, rows and texels without gaps.
    levels: Vec<Vec<u8>>,
}

/// Texels of one level.
#[derive(Clone, Copy, Debug)]
struct Region {
    level: u32,
    origin: [u32; 3],
    size: [u32; 3],
}

impl Modelled {
    fn new(
        gpu: &Gpu,
        dimension: Dimension,
        format: Format,
        size: wgpu::Extent3d,
        levels: u32,
    ) -> Self {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            dimension,
            mip_level_count: levels,
            ..flat(format, size)
        });
        let texel = format.block_copy_size(None).unwrap() as usize;
        let mut this = Self {
            texture,
            texel,
            levels: Vec::new(),
        };
        for level in 0..levels {
            let [x, y, z] = this.size(level);
            this.levels.push(vec![0; (x * y * z) as usize * texel]);
        }
        this
    }

    fn size(&self, level: u32) -> [u32; 3] {
        let size = self.texture.size();
        let half = |axis: u32| (axis >> level).max(1);
        let depth = match self.texture.dimension() {
            Dimension::D3 => half(size.depth_or_array_layers),
            _ => size.depth_or_array_layers,
        };
        [half(size.width), half(size.height), depth]
    }

    fn region(&self, dice: &mut Dice) -> Region {
        let level = dice.below(self.texture.mip_level_count());
        let whole = self.size(level);
        let origin = whole.map(|axis| dice.below(axis));
        let size = std::array::from_fn(|axis| 1 + dice.below(whole[axis] - origin[axis]));
        Region {
            level,
            origin,
            size,
        }
    }

    fn texel(&self, region: &Region, [x, y, z]: [u32; 3]) -> std::ops::Range<usize> {
        let [width, height, _] = self.size(region.level);
        let [left, top, front] = region.origin;
        let index = ((z + front) * height + y + top) * width + x + left;
        let first = index as usize * self.texel;
        first..first + self.texel
    }

    fn place(&self, region: &Region) -> wgpu::TexelCopyTextureInfo<'_> {
        let [x, y, z] = region.origin;
        wgpu::TexelCopyTextureInfo {
            mip_level: region.level,
            origin: wgpu::Origin3d { x, y, z },
            ..self.texture.as_image_copy()
        }
    }

    fn check(&self, gpu: &Gpu, what: &str) {
        for (level, expected) in (0..).zip(&self.levels) {
            let [x, y, z] = self.size(level);
            let region = Region {
                level,
                origin: [0; 3],
                size: [x, y, z],
            };
            let got = gpu.read_texels(self.place(&region), extent(x, y, z));
            assert_eq!(&got, expected, "level {level} after {what}");
        }
    }
}

fn each([x, y, z]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let rows = (0..z).flat_map(move |z| (0..y).map(move |y| (y, z)));
    rows.flat_map(move |(y, z)| (0..x).map(move |x| [x, y, z]))
}

/// Where texels are in a buffer.
struct Strides {
    offset: u64,
    row: u32,
    rows: u32,
}

impl Strides {
    fn random(dice: &mut Dice, texel: usize, size: [u32; 3], alignment: u32) -> Self {
        let tight = size[0] * texel as u32;
        Self {
            offset: u64::from(dice.below(5)) * (texel as u64).max(4),
            row: tight.next_multiple_of(alignment) + dice.below(2) * alignment,
            rows: size[1] + dice.below(3),
        }
    }

    fn layout(&self) -> wgpu::TexelCopyBufferLayout {
        wgpu::TexelCopyBufferLayout {
            offset: self.offset,
            bytes_per_row: Some(self.row),
            rows_per_image: Some(self.rows),
        }
    }

    fn byte(&self, [x, y, z]: [u32; 3], texel: usize) -> usize {
        let row = u64::from(z) * u64::from(self.rows) + u64::from(y);
        (self.offset + row * u64::from(self.row)) as usize + x as usize * texel
    }

    fn bytes(&self, size: [u32; 3]) -> usize {
        let rows = u64::from(size[2]) * u64::from(self.rows) * u64::from(self.row);
        (self.offset + rows).next_multiple_of(4) as usize
    }
}

fn written_by_the_host(gpu: &Gpu, dice: &mut Dice, target: &mut Modelled) {
    let region = target.region(dice);
    let texel = target.texel;
    let strides = Strides::random(dice, texel, region.size, texel as u32);
    let bytes = dice.bytes(strides.bytes(region.size));
    let [x, y, z] = region.size;
    gpu.queue.write_texture(
        target.place(&region),
        &bytes,
        strides.layout(),
        extent(x, y, z),
    );
    for at in each(region.size) {
        let place = target.texel(&region, at);
        let from = strides.byte(at, texel);
        target.levels[region.level as usize][place].copy_from_slice(&bytes[from..from + texel]);
    }
}

fn from_a_buffer(gpu: &Gpu, dice: &mut Dice, target: &mut Modelled) {
    let region = target.region(dice);
    let texel = target.texel;
    let strides = Strides::random(dice, texel, region.size, 256);
    let bytes = dice.bytes(strides.bytes(region.size));
    let buffer = gpu.storage(bytemuck::cast_slice(&bytes));
    let [x, y, z] = region.size;
    gpu.submit(|encoder| {
        let source = wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: strides.layout(),
        };
        encoder.copy_buffer_to_texture(source, target.place(&region), extent(x, y, z));
    });
    for at in each(region.size) {
        let place = target.texel(&region, at);
        let from = strides.byte(at, texel);
        target.levels[region.level as usize][place].copy_from_slice(&bytes[from..from + texel]);
    }
}

/// What is between rows in the buffer stays.
fn to_a_buffer(gpu: &Gpu, dice: &mut Dice, source: &Modelled) {
    let region = source.region(dice);
    let texel = source.texel;
    let strides = Strides::random(dice, texel, region.size, 256);
    let mut expected = dice.bytes(strides.bytes(region.size));
    let buffer = gpu.storage(bytemuck::cast_slice(&expected));
    let [x, y, z] = region.size;
    gpu.submit(|encoder| {
        let target = wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: strides.layout(),
        };
        encoder.copy_texture_to_buffer(source.place(&region), target, extent(x, y, z));
    });
    for at in each(region.size) {
        let place = source.texel(&region, at);
        let to = strides.byte(at, texel);
        expected[to..to + texel].copy_from_slice(&source.levels[region.level as usize][place]);
    }
    let got = gpu.read(&buffer);
    assert_eq!(bytemuck::cast_slice::<_, u8>(&got), expected, "{region:?}");
}

fn between(gpu: &Gpu, dice: &mut Dice, source: &Modelled, target: &mut Modelled) {
    let mut from = source.region(dice);
    let mut to = target.region(dice);
    let size = std::array::from_fn(|axis| from.size[axis].min(to.size[axis]));
    (from.size, to.size) = (size, size);
    let [x, y, z] = size;
    gpu.submit(|encoder| {
        encoder.copy_texture_to_texture(source.place(&from), target.place(&to), extent(x, y, z));
    });
    for at in each(size) {
        let place = source.texel(&from, at);
        let texel = source.levels[from.level as usize][place].to_vec();
        let place = target.texel(&to, at);
        target.levels[to.level as usize][place].copy_from_slice(&texel);
    }
}

fn random_copies(dimension: Dimension, sizes: [wgpu::Extent3d; 2], levels: u32, seed: u64) {
    let gpu = Gpu::new();
    let mut dice = Dice(seed);
    for format in [
        Format::R8Unorm,
        Format::Rg8Sint,
        Format::Rgba8Unorm,
        Format::Rgba16Float,
        Format::Rgba32Uint,
    ] {
        let [mut first, mut second] =
            sizes.map(|size| Modelled::new(&gpu, dimension, format, size, levels));
        for round in 0..ROUNDS {
            let what = match dice.below(5) {
                0 => {
                    written_by_the_host(&gpu, &mut dice, &mut first);
                    "a write"
                }
                1 => {
                    from_a_buffer(&gpu, &mut dice, &mut second);
                    "a copy from a buffer"
                }
                2 => {
                    to_a_buffer(&gpu, &mut dice, &first);
                    "a copy to a buffer"
                }
                3 => {
                    between(&gpu, &mut dice, &first, &mut second);
                    "a copy from the first texture"
                }
                _ => {
                    between(&gpu, &mut dice, &second, &mut first);
                    "a copy from the second texture"
                }
            };
            if round % 10 == 9 {
                first.check(&gpu, what);
                second.check(&gpu, what);
            }
        }
    }
}

#[test]
fn random_regions_of_arrays() {
    random_copies(Dimension::D2, [extent(13, 7, 3), extent(9, 12, 5)], 3, 1);
}

#[test]
fn random_regions_in_three_dimensions() {
    random_copies(Dimension::D3, [extent(9, 5, 6), extent(7, 8, 9)], 3, 2);
}

#[test]
fn random_regions_in_one_dimension() {
    random_copies(Dimension::D1, [extent(37, 1, 1), extent(51, 1, 1)], 1, 3);
}

/// Layers and levels of one texture may be copied to others of the same.
#[test]
fn within_a_texture() {
    let gpu = Gpu::new();
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        mip_level_count: 2,
        ..flat(Format::R32Uint, extent(2, 2, 2))
    });
    gpu.write_level(
        &texture,
        0,
        bytemuck::cast_slice(&[1u32, 2, 3, 4, 5, 6, 7, 8]),
        extent(2, 2, 2),
    );
    gpu.submit(|encoder| {
        let second = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d { x: 0, y: 0, z: 1 },
            ..texture.as_image_copy()
        };
        encoder.copy_texture_to_texture(texture.as_image_copy(), second, extent(2, 2, 1));
        let level = wgpu::TexelCopyTextureInfo {
            mip_level: 1,
            ..texture.as_image_copy()
        };
        let corner = wgpu::TexelCopyTextureInfo {
            origin: wgpu::Origin3d { x: 1, y: 1, z: 1 },
            ..texture.as_image_copy()
        };
        encoder.copy_texture_to_texture(corner, level, extent(1, 1, 1));
    });
    let words = gpu.read_texture(&texture);
    assert_eq!(
        bytemuck::cast_slice::<_, u32>(&words),
        [1, 2, 3, 4, 1, 2, 3, 4]
    );
    let level = wgpu::TexelCopyTextureInfo {
        mip_level: 1,
        ..texture.as_image_copy()
    };
    assert_eq!(gpu.read_texels(level, extent(1, 1, 1)), 4u32.to_le_bytes());
}

/// Copies between a format and the same with the curve move bytes.
#[test]
fn with_and_without_the_curve() {
    let gpu = Gpu::new();
    let plain = gpu
        .device
        .create_texture(&flat(Format::Rgba8Unorm, extent(2, 1, 1)));
    let curved = gpu
        .device
        .create_texture(&flat(Format::Rgba8UnormSrgb, extent(2, 1, 1)));
    gpu.write_level(&plain, 0, &[1, 2, 3, 4, 5, 6, 7, 8], extent(2, 1, 1));
    gpu.submit(|encoder| {
        encoder.copy_texture_to_texture(
            plain.as_image_copy(),
            curved.as_image_copy(),
            extent(2, 1, 1),
        );
    });
    assert_eq!(gpu.read_texture(&curved), [1, 2, 3, 4, 5, 6, 7, 8]);
}

/// Aspects are copied apart to and from buffers, and together among textures.
#[test]
fn depth_and_stencil() {
    let gpu = Gpu::full();
    let depth = gpu
        .device
        .create_texture(&flat(Format::Depth16Unorm, extent(3, 2, 2)));
    let bytes: Vec<u8> = (0..24).collect();
    gpu.write_level(&depth, 0, &bytes, extent(3, 2, 2));
    assert_eq!(gpu.read_texture(&depth), bytes);
    for format in [Format::Depth24PlusStencil8, Format::Depth32FloatStencil8] {
        let make = || gpu.device.create_texture(&flat(format, extent(3, 2, 1)));
        let (first, second) = (make(), make());
        let aspect = |texture| wgpu::TexelCopyTextureInfo {
            texture,
            mip_level: 0,
            origin: wgpu::Origin3d::ZERO,
            aspect: wgpu::TextureAspect::StencilOnly,
        };
        gpu.queue.write_texture(
            aspect(&first),
            &[1, 2, 3, 4, 5, 6],
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(3),
                rows_per_image: None,
            },
            extent(3, 2, 1),
        );
        gpu.submit(|encoder| {
            encoder.copy_texture_to_texture(
                first.as_image_copy(),
                second.as_image_copy(),
                extent(3, 2, 1),
            );
        });
        assert_eq!(
            gpu.read_texels(aspect(&second), extent(3, 2, 1)),
            [1, 2, 3, 4, 5, 6]
        );
    }
}

/// Multisampled textures are copied whole, sample by sample.
#[test]
fn multisampled() {
    let gpu = Gpu::new();
    let make = || {
        gpu.device.create_texture(&wgpu::TextureDescriptor {
            sample_count: 4,
            usage: ALL | wgpu::TextureUsages::RENDER_ATTACHMENT,
            ..flat(Format::Rgba8Uint, extent(3, 3, 1))
        })
    };
    let (first, second) = (make(), make());
    let view = first.create_view(&Default::default());
    gpu.submit(|encoder| {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color {
                        r: 9.0,
                        g: 8.0,
                        b: 7.0,
                        a: 6.0,
                    }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        encoder.copy_texture_to_texture(
            first.as_image_copy(),
            second.as_image_copy(),
            extent(3, 3, 1),
        );
    });
    let out = gpu.run_with_views(
        "@group(0) @binding(0) var t: texture_multisampled_2d<u32>;
         @group(0) @binding(1) var<storage, read_write> out: vec4<u32>;
         @compute @workgroup_size(1) fn main() { out = textureLoad(t, vec2(2, 2), 3); }",
        &[&second.create_view(&Default::default())],
        4,
    );
    assert_eq!(out, [9, 8, 7, 6]);
}

/// wgpu-core's own checks come first, and the device lives on.
#[test]
fn copies_that_leave_are_refused() {
    let gpu = Gpu::new();
    let texture = gpu
        .device
        .create_texture(&flat(Format::R32Uint, extent(2, 2, 1)));
    let buffer = gpu.storage(&[0; 64]);
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(256),
        rows_per_image: None,
    };
    let message = gpu.error_of(|| {
        gpu.submit(|encoder| {
            let target = wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout,
            };
            encoder.copy_texture_to_buffer(texture.as_image_copy(), target, extent(3, 1, 1));
        })
    });
    assert!(
        message.contains("overrun") || message.contains("range"),
        "{message}"
    );
    assert_eq!(gpu.read(&gpu.storage(&[5])), [5]);
}
