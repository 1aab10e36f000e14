//! Private words to SSA values.
//!
//! In: a function after the accesses have become object operations. Out: the same function, in
//! which the words of private objects that are only accessed by constant indices are values. SSA
//! construction by iterated dominance frontiers (Cytron et al., "Efficiently Computing Static
//! Single Assignment Form", 1991), with frontiers as in Cooper, Harvey and Kennedy. Parameters that
//! nobody reads are left to `clean`.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::ir::{
    Block, Cfg, Dominators, Function, Object, ObjectKind, Op, Terminator, Type, Value,
};

/// Sum of the sizes of all frontiers and of the new parameters, at most: beyond, words stay in
/// their objects.
const MAX_WORK: usize = 1 << 18;

/// A word of an object.
type Word = (Object, u32);

/// Promotes private words.
pub(super) fn promote(function: &mut Function) {
    let cfg = Cfg::new(function);
    let variables = variables(function, &cfg);
    if variables.is_empty() {
        return;
    }
    let dominators = Dominators::new(function, &cfg);
    let Some(params) = place(function, &cfg, &dominators, &variables) else {
        return;
    };
    let mut renaming = Renaming {
        numbers: (0..)
            .zip(variables.keys())
            .map(|(at, &word)| (word, at))
            .collect(),
        current: initial(function, &variables),
        function,
        params,
        replacement: HashMap::new(),
        undo: Vec::new(),
    };
    renaming.run(&dominators);
    let Renaming {
        function,
        replacement,
        ..
    } = renaming;
    function.replace_uses(&replacement);
}

/// The words to promote, with the blocks that write them.
fn variables(function: &Function, cfg: &Cfg) -> BTreeMap<Word, Vec<Block>> {
    let mut refused: HashSet<Object> = HashSet::new();
    let mut found: BTreeMap<Word, Vec<Block>> = BTreeMap::new();
    for &block in &cfg.order {
        for &inst in &function.block(block).insts {
            let (object, index, is_store) = match *function.op(inst) {
                Op::ObjectLoad { object, index } => (object, index, false),
                Op::ObjectStore { object, index, .. } => (object, index, true),
                Op::ObjectAtomic { object, .. } | Op::ObjectCompareExchange { object, .. } => {
                    refused.insert(object);
                    continue;
                }
                _ => continue,
            };
            let data = function.object(object);
            let is_private = matches!(data.kind, ObjectKind::Private(_));
            let word = function.as_word(index);
            match word.filter(|&word| is_private && word < data.words.unwrap_or(0)) {
                None => {
                    refused.insert(object);
                }
                Some(word) => {
                    let writers = found.entry((object, word)).or_default();
                    if is_store && writers.last() != Some(&block) {
                        writers.push(block);
                    }
                }
            }
        }
    }
    found.retain(|(object, _), _| !refused.contains(object));
    found
}

/// The values of the words at the start.
fn initial(function: &mut Function, variables: &BTreeMap<Word, Vec<Block>>) -> Vec<Value> {
    let words = variables.keys();
    words
        .map(|&(object, index)| {
            let data = function.object(object);
            let bits = match &data.kind {
                ObjectKind::Private(words) => words.get(index as usize).copied().unwrap_or(0),
                _ => 0,
            };
            let ty = data.element.ty();
            function.constant(ty, bits.into())
        })
        .collect()
}

/// Adds the block parameters: for each block the numbers of its variables. `None` if there would
/// be too many.
fn place(
    function: &mut Function,
    cfg: &Cfg,
    dominators: &Dominators,
    variables: &BTreeMap<Word, Vec<Block>>,
) -> Option<BTreeMap<Block, Vec<usize>>> {
    let frontiers = frontiers(function, cfg, dominators)?;
    let mut placed: BTreeMap<Block, Vec<usize>> = BTreeMap::new();
    let mut work = 0;
    for (number, writers) in variables.values().enumerate() {
        let mut open = writers.clone();
        let mut seen: HashSet<Block> = HashSet::new();
        while let Some(block) = open.pop() {
            for &join in &frontiers[block.0 as usize] {
                if seen.insert(join) {
                    placed.entry(join).or_default().push(number);
                    open.push(join);
                    work += 1;
                }
            }
        }
        if work > MAX_WORK {
            return None;
        }
    }
    let types: Vec<Type> = variables
        .keys()
        .map(|&(object, _)| function.object(object).element.ty())
        .collect();
    for (&block, numbers) in &placed {
        for &number in numbers {
            function.add_param(block, types[number]);
        }
    }
    Some(placed)
}

