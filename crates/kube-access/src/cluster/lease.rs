//! The lease of kube-controller-manager, which shows whether it is running.

use jiff::Timestamp;
use serde_json::Value;

use super::change::Target;
use super::session::Session;
use kube_objects::query::Resource;

impl Session {
    /// When kube-controller-manager last renewed its lease; `None` if there is none, or it must not be read.
    pub fn lease_renewed(&self) -> Option<Timestamp> {
        let leases = Resource::leases();
        let target = Target {
            resource: &leases,
            namespace: "kube-system",
            name: "kube-controller-manager",
        };
        renewed(&self.object(target).ok()?)
    }
}

fn renewed(lease: &Value) -> Option<Timestamp> {
    let at = |time: &Value| time.as_str()?.parse::<Timestamp>().ok();
    let renewed = lease.pointer("/spec/renewTime").and_then(at)?;
    // This time is of the clock of its node, the others are of the API server's.
    let writes = lease.pointer("/metadata/managedFields");
    let writes = writes.and_then(Value::as_array).into_iter().flatten();
    let written = writes.filter_map(|write| at(write.get("time")?));
    Some(written.fold(renewed, Timestamp::max))
}
