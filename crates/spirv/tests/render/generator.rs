//! Generates pairs of vertex and fragment shaders in GLSL from a seed.
//!
//! Both stages declare the same random interface: plain variables, blocks, structs, arrays, matrices, components of
//! locations. The vertex shader stores to every leaf of it, the fragment shader combines all leaves into its outputs,
//! each with a random access: directly, through a copy of the whole, through function parameters, with a dynamic index.
//! So the image changes if any leaf is lost, moved or interpolated differently.

use std::fmt::Write;

use crate::common::random::Random;
use crate::render::scene::Targets;

/// The type of an interface variable.
#[derive(Clone, Debug)]
enum Type {
    Vector(Kind, u32),
    Matrix { columns: u32, rows: u32 },
    Array(Box<Type>, u32),
    Struct(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Float,
    Int,
    Uint,
}

struct Variable {
    name: String,
    ty: Type,
    qualifier: &'static str,
    location: u32,
    component: u32,
}

struct Block {
    /// The instance name of the block.
    name: String,
    members: Vec<Variable>,
}

/// A scalar, vector or matrix column.
struct Leaf {
    path: String,
    kind: Kind,
    width: u32,
}

pub(crate) struct Generated {
    pub(crate) source: String,
    pub(crate) targets: Targets,
}

struct Generator {
    random: Random,
    structs: Vec<Vec<Type>>,
    plain: Vec<Variable>,
    blocks: Vec<Block>,
    location: u32,
}

/// Generates a pair. The result depends on the seed only.
pub(crate) fn pair(seed: u64) -> Generated {
    let mut generator = Generator {
        random: Random(seed ^ 0x5eed),
        structs: Vec::new(),
        plain: Vec::new(),
        blocks: Vec::new(),
        location: 0,
    };
    generator.interface();
    generator.write()
}

/// Number of locations for varyings.
const LOCATIONS: u32 = 14;

impl Generator {
    fn vector(&mut self, kind: Kind) -> Type {
        Type::Vector(kind, 1 + self.random.below(4) as u32)
    }

    fn kind(&mut self) -> Kind {
        self.random
            .pick(&[Kind::Float, Kind::Float, Kind::Int, Kind::Uint])
    }

    fn ty(&mut self, depth: u32) -> Type {
        match self.random.below(9) {
            0 | 1 if depth > 0 => {
                let element = self.ty(depth - 1);
                Type::Array(Box::new(element), 1 + self.random.below(3) as u32)
            }
            2 => Type::Matrix {
                columns: 2 + self.random.below(3) as u32,
                rows: 2 + self.random.below(3) as u32,
            },
            3 if !self.structs.is_empty() => {
                Type::Struct(self.random.below(self.structs.len() as u64) as usize)
            }
            _ => {
                let kind = self.kind();
                self.vector(kind)
            }
        }
    }

    fn locations(&self, ty: &Type) -> u32 {
        match ty {
            Type::Vector(..) => 1,
            Type::Matrix { columns, .. } => *columns,
            Type::Array(element, count) => self.locations(element) * count,
            Type::Struct(number) => self.structs[*number]
                .iter()
                .map(|member| self.locations(member))
                .sum(),
        }
    }

    fn has_integers(&self, ty: &Type) -> bool {
        match ty {
            Type::Vector(kind, _) => *kind != Kind::Float,
            Type::Matrix { .. } => false,
            Type::Array(element, _) => self.has_integers(element),
            Type::Struct(number) => self.structs[*number].iter().any(|it| self.has_integers(it)),
        }
    }

    fn qualifier(&mut self, ty: &Type) -> &'static str {
        let choices = [
            "",
            "",
            "flat ",
            "noperspective ",
            "centroid ",
            "noperspective centroid ",
        ];
        if self.has_integers(ty) {
            "flat "
        } else {
            self.random.pick(&choices)
        }
    }

    fn interface(&mut self) {
        for _ in 0..self.random.below(3) {
            let members = (0..1 + self.random.below(3)).map(|_| self.ty(1)).collect();
            self.structs.push(members);
        }
        for number in 0..2 + self.random.below(5) {
            match self.random.below(4) {
                0 => self.block(number),
                1 => self.packed(number),
                _ => {
                    let ty = self.ty(2);
                    self.variable(format!("v{number}"), ty);
                }
            }
        }
    }

