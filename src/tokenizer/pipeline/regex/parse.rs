//! Parses Oniguruma's syntax, with the options of the `tokenizers` library.

use super::Cause;
use super::fold;
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

    /// Reads an escape outside a class, after its backslash.
    fn escape(&mut self) -> Result<Node> {
        let Some(c) = self.next() else { return Err(syntax("it ends with \"\\\"")) };
        if let Some(set) = self.shorthand(c)? {
            return Ok(Node::Set(set));
        }
        Ok(match c {
            'b' => Node::Assert(Assert::WordBoundary),
            'B' => Node::Assert(Assert::NoWordBoundary),
            'A' => Node::Assert(Assert::TextStart),
            'Z' => Node::Assert(Assert::LastLineEnd),
            'z' => Node::Assert(Assert::TextEnd),
            'K' => Node::Keep,
            'R' => newline(),
            'N' => Node::Set(Set::char('\n').not()),
            'O' => Node::Set(Set::all()),
            'X' | 'y' | 'Y' => return Err(unsupported(&format!("a text segment \"\\{c}\""))),
            'G' => return Err(unsupported("the start of a search \"\\G\"")),
            'g' if matches!(self.peek(), Some('<' | '\'')) => {
                return Err(unsupported("a call of a group \"\\g\""));
            }
            'k' if self.take("<") => self.back_reference('>')?,
            'k' if self.take("'") => self.back_reference('\'')?,
            '1'..='9' => {
                self.at -= 1;
                self.digits()?
            }
            c => {
                let c = self.escaped(c)?;
                self.literal(c)
            }
        })
    }

    /// Reads e.g. `\12`: a back reference if the group exists, otherwise an octal character.
    fn digits(&mut self) -> Result<Node> {
        let start = self.at;
        let number = self.number()?.unwrap_or(0) as usize;
        if number <= self.groups || number <= 9 {
            if number > self.groups {
                return Err(syntax(&format!("there is no group {number} to refer to")));
            }
            if !self.captures_unnamed {
                return Err(syntax("a back reference by number beside groups with names"));
            }
            return Ok(Node::Back(vec![number], self.flags.ignore_case));
        }
        self.at = start;
        let c = match self.peek() {
            Some(c @ ('8' | '9')) => {
                self.at += 1;
                c
            }
            _ => self.octal()?,
        };
        Ok(self.literal(c))
    }

    fn back_reference(&mut self, end: char) -> Result<Node> {
        let name = self.name(end)?;
        if let Ok(number) = name.parse::<usize>() {
            if !self.captures_unnamed || number == 0 || number > self.groups {
                return Err(syntax(&format!("there is no group {name} to refer to by number")));
            }
            return Ok(Node::Back(vec![number], self.flags.ignore_case));
        }
        let named = self.names.iter().rev().filter(|(known, _)| *known == name);
        let numbers: Vec<usize> = named.map(|&(_, number)| number).collect();
        if numbers.is_empty() {
            return Err(syntax(&format!("no group before a back reference has its name {name:?}")));
        }
        Ok(Node::Back(numbers, self.flags.ignore_case))
    }

    /// Returns the set of `\w`, `\p{…}` and similar escapes.
    fn shorthand(&mut self, c: char) -> Result<Option<Set>> {
        let name = match c.to_ascii_lowercase() {
            'w' => "word",
            'd' => "digit",
            's' => "space",
            'h' => "xdigit",
            'p' if self.peek() == Some('{') => {
                self.at += 1;
                return self.property(c == 'P').map(Some);
            }
            _ => return Ok(None),
        };
        let set = Set::property(name).unwrap_or_default();
        let set = if name == "word" { with_latin_numbers(&set) } else { set };
        Ok(Some(if c.is_ascii_uppercase() { set.not() } else { set }))
    }

    /// Reads `Lu}` or `^Lu}`.
    fn property(&mut self, negative: bool) -> Result<Set> {
        let negative = negative != self.take("^");
        let mut name = String::new();
        loop {
            match self.next() {
                Some('}') => break,
                Some(c) if !matches!(c, '(' | ')' | '{' | '|') => name.push(c),
                _ => return Err(syntax("a property \"\\p{\" has no end")),
            }
        }
        // Here Punct is the category P, but [[:punct:]] also includes the category S.
        let set = Set::property(&name);
        let set = set.ok_or_else(|| unsupported(&format!("the property \"\\p{{{name}}}\"")))?;
        let set = if name.eq_ignore_ascii_case("word") { with_latin_numbers(&set) } else { set };
        Ok(if negative { set.not() } else { set })
    }

    /// Returns the character of the escape `\` with `c`.
    fn escaped(&mut self, c: char) -> Result<char> {
        Ok(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'x' if self.take("{") => self.braced(16)?,
            'o' if self.take("{") => self.braced(8)?,
            'x' => self.hexadecimal_byte()?,
            'u' => {
                let code = self.hexadecimal(4);
                let c =
                    code.filter(|(_, len)| *len == 4).and_then(|(code, _)| char::from_u32(code));
                c.ok_or_else(|| syntax("\"\\u\": expected four hexadecimal digits of a character"))?
            }
            '0' => self.octal()?,
            'c' => self.control()?,
            'C' if self.take("-") => self.control()?,
            'C' | 'M' => return Err(unsupported(&format!("the escape \"\\{c}\""))),
            c => c,
        })
    }

    fn control(&mut self) -> Result<char> {
        match self.next() {
            Some('?') => Ok('\u{7f}'),
            Some(c) if c.is_ascii() && c != '\\' => Ok(char::from(c as u8 & 0x1f)),
            _ => Err(unsupported("this control character")),
        }
    }

    /// Reads up to three octal digits.
    fn octal(&mut self) -> Result<char> {
        let mut code = 0;
        for _ in 0..3 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            self.at += 1;
            code = code * 8 + digit;
        }
        let c = char::from_u32(code).filter(char::is_ascii);
        c.ok_or_else(|| unsupported("an octal number over 177"))
    }

    /// Reads at most `most` digits. Returns their value and count.
    fn hexadecimal(&mut self, most: usize) -> Option<(u32, usize)> {
        let (mut code, mut len) = (0_u32, 0);
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(16)).filter(|_| len < most) {
            self.at += 1;
            code = code.checked_mul(16)?.checked_add(digit)?;
            len += 1;
        }
        Some((code, len))
    }

    fn braced(&mut self, radix: u32) -> Result<char> {
        let mut code = 0_u32;
        let mut len = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)).filter(|_| len < 11) {
            self.at += 1;
            code = code.saturating_mul(radix).saturating_add(digit);
            len += 1;
        }
        if len > 0 && matches!(self.peek(), Some(' ' | '\n' | '-')) {
            return Err(unsupported("several characters in one \"\\x{\""));
        }
        let c = char::from_u32(code).filter(|_| len > 0 && self.take("}"));
        c.ok_or_else(|| syntax("\"\\x{\": expected a code point in braces"))
    }

    /// Reads e.g. `\x41`. Bytes over 7f must form the UTF-8 of a character.
    fn hexadecimal_byte(&mut self) -> Result<char> {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            bytes.push(self.hexadecimal(2).map_or(0, |(code, _)| code as u8));
            match std::str::from_utf8(&bytes) {
                Ok(text) => return Ok(text.chars().next().unwrap_or_default()),
                Err(error) if error.error_len().is_none() && self.take("\\x") => {}
                Err(_) => return Err(syntax("the bytes \"\\x\" are not UTF-8")),
            }
        }
    }

    /// Reads a class after its `[`.
    fn class(&mut self) -> Result<Node> {
        let (set, negative) = self.class_set()?;
        let set = if negative { set.not() } else { set };
        Ok(if !self.flags.ignore_case {
            Node::Set(set)
        } else if negative {
            // widen before the negation: a negated class excludes both cases
            Node::Set(fold::widen(&set.not()).0.not())
        } else {
            let (set, texts) = fold::widen(&set);
            Node::Folded(set, texts)
        })
    }

    /// Reads a class up to `]`. Returns its set, and whether it is negated.
    fn class_set(&mut self) -> Result<(Set, bool)> {
        self.deeper()?;
        let negative = self.take("^");
        let mut class = Class::default();
        // a `]` at the start is literal, but only if another `]` ends the class
        if self.peek() == Some(']') {
            if !self.characters[self.at + 1..].contains(&']') {
                return Err(syntax("a class is empty"));
            }
            self.at += 1;
            class.char(']')?;
        }
        loop {
            let Some(c) = self.next() else { return Err(syntax("a \"[\" has no \"]\"")) };
            match c {
                ']' => break,
                '[' if self.peek() == Some(':') => {
                    let set = self.posix()?;
                    class.set(&set)?;
                }
                '[' => {
                    let (set, negative) = self.class_set()?;
                    class.nested(&if negative { set.not() } else { set })?;
                }
                '&' if self.take("&") => class.intersect(),
                '-' => self.hyphen(&mut class)?,
                '\\' => {
                    let Some(c) = self.next() else { return Err(syntax("it ends with \"\\\"")) };
                    match self.class_shorthand(c)? {
                        Some(set) => class.set(&set)?,
                        None => {
                            let c = self.class_escaped(c)?;
                            class.char(c)?;
                        }
                    }
                }
                c => class.char(c)?,
            }
        }
        self.depth -= 1;
        Ok((class.finish(), negative))
    }

    /// Returns the set as [`Parser::shorthand`], but within a class `\w` excludes Latin-1 numbers.
    fn class_shorthand(&mut self, c: char) -> Result<Option<Set>> {
        if !matches!(c, 'w' | 'W') {
            return self.shorthand(c);
        }
        let set = Set::property("word").unwrap_or_default();
        Ok(Some(if c == 'W' { set.not() } else { set }))
    }

    fn class_escaped(&mut self, c: char) -> Result<char> {
        match c {
            'b' => Ok('\u{8}'),
            '1'..='7' => {
                self.at -= 1;
                self.octal()
            }
            'R' | 'X' => Err(unsupported(&format!("\"\\{c}\" within a class"))),
            c => self.escaped(c),
        }
    }

    /// Reads a `-`: a range or a literal.
    fn hyphen(&mut self, class: &mut Class) -> Result<()> {
        let is_last =
            self.peek() == Some(']') || self.characters[self.at..].starts_with(&['&', '&']);
        match class.state {
            State::Char(first) if !is_last => {
                class.state = State::Range(first);
                Ok(())
            }
            State::Set if !is_last => {
                Err(syntax("a class has a \"-\" after a set, which must be escaped"))
            }
            _ => class.char('-'),
        }
    }

    /// Reads `[:alpha:]` after its `[`.
    fn posix(&mut self) -> Result<Set> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print",
            "punct", "space", "upper", "xdigit", "word",
        ];
        self.at += 1;
        let negative = self.take("^");
        let name = NAMES.into_iter().find(|name| self.take(name));
        let Some(name) = name.filter(|_| self.take(":]")) else {
            return Err(unsupported("this \"[:\" within a class"));
        };
        let set = Set::property(name).unwrap_or_default();
        let symbols = || Set::property("S").unwrap_or_default();
        let set = if name == "punct" { set.or(&symbols()) } else { set };
        Ok(if negative { set.not() } else { set })
    }
}

