//! Builds the tree: a walk over the blocks from where they stand.
//!
//! The dominator tree is as deep as the code is long, so the walk has its own stack of tasks. The bodies that are open
//! are the nesting of the tree, which is limited.

use super::placement::Place;
use super::shared::shared_copies;
use super::switch::Switch;
use super::{Flag, Item, List, ListInfo, MAX_DEPTH, Placement, Regions, unsupported};
use crate::compile::CompileError;
use crate::compile::ir::{Block, Edge, Function, Terminator, Value};

/// What the statement that is being built stands in. Lists without further blocks are left out.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope {
    /// A list of blocks; the next one to be entered.
    List {
        list: List,
        owner: Block,
        is_after: bool,
        next: u32,
        length: u32,
    },
    Loop {
        header: Block,
        leave: Option<Flag>,
        is_left: bool,
        /// The loop around it is left after it if this flag is set.
        check: Option<Flag>,
    },
    Switch {
        check: Option<Flag>,
    },
}

/// Whether control goes on after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Falls,
    Ends,
}

/// What remains to be built, in the body that is open then.
pub(super) enum Task<'a> {
    Tree(Block),
    /// The blocks of the innermost list, from an index.
    Items(u32),
    EndGuard(List, u32),
    EndLoop(Block, Option<Scope>),
    /// The second arm, after the first one.
    SecondArm(Block),
    EndBranch(Value, Vec<Item>),
    /// The next case of a switch.
    Cases(Switch<'a>),
}

pub(super) struct Builder<'a> {
    pub(super) function: &'a Function,
    pub(super) placement: Placement,
    pub(super) scopes: Vec<Scope>,
    pub(super) lists: Vec<ListInfo>,
    /// For each list the highest index that a jump has skipped to.
    pub(super) skipped: Vec<u32>,
    pub(super) flags: u32,
    /// Whether a block is jumped to, and not only copied.
    pub(super) is_entered: Vec<bool>,
    /// For each header the copies that all ways back have in common.
    pub(super) shared: Vec<Vec<(Value, Value)>>,
    /// The bodies that are open.
    bodies: Vec<Vec<Item>>,
    pub(super) tasks: Vec<Task<'a>>,
    /// Whether control goes on after what was built last.
    pub(super) flow: Flow,
}

/// Builds the tree of a function.
pub(super) fn build(function: &Function, placement: Placement) -> Result<Regions, CompileError> {
    let mut builder = Builder {
        function,
        is_entered: vec![false; function.blocks.len()],
        shared: shared_copies(function, &placement),
        placement,
        scopes: Vec::new(),
        lists: Vec::new(),
        skipped: Vec::new(),
        flags: 0,
        bodies: vec![Vec::new()],
        tasks: vec![Task::Tree(Function::ENTRY)],
        flow: Flow::Falls,
    };
    while let Some(task) = builder.tasks.pop() {
        builder.step(task)?;
        if builder.bodies.len() > MAX_DEPTH {
            let feature = format!("control flow nested deeper than {MAX_DEPTH}");
            return Err(unsupported(function, feature));
        }
    }
    Ok(Regions {
        body: builder.close_body(),
        lists: builder.lists,
        flags: builder.flags,
        placement: builder.placement,
    })
}

impl<'a> Builder<'a> {
    pub(super) fn push(&mut self, item: Item) {
        if let Some(body) = self.bodies.last_mut() {
            body.push(item);
        }
    }

    /// How many bodies are open.
    pub(super) fn depth(&self) -> usize {
        self.bodies.len()
    }

    pub(super) fn open_body(&mut self) {
        self.bodies.push(Vec::new());
    }

    pub(super) fn close_body(&mut self) -> Vec<Item> {
        self.bodies.pop().unwrap_or_default()
    }

    fn step(&mut self, task: Task<'a>) -> Result<(), CompileError> {
        match task {
            Task::Tree(block) => self.tree(block),
            Task::Items(index) => {
                self.items(index);
                Ok(())
            }
            Task::EndGuard(list, index) => {
                let body = self.close_body();
                self.push(Item::Guard { list, index, body });
                self.flow = Flow::Falls;
                Ok(())
            }
            Task::EndLoop(header, after) => {
                self.end_loop(header, after);
                Ok(())
            }
            Task::SecondArm(block) => self.second_arm(block),
            Task::EndBranch(condition, yes) => {
                self.end_branch(condition, yes);
                Ok(())
            }
            Task::Cases(switch) => self.cases(switch),
        }
    }

    /// The statements of a block and of all that belong to it.
    fn tree(&mut self, block: Block) -> Result<(), CompileError> {
        if self.placement.nest.is_header(block) {
            let after = self.open_list(block, true);
            self.scopes.push(Scope::Loop {
                header: block,
                leave: None,
                is_left: false,
                check: None,
            });
            self.tasks.push(Task::EndLoop(block, after));
            self.open_body();
        }
        if self.open_list(block, false).is_some() {
            self.tasks.push(Task::Items(0));
        }
        self.push(Item::Code(block));
        self.terminator(block)
    }

    /// Opens the scope of a list, if it has blocks.
    fn open_list(&mut self, owner: Block, is_after: bool) -> Option<Scope> {
        let length = self.blocks(owner, is_after).len() as u32;
        if length == 0 {
            return None;
        }
        let list = List(self.lists.len() as u32);
        self.lists.push(ListInfo::default());
        self.skipped.push(0);
        let scope = Scope::List {
            list,
            owner,
            is_after,
            next: 0,
            length,
        };
        self.scopes.push(scope);
        self.push(Item::Reset(list));
        Some(scope)
    }

