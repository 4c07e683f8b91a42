//! Parses Oniguruma's syntax, with the options of the `tokenizers` library.

mod class;
mod escape;

pub(super) use escape::word;

use super::Cause;
use super::set::Set;

/// The maximum depth of nested groups and classes.
const MAX_DEPTH: usize = 50;

/// The maximum number of consecutive quantifiers.
const MAX_QUANTIFIERS: usize = 4;

/// The maximum number of repetitions, as in Oniguruma.
const MAX_REPEAT: u32 = 100_000;

type Result<T> = std::result::Result<T, Cause>;

/// A node of the syntax tree.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// A character in the set.
    Set(Set),
    /// A character in the set, or one of these texts without regard to case.
    Folded(Set, Vec<Vec<char>>),
    /// Consecutive characters. If the flag is set, case is ignored.
    Text(Vec<char>, bool),
    Concat(Vec<Node>),
    Alt(Vec<Node>),
    Repeat(Box<Node>, Repeat),
    /// A capturing group with its number, which starts at 1.
    Capture(usize, Box<Node>),
    Atomic(Box<Node>),
    Look {
        node: Box<Node>,
        behind: bool,
        negative: bool,
    },
    /// The text captured by one of these groups. If the flag is set, case is ignored.
    Back(Vec<usize>, bool),
    Assert(Assert),
    /// `\K`: the match begins here.
    Keep,
}

/// The bounds of a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    pub(super) mode: Mode,
}

/// The order in which repetition counts are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Greedy,
    Lazy,
    Possessive,
}

/// A condition on a position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assert {
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    /// At the end of the text, or before a line feed at the end.
    LastLineEnd,
    WordBoundary,
    NoWordBoundary,
}

/// The active options.
#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    dot_all: bool,
    extended: bool,
}

/// The syntax tree, and the number of capturing groups.
pub(super) struct Parsed {
    pub(super) node: Node,
    pub(super) captures: usize,
}

/// Parses `pattern`.
pub(super) fn parse(pattern: &str) -> Result<Parsed> {
    let characters: Vec<char> = pattern.chars().collect();
    let (groups, named) = count_groups(&characters);
    let captures_unnamed = named == 0;
    let mut parser = Parser {
        characters,
        at: 0,
        flags: Flags::default(),
        depth: 0,
        captures_unnamed,
        groups: if captures_unnamed { groups } else { named },
        names: Vec::new(),
        opened: 0,
    };
    let node = parser.alternatives()?;
    if parser.at < parser.characters.len() {
        return Err(syntax("a \")\" has no \"(\""));
    }
    Ok(Parsed { node, captures: parser.opened })
}

fn syntax(what: &str) -> Cause {
    Cause::Syntax(what.into())
}

fn unsupported(what: &str) -> Cause {
    Cause::Unsupported(what.into())
}

/// Returns the numbers of unnamed and named groups.
fn count_groups(characters: &[char]) -> (usize, usize) {
    let (mut unnamed, mut named, mut class, mut at) = (0, 0, 0, 0);
    while let Some(&c) = characters.get(at) {
        match c {
            '\\' => at += 1,
            '[' => class += 1,
            ']' if class > 0 => class -= 1,
            '(' if class == 0 => match characters.get(at + 1..) {
                Some(['?', '<', next, ..]) if !matches!(next, '=' | '!') => named += 1,
                Some(['?', '\'', ..]) => named += 1,
                Some(['?', ..]) => {}
                _ => unnamed += 1,
            },
            _ => {}
        }
        at += 1;
    }
    (unnamed, named)
}

struct Parser {
    characters: Vec<char>,
    at: usize,
    flags: Flags,
    depth: usize,
    /// Whether unnamed groups capture. They do only if no group has a name.
    captures_unnamed: bool,
    /// The number of capturing groups.
    groups: usize,
    /// Names of groups and their numbers.
    names: Vec<(String, usize)>,
    /// The number of capturing groups so far.
    opened: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Consumes `text` if it comes next.
    fn take(&mut self, text: &str) -> bool {
        let taken = text.chars().eq(self.characters[self.at..].iter().copied().take(text.len()));
        if taken {
            self.at += text.len();
        }
        taken
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        let too_deep = self.depth > MAX_DEPTH;
        if too_deep { Err(unsupported(&format!("a depth over {MAX_DEPTH}"))) } else { Ok(()) }
    }

