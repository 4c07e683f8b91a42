//! Compiles an expression into instructions.

use super::fold;
use super::parse::{Assert, Mode, Node, Parsed, Repeat};
use super::set::Set;
use super::{Cause, parse};

/// The maximum number of instructions of an expression.
const MAX_SIZE: usize = 1 << 15;

/// The maximum number of consecutive characters with overlapping case foldings. The number of
/// spellings grows exponentially.
const MAX_FOLDED: usize = 8;

type Result<T> = std::result::Result<T, Cause>;

/// The index of a set.
pub(super) type SetId = u32;

/// An instruction.
#[derive(Debug, Clone)]
pub(super) enum Inst {
    /// Matches a character.
    Char(char),
    /// Matches a character of the set.
    Set(SetId),
    /// Matches `min` to `max` characters of the set.
    Run {
        set: SetId,
        min: u32,
        max: u32,
        mode: Mode,
    },
    /// Continues with the next instruction, and at `to` after a failure. Continues at `to` at once
    /// if the next character is not in `first`.
    Split {
        to: u32,
        first: Option<SetId>,
    },
    /// Continues at `to`, and with the next instruction after a failure.
    SplitLazy {
        to: u32,
    },
    Jump(u32),
    /// Saves the position in a slot.
    Save(u32),
    /// Saves the position in a slot, and the height of the stack in the next slot.
    Enter(u32),
    /// Drops the alternatives since `Enter`.
    Commit(u32),
    /// Acts as `Commit`, then returns to the position of `Enter`.
    Return(u32),
    /// Acts as `Enter`, and continues at `to` after a failure.
    EnterNot {
        slot: u32,
        to: u32,
    },
    /// Fails, because the body of a negative look-around has matched.
    FailNot(u32),
    /// Moves back by `min` to `max` characters.
    Back {
        min: u32,
        max: u32,
    },
    /// Fails unless the slot has the current position.
    At(u32),
    /// Continues at `to` if the slot has the current position, so that an empty repetition is the
    /// last one.
    Empty {
        slot: u32,
        to: u32,
    },
    /// Matches the text captured by one of the groups.
    Captured {
        groups: Box<[usize]>,
        fold: bool,
    },
    Assert(Assert),
    Match,
}

/// The instructions of an expression.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) insts: Vec<Inst>,
    pub(super) sets: Vec<Set>,
    /// The number of slots: two for the match, two for each group, and any others.
    pub(super) slots: usize,
    /// The possible first characters of a match, if a match cannot be empty.
    pub(super) first: Option<SetId>,
    /// The word characters of `\b`.
    pub(super) word: Set,
}

impl Program {
    /// Compiles `pattern`.
    pub(super) fn new(pattern: &str) -> Result<Self> {
        let Parsed { node, captures } = parse::parse(pattern)?;
        let mut new = Self {
            insts: Vec::new(),
            sets: Vec::new(),
            slots: 2 * (captures + 1),
            first: None,
            word: parse::word(),
        };
        let node = unfold(node, false)?;
        new.first = match first(&node) {
            First { set, empty: false } => Some(new.set(&set)?),
            _ => None,
        };
        new.node(&node)?;
        new.push(Inst::Match)?;
        Ok(new)
    }

    fn push(&mut self, inst: Inst) -> Result<usize> {
        if self.insts.len() == MAX_SIZE {
            return Err(Cause::Unsupported(format!("a size over {MAX_SIZE} instructions")));
        }
        self.insts.push(inst);
        Ok(self.insts.len() - 1)
    }

    fn set(&mut self, set: &Set) -> Result<SetId> {
        if let Some(at) = self.sets.iter().rposition(|known| known == set) {
            return Ok(at as SetId);
        }
        if self.sets.len() == MAX_SIZE / 8 {
            return Err(Cause::Unsupported("so many sets of characters".into()));
        }
        self.sets.push(set.clone());
        Ok(self.sets.len() as SetId - 1)
    }

    fn slot(&mut self, count: usize) -> u32 {
        self.slots += count;
        (self.slots - count) as u32
    }

    fn here(&self) -> u32 {
        self.insts.len() as u32
    }

