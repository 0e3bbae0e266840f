//! Numbers and lengths on the wire.

/// A number in groups of seven bits.
pub(crate) fn varint(mut value: u64, out: &mut Vec<u8>) {
    loop {
        let group = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            out.push(group);
            return;
        }
        out.push(group | 0x80);
    }
}

/// A field that holds a number; negative ones take all ten bytes.
pub(crate) fn integer(number: u32, value: i64, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3, out);
    varint(value.cast_unsigned(), out);
}

/// A field that holds bytes: text, a message, or what looks like one.
pub(crate) fn bytes(number: u32, value: &[u8], out: &mut Vec<u8>) {
    opening(number, value.len(), out);
    out.extend_from_slice(value);
}

/// The beginning of such a field, for bytes that follow later.
pub(crate) fn opening(number: u32, length: usize, out: &mut Vec<u8>) {
    varint(u64::from(number) << 3 | 2, out);
    varint(u64::try_from(length).unwrap(), out);
}
