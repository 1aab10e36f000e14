//! From a node's WGSL to a module that runs.
//!
//! In: a node of a graph. Out: [`NodeCode`]: the user's texts, unchanged and first, so that an error
//! in them has the user's own file and line; then the prelude; then the entry point. What always
//! holds: the module passes naga, and a rule that the user's code breaks is an error that names the
//! node.

mod fields;
mod names;
mod outputs;
mod prelude;
mod signature;
mod wrapper;

use std::collections::HashSet;

use anywarp_program::{Diagnostic, Location, Program, ProgramError, Source};

use crate::model::{Graph, NodeId, NodeIndex};

/// The bind group of the runtime. Those before it are the user's.
pub(crate) const GROUP: u32 = 3;
/// The entry point of every node.
pub(crate) const ENTRY_POINT: &str = "aw_main";

/// Why a node's code cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CodeError {
    /// There is no text.
    #[error("node `{0}` has no WGSL")]
    NoSource(NodeId),
    /// The text does not compile.
    #[error("node `{node}`:\n{error}")]
    Program {
        /// The node.
        node: NodeId,
        /// What is wrong, in the user's own file and line. In a box, since it is large.
        error: Box<ProgramError>,
    },
    /// The function is not there.
    #[error("node `{node}`: `{file}` has no function `{function}`")]
    NoFunction {
        /// The node.
        node: NodeId,
        /// The first of its texts.
        file: String,
        /// The function.
        function: String,
    },
    /// The function asks for something unknown.
    #[error(
        "node `{node}`: the function `{function}` has an unknown parameter `{argument}`; known parameters: {known}"
    )]
    Argument {
        /// The node.
        node: NodeId,
        /// The function.
        function: String,
        /// The argument.
        argument: String,
        /// What there is.
        known: String,
    },
    /// The function returns something.
    #[error("node `{node}`: the function `{function}` must not return a value")]
    Returns {
        /// The node.
        node: NodeId,
        /// The function.
        function: String,
    },
    /// Its records and outputs need too many functions.
    #[error(
        "node `{node}`: the fields of its records and outputs need {functions} generated functions; at most 16384 are allowed"
    )]
    TooManyFunctions {
        /// The node.
        node: NodeId,
        /// The functions, about.
        functions: usize,
    },
    /// Two generated functions have one name.
    #[error(
        "node `{node}`: its records, fields and outputs give two generated functions the name `{name}`; rename one of them"
    )]
    NameClash {
        /// The node.
        node: NodeId,
        /// The name.
        name: String,
    },
    /// The user's text has a name that belongs to the graph.
    #[error(
        "node `{node}`: {}`{name}` is reserved for generated code, as are all names that begin with `aw_`; use another name",
        .location.as_ref().map(|location| format!("{location}: ")).unwrap_or_default()
    )]
    ReservedName {
        /// The node.
        node: NodeId,
        /// The name.
        name: String,
        /// Where the user's text has it.
        location: Option<Location>,
    },
    /// The user's text has a binding where the runtime's are.
    #[error("node `{node}`: `{name}` is in group 3, which belongs to the graph; use groups 0 to 2")]
    ReservedGroup {
        /// The node.
        node: NodeId,
        /// The variable.
        name: String,
    },
    /// A thread node waits for others, of which there are none.
    #[error(
        "node `{node}`: a thread node has no workgroup, so it cannot use barriers or workgroup memory"
    )]
    ThreadNodeWaits {
        /// The node.
        node: NodeId,
    },
}

/// How node code is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CodeOptions {
    /// Every misuse is reported.
    pub(crate) checked: bool,
    /// What nodes send is counted.
    pub(crate) counted: bool,
}

impl CodeOptions {
    fn counts_outputs(self) -> bool {
        self.counted
    }

    /// A statement that reports, or nothing.
    fn fault(self, rule: &str, output: &str) -> String {
        match self.checked {
            true => format!("aw_fault({rule}, {output}, $FOUND, $ALLOWED); "),
            false => String::new(),
        }
    }
}

/// The module of a node.
#[derive(Clone, Debug)]
pub struct NodeCode {
    program: Program,
}

impl NodeCode {
    pub(crate) fn new(
        graph: &Graph,
        node: NodeIndex,
        options: CodeOptions,
    ) -> Result<Self, CodeError> {
        let resolved = &graph.nodes()[node];
        let id = &resolved.id;
        let mut sources = resolved.sources.iter().cloned();
        let first = sources
            .next()
            .ok_or_else(|| CodeError::NoSource(id.clone()))?;
        let file = first.name().to_owned();
        let users = sources.fold(first, Source::followed_by);
        let prelude = prelude::write(graph, node, options)?;
        // The names are the same whatever the function is, which may itself have one of them.
        let generated = prelude.clone() + &wrapper::write(resolved, "", &[], options);
        if let Some(taken) = names::taken(&users, &generated) {
            return Err(CodeError::ReservedName {
                node: id.clone(),
                name: taken.name,
                location: taken.location,
            });
        }
        let read = |generated: String| {
            let name = format!("prelude of {id}");
            let generated = Source::new(name.clone(), generated);
            let source = users.clone().followed_by(generated);
            Program::from_source(source).map_err(|error| CodeError::Program {
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
        let wrapper = wrapper::write(resolved, function, &arguments, options);
        let program = read(prelude + &wrapper)?;
        Ok(Self { program })
    }

    /// The whole module.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The whole text: the user's, the prelude and the entry point. A device gets it with
    /// the directives blanked that naga does not have.
    pub fn text(&self) -> &str {
        self.program.source().map_or("", Source::text)
    }
}

/// What naga says of a text that ends too early.
const ENDS: [&str; 2] = ["found \"\"", "unterminated block comment"];

/// The error of a whole text; where the user's ends too early, that of the user's alone. Such an end
/// is only noticed in what comes after it.
fn in_users(error: ProgramError, users: &Source, generated: &str) -> ProgramError {
    let is_generated = |error: &ProgramError| {
        let location = error.diagnostic().and_then(Diagnostic::location);
        location.is_some_and(|location| location.file == generated)
    };
    if !is_generated(&error) {
        return error;
    }
    // Alone, the text also lacks every generated function: that is no finding.
    let is_end = |error: &ProgramError| {
        let message = error.diagnostic().map(Diagnostic::message);
        message.is_some_and(|message| ENDS.iter().any(|end| message.contains(end)))
    };
    let alone = Program::from_source(users.clone()).err();
    alone.filter(is_end).unwrap_or(error)
}

/// Generated declarations, each name once.
struct Functions {
    node: NodeId,
    text: String,
    names: HashSet<String>,
    clash: Option<String>,
}

impl Functions {
    fn new(node: &NodeId) -> Self {
        Self {
            node: node.clone(),
            text: String::new(),
            names: HashSet::new(),
            clash: None,
        }
    }

    fn add(&mut self, name: String, text: String) {
        self.text.push_str(&text);
        if !self.names.insert(name.clone()) {
            self.clash.get_or_insert(name);
        }
    }

    fn extend(&mut self, functions: Vec<(String, String)>) {
        for (name, text) in functions {
            self.add(name, text);
        }
    }

    fn finish(self) -> Result<String, CodeError> {
        match self.clash {
            None => Ok(self.text),
            Some(name) => Err(CodeError::NameClash {
                node: self.node,
                name,
            }),
        }
    }
}
