//! Generates textures: their contents, and functions that load, store and query.
//!
//! A load takes any coordinates, some of them outside the texture or its levels. Anywarp's executors return zeros
//! there; WGSL leaves the result open, so for other executors the function ignores it. A store goes to a texel of the
//! invocation, or to one that does not exist. All atomics on one texture have one operation, so that the result does
//! not depend on the order.

use anywarp_texture::{Dimension, Extent, Format, Kind as Channels, TextureShape};

use super::generator::Generator;
use super::memory::COMMUTING;
use super::scope::Role;
use super::tree::{Buffer, Constness, Expr, Global, Kernel, Kind, Statement};
use super::types::{Scalar, Type, half};
use crate::texture::TextureSpec;

/// The result of an out-of-bounds load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfBoundsLoad {
    /// Zeros.
    Zero,
    /// Undefined by WGSL, so it is ignored.
    Unspecified,
}

/// A function that loads a texel: its type, and the number of its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    name: String,
    scalar: Scalar,
    arguments: usize,
}

/// Formats with exact values.
const LOADED: &[&str] = &[
    "r8uint",
    "r16uint",
    "r32uint",
    "rg8uint",
    "rgba8uint",
    "rgba16uint",
    "rg32uint",
    "rgba32uint",
    "r8sint",
    "rg16sint",
    "r32sint",
    "rgba8sint",
    "rgba32sint",
    "r32float",
    "rg32float",
    "rgba32float",
    "r16float",
    "rgba16float",
    "rgba8unorm",
    "bgra8unorm",
];

/// Formats that every device can store.
const STORED: &[&str] = &[
    "rgba8unorm",
    "rgba8uint",
    "rgba8sint",
    "rgba16uint",
    "rgba16sint",
    "rgba16float",
    "r32uint",
    "r32sint",
    "r32float",
    "rg32uint",
    "rg32float",
    "rgba32uint",
    "rgba32sint",
    "rgba32float",
];

const DIMENSIONS: [Dimension; 5] = [
    Dimension::D1,
    Dimension::D2,
    Dimension::D2,
    Dimension::D2Array,
    Dimension::D3,
];