    fn variable(&mut self, name: String, ty: Type) {
        let location = self.location;
        if location + self.locations(&ty) > LOCATIONS {
            return;
        }
        self.location += self.locations(&ty);
        let qualifier = self.qualifier(&ty);
        self.plain.push(Variable {
            name,
            ty,
            qualifier,
            location,
            component: 0,
        });
    }

    fn block(&mut self, number: u64) {
        let mut members = Vec::new();
        for index in 0..1 + self.random.below(3) {
            let ty = self.ty(1);
            let location = self.location;
            if location + self.locations(&ty) > LOCATIONS {
                break;
            }
            self.location += self.locations(&ty);
            let qualifier = self.qualifier(&ty);
            members.push(Variable {
                name: format!("m{index}"),
                ty,
                qualifier,
                location,
                component: 0,
            });
        }
        // Members may be declared in any order of locations.
        if self.random.once_in(2) {
            members.reverse();
        }
        if !members.is_empty() {
            let name = format!("b{number}");
            self.blocks.push(Block { name, members });
        }
    }

    /// Several variables that share a location, by their components.
    fn packed(&mut self, number: u64) {
        let kind = self.kind();
        let length = if self.random.once_in(2) {
            Some(1 + self.random.below(3) as u32)
        } else {
            None
        };
        let locations = length.unwrap_or(1);
        if self.location + locations > LOCATIONS {
            return;
        }
        let (location, mut component) = (self.location, 0);
        self.location += locations;
        let vector = Type::Vector(kind, 1);
        let qualifier = self.qualifier(&vector);
        while component < 4 {
            let width = 1 + self.random.below(u64::from(4 - component)) as u32;
            if !self.random.once_in(4) {
                let vector = Type::Vector(kind, width);
                self.plain.push(Variable {
                    name: format!("p{number}_{component}"),
                    ty: match length {
                        Some(length) => Type::Array(Box::new(vector), length),
                        None => vector,
                    },
                    qualifier,
                    location,
                    component,
                });
            }
            component += width;
        }
    }

    fn leaves(&self, ty: &Type, path: &str, found: &mut Vec<Leaf>) {
        match ty {
            Type::Vector(kind, width) => found.push(Leaf {
                path: path.to_owned(),
                kind: *kind,
                width: *width,
            }),
            Type::Matrix { columns, rows } => {
                for column in 0..*columns {
                    found.push(Leaf {
                        path: format!("{path}[{column}]"),
                        kind: Kind::Float,
                        width: *rows,
                    });
                }
            }
            Type::Array(element, count) => {
                for index in 0..*count {
                    self.leaves(element, &format!("{path}[{index}]"), found);
                }
            }
            Type::Struct(number) => {
                for (index, member) in self.structs[*number].iter().enumerate() {
                    self.leaves(member, &format!("{path}.s{index}"), found);
                }
            }
        }
    }

    /// The access path and the type of each variable.
    fn places(&self) -> Vec<(String, Type)> {
        let plain = self.plain.iter().map(|it| (it.name.clone(), it.ty.clone()));
        let members = self.blocks.iter().flat_map(|block| {
            let path = |it: &Variable| (format!("{}.{}", block.name, it.name), it.ty.clone());
            block.members.iter().map(path)
        });
        plain.chain(members).collect()
    }

    fn declarations(&self, way: &str) -> String {
        let mut text = String::new();
        for variable in &self.plain {
            let (name, lengths) = declared(&variable.ty);
            let component = match variable.component {
                0 => String::new(),
                other => format!(", component = {other}"),
            };
            let _ = writeln!(
                text,
                "layout(location = {}{component}) {}{way} {name} {}{lengths};",
                variable.location, variable.qualifier, variable.name
            );
        }
        for block in &self.blocks {
            let _ = writeln!(text, "{way} Block_{} {{", block.name);
            for member in &block.members {
                let (name, lengths) = declared(&member.ty);
                let _ = writeln!(
                    text,
                    "    layout(location = {}) {}{name} {}{lengths};",
                    member.location, member.qualifier, member.name
                );
            }
            let _ = writeln!(text, "}} {};", block.name);
        }
        text
    }

