//! Escapes: `\d`, `\p{L}`, `\x41`.

use super::{Assert, Node, Parser, Result, syntax, unsupported};
use crate::tokenizer::pipeline::regex::set::Set;

impl Parser {
    /// Reads an escape outside a class, after its backslash.
    pub(super) fn escape(&mut self) -> Result<Node> {
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
    pub(super) fn shorthand(&mut self, c: char) -> Result<Option<Set>> {
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
    pub(super) fn property(&mut self, negative: bool) -> Result<Set> {
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
    pub(super) fn escaped(&mut self, c: char) -> Result<char> {
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
    pub(super) fn octal(&mut self) -> Result<char> {
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
    pub(super) fn hexadecimal(&mut self, most: usize) -> Option<(u32, usize)> {
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
}

/// Adds the Latin-1 numbers. Oniguruma's `\w` matches them only outside classes.
pub(super) fn with_latin_numbers(set: &Set) -> Set {
    set.or(&Set::of(vec![(0xb2, 0xb3), (0xb9, 0xb9), (0xbc, 0xbe)]))
}

/// Returns the word characters of `\b`.
pub(in crate::tokenizer::pipeline::regex) fn word() -> Set {
    with_latin_numbers(&Set::property("word").unwrap_or_default())
}

/// Returns the node for `\R`, a line break. CR LF is never split.
fn newline() -> Node {
    let one = Set::of(vec![(0xa, 0xd), (0x85, 0x85), (0x2028, 0x2029)]);
    Node::Atomic(Box::new(Node::Alt(vec![Node::Text(vec!['\r', '\n'], false), Node::Set(one)])))
}