impl Generator<'_> {
    /// Textures that are loaded, stored to, and changed by atomics.
    pub(crate) fn make_textures(&mut self, kernel: &mut Kernel, invocations: u32) {
        let Some(outside) = self.options.textures else {
            return;
        };
        for _ in 0..self.random.below(3) {
            self.make_loaded(kernel, outside);
        }
        if self.random.one_in(2) {
            self.make_stored(kernel, invocations);
        }
        if self.options.texture_atomics && self.random.one_in(3) {
            self.make_texture_atomics(kernel);
        }
    }

    fn texture(&mut self, name: &str, declared: String, spec: TextureSpec) -> Buffer {
        let words = self.texels(&spec);
        Buffer {
            name: name.to_owned(),
            space: "",
            declared,
            leaves: Vec::new(),
            words,
            texture: Some(spec),
        }
    }

    /// Random texels that are exact as floats.
    fn texels(&mut self, spec: &TextureSpec) -> Vec<u32> {
        let format = spec.format;
        let channel = format.bytes() as usize / format.channels();
        let mut bytes = Vec::new();
        while bytes.len() < spec.words() * 4 {
            let scalar = scalar(format);
            let value = self.number_of(scalar);
            match (scalar, channel) {
                (Scalar::F32, 1) => bytes.push([0, 255][self.random.below(2)]),
                (Scalar::F32, 2) => bytes.extend(half(value).to_le_bytes()),
                _ => bytes.extend(&scalar.bytes(value)[..channel]),
            }
        }
        bytes
            .chunks_exact(4)
            .map(bytemuck::pod_read_unaligned)
            .collect()
    }

    fn make_loaded(&mut self, kernel: &mut Kernel, outside: OutOfBoundsLoad) {
        let dimension = *self.random.pick(&DIMENSIONS);
        let size = [0; 3].map(|_| self.random.between(1, 6) as u32);
        let mut spec = spec(dimension, self.random.pick::<&str>(LOADED), size);
        let Extent { x, y, z } = spec.shape.extent;
        let most = match dimension {
            Dimension::D1 => 1,
            _ => x.max(y).max(z).ilog2() + 1,
        };
        spec.shape.levels = self.random.between(1, most.min(3) as usize) as u32;
        let (name, scalar) = (self.name("image"), scalar(spec.format));
        let declared = format!("texture_{}<{}>", kind(dimension), scalar.name());
        let is_signed = self.random.one_in(2);
        kernel.globals.push(Global {
            name: format!("load_{name}"),
            text: load(&name, &spec, is_signed, outside),
        });
        self.loads.push(Load {
            name: format!("load_{name}"),
            scalar,
            arguments: axes(dimension) + usize::from(dimension == Dimension::D2Array) + 1,
        });
        let levels = spec.shape.levels;
        let level = match outside {
            OutOfBoundsLoad::Zero => format!(", slot % {levels}u"),
            // lavapipe 22.3 uses one invocation's level for all of them.
            OutOfBoundsLoad::Unspecified => format!(", {}u", self.random.below(levels as usize)),
        };
        self.declare_size(&name, dimension, &level);
        let word = Type::Scalar(Scalar::U32);
        let role = Role::Value(Constness::Runtime);
        self.declare(format!("textureNumLevels({name})"), word.clone(), role);
        if dimension == Dimension::D2Array {
            self.declare(format!("textureNumLayers({name})"), word, role);
        }
        let buffer = self.texture(&name, declared, spec);
        kernel.buffers.push(buffer);
    }

    /// Declares the size of a texture as a value in scope.
    fn declare_size(&mut self, name: &str, dimension: Dimension, level: &str) {
        let ty = Type::wide(Scalar::U32, axes(dimension) as u32);
        let text = format!("textureDimensions({name}{level})");
        self.declare(text, ty, Role::Value(Constness::Runtime));
    }

    /// A texture with one texel for each invocation.
    fn make_stored(&mut self, kernel: &mut Kernel, invocations: u32) {
        let dimension = *self.random.pick(&DIMENSIONS);
        let width = self.random.between(1, 7) as u32;
        let height = self.random.between(1, 3) as u32;
        let size = match dimension {
            Dimension::D1 => [invocations, 1, 1],
            Dimension::D2 => [width, invocations.div_ceil(width), 1],
            _ => [width, height, invocations.div_ceil(width * height)],
        };
        let spec = spec(dimension, self.random.pick::<&str>(STORED), size);
        let (name, format) = (self.name("canvas"), spec.format);
        // These can be read as well.
        let is_word = (format.channels(), format.bytes()) == (1, 4);
        let access = if is_word && self.random.one_in(2) {
            "read_write"
        } else {
            "write"
        };
        let declared = format!(
            "texture_storage_{}<{}, {access}>",
            kind(dimension),
            format.name()
        );
        let value = Type::Vector(scalar(format), 4);
        for (function, place) in [("store", "slot".to_owned()), ("miss", beyond(&spec))] {
            let at = place_of(&spec, &place);
            let text = format!(
                "fn {function}_{name}(value: {value}) {{ textureStore({name}, {at}, {}); }}",
                kept(format)
            );
            let name = format!("{function}_{name}");
            self.stores.push((name.clone(), value.clone()));
            kernel.globals.push(Global { name, text });
        }
        if access == "read_write" {
            let at = place_of(&spec, "slot");
            let root = format!("textureLoad({name}, {at})");
            self.declare(root, value, Role::Value(Constness::Runtime));
        }
        self.declare_size(&name, dimension, "");
        let mut buffer = self.texture(&name, declared, spec);
        let leaf = match (scalar(format), format.bytes() as usize / format.channels()) {
            (Scalar::F32, 2) => Scalar::F16,
            (Scalar::F32, 4) => Scalar::F32,
            _ => Scalar::U32,
        };
        let bytes = buffer.words.len() as u32 * 4;
        buffer.leaves = (0..bytes / leaf.size())
            .map(|i| (i * leaf.size(), leaf))
            .collect();
        kernel.buffers.push(buffer);
    }

    /// A few texels that all invocations change.
    fn make_texture_atomics(&mut self, kernel: &mut Kernel) {
        let format = *self.random.pick(&["r32uint", "r32sint"]);
        let spec = spec(Dimension::D2, format, [3, 2, 1]);
        let scalar = scalar(spec.format);
        let operation = *self.random.pick(&COMMUTING);
        let operation = match operation {
            // Textures do not support these.
            "atomicSub" => "Add",
            other => other.trim_start_matches("atomic"),
        };
        let text = format!(
            "fn touch_board(value: {}) {{ textureAtomic{operation}(board, vec2(slot % 3u, slot / 3u % 2u), value); }}",
            scalar.name()
        );
        let name = "touch_board".to_owned();
        self.stores.push((name.clone(), Type::Scalar(scalar)));
        kernel.globals.push(Global { name, text });
        let declared = format!("texture_storage_2d<{format}, atomic>");
        let mut buffer = self.texture("board", declared, spec);
        buffer.leaves = (0..6).map(|i| (i * 4, Scalar::U32)).collect();
        kernel.buffers.push(buffer);
    }

    /// A load of a texel, or a part of it, if a texture has this type.
    pub(crate) fn load(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let (scalar, width) = (ty.scalar()?, ty.width()?);
        let loads = self.loads.iter().filter(|load| load.scalar == scalar);
        let loads: Vec<Load> = loads.cloned().collect();
        if loads.is_empty() || !self.may_call {
            return None;
        }
        let load = self.random.pick(&loads).clone();
        let word = Type::Scalar(Scalar::U32);
        let arguments = (0..load.arguments)
            .map(|_| self.expr(&word, depth - 1))
            .collect();
        let texel = Type::Vector(scalar, 4);
        let value = Expr::new(texel.clone(), Kind::Named(load.name, arguments));
        if *ty == texel {
            return Some(value);
        }
        let components = (0..width).map(|_| self.random.below(4) as u32).collect();
        Some(Expr::new(
            ty.clone(),
            Kind::Swizzle(Box::new(value), components),
        ))
    }

    pub(crate) fn store(&mut self) -> Option<Statement> {
        if self.stores.is_empty() {
            return None;
        }
        let (name, ty) = self.random.pick(&self.stores).clone();
        let value = self.expr(&ty, 2);
        Some(Statement::Store(name, value))
    }
}