    /// Sets the target of the instruction `at` to the next instruction.
    fn land(&mut self, at: usize) {
        let here = self.here();
        if let Some(
            Inst::Split { to, .. }
            | Inst::SplitLazy { to }
            | Inst::Jump(to)
            | Inst::EnterNot { to, .. }
            | Inst::Empty { to, .. },
        ) = self.insts.get_mut(at)
        {
            *to = here;
        }
    }

    fn node(&mut self, node: &Node) -> Result<()> {
        match node {
            Node::Set(set) | Node::Folded(set, _) => {
                let set = self.set(set)?;
                self.push(Inst::Set(set))?;
            }
            Node::Text(text, _) => {
                for &c in text {
                    self.push(Inst::Char(c))?;
                }
            }
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.node(node))?,
            Node::Alt(nodes) => self.alternatives(nodes)?,
            Node::Repeat(node, repeat) => self.repeat(node, *repeat)?,
            Node::Capture(number, node) => {
                let slot = 2 * *number as u32;
                self.push(Inst::Save(slot))?;
                self.node(node)?;
                self.push(Inst::Save(slot + 1))?;
            }
            Node::Atomic(node) => self.atomic(|program| program.node(node))?,
            Node::Look { node, behind, negative } => self.look(node, *behind, *negative)?,
            Node::Back(groups, fold) => {
                self.push(Inst::Captured { groups: groups.clone().into(), fold: *fold })?;
            }
            Node::Assert(assert) => {
                self.push(Inst::Assert(*assert))?;
            }
            Node::Keep => {
                self.push(Inst::Save(0))?;
            }
        }
        Ok(())
    }

    /// Returns the possible first characters of a node, unless the node may be empty.
    fn first(&mut self, node: &Node) -> Result<Option<SetId>> {
        match first(node) {
            First { set, empty: false } => self.set(&set).map(Some),
            _ => Ok(None),
        }
    }

    fn alternatives(&mut self, nodes: &[Node]) -> Result<()> {
        let mut ends = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            if at + 1 == nodes.len() {
                self.node(node)?;
                break;
            }
            let first = self.first(node)?;
            let split = self.push(Inst::Split { to: 0, first })?;
            self.node(node)?;
            ends.push(self.push(Inst::Jump(0))?);
            self.land(split);
        }
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }

    fn atomic(&mut self, inner: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let slot = self.slot(2);
        self.push(Inst::Enter(slot))?;
        inner(self)?;
        self.push(Inst::Commit(slot))?;
        Ok(())
    }

    fn look(&mut self, node: &Node, behind: bool, negative: bool) -> Result<()> {
        let slot = self.slot(2);
        let enter = if negative { Inst::EnterNot { slot, to: 0 } } else { Inst::Enter(slot) };
        let enter = self.push(enter)?;
        if behind {
            let (min, max) = length(node);
            self.push(Inst::Back { min, max: max.unwrap_or(u32::MAX) })?;
        }
        self.node(node)?;
        if behind {
            self.push(Inst::At(slot))?;
        }
        self.push(if negative { Inst::FailNot(slot) } else { Inst::Return(slot) })?;
        if negative {
            self.land(enter);
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, repeat: Repeat) -> Result<()> {
        let Repeat { min, max, mode } = repeat;
        if let Some(set) = one(node) {
            let set = self.set(&set)?;
            self.push(Inst::Run { set, min, max: max.unwrap_or(u32::MAX), mode })?;
            return Ok(());
        }
        if mode == Mode::Possessive {
            let greedy = Repeat { mode: Mode::Greedy, ..repeat };
            return self.atomic(|program| program.repeat(node, greedy));
        }
        for _ in 0..min {
            self.node(node)?;
        }
        let lazy = mode == Mode::Lazy;
        let Some(max) = max else { return self.any_number(node, lazy) };
        let mut ends = Vec::new();
        for _ in min..max {
            ends.push(self.once(node, lazy)?);
            self.node(node)?;
        }
        ends.into_iter().for_each(|end| self.land(end));
        Ok(())
    }

    /// Begins an optional node. Returns the instruction whose target must be set to the node's end.
    fn once(&mut self, node: &Node, lazy: bool) -> Result<usize> {
        if lazy {
            return self.push(Inst::SplitLazy { to: 0 });
        }
        let first = self.first(node)?;
        self.push(Inst::Split { to: 0, first })
    }

    fn any_number(&mut self, node: &Node, lazy: bool) -> Result<()> {
        let start = self.here();
        let split = self.once(node, lazy)?;
        let may_be_empty = length(node).0 == 0;
        let slot = if may_be_empty { Some(self.slot(1)) } else { None };
        if let Some(slot) = slot {
            self.push(Inst::Save(slot))?;
        }
        self.node(node)?;
        let empty = slot.map(|slot| self.push(Inst::Empty { slot, to: 0 })).transpose()?;
        self.push(Inst::Jump(start))?;
        self.land(split);
        if let Some(empty) = empty {
            self.land(empty);
        }
        Ok(())
    }
}

