//! Dispatches that load and store texels, through views of parts of textures.
//!
//! A kernel counts the texels of its views in the order in which they lie in memory, so that one model
//! is enough for all dimensions. What is outside a texture reads as zero, and a store there vanishes.

use wgpu::{BufferUsages, TextureFormat as Format, TextureUsages as Usage};
use wgpu::{TextureDimension, TextureViewDimension as Dimension};

use crate::commands::device::Intent;
use crate::commands::encoding::Encoded;
use crate::commands::images::{Image, Seen, TexelEffect};
use crate::commands::stream::Stream;

/// Invocations of a workgroup.
const SIZE: u64 = 4;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    Gather,
    Scatter,
    Move,
}

impl Work {
    /// How it uses its first texture.
    fn usage(self) -> Usage {
        match self {
            Self::Gather | Self::Move => Usage::TEXTURE_BINDING,
            Self::Scatter => Usage::STORAGE_BINDING,
        }
    }
}

/// Pipelines that load or store texels, by what they do and their dimension.
pub(crate) type Pipelines = std::collections::BTreeMap<(Work, u8), wgpu::ComputePipeline>;

/// The text of a kernel.
fn wgsl(work: Work, dimension: Dimension) -> String {
    let (name, at) = match dimension {
        Dimension::D1 => ("1d", "i"),
        Dimension::D3 => ("3d", "vec3(i % s.x, i / s.x % s.y, i / (s.x * s.y))"),
        _ => ("2d_array", "vec2(i % s.x, i / s.x % s.y), i / (s.x * s.y)"),
    };
    let image = format!(
        "var image: texture_{name}<u32>;
        fn load(i: u32) -> vec4<u32> {{
            let s = textureDimensions(image);
            return textureLoad(image, {at}, 0);
        }}"
    );
    let storage = format!(
        "var storage_image: texture_storage_{name}<r32uint, write>;
        fn store(i: u32, texel: vec4<u32>) {{
            let s = textureDimensions(storage_image);
            textureStore(storage_image, {at}, texel);
        }}"
    );
    let data = |access| format!("var<storage, {access}> data: array<u32>;");
    let (first, second, body) = match work {
        Work::Gather => (
            image,
            data("read_write"),
            "if i < arrayLength(&data) { data[i] = load(i).x; }",
        ),
        Work::Scatter => (
            data("read"),
            storage,
            "if i < arrayLength(&data) { store(i, vec4(data[i])); }",
        ),
        Work::Move => (image, storage, "store(i, load(i) + 1);"),
    };
    format!(
        "@group(0) @binding(0) {first}
        @group(0) @binding(1) {second}
        @compute @workgroup_size({SIZE})
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let i = id.x;
            {body}
        }}"
    )
}

/// Whether kernels can load the words of a format.
fn is_loadable(image: &Image) -> bool {
    let texture = &image.texture;
    let uint = Some(wgpu::TextureSampleType::Uint);
    image.has(Usage::TEXTURE_BINDING)
        && texture.format().sample_type(None, None) == uint
        && texture.sample_count() == 1
        && image.levels.is_some()
}

fn is_storable(image: &Image) -> bool {
    image.has(Usage::STORAGE_BINDING) && image.texture.format() == Format::R32Uint
}

fn view_dimension(image: &Image) -> Dimension {
    match image.texture.dimension() {
        TextureDimension::D1 => Dimension::D1,
        TextureDimension::D2 => Dimension::D2Array,
        TextureDimension::D3 => Dimension::D3,
    }
}

/// A view, and whether it is right for its binding.
struct Viewed {
    view: wgpu::TextureView,
    seen: Seen,
    levels: std::ops::Range<u32>,
    is_fine: bool,
}

impl Stream {
    pub(crate) fn dispatch_texels(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
    ) -> Option<Encoded> {
        let work = self.random.pick(&[Work::Gather, Work::Scatter, Work::Move]);
        let is_careful = self.is_careful;
        let fits = |image: &Image| match work {
            Work::Scatter => is_storable(image),
            Work::Gather | Work::Move => is_loadable(image),
        };
        let first = self.choose_image(|image| !is_careful || fits(image))?;
        // Texels of 64 bits are not words.
        if self.images[first].texture.format() == Format::R64Uint {
            return None;
        }
        let groups = self.random.below(9) as u32;
        let count = u64::from(groups) * SIZE;
        let launch = match work {
            Work::Gather | Work::Scatter => self.with_buffer(work, first, count)?,
            Work::Move => self.between_textures(first, count)?,
        };
        if launch.conflicts && self.is_careful {
            return None;
        }
        let dimension = view_dimension(&self.images[first]);
        self.launch(encoder, (work, dimension), groups, launch)
    }

    fn with_buffer(&mut self, work: Work, image: usize, count: u64) -> Option<Launch> {
        let buffer = self.texel_buffer(BufferUsages::STORAGE)?;
        let viewed = self.view(image, work.usage())?;
        let tracked = &self.buffers[buffer];
        let is_fine = viewed.is_fine && tracked.has(BufferUsages::STORAGE);
        let words = (buffer, 0..tracked.size());
        let (view, buffer) = (Bound::View(viewed.view), Bound::Buffer(buffer));
        let (bound, effect) = match work {
            Work::Scatter => {
                let (source, target) = (words, viewed.seen);
                let effect = TexelEffect::Scatter {
                    source,
                    target,
                    count,
                };
                ([buffer, view], effect)
            }
            Work::Gather | Work::Move => {
                let (source, target) = (viewed.seen, words);
                let effect = TexelEffect::Gather {
                    source,
                    target,
                    count,
                };
                ([view, buffer], effect)
            }
        };
        Some(Launch {
            bound,
            effect,
            is_fine,
            conflicts: false,
        })
    }

