//! `Status` of `k8s.io/apimachinery/pkg/apis/meta/v1`.

use super::ListMetaMessage;

messages! {
    #[derive(serde::Deserialize)]
    #[serde(default)]
    StatusMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        message: String = 3 (string),
        reason: String = 4 (string),
        details: Option<StatusDetailsMessage> = 5 (message, optional),
        code: i32 = 6 (int32),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    StatusDetailsMessage {
        name: String = 1 (string),
        /// The API group of its resource.
        group: String = 2 (string),
        kind: String = 3 (string),
        causes: Vec<StatusCauseMessage> = 4 (message, repeated),
        /// How long to wait before the next request.
        retry_after_seconds: Option<u64> = 5 (uint64, optional),
    }

    #[derive(Eq, serde::Deserialize)]
    #[serde(default)]
    StatusCauseMessage {
        reason: String = 1 (string),
        message: String = 2 (string),
        field: String = 3 (string),
    }
}
