//! Resources of an entry point: buffers, textures, and arrays of either; and their positions among the arguments.

use anywarp_texture::{Dimension, Format, Kind, View};

/// How a kernel uses a buffer or a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The kernel only reads it.
    Read,
    /// The kernel may write it.
    ReadWrite,
}

/// Whether a texture is multisampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Multisampling {
    /// One sample.
    Single,
    /// Several samples: `texture_multisampled_2d`, `texture_depth_multisampled_2d`.
    Multiple,
}

/// A texture as a program declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureBinding {
    /// Its dimension.
    pub dimension: Dimension,
    /// The component type of its texels.
    pub kind: Kind,
    /// Whether it is multisampled.
    pub multisampling: Multisampling,
    /// The format, for a storage texture.
    pub storage: Option<Format>,
}

impl TextureBinding {
    /// Checks whether a view can be bound here.
    pub fn check(&self, view: &View) -> Result<(), TextureMismatch> {
        if view.dimension != self.dimension {
            let (wanted, bound) = (self.dimension, view.dimension);
            return Err(TextureMismatch::Dimension { wanted, bound });
        }
        if (self.multisampling == Multisampling::Multiple) != (view.samples > 1) {
            return Err(TextureMismatch::Multisampling {
                wanted: self.multisampling,
            });
        }
        if let Some(wanted) = self.storage
            && wanted != view.format
        {
            let bound = view.format;
            return Err(TextureMismatch::Format { wanted, bound });
        }
        // Depth textures can also be read as plain floats.
        let kind = view.format.kind();
        if kind != self.kind && (kind, self.kind) != (Kind::Depth, Kind::Float) {
            let (wanted, bound) = (self.kind, view.format);
            return Err(TextureMismatch::Kind { wanted, bound });
        }
        Ok(())
    }
}

/// Why a texture cannot be bound. `Display` is what the program needs instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureMismatch {
    /// It has another dimension.
    #[error("a {} texture, not a {} one", .wanted.name(), .bound.name())]
    Dimension {
        /// The dimension that the program declares.
        wanted: Dimension,
        /// The dimension of the view.
        bound: Dimension,
    },
    /// It is multisampled and must not be, or the other way round.
    #[error("{}", match .wanted {
        Multisampling::Multiple => "a multisampled texture",
        Multisampling::Single => "a texture that is not multisampled",
    })]
    Multisampling {
        /// What the program declares.
        wanted: Multisampling,
    },
    /// It has another format than the storage texture.
    #[error("texels of {}, not of {}", .wanted.name(), .bound.name())]
    Format {
        /// The format that the program declares.
        wanted: Format,
        /// The format of the view.
        bound: Format,
    },
    /// Its texels have another component type.
    #[error("{} texels, which {} has not", name(*.wanted), .bound.name())]
    Kind {
        /// The component type that the program declares.
        wanted: Kind,
        /// The format of the view.
        bound: Format,
    },
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Float => "float",
        Kind::Sint => "sint",
        Kind::Uint => "uint",
        Kind::Depth => "depth",
    }
}

/// The kind of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResourceKind {
    /// `var<uniform>`.
    Uniform,
    /// `var<storage>`.
    Storage,
    /// A texture, for loads or for storage.
    Texture(TextureBinding),
}

/// The number of elements of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Elements {
    /// A single resource.
    Single,
    /// `binding_array<T, n>`.
    Exactly(u32),
    /// `binding_array<T>`.
    Any,
}

/// A buffer, a texture, or an array of either, that a kernel uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// The variable's name in the program.
    pub name: String,
    /// Its kind; for an array, that of each element.
    pub kind: ResourceKind,
    /// The number of elements.
    pub elements: Elements,
    /// Whether the kernel may write it.
    pub access: Access,
    /// The smallest buffer, in bytes, that holds the variable (with one element of a runtime array).
    pub min_size: u64,
}

/// A class of resources: each has a list of its own in [`Arguments`](crate::Arguments).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceClass {
    /// Uniform and storage buffers.
    Buffer,
    /// Textures.
    Texture,
}

impl Resource {
    /// The class of the resource; for an array, of its elements.
    pub fn class(&self) -> ResourceClass {
        match self.kind {
            ResourceKind::Uniform | ResourceKind::Storage => ResourceClass::Buffer,
            ResourceKind::Texture(_) => ResourceClass::Texture,
        }
    }

    fn is_single(&self) -> bool {
        self.elements == Elements::Single
    }
}

/// The position of a resource in [`Arguments`](crate::Arguments).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentIndex {
    /// The index among the buffers, or among the textures.
    Single(usize),
    /// The index of the array.
    Array(usize),
}

/// No resource has this `@group` and `@binding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown resource @group({group}) @binding({binding})")]
pub struct UnknownResource {
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
}

/// Finds the resource of a class with a `@group` and `@binding`, and its position among the arguments.
pub fn locate(
    resources: &[Resource],
    (group, binding): (u32, u32),
    class: ResourceClass,
) -> Result<(ArgumentIndex, &Resource), UnknownResource> {
    let is_wanted = |resource: &Resource| {
        (resource.group, resource.binding) == (group, binding) && resource.class() == class
    };
    let Some(position) = resources.iter().position(is_wanted) else {
        return Err(UnknownResource { group, binding });
    };
    let (resource, before) = (&resources[position], resources[..position].iter());
    let index = if resource.is_single() {
        let is_before = |other: &&Resource| other.is_single() && other.class() == class;
        ArgumentIndex::Single(before.filter(is_before).count())
    } else {
        // Arrays of buffers and of textures are counted together.
        ArgumentIndex::Array(before.filter(|other| !other.is_single()).count())
    };
    Ok((index, resource))
}
