//! Classes of characters: `[a-z&&[^aeiou]]`.

use super::{Node, Parser, Result, syntax, unsupported};
use crate::tokenizer::pipeline::regex::{fold, set::Set};

impl Parser {
    /// Reads a class after its `[`.
    pub(super) fn class(&mut self) -> Result<Node> {
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
