//! Base64: for continue tokens as URLs have it and without padding, for kubeconfigs the usual way.

const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const USUAL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// For a URL, without padding.
pub(crate) fn encode_for_url(bytes: &[u8]) -> String {
    encode(bytes, URL)
}

/// With padding, as a kubeconfig's `…-data` fields have it.
pub(crate) fn encode_padded(bytes: &[u8]) -> String {
    let mut text = encode(bytes, USUAL);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

fn encode(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for position in 0..=group.len() {
            let index = bits >> (18 - 6 * position) & 0x3f;
            text.push(char::from(alphabet[usize::try_from(index).unwrap()]));
        }
    }
    text
}

/// The reverse, for URLs; the error is the place of the first byte that cannot be there.
pub(crate) fn decode_from_url(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::new();
    for (number, group) in text.as_bytes().chunks(4).enumerate() {
        let start = number * 4;
        if group.len() == 1 {
            return Err(start + 1);
        }
        let mut bits = 0_u32;
        for (offset, letter) in group.iter().enumerate() {
            let position = URL.iter().position(|known| known == letter);
            let value = position.ok_or(start + offset)?;
            bits |= u32::try_from(value).unwrap() << (18 - 6 * offset);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Ok(bytes)
}
