//! JSON, read into values that borrow their texts from the file wherever these hold no escapes.
//!
//! By hand: a library that derives a reader for each struct is a fifth of the package's code.

use std::borrow::Cow;

/// How deep values may lie in each other.
const MAX_DEPTH: usize = 128;

/// From here on an f64 does not tell one whole number from the next.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Reads the file `name`. The error names it, with where it is no JSON or what is in its place.
pub(crate) fn read<'a>(name: &str, bytes: &'a [u8]) -> Result<Value<'a>, String> {
    match other_format(bytes) {
        Some(found) => Err(format!("{name} is {found}")),
        None => Value::parse(without_mark(bytes)).map_err(|error| format!("{name}: {error}")),
    }
}

/// What servers give in place of a text file: nothing, a web page, a pointer.
pub(crate) fn other_format(bytes: &[u8]) -> Option<&'static str> {
    let text = without_mark(bytes).trim_ascii_start();
    let begins = |with: &str| {
        text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with.as_bytes()))
    };
    if text.is_empty() {
        Some("empty")
    } else if ["<!doctype", "<html", "<head", "<?xml"].into_iter().any(begins) {
        Some("a web page (HTML), not the file: is its address right?")
    } else if begins("version https://git-lfs") {
        Some("a Git LFS pointer, not the file it points to")
    } else {
        None
    }
}

/// The bytes without the byte order mark that some editors put before them.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A value of a JSON text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Array(Vec<Self>),
    /// Names and values, in the order of the text.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Value<'a> {
    /// Reads a text. The error says in words where it is no JSON.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let text = str::from_utf8(bytes)
            .map_err(|error| format!("the byte at {} is not UTF-8", error.valid_up_to()))?;
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0);
        parser.space();
        match value {
            Some(value) if parser.at == text.len() => Ok(value),
            _ if parser.at >= text.len() => Err("it is cut short".into()),
            _ => {
                let before = &bytes[..parser.at];
                let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
                let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
                Err(format!("it is not valid JSON at line {line}, column {column}"))
            }
        }
    }

    /// The value of that name in an object, the last one where there are several.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.entries().iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// What an object holds; nothing where it is none.
    pub(crate) fn entries(&self) -> &[(Cow<'a, str>, Self)] {
        match self {
            Self::Object(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A whole number that is not negative.
    pub(crate) fn as_whole(&self) -> Option<u64> {
        let number = self.as_number()?;
        ((0.0..MAX_WHOLE).contains(&number) && number.trunc() == number).then_some(number as u64)
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(values) => Some(values),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Null => "null".into(),
            Self::Bool(flag) => flag.to_string(),
            Self::Number(number) => format_number(*number),
            Self::Text(text) => format!("\"{text}\""),
            Self::Array(_) => "a list".into(),
            Self::Object(_) => "an object".into(),
        }
    }
}

/// A number for messages: to format an f64 as it is takes 5 kB of code.
fn format_number(number: f64) -> String {
    if number.trunc() == number && number.abs() < MAX_WHOLE {
        (number as i64).to_string()
    } else {
        "a number that is not whole".into()
    }
}

/// Reads from `at` on. Where a function gives `None`, `at` is where the text is wrong.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Takes `byte`, if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Option<Value<'a>> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::Text),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Option<Value<'a>> {
        for &byte in word.as_bytes() {
            self.take(byte).then_some(())?;
        }
        Some(value)
    }

    /// Whether another item follows after `first`, the beginning, or after a comma; `None` for
    /// neither that nor the end.
    fn more(&mut self, first: bool, end: u8) -> Option<bool> {
        self.space();
        if self.take(end) {
            return Some(false);
        }
        (first || self.take(b',')).then_some(true)
    }

    fn array(&mut self, depth: usize) -> Option<Value<'a>> {
        self.at += 1;
        let mut values = Vec::new();
        while self.more(values.is_empty(), b']')? {
            values.push(self.value(depth + 1)?);
        }
        Some(Value::Array(values))
    }

    fn object(&mut self, depth: usize) -> Option<Value<'a>> {
        self.at += 1;
        let mut entries = Vec::new();
        while self.more(entries.is_empty(), b'}')? {
            self.space();
            let name = self.string()?;
            self.space();
            self.take(b':').then_some(())?;
            entries.push((name, self.value(depth + 1)?));
        }
        Some(Value::Object(entries))
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.take(b'"').then_some(())?;
        let mut whole = Cow::Borrowed("");
        loop {
            let start = self.at;
            while !matches!(self.peek()?, b'"' | b'\\' | 0..=0x1f) {
                self.at += 1;
            }
            let plain = &self.text[start..self.at];
            if whole.is_empty() {
                whole = Cow::Borrowed(plain);
            } else {
                whole.to_mut().push_str(plain);
            }
            if self.take(b'"') {
                return Some(whole);
            }
            self.take(b'\\').then_some(())?;
            whole.to_mut().push(self.escape()?);
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Option<char> {
        let char = match self.peek()? {
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            byte @ (b'"' | b'\\' | b'/') => char::from(byte),
            _ => return None,
        };
        self.at += 1;
        Some(char)
    }

    /// Four hexadecimal digits, or twice these: a pair of surrogates.
    fn unicode(&mut self) -> Option<char> {
        let first = self.unit()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        (self.take(b'\\') && self.take(b'u')).then_some(())?;
        let second = self.unit()?;
        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + low)
    }

    fn unit(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit * 16 + char::from(self.peek()?).to_digit(16)?;
            self.at += 1;
        }
        Some(unit)
    }

    /// A number: exact where it has at most 15 digits and a power of ten within 10^±22, else
    /// within some units of the last place.
    fn number(&mut self) -> Option<Value<'a>> {
        let negative = self.take(b'-');
        let mut number = Decimal { digits: 0, exponent: 0 };
        let start = self.at;
        let whole = self.digits(&mut number, false)?;
        if whole > 1 && self.text.as_bytes()[start] == b'0' {
            self.at = start + 1;
            return None;
        }
        if self.take(b'.') {
            self.digits(&mut number, true)?;
        }
        if self.take(b'e') || self.take(b'E') {
            let minus = self.take(b'-');
            if !minus {
                self.take(b'+');
            }
            let mut power = Decimal { digits: 0, exponent: 0 };
            self.digits(&mut power, false)?;
            let power = power.digits.min(10_000) as i32;
            number.exponent = number.exponent.saturating_add(if minus { -power } else { power });
        }
        let value = number.value();
        value.is_finite().then_some(Value::Number(if negative { -value } else { value }))
    }

    /// One digit or more; how many.
    fn digits(&mut self, number: &mut Decimal, is_fraction: bool) -> Option<usize> {
        let start = self.at;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            self.at += 1;
            number.push(u64::from(digit - b'0'), is_fraction);
        }
        Some(self.at - start).filter(|count| *count > 0)
    }
}

