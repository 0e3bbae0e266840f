//! Comma-separated values (RFC 4180).

use std::io::{self, Write};

/// Writes a record.
pub(super) fn record<'a>(
    out: &mut dyn Write,
    values: impl IntoIterator<Item = &'a str>,
) -> io::Result<()> {
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        if value.contains([',', '"', '\n', '\r']) {
            write!(out, "\"{}\"", value.replace('"', "\"\""))?;
        } else {
            out.write_all(value.as_bytes())?;
        }
    }
    out.write_all(b"\r\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn values_are_quoted_where_they_must_be() {
        let mut out = Vec::new();
        super::record(&mut out, ["a", "b,c", "say \"no\"", "", "x\ny"]).unwrap();
        assert_eq!(out, b"a,\"b,c\",\"say \"\"no\"\"\",,\"x\ny\"\r\n");
    }
}