    /// Reads up to `)` or the end.
    fn alternatives(&mut self) -> Result<Node> {
        self.deeper()?;
        let flags = self.flags;
        let mut all = vec![self.sequence()?];
        while self.take("|") {
            all.push(self.sequence()?);
        }
        self.flags = flags;
        self.depth -= 1;
        Ok(if all.len() == 1 { all.swap_remove(0) } else { Node::Alt(all) })
    }

    fn sequence(&mut self) -> Result<Node> {
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') {
                break;
            }
            if self.skips()? {
                continue;
            }
            let atom = self.atom()?;
            let atom = self.quantified(atom)?;
            push(&mut parts, atom);
        }
        Ok(if parts.len() == 1 { parts.swap_remove(0) } else { Node::Concat(parts) })
    }

    /// Skips a comment, or white space if the option `x` is set.
    fn skips(&mut self) -> Result<bool> {
        if self.take("(?#") {
            loop {
                match self.next() {
                    Some('\\') => self.at += 1,
                    Some(')') => return Ok(true),
                    Some(_) => {}
                    None => return Err(syntax("a comment has no end")),
                }
            }
        }
        match self.peek() {
            Some(' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}') if self.flags.extended => {
                self.at += 1;
                Ok(true)
            }
            Some('#') if self.flags.extended => {
                while self.next().is_some_and(|c| c != '\n') {}
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Reads the quantifiers after `node`.
    fn quantified(&mut self, mut node: Node) -> Result<Node> {
        let mut quantifiers = 0;
        loop {
            while self.skips()? {}
            let (min, max, interval) = match self.peek() {
                Some('*') => (0, None, false),
                Some('+') => (1, None, false),
                Some('?') => (0, Some(1), false),
                Some('{') => match self.interval()? {
                    Some((min, max)) => (min, max, true),
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            if !interval {
                self.at += 1;
            }
            // `{2}?` is not lazy: the `?` is another quantifier
            let fixed = interval && max == Some(min) && !self.had_comma();
            let repeat = match max {
                // in Oniguruma, `{3,2}` is a possessive `{2,3}`
                Some(max) if max < min => {
                    Repeat { min: max, max: Some(min), mode: Mode::Possessive }
                }
                _ if !fixed && self.take("?") => Repeat { min, max, mode: Mode::Lazy },
                // after an interval, `+` is another quantifier
                _ if !interval && self.take("+") => Repeat { min, max, mode: Mode::Possessive },
                _ => Repeat { min, max, mode: Mode::Greedy },
            };
            if has_no_length(&node) {
                return Err(syntax("a quantifier follows a part that is a condition on a place"));
            }
            quantifiers += 1;
            if quantifiers > MAX_QUANTIFIERS {
                let what = format!("more than {MAX_QUANTIFIERS} quantifiers of one part");
                return Err(unsupported(&what));
            }
            node = Node::Repeat(Box::new(node), repeat);
        }
    }

    /// Returns whether the last interval has a comma.
    fn had_comma(&self) -> bool {
        self.characters[..self.at].iter().rev().take_while(|&&c| c != '{').any(|&c| c == ',')
    }

    /// Reads `{2}`, `{2,}`, `{,3}` or `{2,3}`. Returns `None` and reads nothing if the braces are literal text.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let start = self.at;
        self.at += 1;
        let min = self.number()?;
        let found = if self.take(",") {
            let max = self.number()?;
            (min.is_some() || max.is_some()).then_some((min.unwrap_or(0), max))
        } else {
            min.map(|min| (min, Some(min)))
        };
        let found = found.filter(|_| self.take("}"));
        if found.is_none() {
            self.at = start;
        }
        Ok(found)
    }

    fn number(&mut self) -> Result<Option<u32>> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let next = number.unwrap_or(0) * 10 + digit;
            if next > MAX_REPEAT {
                return Err(syntax(&format!("a number is over {MAX_REPEAT}")));
            }
            number = Some(next);
        }
        Ok(number)
    }

    fn literal(&self, c: char) -> Node {
        Node::Text(vec![c], self.flags.ignore_case)
    }

    fn atom(&mut self) -> Result<Node> {
        let Some(c) = self.next() else { return Ok(Node::Concat(Vec::new())) };
        Ok(match c {
            '.' if self.flags.dot_all => Node::Set(Set::all()),
            '.' => Node::Set(Set::char('\n').not()),
            '^' => Node::Assert(Assert::LineStart),
            '$' => Node::Assert(Assert::LineEnd),
            '[' => self.class()?,
            '(' => self.group()?,
            '\\' => self.escape()?,
            '*' | '+' | '?' => {
                return Err(syntax(&format!("nothing stands before the quantifier \"{c}\"")));
            }
            '{' => {
                self.at -= 1;
                if self.interval()?.is_some() {
                    return Err(syntax("nothing stands before a quantifier in braces"));
                }
                self.at += 1;
                self.literal(c)
            }
            c => self.literal(c),
        })
    }

    fn group(&mut self) -> Result<Node> {
        if self.peek() == Some('*') {
            return Err(unsupported("a callout \"(*\""));
        }
        if !self.take("?") {
            if !self.captures_unnamed {
                return self.inside();
            }
            self.opened += 1;
            let number = self.opened;
            return Ok(Node::Capture(number, Box::new(self.inside()?)));
        }
        let look = |behind, negative, node| Node::Look { node: Box::new(node), behind, negative };
        match self.next() {
            Some(':') => self.inside(),
            Some('=') => Ok(look(false, false, self.inside()?)),
            Some('!') => Ok(look(false, true, self.inside()?)),
            Some('>') => Ok(Node::Atomic(Box::new(self.inside()?))),
            Some('<') if self.take("=") => Ok(look(true, false, self.inside()?)),
            Some('<') if self.take("!") => Ok(look(true, true, self.inside()?)),
            Some('<') => self.named('>'),
            Some('\'') => self.named('\''),
            Some('~') => Err(unsupported("an absent group \"(?~\"")),
            Some('(') => Err(unsupported("a condition \"(?(\"")),
            Some('{') => Err(unsupported("a callout \"(?{\"")),
            Some(_) => {
                self.at -= 1;
                self.options()
            }
            None => Err(syntax("a group has no end")),
        }
    }

    /// Reads the body of a group and the closing `)`.
    fn inside(&mut self) -> Result<Node> {
        let node = self.alternatives()?;
        if self.take(")") { Ok(node) } else { Err(syntax("a \"(\" has no \")\"")) }
    }

    fn named(&mut self, end: char) -> Result<Node> {
        let name = self.name(end)?;
        self.opened += 1;
        let number = self.opened;
        self.names.push((name, number));
        Ok(Node::Capture(number, Box::new(self.inside()?)))
    }

    fn name(&mut self, end: char) -> Result<String> {
        let mut name = String::new();
        loop {
            match self.next() {
                Some(c) if c == end && !name.is_empty() => return Ok(name),
                Some(c) if c == '_' || c.is_alphanumeric() => name.push(c),
                _ => return Err(syntax("the name of a group is not valid")),
            }
        }
    }

    /// Reads `(?i-m:…)` or `(?i)`. The latter applies up to the end of the enclosing group.
    fn options(&mut self) -> Result<Node> {
        let before = self.flags;
        let mut on = true;
        loop {
            match self.next() {
                Some('-') => on = false,
                Some('i') => self.flags.ignore_case = on,
                Some('m') => self.flags.dot_all = on,
                Some('x') => self.flags.extended = on,
                Some(c @ ('W' | 'D' | 'S' | 'P' | 'y' | 'C' | 'I' | 'L')) => {
                    return Err(unsupported(&format!("the option \"{c}\" of a group")));
                }
                Some(':') => {
                    let node = self.inside();
                    self.flags = before;
                    return node;
                }
                Some(')') => {
                    // The options also apply to the later alternatives: `a(?i)b|c` is `a(?i:b|c)`.
                    let node = self.alternatives();
                    self.flags = before;
                    return node;
                }
                _ => return Err(syntax("the options of a group are not valid")),
            }
        }
    }
}

/// Returns whether a node is a condition on a position, or has one as an alternative. The library
/// does not repeat such nodes.
fn has_no_length(node: &Node) -> bool {
    match node {
        Node::Assert(_) | Node::Look { .. } | Node::Keep => true,
        Node::Alt(nodes) => nodes.iter().any(has_no_length),
        _ => false,
    }
}

/// Appends a node. Neighbouring characters are joined to one text.
fn push(parts: &mut Vec<Node>, node: Node) {
    match (parts.last_mut(), node) {
        (Some(Node::Text(text, fold)), Node::Text(more, also)) if *fold == also => {
            text.extend(more);
        }
        (_, node) => parts.push(node),
    }
}