    fn write(mut self) -> Generated {
        let mut text = String::from("#version 450\n");
        for (number, members) in self.structs.iter().enumerate() {
            let _ = writeln!(text, "struct S{number} {{");
            for (index, member) in members.iter().enumerate() {
                let (name, lengths) = declared(member);
                let _ = writeln!(text, "    {name} s{index}{lengths};");
            }
            text.push_str("};\n");
        }
        text.push_str(RESOURCES);
        text.push_str("#ifdef VERTEX\n");
        self.vertex(&mut text);
        text.push_str("#else\n");
        let targets = self.fragment(&mut text);
        text.push_str("#endif\n");
        Generated {
            source: text,
            targets,
        }
    }

    fn vertex(&mut self, text: &mut String) {
        text.push_str(ATTRIBUTES);
        text.push_str(&self.declarations("out"));
        let (mut body, mut functions) = (String::new(), String::new());
        for (number, (path, ty)) in self.places().into_iter().enumerate() {
            let (name, lengths) = declared(&ty);
            match self.random.below(4) {
                // A copy that is stored as a whole.
                0 => {
                    let local = format!("whole_{number}");
                    let _ = writeln!(body, "    {name} {local}{lengths};");
                    self.fill(&ty, &local, &mut body);
                    let _ = writeln!(body, "    {path} = {local};");
                }
                // A function with an `out` parameter.
                1 => {
                    let mut inner = String::new();
                    self.fill(&ty, "to", &mut inner);
                    let _ = writeln!(
                        functions,
                        "void fill_{number}(out {name} to{lengths}) {{\n{inner}}}"
                    );
                    let _ = writeln!(body, "    fill_{number}({path});");
                }
                // A function that accesses the variable directly.
                2 => {
                    let mut inner = String::new();
                    self.fill(&ty, &path, &mut inner);
                    let _ = writeln!(functions, "void set_{number}() {{\n{inner}}}");
                    let _ = writeln!(body, "    set_{number}();");
                }
                _ => self.fill(&ty, &path, &mut body),
            }
            if self.random.once_in(6) {
                body.push_str("    if (numbers.x == 77u) return;\n");
            }
        }
        let position = self.random.pick(&[
            "    gl_Position = at;\n",
            "    gl_Position = at + vec4(u[gl_VertexIndex & 7].xy * 0.125, 0.0, 0.0);\n",
            "    gl_Position.xy = at.xy;\n    gl_Position.zw = at.zw;\n",
            "    gl_Position = vec4(0.0);\n    for (int i = 0; i < 4; i++) gl_Position[i] = at[i];\n",
            "    gl_Position = at;\n    gl_Position.x += float(gl_InstanceIndex) * 0.25;\n    gl_PointSize = 1.0;\n",
            "    place(gl_Position, at);\n",
        ]);
        text.push_str("void place(out vec4 to, vec4 from) { to = from; to.y *= 0.75; }\n");
        text.push_str(&functions);
        let _ = writeln!(text, "void main() {{\n{position}{body}}}");
    }

    /// Generates stores to every leaf.
    fn fill(&mut self, ty: &Type, path: &str, text: &mut String) {
        let mut leaves = Vec::new();
        self.leaves(ty, path, &mut leaves);
        for leaf in &leaves {
            let value = self.attribute(leaf);
            let is_apart = leaf.width > 1 && self.random.once_in(4);
            if is_apart {
                for component in 0..leaf.width {
                    let _ = writeln!(
                        text,
                        "    {}[{component}] = ({value})[{component}];",
                        leaf.path
                    );
                }
            } else {
                let _ = writeln!(text, "    {} = {value};", leaf.path);
            }
        }
    }

    /// An expression for the value of a leaf.
    fn attribute(&mut self, leaf: &Leaf) -> String {
        let swizzles = ["xyzw", "wzyx", "yxwz", "zzxx", "xwyz"];
        let swizzle = &self.random.pick(&swizzles)[..leaf.width as usize];
        let constant = 1 + self.random.below(9);
        match leaf.kind {
            Kind::Float => {
                let from = self.random.pick(&[
                    "noise",
                    "matrix[0]",
                    "matrix[1]",
                    "matrix[2]",
                    "matrix[3]",
                    "u[3]",
                    "p[1]",
                ]);
                let scale = self.random.pick(&["0.5", "1.0", "2.0", "-0.25"]);
                format!("{from}.{swizzle} * {scale} + {constant}.0")
            }
            Kind::Int => format!("signs.{swizzle} / {constant}"),
            Kind::Uint => format!("numbers.{swizzle} % {}u", constant * 1000 + 7),
        }
    }