/// Replaces nodes that ignore case by sets. Within a look-behind (`behind`), only single characters
/// are folded.
fn unfold(node: Node, behind: bool) -> Result<Node> {
    let all = |nodes: Vec<Node>| {
        nodes.into_iter().map(|node| unfold(node, behind)).collect::<Result<Vec<_>>>()
    };
    Ok(match node {
        Node::Text(text, true) => folded_text(&text, behind)?,
        Node::Folded(set, texts) => folded_set(set, if behind { Vec::new() } else { texts }),
        Node::Concat(nodes) => Node::Concat(all(nodes)?),
        Node::Alt(nodes) => merged(all(nodes)?),
        Node::Repeat(node, repeat) => {
            let node = match *node {
                // The repetition already matches texts that consist of the set's characters.
                Node::Folded(set, texts) if repeat.max.is_none() && repeat.min < 2 => {
                    let others = texts.into_iter().filter(|text| !text.iter().all(|&c| set.has(c)));
                    Node::Folded(set.clone(), others.collect())
                }
                node => node,
            };
            Node::Repeat(Box::new(unfold(node, behind)?), repeat)
        }
        Node::Capture(number, node) => Node::Capture(number, Box::new(unfold(*node, behind)?)),
        Node::Atomic(node) => Node::Atomic(Box::new(unfold(*node, behind)?)),
        Node::Look { node, behind: is_behind, negative } => {
            let node = Box::new(unfold(*node, behind || is_behind)?);
            Node::Look { node, behind: is_behind, negative }
        }
        node => node,
    })
}

/// Joins neighbouring alternatives of single characters into one set.
fn merged(nodes: Vec<Node>) -> Node {
    let mut merged: Vec<Node> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let both = merged.last().and_then(one).zip(one(&node));
        match both {
            Some((before, set)) => {
                merged.pop();
                merged.push(Node::Set(before.or(&set)));
            }
            None => merged.push(node),
        }
    }
    if merged.len() == 1 { merged.swap_remove(0) } else { Node::Alt(merged) }
}

/// Returns the set if a node matches exactly one character.
fn one(node: &Node) -> Option<Set> {
    match node {
        Node::Set(set) => Some(set.clone()),
        Node::Text(text, false) if text.len() == 1 => Some(Set::char(text[0])),
        Node::Concat(nodes) if nodes.len() == 1 => one(&nodes[0]),
        _ => None,
    }
}

/// Returns a node for `c` and the characters that differ from it only in case.
fn like(c: char) -> Node {
    match fold::like(c)[..] {
        [c] => Node::Text(vec![c], false),
        ref all => Node::Set(Set::of(all.iter().map(|&c| (c as u32, c as u32)).collect())),
    }
}

fn set_of(characters: &[char]) -> Node {
    Node::Set(Set::of(characters.iter().map(|&c| (c as u32, c as u32)).collect()))
}

/// Returns a node for a text without regard to case, e.g. `ss` also matches U+00DF.
fn folded_text(text: &[char], behind: bool) -> Result<Node> {
    if behind {
        return Ok(Node::Concat(text.iter().map(|&c| like(c)).collect()));
    }
    let text: Vec<char> = text.iter().flat_map(|&c| fold::text_of(c)).collect();
    let (mut nodes, mut at) = (Vec::new(), 0);
    while at < text.len() {
        // Find the end of overlapping case foldings.
        let (mut end, mut next) = (at + 1, at);
        while next < end {
            let ends = (2..=3).filter(|len| !written(&text, next, *len).is_empty());
            end = ends.map(|len| next + len).max().unwrap_or(0).max(end);
            next += 1;
        }
        if end - at > MAX_FOLDED {
            return Err(Cause::Unsupported("this text without regard to case".into()));
        }
        nodes.push(ways(&text[at..end]));
        at = end;
    }
    Ok(if nodes.len() == 1 { nodes.swap_remove(0) } else { Node::Concat(nodes) })
}

