//! What fuzzing and its tests read as if it came from a user's files or from an API server.

use std::path::Path;

use prost::Message as _;
use prost::bytes::Bytes;

use super::access::Access;
use super::kubeconfig::{self, MergedKubeconfig};
use super::list::{ListedKind, json_head};
use super::watch::WatchFrame;
use super::wire::{self, ListMessage};
use kube_model::{CronJob, Event, Job, Node, Pod, ResourceQuota};
use kube_objects::fields::{self, SharedParts};

/// How many contexts of a kubeconfig are resolved.
const FEW: usize = 4;

/// Reads a kubeconfig, and resolves its first contexts.
pub fn kubeconfig(bytes: &[u8]) {
    let Ok(parsed) = kubeconfig::parsed(Path::new("/no/such/folder/config"), bytes.to_vec()) else {
        return;
    };
    let merged = MergedKubeconfig::new(parsed, "config".to_owned());
    for name in merged.names.contexts.iter().take(FEW) {
        let access = Access {
            context: Some(name.clone()),
            ..Access::default()
        };
        let resolved = access.in_kubeconfig(&merged);
        let _ = resolved.map_err(|error| (error.to_string(), error.help()));
    }
}

/// Decodes a page of a list in protobuf, and the head of one in JSON.
pub fn list_page(bytes: &[u8]) {
    let body = Bytes::copy_from_slice(bytes);
    decode::<CronJob>(&body, "batch/v1");
    decode::<Job>(&body, "batch/v1");
    decode::<Event>(&body, "v1");
    decode::<Pod>(&body, "v1");
    decode::<Node>(&body, "v1");
    decode::<ResourceQuota>(&body, "v1");
    let _ = json_head(bytes);
}

fn decode<T: ListedKind>(body: &Bytes, api_version: &str) {
    let Ok(raw) = wire::open(body) else { return };
    let Ok(list) = ListMessage::decode(raw) else {
        return;
    };
    let mut parts = SharedParts::default();
    for item in list.items {
        let _ = fields::decode::<T>(&item, api_version, &mut parts);
    }
}

/// Reads a line of a watch.
pub fn watch_frame(line: &[u8]) {
    let _ = WatchFrame::<CronJob>::read(line, "/path", "batch/v1");
    let _ = WatchFrame::<Job>::read(line, "/path", "batch/v1");
    let _ = WatchFrame::<Pod>::read(line, "/path", "v1");
    let _ = WatchFrame::<Event>::read(line, "/path", "v1");
}
