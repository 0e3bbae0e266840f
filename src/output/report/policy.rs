//! What the browser is told to allow: our own script and style, and nothing else. Should a name ever get
//! through as markup, it could still neither run anything nor ask anybody.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::digest::{SHA256, digest};

/// The content security policy of a page with these scripts and this style.
pub(super) fn policy(scripts: &[&str], style: &str) -> String {
    let scripts: Vec<String> = scripts.iter().map(|script| hash(script)).collect();
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; \
         form-action 'none'",
        scripts.join(" "),
        hash(style)
    )
}

fn hash(text: &str) -> String {
    let hash = digest(&SHA256, text.as_bytes());
    format!("'sha256-{}'", BASE64_STANDARD.encode(hash))
}

#[cfg(test)]
mod tests {
    use super::hash;

    /// `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`
    #[test]
    fn the_hash_is_the_one_that_browsers_compute() {
        let expected = "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='";
        assert_eq!(hash("alert(1)"), expected);
    }
}
