//! Gzip that does not compress: the format, and none of the work.

/// The bytes in stored blocks.
pub(crate) fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut blocks = bytes.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        out.push(u8::from(blocks.peek().is_none()));
        let length = u16::try_from(block.len()).unwrap();
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend_from_slice(block);
    }
    out.extend(checksum(bytes).to_le_bytes());
    let length = u32::try_from(bytes.len() & 0xffff_ffff).unwrap();
    out.extend(length.to_le_bytes());
    out
}

/// CRC-32.
fn checksum(bytes: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (index, entry) in table.iter_mut().enumerate() {
        let mut value = u32::try_from(index).unwrap();
        for _ in 0..8 {
            value = if value & 1 == 1 {
                value >> 1 ^ 0xedb8_8320
            } else {
                value >> 1
            };
        }
        *entry = value;
    }
    let mut sum = !0_u32;
    for byte in bytes {
        let index = usize::from(sum.to_le_bytes()[0] ^ byte);
        sum = sum >> 8 ^ table[index];
    }
    !sum
}