fn scalar(format: Format) -> Scalar {
    match format.kind() {
        Channels::Float | Channels::Depth => Scalar::F32,
        Channels::Sint => Scalar::I32,
        Channels::Uint => Scalar::U32,
    }
}

/// The suffix of its WGSL type name.
fn kind(dimension: Dimension) -> String {
    dimension.name().replace('-', "_")
}

fn axes(dimension: Dimension) -> usize {
    match dimension {
        Dimension::D1 => 1,
        Dimension::D3 => 3,
        _ => 2,
    }
}

fn spec(dimension: Dimension, format: &str, [x, y, z]: [u32; 3]) -> TextureSpec {
    let [y, z] = match dimension {
        Dimension::D1 => [1, 1],
        Dimension::D2 => [y, 1],
        _ => [y, z],
    };
    let (z, layers) = match dimension {
        Dimension::D2Array => (1, z),
        _ => (z, 1),
    };
    TextureSpec {
        dimension,
        format: Format::named(format).expect("the tables have names of formats"),
        shape: TextureShape {
            extent: Extent { x, y, z },
            layers,
            levels: 1,
            samples: 1,
        },
        clear: None,
    }
}

/// The arguments that address a texel by its number.
fn place_of(spec: &TextureSpec, number: &str) -> String {
    let Extent { x, y, .. } = spec.shape.extent;
    let (row, slice) = (format!("{number} / {x}u"), format!("{number} / {}u", x * y));
    match spec.dimension {
        Dimension::D1 => number.to_owned(),
        Dimension::D2 => format!("vec2({number} % {x}u, {row})"),
        Dimension::D3 => format!("vec3({number} % {x}u, {row} % {y}u, {slice})"),
        _ => format!("vec2({number} % {x}u, {row} % {y}u), {slice}"),
    }
}

