//! Services that are reached through the API server.

use std::fmt;

/// A Service of the cluster, and one of its ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub(crate) namespace: String,
    /// With the port after a colon: the API server finds none that has a name by itself.
    pub(crate) name: String,
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.strip_suffix(":http").unwrap_or(&self.name);
        write!(f, "{}/{name}", self.namespace)
    }
}

impl Service {
    /// Reads `NAMESPACE/SERVICE:PORT`, or `NAMESPACE/SERVICE` for the port `http`.
    pub fn read(text: &str) -> Option<Self> {
        let (namespace, name) = text.split_once('/')?;
        let is_word = |word: &str| {
            let mut bytes = word.bytes();
            !word.is_empty()
                && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        let (service, port) = name.split_once(':').unwrap_or((name, "http"));
        [namespace, service, port]
            .into_iter()
            .all(is_word)
            .then(|| Service {
                namespace: namespace.to_owned(),
                name: format!("{service}:{port}"),
            })
    }
}