fn written(text: &[char], at: usize, len: usize) -> &'static [char] {
    text.get(at..at + len).map_or(&[], fold::written_as)
}

/// Returns a node for all spellings of a text.
fn ways(text: &[char]) -> Node {
    let Some((&c, rest)) = text.split_first() else { return Node::Concat(Vec::new()) };
    if rest.is_empty() {
        return like(c);
    }
    let mut all = vec![Node::Concat(vec![like(c), ways(rest)])];
    for len in 2..=3 {
        let characters = written(text, 0, len);
        if !characters.is_empty() {
            all.push(Node::Concat(vec![set_of(characters), ways(&text[len..])]));
        }
    }
    if all.len() == 1 { all.swap_remove(0) } else { Node::Alt(all) }
}

fn folded_set(set: Set, texts: Vec<Vec<char>>) -> Node {
    if texts.is_empty() {
        return Node::Set(set);
    }
    let texts = texts.into_iter().map(|text| Node::Concat(text.into_iter().map(like).collect()));
    Node::Alt(std::iter::once(Node::Set(set)).chain(texts).collect())
}

/// The possible first characters of a node, and whether the node may be empty.
struct First {
    set: Set,
    empty: bool,
}

fn first(node: &Node) -> First {
    let of = |set: Set| First { set, empty: false };
    match node {
        Node::Set(set) | Node::Folded(set, _) => of(set.clone()),
        Node::Text(text, _) => match text.first() {
            Some(&c) => of(Set::char(c)),
            None => First { set: Set::default(), empty: true },
        },
        Node::Concat(nodes) => {
            let mut all = First { set: Set::default(), empty: true };
            for node in nodes {
                let First { set, empty } = first(node);
                all.set = all.set.or(&set);
                if !empty {
                    all.empty = false;
                    break;
                }
            }
            all
        }
        Node::Alt(nodes) => {
            let all = nodes.iter().map(first).reduce(|all, next| First {
                set: all.set.or(&next.set),
                empty: all.empty || next.empty,
            });
            all.unwrap_or(First { set: Set::default(), empty: true })
        }
        Node::Repeat(node, repeat) => {
            let First { set, empty } = first(node);
            First { set, empty: empty || repeat.min == 0 }
        }
        Node::Capture(_, node) | Node::Atomic(node) => first(node),
        Node::Look { .. } | Node::Assert(_) | Node::Keep => {
            First { set: Set::default(), empty: true }
        }
        // The captured text is unknown here.
        Node::Back(..) => First { set: Set::all(), empty: true },
    }
}

/// Returns the minimum and maximum number of characters of a node.
fn length(node: &Node) -> (u32, Option<u32>) {
    let add = |(a, b): (u32, Option<u32>), (c, d): (u32, Option<u32>)| {
        (a.saturating_add(c), b.zip(d).map(|(b, d)| b.saturating_add(d)))
    };
    match node {
        Node::Set(_) | Node::Folded(..) => (1, Some(1)),
        Node::Text(text, _) => (text.len() as u32, Some(text.len() as u32)),
        Node::Concat(nodes) => nodes.iter().map(length).fold((0, Some(0)), add),
        Node::Alt(nodes) => {
            let longer = |(a, b): (u32, Option<u32>), (c, d): (u32, Option<u32>)| {
                (a.min(c), b.zip(d).map(|(b, d)| b.max(d)))
            };
            nodes.iter().map(length).reduce(longer).unwrap_or((0, Some(0)))
        }
        Node::Repeat(node, repeat) => {
            let (min, max) = length(node);
            let most = match (max, repeat.max) {
                (Some(0), _) => Some(0),
                (max, times) => max.zip(times).map(|(max, times)| max.saturating_mul(times)),
            };
            (min.saturating_mul(repeat.min), most)
        }
        Node::Capture(_, node) | Node::Atomic(node) => length(node),
        Node::Look { .. } | Node::Assert(_) | Node::Keep => (0, Some(0)),
        Node::Back(..) => (0, None),
    }
}