    fn fragment(&mut self, text: &mut String) -> Targets {
        text.push_str(&self.declarations("in"));
        let formats = [
            "rgba32float",
            "rgba32uint",
            "rgba32sint",
            "rg32float",
            "r32uint",
        ];
        let mut targets = String::from("rgba32float rgba32uint");
        let mut outputs = vec![("vec4", "result"), ("uvec4", "whole")];
        for name in ["third", "fourth"] {
            if self.random.once_in(3) {
                let format = self.random.pick(&formats);
                let ty = match format {
                    "rgba32float" => "vec4",
                    "rgba32uint" => "uvec4",
                    "rgba32sint" => "ivec4",
                    "rg32float" => "vec2",
                    _ => "uint",
                };
                let _ = write!(targets, " {format}");
                outputs.push((ty, name));
            }
        }
        if self.random.once_in(3) {
            targets.push_str(" samples=4");
        }
        let depth = self.random.once_in(3);
        if depth {
            targets.push_str(" depth");
        }
        for (location, (ty, name)) in outputs.iter().enumerate() {
            let _ = writeln!(text, "layout(location = {location}) out {ty} {name};");
        }
        text.push_str(FOLDS);
        let (mut body, mut functions) = (String::new(), String::new());
        for (number, (path, ty)) in self.places().into_iter().enumerate() {
            self.fold(number, &path, &ty, &mut body, &mut functions);
            if self.random.once_in(4) {
                body.push_str(self.random.pick(EXTRAS));
            }
        }
        for (ty, name) in &outputs[2..] {
            let value = match *ty {
                "vec4" => "sum.wzyx * 0.5",
                "uvec4" => "hash ^ uvec4(17u)",
                "ivec4" => "ivec4(hash) >> 4",
                "vec2" => "sum.yx + float(hash.x & 7u)",
                _ => "hash.x + hash.y",
            };
            let _ = writeln!(body, "    {name} = {value};");
        }
        let end = self.random.pick(&[
            "    result = sum;\n    whole = hash;\n",
            "    finish();\n",
            "    store(result, sum);\n    whole.xy = hash.xy;\n    whole.zw = hash.zw;\n",
            "    result = vec4(0.0);\n    for (int i = 0; i < 4; i++) { result[i] += sum[i]; whole[i] = hash[i]; }\n",
        ]);
        body.push_str(end);
        if depth && self.random.once_in(2) {
            body.push_str("    gl_FragDepth = fract(sum.x * 0.125);\n");
        }
        text.push_str("void finish() { result = sum; whole = hash; }\n");
        text.push_str(&functions);
        let _ = writeln!(text, "void main() {{\n{body}}}");
        Targets::parse(&targets)
    }

    /// Generates code that combines a variable into the sums.
    fn fold(
        &mut self,
        number: usize,
        path: &str,
        ty: &Type,
        body: &mut String,
        functions: &mut String,
    ) {
        let (name, lengths) = declared(ty);
        let folded = |this: &Self, path: &str| {
            let mut leaves = Vec::new();
            this.leaves(ty, path, &mut leaves);
            let lines = leaves.iter().map(|leaf| format!("    {}\n", fold(leaf)));
            lines.collect::<String>()
        };
        match (self.random.below(4), ty) {
            (0, _) => {
                let local = format!("whole_{number}");
                let _ = writeln!(body, "    {name} {local}{lengths} = {path};");
                body.push_str(&folded(self, &local));
            }
            (1, _) => {
                let inner = folded(self, "from");
                let way = self.random.pick(&["", "in ", "const in "]);
                let _ = writeln!(
                    functions,
                    "void fold_{number}({way}{name} from{lengths}) {{\n{inner}}}"
                );
                let _ = writeln!(body, "    fold_{number}({path});");
            }
            (2, Type::Array(element, count)) => {
                let mut leaves = Vec::new();
                self.leaves(element, &format!("{path}[i]"), &mut leaves);
                let lines: String = leaves.iter().map(fold).collect();
                let _ = writeln!(
                    body,
                    "    for (int i = 0; i < {count}; i++) {{ {lines} }}\n    \
                     {{ int i = int(gl_FragCoord.x) % {count}; {lines} }}"
                );
            }
            (2, Type::Matrix { columns, rows }) => {
                let parts = &"xyzw"[..*rows as usize];
                let _ = writeln!(
                    body,
                    "    sum.{parts} += {path}[int(gl_FragCoord.y) % {columns}];"
                );
                body.push_str(&folded(self, path));
            }
            _ => body.push_str(&folded(self, path)),
        }
    }
}