/// The dominance frontier of each block.
fn frontiers(function: &Function, cfg: &Cfg, dominators: &Dominators) -> Option<Vec<Vec<Block>>> {
    let mut frontiers: Vec<Vec<Block>> = vec![Vec::new(); function.blocks.len()];
    let mut work = 0;
    for &join in &cfg.order {
        let above = dominators.immediate(join);
        if cfg.predecessors(join).len() < 2 {
            continue;
        }
        for &before in cfg.predecessors(join) {
            let mut at = Some(before);
            while let Some(block) = at.filter(|_| at != above) {
                let frontier = &mut frontiers[block.0 as usize];
                if frontier.last() == Some(&join) {
                    break;
                }
                frontier.push(join);
                work += 1;
                if work > MAX_WORK {
                    return None;
                }
                at = dominators.immediate(block);
            }
        }
    }
    Some(frontiers)
}

/// Replaces loads by values, in a walk over the dominator tree.
struct Renaming<'a> {
    function: &'a mut Function,
    /// The number of each variable.
    numbers: HashMap<Word, usize>,
    /// The variables of the last parameters of each block.
    params: BTreeMap<Block, Vec<usize>>,
    /// The value of each variable.
    current: Vec<Value>,
    /// What `current` was before, to go back in the tree.
    undo: Vec<(usize, Value)>,
    replacement: HashMap<Value, Value>,
}

impl Renaming<'_> {
    fn run(&mut self, dominators: &Dominators) {
        let mut stack = vec![(Function::ENTRY, None)];
        while let Some((block, leave)) = stack.pop() {
            if let Some(depth) = leave {
                while self.undo.len() > depth {
                    if let Some((number, value)) = self.undo.pop() {
                        self.current[number] = value;
                    }
                }
                continue;
            }
            stack.push((block, Some(self.undo.len())));
            self.block(block);
            let children = dominators.children(block).iter();
            stack.extend(children.map(|&child| (child, None)));
        }
    }

    fn set(&mut self, number: usize, value: Value) {
        let old = std::mem::replace(&mut self.current[number], value);
        self.undo.push((number, old));
    }

    fn block(&mut self, block: Block) {
        let params = self.function.block(block).params.clone();
        if let Some(numbers) = self.params.get(&block).cloned() {
            let first = params.len() - numbers.len();
            for (number, &param) in numbers.into_iter().zip(&params[first..]) {
                self.set(number, param);
            }
        }
        let mut insts = std::mem::take(&mut self.function.block_mut(block).insts);
        insts.retain(|&inst| self.keeps(inst));
        let data = self.function.block_mut(block);
        data.insts = insts;
        self.pass_values(block);
    }

    /// Whether an instruction stays.
    fn keeps(&mut self, inst: Value) -> bool {
        let (object, index, stored) = match *self.function.op(inst) {
            Op::ObjectLoad { object, index } => (object, index, None),
            Op::ObjectStore {
                object,
                index,
                value,
            } => (object, index, Some(value)),
            _ => return true,
        };
        let word = self.function.as_word(index);
        let number = word.and_then(|word| self.numbers.get(&(object, word)).copied());
        let Some(number) = number else {
            return true;
        };
        match stored {
            Some(value) => self.set(number, value),
            None => {
                self.replacement.insert(inst, self.current[number]);
            }
        }
        false
    }

    /// Adds the arguments for the new parameters of the blocks after one.
    fn pass_values(&mut self, block: Block) {
        let data = self.function.block_mut(block);
        let terminator: &mut Terminator = &mut data.terminator;
        for edge in terminator.edges_mut() {
            if let Some(numbers) = self.params.get(&edge.block) {
                let values = numbers.iter().map(|&number| self.current[number]);
                edge.args.extend(values);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::ir::{parse, verify};
    use super::promote;

    #[test]
    fn private_words_become_parameters() {
        let text = "kernel f(i32) -> i32
            o0 = U32 Private[5] words=2 \"a\"
            b0:
              ObjectStore o0[1], arg0
              jump b1
            b1:
              v0: i32 = ObjectLoad o0[0]
              v1: i32 = ObjectLoad o0[1]
              v2: i32 = Add v0, v1
              ObjectStore o0[0], v2
              v3: bool = LtUnsigned v2, 100
              branch v3, b1, b2
            b2:
              v4: i32 = ObjectLoad o0[0]
              return v4";
        let mut function = parse(text).expect("a function");
        promote(&mut function);
        assert_eq!(verify(&function), Ok(()), "{function}");
        let text = function.to_string();
        assert!(!text.contains("ObjectLoad"), "{text}");
        assert!(text.contains("jump b1(5)"), "{text}");
        assert!(
            text.contains("Add v7, arg0") || text.contains(", arg0"),
            "{text}"
        );
    }

    #[test]
    fn words_with_a_dynamic_index_stay() {
        let text = "kernel f(i32) -> i32
            o0 = U32 Private[] words=2 \"a\"
            b0:
              ObjectStore o0[1], arg0
              v0: i32 = ObjectLoad o0[arg0]
              return v0";
        let mut function = parse(text).expect("a function");
        let before = function.to_string();
        promote(&mut function);
        assert_eq!(function.to_string(), before);
    }
}
