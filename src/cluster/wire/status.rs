//! `Status` of `k8s.io/apimachinery/pkg/apis/meta/v1`.

use super::ListMetaMessage;

messages! {
    StatusMessage {
        metadata: Option<ListMetaMessage> = 1 (message, optional),
        message: String = 3 (string),
        reason: String = 4 (string),
        details: Option<StatusDetailsMessage> = 5 (message, optional),
    }

    StatusDetailsMessage {
        name: String = 1 (string),
        group: String = 2 (string),
        kind: String = 3 (string),
        causes: Vec<StatusCauseMessage> = 4 (message, repeated),
        retry_after_seconds: Option<u64> = 5 (uint64, optional),
    }

    StatusCauseMessage {
        reason: String = 1 (string),
        message: String = 2 (string),
        field: String = 3 (string),
    }
}
