//! Shaders without their comments and indentation, which no device reads: 2 kB of the package.

/// Where the next byte that is kept stands, from `at` on; `begun`: something is kept of this line.
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

/// Bytes of a shader after [`strip`].
pub(super) const fn stripped_len(source: &str) -> usize {
    let source = source.as_bytes();
    let (mut at, mut length) = (kept(source, 0, false), 0);
    while at < source.len() {
        length += 1;
        at = kept(source, at + 1, source[at] != b'\n');
    }
    length
}

/// A shader without line comments, indentation and empty lines.
pub(super) const fn strip<const LENGTH: usize>(source: &str) -> [u8; LENGTH] {
    let source = source.as_bytes();
    let mut stripped = [0; LENGTH];
    let (mut at, mut length) = (kept(source, 0, false), 0);
    while at < source.len() {
        stripped[length] = source[at];
        length += 1;
        at = kept(source, at + 1, source[at] != b'\n');
    }
    stripped
}

#[cfg(test)]
mod tests {
    use super::{strip, stripped_len};

    #[test]
    fn comments_and_indentation_go() {
        const SOURCE: &str = "// head\n\nfn f() { // why\n  a = b / c; // d / e\n\n}\n// end";
        const LENGTH: usize = stripped_len(SOURCE);
        let stripped = strip::<LENGTH>(SOURCE);
        assert_eq!(&stripped, b"fn f() { \na = b / c; \n}\n");
    }
}
