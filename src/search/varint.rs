//! 32-bit integers in one to five bytes with seven bits each, the lowest first (LEB128).

/// Appends a number.
pub(super) fn push(to: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}

/// Takes a number from the front. Returns `None` if the bytes do not start with a 32-bit number.
pub(super) fn take(from: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u64;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(value).ok();
        }
    }
    None
}
