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

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content<'a> {
    Integer(u64),
    Bytes(&'a [u8]),
}

impl<'a> Content<'a> {
    pub(crate) fn bytes(&self) -> Option<&'a [u8]> {
        match self {
            Content::Bytes(bytes) => Some(bytes),
            Content::Integer(_) => None,
        }
    }

    pub(crate) fn integer(&self) -> Option<i64> {
        match self {
            Content::Integer(value) => Some(value.cast_signed()),
            Content::Bytes(_) => None,
        }
    }
}

/// The fields of a message; `None` if the bytes are none.
pub(crate) fn read(mut bytes: &[u8]) -> Option<Vec<(u32, Content<'_>)>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = read_varint(&mut bytes)?;
        let number = u32::try_from(key >> 3).ok()?;
        let value = read_varint(&mut bytes)?;
        match key & 7 {
            0 => fields.push((number, Content::Integer(value))),
            2 => {
                let (content, rest) = bytes.split_at_checked(usize::try_from(value).ok()?)?;
                fields.push((number, Content::Bytes(content)));
                bytes = rest;
            }
            // The API has neither doubles nor fixed numbers.
            _ => return None,
        }
    }
    Some(fields)
}

fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