/// The number of a texel that does not exist.
fn beyond(spec: &TextureSpec) -> String {
    let Extent { x, y, z } = spec.shape.extent;
    format!("(slot + {}u)", x * y * z * spec.shape.layers)
}

/// An expression that maps `value` to one that a format represents exactly.
fn kept(format: Format) -> &'static str {
    let channel = format.bytes() as usize / format.channels();
    match (scalar(format), channel) {
        (Scalar::U32, 1) => "value & vec4<u32>(0xffu)",
        (Scalar::U32, 2) => "value & vec4<u32>(0xffffu)",
        (Scalar::I32, 1) => "clamp(value, vec4<i32>(-128), vec4<i32>(127))",
        (Scalar::I32, 2) => "clamp(value, vec4<i32>(-32768), vec4<i32>(32767))",
        (Scalar::F32, 1) => "saturate(value)",
        _ => "value",
    }
}

/// A function that loads a texel inside or near a texture.
fn load(name: &str, spec: &TextureSpec, is_signed: bool, outside: OutOfBoundsLoad) -> String {
    let (axes, levels) = (axes(spec.dimension), spec.shape.levels);
    let Extent { x, y, z } = spec.shape.extent;
    let scalar = if is_signed { "i32" } else { "u32" };
    // From one before the first texel to two after the last.
    let place = |(argument, size): (&str, u32)| {
        if is_signed {
            format!("i32({argument} % {}u) - 1", size + 3)
        } else {
            format!("{argument} % {}u", size + 2)
        }
    };
    let places = [("x", x), ("y", y), ("z", z)].map(place);
    let places = places[..axes].join(", ");
    let vector = match axes {
        1 => scalar.to_owned(),
        axes => format!("vec{axes}<{scalar}>"),
    };
    let parameters = ["x: u32", "y: u32", "z: u32"][..axes].join(", ");
    let (parameter, layer, has_layer) = match spec.dimension {
        Dimension::D2Array => {
            let layer = format!("let layer = layer_ % {}u; ", spec.shape.layers + 2);
            (", layer_: u32", layer, "layer < textureNumLayers(NAME) && ")
        }
        _ => ("", String::new(), ""),
    };
    let given = if parameter.is_empty() { "" } else { ", layer" };
    let texel = Type::Vector(self::scalar(spec.format), 4);
    let load = format!("textureLoad({name}, p{given}, level)");
    let result = match outside {
        OutOfBoundsLoad::Zero => load,
        OutOfBoundsLoad::Unspecified => {
            let words = vector.replace("i32", "u32");
            let has_layer = has_layer.replace("NAME", name);
            let size = [x, y, z].map(|size| format!("{size}u"))[..axes].join(", ");
            let size = format!("max({words}({size}) >> {words}(level), {words}(1u))");
            let mut inside = format!("{words}(p) < {size}");
            if axes > 1 {
                inside = format!("all({inside})");
            }
            format!("select({texel}(), {load}, {has_layer}level < {levels}u && {inside})")
        }
    };
    format!(
        "fn load_{name}({parameters}{parameter}, level_: u32) -> {texel} {{ \
         let p = {vector}({places}); {layer}let level = level_ % {}u; return {result}; }}",
        levels + 1
    )
}