/// digits · 10^exponent
struct Decimal {
    digits: u64,
    exponent: i32,
}

impl Decimal {
    /// One more digit; those past the 18th only count as zeros.
    fn push(&mut self, digit: u64, is_fraction: bool) {
        let fits = self.digits < 100_000_000_000_000_000;
        if fits {
            self.digits = self.digits * 10 + digit;
        }
        let shift = i32::from(!fits) - i32::from(is_fraction);
        self.exponent = self.exponent.saturating_add(shift);
    }

    fn value(&self) -> f64 {
        let mut value = self.digits as f64;
        let mut left = self.exponent.unsigned_abs().min(800);
        while left > 0 && value > 0.0 {
            // 10^22 is the greatest power of ten that an f64 holds exactly
            let power = 10_f64.powi(left.min(22) as i32);
            value = if self.exponent < 0 { value / power } else { value * power };
            left -= left.min(22);
        }
        value
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

    use proptest::prelude::*;

    use super::Value;

    fn parse(text: &str) -> Option<Value<'_>> {
        Value::parse(text.as_bytes()).ok()
    }

    /// Whether both hold the same, numbers within some units of the last place.
    fn same(ours: &Value<'_>, theirs: &serde_json::Value) -> bool {
        use serde_json::Value as Theirs;
        match (ours, theirs) {
            (Value::Null, Theirs::Null) => true,
            (Value::Bool(a), Theirs::Bool(b)) => a == b,
            (Value::Text(a), Theirs::String(b)) => a == b,
            (Value::Number(a), Theirs::Number(b)) => {
                let b = b.as_f64().unwrap_or(f64::NAN);
                (a - b).abs() <= b.abs() * 16.0 * f64::EPSILON + 1e-323
            }
            (Value::Array(a), Theirs::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Value::Object(a), Theirs::Object(b)) => {
                b.iter().all(|(name, b)| ours.get(name).is_some_and(|a| same(a, b)))
                    && a.iter().all(|(name, _)| b.contains_key(&**name))
            }
            _ => false,
        }
    }

    fn agree(text: &str) {
        match (parse(text), serde_json::from_str::<serde_json::Value>(text)) {
            (Some(ours), Ok(theirs)) => assert!(same(&ours, &theirs), "{text}: {ours:?}"),
            (ours, theirs) => assert_eq!(ours.is_some(), theirs.is_ok(), "{text}"),
        }
    }

    #[test]
    fn edges_of_the_grammar() {
        for text in [
            "",
            " ",
            "null",
            "nul",
            "nulll",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "[1 2]",
            "01",
            "-",
            "-0",
            "1.",
            ".5",
            "1e",
            "1e+5",
            "1E-5",
            "+1",
            "1e400",
            "1e-400",
            "0e999",
            "9007199254740993",
            "123456789012345678901234567890",
            "0.1",
            "1e-12",
            "1e30",
            "5e-324",
            "1.7976931348623157e308",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83d\\u0041\"",
            "\"\\u00e9\\n\\/\\b\\f\\r\\t\\\\\\\"\"",
            "\"\\x\"",
            "\"a\nb\"",
            "\"\u{7f}\u{e9}\"",
            "{\"a\":1,\"a\":2}",
            "\u{feff}1",
            "[]x",
            "{\"a\":[{}]}",
            "tru",
        ] {
            agree(text);
        }
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(120)).is_some() && parse(&nested(200_000)).is_none());
    }

    #[test]
    fn errors_say_where() {
        let message = |text: &[u8]| Value::parse(text).unwrap_err();
        assert!(message(b"{\"a\": 1").contains("cut short"));
        assert!(message(b"{\n  \"a\" 1}").contains("line 2, column 7"));
        assert!(message(b"\"\xff\"").contains("byte at 1 is not UTF-8"));
    }

    proptest! {
        #[test]
        fn numbers_are_read_as_others_read_them(number: f64) {
            prop_assume!(number.is_finite());
            agree(&format!("{number:e}"));
            agree(&format!("{number}"));
        }

        #[test]
        fn any_text_is_read_as_others_read_it(text in "[\\[\\]{}:, \"\\\\u0-9a-fe.+-]{0,12}") {
            agree(&text);
        }

        #[test]
        fn strings_come_back(text: String) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(parse(&json), Some(Value::Text(text.into())));
        }
    }
}
