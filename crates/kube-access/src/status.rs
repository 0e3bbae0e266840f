//! The `Status` of a rejected request.

/// The answer of an API server, or of a proxy, that rejects a request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Status {
    pub code: u16,
    /// The reason, such as `Forbidden`.
    pub reason: String,
    pub message: String,
    pub details: StatusDetailsMessage,
    pub warnings: Vec<String>,
    /// Whether it is a `Status` object, and not the page of a proxy.
    pub is_object: bool,
    /// The token to continue a list whose token has expired.
    pub next: Option<String>,
}

/// What a rejection is about. The numbers are those of `generated.proto` in `k8s.io/apimachinery`.
#[derive(Clone, PartialEq, Eq, prost::Message, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusDetailsMessage {
    #[prost(string, tag = 1)]
    pub name: String,
    /// The API group of its resource.
    #[prost(string, tag = 2)]
    pub group: String,
    #[prost(string, tag = 3)]
    pub kind: String,
    #[prost(message, repeated, tag = 4)]
    pub causes: Vec<StatusCauseMessage>,
    /// How long to wait before the next request.
    #[prost(uint64, optional, tag = 5)]
    pub retry_after_seconds: Option<u64>,
}

/// A field that causes a rejection.
#[derive(Clone, PartialEq, Eq, prost::Message, serde::Deserialize)]
#[serde(default)]
pub struct StatusCauseMessage {
    #[prost(string, tag = 1)]
    pub reason: String,
    #[prost(string, tag = 2)]
    pub message: String,
    #[prost(string, tag = 3)]
    pub field: String,
}

impl Status {
    pub(crate) fn says_it_exists(&self) -> bool {
        self.reason == "AlreadyExists"
    }

    /// Whether it is from the API server, which has no `Status` object for unknown API groups.
    pub fn is_of_kubernetes(&self) -> bool {
        self.is_object || self.code == 404 && self.message == "404 page not found"
    }

    pub fn sentence(&self) -> String {
        match self.code {
            401 => "you must be logged in to the server (Unauthorized)".to_owned(),
            _ if self.reason.is_empty() => {
                // Some pages begin with the code.
                let code = self.code.to_string();
                let page = self.message.strip_prefix(&code).unwrap_or(&self.message);
                let page = match page.trim().trim_end_matches('.') {
                    "" => String::new(),
                    page => format!(": {page}"),
                };
                format!("the server responded with {}{page}", self.code)
            }
            _ => format!("from server ({}): {}", self.reason, self.in_one_line()),
        }
    }

    /// What to do about it, if that is known.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self.code {
            401 => Some("Log in again, or check the user of the kubeconfig context."),
            404 if self.reason.is_empty() && !self.is_object => {
                Some("Check that this is the address of a Kubernetes API server.")
            }
            _ => None,
        }
    }

    /// Webhooks may respond with several lines.
    fn in_one_line(&self) -> String {
        let lines = self.message.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(" ")
    }
}