    fn blocks(&self, owner: Block, is_after: bool) -> &[Block] {
        let lists = if is_after {
            &self.placement.after
        } else {
            &self.placement.merges
        };
        &lists[owner.0 as usize]
    }

    /// The next block of the innermost list, from an index.
    fn items(&mut self, from: u32) {
        let Some(&Scope::List {
            list,
            owner,
            is_after,
            length,
            ..
        }) = self.scopes.last()
        else {
            return;
        };
        let blocks = self.blocks(owner, is_after);
        let found = (from..length).find(|&at| self.is_entered[blocks[at as usize].0 as usize]);
        let block = found.map(|at| (at, blocks[at as usize]));
        let Some((index, block)) = block else {
            self.scopes.pop();
            return;
        };
        if index + 1 == length {
            self.scopes.pop();
        } else {
            if let Some(Scope::List { next, .. }) = self.scopes.last_mut() {
                *next = index + 1;
            }
            self.tasks.push(Task::Items(index + 1));
        }
        // All jumps over a block are made before it.
        if self.skipped[list.0 as usize] > index {
            let info = &mut self.lists[list.0 as usize];
            info.guarded += 1;
            info.last = index;
            self.tasks.push(Task::EndGuard(list, index));
            self.open_body();
        }
        self.tasks.push(Task::Tree(block));
    }

    fn end_loop(&mut self, header: Block, after: Option<Scope>) {
        let body = self.close_body();
        let Some(Scope::Loop {
            leave,
            is_left,
            check,
            ..
        }) = self.scopes.pop()
        else {
            return;
        };
        self.push(Item::Loop {
            header,
            body,
            continuing: self.shared[header.0 as usize].clone(),
            leave,
        });
        if let Some(flag) = check {
            self.push(Item::BreakIf(flag));
        }
        self.flow = if is_left { Flow::Falls } else { Flow::Ends };
        if after.is_some() {
            self.tasks.push(Task::Items(0));
        }
    }

    fn terminator(&mut self, block: Block) -> Result<(), CompileError> {
        let function = self.function;
        match &function.block(block).terminator {
            Terminator::Return(_) | Terminator::Trap { .. } | Terminator::Unreachable => {
                self.push(Item::End(block));
                self.flow = Flow::Ends;
                Ok(())
            }
            Terminator::Jump(edge) => self.edge(edge),
            Terminator::Branch { yes, no, .. } if yes == no => self.edge(yes),
            Terminator::Branch { yes, .. } => {
                self.tasks.push(Task::SecondArm(block));
                self.open_body();
                self.edge(yes)
            }
            Terminator::Switch { .. } => self.switch(block),
        }
    }

    fn second_arm(&mut self, block: Block) -> Result<(), CompileError> {
        let function = self.function;
        let Terminator::Branch { condition, no, .. } = &function.block(block).terminator else {
            return Ok(());
        };
        let condition = *condition;
        let mut yes = self.close_body();
        if self.flow == Flow::Ends {
            // What follows need not be nested.
            self.hoist_copies(&mut yes);
            self.push(Item::If {
                condition,
                yes,
                no: Vec::new(),
            });
        } else {
            self.tasks.push(Task::EndBranch(condition, yes));
            self.open_body();
        }
        self.edge(no)
    }

    fn end_branch(&mut self, condition: Value, yes: Vec<Item>) {
        let mut no = self.close_body();
        if self.flow == Flow::Ends {
            self.hoist_copies(&mut no);
            self.push(Item::If {
                condition,
                yes: Vec::new(),
                no,
            });
            if let Some(body) = self.bodies.last_mut() {
                body.extend(yes);
            }
        } else if !(yes.is_empty() && no.is_empty()) {
            self.push(Item::If { condition, yes, no });
        }
        self.flow = Flow::Falls;
    }

    /// `if (c) { copies; break; }`: the copies can come first, because nothing else reads their targets before the next
    /// assignment.
    fn hoist_copies(&mut self, arm: &mut Vec<Item>) {
        if let [Item::Copies(_), Item::Break] = arm[..] {
            let copies = arm.remove(0);
            self.push(copies);
        }
    }

    /// A jump along an edge, or its target if it stands here.
    pub(super) fn edge(&mut self, edge: &Edge) -> Result<(), CompileError> {
        let target = edge.block;
        if self.placement.place[target.0 as usize] != Place::Inline || self.is_way_back(target) {
            return self.jump(edge);
        }
        let pairs = self.pairs(edge);
        if !pairs.is_empty() {
            let is_header = self.placement.nest.is_header(target);
            self.push(if is_header {
                Item::Copies(pairs)
            } else {
                Item::Bind(pairs)
            });
        }
        self.tasks.push(Task::Tree(target));
        Ok(())
    }

    /// Whether a jump to a block from here is a way back.
    pub(super) fn is_way_back(&self, target: Block) -> bool {
        let is = |scope: &Scope| matches!(scope, Scope::Loop { header, .. } if *header == target);
        self.placement.nest.is_header(target) && self.scopes.iter().any(is)
    }

    /// The parameters of an edge's target, with their arguments.
    pub(super) fn pairs(&self, edge: &Edge) -> Vec<(Value, Value)> {
        let params = &self.function.block(edge.block).params;
        let pairs = params.iter().copied().zip(edge.args.iter().copied());
        pairs.filter(|(param, arg)| param != arg).collect()
    }
}