    fn between_textures(&mut self, first: usize, count: u64) -> Option<Launch> {
        let is_careful = self.is_careful;
        let dimension = view_dimension(&self.images[first]);
        let fits = |image: &Image| is_storable(image) && view_dimension(image) == dimension;
        let second = self.choose_image(|image| !is_careful || fits(image))?;
        let source = self.view(first, Usage::TEXTURE_BINDING)?;
        let target = self.view(second, Usage::STORAGE_BINDING)?;
        let has_dimension = view_dimension(&self.images[second]) == dimension;
        Some(Launch {
            conflicts: first == second && source.overlaps(&target),
            is_fine: source.is_fine && target.is_fine && has_dimension,
            bound: [Bound::View(source.view), Bound::View(target.view)],
            effect: TexelEffect::Move {
                source: source.seen,
                target: target.seen,
                count,
            },
        })
    }

    /// A view of a level and some layers, for a binding of a kernel.
    fn view(&mut self, index: usize, usage: Usage) -> Option<Viewed> {
        let image = &self.images[index];
        let level = self.random.below(image.texture.mip_level_count().into()) as u32;
        let is_deep = image.texture.dimension() == TextureDimension::D3;
        let layers = if is_deep {
            1
        } else {
            image.texture.depth_or_array_layers()
        };
        let layer = self.random.below(layers.into()) as u32;
        let count = 1 + self.random.below((layers - layer).into()) as u32;
        let is_storage = usage == Usage::STORAGE_BINDING;
        // What is sampled may have more levels, of which kernels load the first.
        let levels = if is_storage && self.is_careful {
            Some(1)
        } else {
            self.random.pick(&[None, Some(1)])
        };
        let (mut base, mut end) = (level, layer + count);
        let mut dimension = view_dimension(image);
        if !self.is_careful {
            match self.random.below(6) {
                0 => base = self.random.pick(&[level + 1, 99]),
                1 => end += self.random.pick(&[1, 2000]),
                2 => {
                    let others = [Dimension::D1, Dimension::D2, Dimension::Cube];
                    dimension = self.random.pick(&others);
                }
                _ => {}
            }
        }
        let descriptor = wgpu::TextureViewDescriptor {
            dimension: Some(dimension),
            base_mip_level: base,
            mip_level_count: levels,
            base_array_layer: layer,
            array_layer_count: Some(end - layer),
            ..Default::default()
        };
        let texture = &image.texture;
        let is_cube = dimension == Dimension::Cube;
        let has_layers = match dimension {
            Dimension::Cube => end - layer == 6 && texture.width() == texture.height(),
            Dimension::D2Array => true,
            _ => end - layer == 1,
        };
        let is_view = base < texture.mip_level_count()
            && end <= layers
            && has_layers
            && dimension.compatible_texture_dimension() == texture.dimension()
            && (texture.sample_count() == 1 || !is_cube);
        let create = || texture.create_view(&descriptor);
        let what = ("create_view", &descriptor, texture);
        let (view, is_there) = self.gpu.call(what, Intent::valid_if(is_view), create);
        if !is_there {
            return None;
        }
        let view_levels = levels.unwrap_or(texture.mip_level_count() - base);
        let is_fine = if is_storage {
            is_storable(image) && view_levels == 1 && !is_cube
        } else {
            is_loadable(image)
        };
        let slices = if is_deep {
            0..image.size(level)[2]
        } else {
            layer..end
        };
        let seen = Seen {
            image: index,
            level: base,
            slices,
        };
        Some(Viewed {
            view,
            seen,
            levels: base..base + view_levels,
            is_fine: is_fine && dimension == view_dimension(image),
        })
    }

    fn launch(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        (work, dimension): (Work, Dimension),
        groups: u32,
        launch: Launch,
    ) -> Option<Encoded> {
        let Launch {
            bound,
            effect,
            is_fine,
            conflicts,
        } = launch;
        let device = &self.gpu.device;
        let made = self.pipelines.entry((work, dimension as u8));
        let pipeline = made
            .or_insert_with(|| pipeline(device, &wgsl(work, dimension)))
            .clone();
        let entries = [0, 1].map(|binding| wgpu::BindGroupEntry {
            binding,
            resource: match &bound[binding as usize] {
                Bound::View(view) => wgpu::BindingResource::TextureView(view),
                Bound::Buffer(buffer) => self.buffers[*buffer].buffer.as_entire_binding(),
            },
        });
        let create = || {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        };
        let what = ("create_bind_group", work, &effect, dimension);
        let (group, _) = self.gpu.call(what, Intent::valid_if(is_fine), create);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        self.does(is_fine && !conflicts, effect)
    }
}

/// A dispatch in the making.
struct Launch {
    bound: [Bound; 2],
    effect: TexelEffect,
    /// Whether the bind group can be made.
    is_fine: bool,
    /// Whether it reads and writes the same texels, which no dispatch may.
    conflicts: bool,
}

enum Bound {
    View(wgpu::TextureView),
    Buffer(usize),
}

impl Viewed {
    /// Whether two views of one texture have texels in common.
    fn overlaps(&self, other: &Self) -> bool {
        let meet =
            |a: &std::ops::Range<u32>, b: &std::ops::Range<u32>| a.start < b.end && b.start < a.end;
        let is_same_slice = meet(&self.seen.slices, &other.seen.slices);
        meet(&self.levels, &other.levels) && is_same_slice
    }
}

fn pipeline(device: &wgpu::Device, wgsl: &str) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(wgsl.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    })
}
