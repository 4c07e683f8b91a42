//! CRC-32 as in gzip and PNG (IEEE 802.3; RFC 1952), to detect damaged files.

/// Remainders by lowest byte, after eight steps of the division.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { (rest >> 1) ^ 0xedb8_8320 } else { rest >> 1 };
            bit += 1;
        }
        table[byte] = rest;
        byte += 1;
    }
    table
}

/// Checksum of bytes that arrive in pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checksum(u32);

impl Checksum {
    pub(super) const fn new() -> Self {
        Self(!0)
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0 = bytes
            .iter()
            .fold(self.0, |rest, &byte| TABLE[usize::from(rest as u8 ^ byte)] ^ (rest >> 8));
    }

    pub(super) fn value(self) -> u32 {
        !self.0
    }
}

/// Returns the checksum of complete bytes.
pub(super) fn of(bytes: &[u8]) -> u32 {
    let mut checksum = Checksum::new();
    checksum.update(bytes);
    checksum.value()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_check_value_of_the_standard() {
        assert_eq!(of(b"123456789"), 0xcbf4_3926);
        assert_eq!(of(b""), 0);
    }
}