/// A statement that makes the sums depend on a leaf, and on the order of leaves.
fn fold(leaf: &Leaf) -> String {
    let parts = &"xyzw"[..leaf.width as usize];
    let path = &leaf.path;
    match leaf.kind {
        Kind::Float => format!("sum.{parts} += {path}; sum = turned(sum);"),
        Kind::Int => format!(
            "hash.{parts} ^= u{}({path}); hash = mixed(hash);",
            vec_of(leaf)
        ),
        Kind::Uint => format!("hash.{parts} += {path}; hash = mixed(hash);"),
    }
}

fn vec_of(leaf: &Leaf) -> String {
    match leaf.width {
        1 => "int".to_owned(),
        width => format!("vec{width}"),
    }
}

fn declared(ty: &Type) -> (String, String) {
    match ty {
        Type::Vector(kind, 1) => {
            let name = match kind {
                Kind::Float => "float",
                Kind::Int => "int",
                Kind::Uint => "uint",
            };
            (name.to_owned(), String::new())
        }
        Type::Vector(kind, width) => {
            let letter = match kind {
                Kind::Float => "",
                Kind::Int => "i",
                Kind::Uint => "u",
            };
            (format!("{letter}vec{width}"), String::new())
        }
        Type::Matrix { columns, rows } => (format!("mat{columns}x{rows}"), String::new()),
        Type::Array(element, count) => {
            let (name, lengths) = declared(element);
            (name, format!("[{count}]{lengths}"))
        }
        Type::Struct(number) => (format!("S{number}"), String::new()),
    }
}

const RESOURCES: &str = "layout(set = 0, binding = 0) uniform Uniforms { vec4 u[16]; };
layout(set = 0, binding = 1) uniform texture2D image;
layout(set = 0, binding = 2) uniform sampler plain;
layout(set = 0, binding = 5) readonly buffer Numbers { uint table[64]; };
layout(push_constant) uniform Push { vec4 p[4]; };
";

const ATTRIBUTES: &str = "layout(location = 0) in vec4 at;
layout(location = 1) in vec4 noise;
layout(location = 2) in uvec4 numbers;
layout(location = 3) in ivec4 signs;
layout(location = 4) in mat4 matrix;
";

const FOLDS: &str = "vec4 sum = vec4(0.0);
uvec4 hash = uvec4(1u, 2u, 3u, 4u);
vec4 turned(vec4 it) { return it.yzwx * 0.75; }
uvec4 mixed(uvec4 it) { return it.wxyz * 1664525u + 1013904223u; }
void store(out vec4 to, vec4 from) { to = from; }
";

/// Additional features of fragment shaders.
const EXTRAS: &[&str] = &[
    "    if (gl_FragCoord.x > 13.0 && gl_FragCoord.y < 9.0) discard;\n",
    "    if (!gl_FrontFacing) hash.x ^= 0xffffu;\n",
    "    sum += textureLod(sampler2D(image, plain), gl_FragCoord.xy / 16.0, 0.0);\n",
    "    hash.z += table[uint(gl_FragCoord.x) + 3u];\n",
    "    if ((int(gl_FragCoord.x) & 3) == 1) { result = sum; whole = hash.wzyx; }\n",
    "    for (int i = 0; i < 5; i++) { if (i == int(gl_FragCoord.y) % 4) continue; hash.y += uint(i); if (hash.y % 7u == 3u) break; }\n",
    "    sum.xy += dFdx(gl_FragCoord.xy) + dFdy(gl_FragCoord.yx);\n",
    "    switch (int(gl_FragCoord.x) % 5) { case 0: hash.x += 3u; case 1: hash = hash.yxwz; break; case 3: sum = -sum; break; default: sum.x += 1.0; }\n",
    "    sum *= u[int(gl_FragCoord.x) & 15].x + p[2].y;\n",
];
