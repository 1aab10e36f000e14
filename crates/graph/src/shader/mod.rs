//! Generates the WGSL module of a node.
//!
//! In: a node of a graph. Out: [`NodeShader`]: the user's sources, unchanged and first, so that
//! errors in them have the user's own file and line; then the prelude; then the entry point. What
//! always holds: the module passes naga's validation, and an error names the node and the rule that
//! the user's code violates.

mod entry_point;
mod fields;
mod outputs;
mod prelude;
mod reserved_names;
mod signature;
mod template;

use anywarp_program::{Diagnostic, Location, Program, ProgramError, Source};

use crate::model::{Graph, NodeId, NodeIndex};

/// The entry point of every node.
pub(crate) const ENTRY_POINT: &str = "aw_main";

/// Why a node's code cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShaderError {
    /// The node has no WGSL source.
    #[error("node `{0}` has no WGSL")]
    NoSource(NodeId),
    /// The source does not compile.
    #[error("node `{node}`:\n{error}")]
    Program {
        /// The node.
        node: NodeId,
        /// The compile error, in the user's own file and line. Boxed, since it is large.
        error: Box<ProgramError>,
    },
    /// The source does not contain the node's function.
    #[error("node `{node}`: `{file}` has no function `{function}`")]
    NoFunction {
        /// The node.
        node: NodeId,
        /// The first of its files.
        file: String,
        /// The function.
        function: String,
    },
    /// The function has an unknown parameter.
    #[error(
        "node `{node}`: the function `{function}` has an unknown parameter `{argument}`; known parameters: {known}"
    )]
    Argument {
        /// The node.
        node: NodeId,
        /// The function.
        function: String,
        /// The parameter.
        argument: String,
        /// The known parameters.
        known: String,
    },
    /// The function has a result.
    #[error("node `{node}`: the function `{function}` must not return a value")]
    Returns {
        /// The node.
        node: NodeId,
        /// The function.
        function: String,
    },
    /// The records and outputs need too many generated functions.
    #[error(
        "node `{node}`: the fields of its records and outputs need {functions} generated functions; at most 16384 are allowed"
    )]
    TooManyFunctions {
        /// The node.
        node: NodeId,
        /// The approximate number of functions.
        functions: usize,
    },
    /// Two generated functions have the same name.
    #[error(
        "node `{node}`: its records, fields and outputs give two generated functions the name `{name}`; rename one of them"
    )]
    NameClash {
        /// The node.
        node: NodeId,
        /// The name.
        name: String,
    },
    /// The user's source declares a reserved name.
    #[error(
        "node `{node}`: {}`{name}` is reserved for generated code, as are all names that begin with `aw_`; use another name",
        .location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default()
    )]
    ReservedName {
        /// The node.
        node: NodeId,
        /// The name.
        name: String,
        /// The location of the declaration.
        location: Option<Location>,
    },
    /// The user's source has a binding in the runtime's group.
    #[error("node `{node}`: `{name}` is in group 3, which belongs to the graph; use groups 0 to 2")]
    ReservedGroup {
        /// The node.
        node: NodeId,
        /// The variable.
        name: String,
    },
    /// A thread node uses a barrier or workgroup memory, but has no workgroup.
    #[error(
        "node `{node}`: a thread node has no workgroup, so it cannot use barriers or workgroup memory"
    )]
    ThreadNodeBarrier {
        /// The node.
        node: NodeId,
    },
}

/// Options of code generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShaderOptions {
    /// Misuse is reported as faults.
    pub(crate) checked: bool,
    /// Records that nodes send are counted.
    pub(crate) counted: bool,
}

impl ShaderOptions {
    /// A statement that reports a fault, or empty if the code is unchecked.
    fn fault(self, rule: &str, output: &str) -> String {
        if self.checked {
            format!("aw_fault({rule}, {output}, $FOUND, $ALLOWED); ")
        } else {
            String::new()
        }
    }
}

/// The generated module of a node.
#[derive(Clone, Debug)]
pub struct NodeShader {
    program: Program,
}

impl NodeShader {
    pub(crate) fn new(
        graph: &Graph,
        node: NodeIndex,
        options: ShaderOptions,
    ) -> Result<Self, ShaderError> {
        let resolved = &graph.nodes()[node];
        let id = &resolved.id;
        let mut sources = resolved.sources.iter().cloned();
        let first = sources
            .next()
            .ok_or_else(|| ShaderError::NoSource(id.clone()))?;
        let file = first.name().to_owned();
        let users = sources.fold(first, Source::followed_by);
        let prelude = prelude::write(graph, node, options)?;
        // The names do not depend on the function's parameters, and the function itself may have
        // one of these names.
        let generated = prelude.clone() + &entry_point::write(resolved, "", &[], options);
        if let Some(taken) = reserved_names::first_conflict(&users, &generated) {
            return Err(ShaderError::ReservedName {
                node: id.clone(),
                name: taken.name,
                location: taken.location,
            });
        }
        let read = |generated: String| {
            let name = format!("prelude of {id}");
            let generated = Source::new(name.clone(), generated);
            let source = users.clone().followed_by(generated);
            Program::from_source(source).map_err(|error| ShaderError::Program {
                node: id.clone(),
                error: Box::new(in_users(error, &users, &name)),
            })
        };
        let function = resolved.function.as_ref().unwrap_or(&id.name);
        let program = read(prelude.clone())?;
        let signature = signature::Signature {
            program: &program,
            node: resolved,
            function,
            users_end: users.text().len(),
        };
        let arguments = signature.check(&file)?;
        let wrapper = entry_point::write(resolved, function, &arguments, options);
        let program = read(prelude + &wrapper)?;
        Ok(Self { program })
    }

    /// The whole module, parsed.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The whole text: the user's sources, the prelude and the entry point. A device gets it with
    /// the directives blanked that naga does not support.
    pub fn text(&self) -> &str {
        self.program.source().map_or("", Source::text)
    }
}

/// naga's messages about a source that ends too early.
const ENDS: [&str; 2] = ["found \"\"", "unterminated block comment"];

/// Attributes an error to the user's source alone, if that ends too early. Otherwise naga would
/// report the error in the generated code after it.
fn in_users(error: ProgramError, users: &Source, generated: &str) -> ProgramError {
    let is_generated = |error: &ProgramError| {
        let location = error.diagnostic().and_then(Diagnostic::location);
        location.is_some_and(|location| location.file == generated)
    };
    if !is_generated(&error) {
        return error;
    }
    // The user's source alone also lacks every generated function; such errors are ignored.
    let is_end = |error: &ProgramError| {
        let message = error.diagnostic().map(Diagnostic::message);
        message.is_some_and(|message| ENDS.iter().any(|end| message.contains(end)))
    };
    let alone = Program::from_source(users.clone()).err();
    alone.filter(is_end).unwrap_or(error)
}
