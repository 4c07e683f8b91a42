//! Removes comments and indentation from shaders, which saves 2 kB in the package.

/// A fragment of shaders/, minified at compile time.
macro_rules! shader {
    ($name:literal) => {{
        use $crate::backend::gpu::minify::{minified_len, minify};
        const SOURCE: &str =
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $name, ".wgsl"));
        const MINIFIED: [u8; minified_len(SOURCE)] = minify(SOURCE);
        const TEXT: &str = match str::from_utf8(&MINIFIED) {
            Ok(text) => text,
            Err(_) => panic!("a shader is text"),
        };
        TEXT
    }};
}
pub(super) use shader;

/// Returns the index of the next byte to keep, starting at `at`. `begun` is true if the current
/// line already has kept bytes.
const fn kept(source: &[u8], mut at: usize, begun: bool) -> usize {
    while at < source.len() {
        let byte = source[at];
        if byte == b'/' && at + 1 < source.len() && source[at + 1] == b'/' {
            while at < source.len() && source[at] != b'\n' {
                at += 1;
            }
        } else if !begun && (byte == b' ' || byte == b'\n') {
            at += 1;
        } else {
            break;
        }
    }
    at
}

/// Returns the length of a shader after [`minify`].
pub(super) const fn minified_len(source: &str) -> usize {
    let source = source.as_bytes();
    let (mut at, mut length) = (kept(source, 0, false), 0);
    while at < source.len() {
        length += 1;
        at = kept(source, at + 1, source[at] != b'\n');
    }
    length
}

/// Returns a shader without line comments, indentation and empty lines.
pub(super) const fn minify<const LENGTH: usize>(source: &str) -> [u8; LENGTH] {
    let source = source.as_bytes();
    let mut minified = [0; LENGTH];
    let (mut at, mut length) = (kept(source, 0, false), 0);
    while at < source.len() {
        minified[length] = source[at];
        length += 1;
        at = kept(source, at + 1, source[at] != b'\n');
    }
    minified
}

#[cfg(test)]
mod tests {
    use super::{minified_len, minify};

    #[test]
    fn comments_and_indentation_are_removed() {
        const SOURCE: &str = "// head\n\nfn f() { // why\n  a = b / c; // d / e\n\n}\n// end";
        const LENGTH: usize = minified_len(SOURCE);
        let minified = minify::<LENGTH>(SOURCE);
        assert_eq!(&minified, b"fn f() { \na = b / c; \n}\n");
    }
}