/// Adds the Latin-1 numbers. Oniguruma's `\w` matches them only outside classes.
fn with_latin_numbers(set: &Set) -> Set {
    set.or(&Set::of(vec![(0xb2, 0xb3), (0xb9, 0xb9), (0xbc, 0xbe)]))
}

/// Returns the word characters of `\b`.
pub(super) fn word() -> Set {
    with_latin_numbers(&Set::property("word").unwrap_or_default())
}

/// Returns the node for `\R`, a line break. CR LF is never split.
fn newline() -> Node {
    let one = Set::of(vec![(0xa, 0xd), (0x85, 0x85), (0x2028, 0x2029)]);
    Node::Atomic(Box::new(Node::Alt(vec![Node::Text(vec!['\r', '\n'], false), Node::Set(one)])))
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

/// The state while a class is read.
#[derive(Default)]
struct Class {
    set: Set,
    /// The set before `&&`.
    before: Option<Set>,
    state: State,
}

/// The last item of a class.
#[derive(Default, Clone, Copy)]
enum State {
    #[default]
    Start,
    Char(char),
    /// A character and the `-` after it.
    Range(char),
    Set,
    /// A range, or a nested class.
    Complete,
}

impl Class {
    fn char(&mut self, c: char) -> Result<()> {
        if let State::Range(first) = self.state {
            if first > c {
                return Err(syntax(&format!("a class has the empty range {first}-{c}")));
            }
            self.set = self.set.or(&Set::range(first, c));
            self.state = State::Complete;
        } else {
            self.set = self.set.or(&Set::char(c));
            self.state = State::Char(c);
        }
        Ok(())
    }

    fn set(&mut self, set: &Set) -> Result<()> {
        if matches!(self.state, State::Range(_)) {
            return Err(syntax("a class has a range that ends with a set"));
        }
        self.set = self.set.or(set);
        self.state = State::Set;
        Ok(())
    }

    fn nested(&mut self, set: &Set) -> Result<()> {
        if matches!(self.state, State::Range(_)) {
            return Err(unsupported("a range that ends with a class"));
        }
        self.set = self.set.or(set);
        self.state = State::Complete;
        Ok(())
    }

    fn intersect(&mut self) {
        let set = std::mem::take(&mut self.set);
        self.before =
            Some(self.before.take().map_or_else(|| set.clone(), |before| before.and(&set)));
        self.state = State::Start;
    }

    fn finish(self) -> Set {
        match self.before {
            Some(before) => before.and(&self.set),
            None => self.set,
        }
    }
}
