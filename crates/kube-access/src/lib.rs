//! Reads and changes `CronJob`s in a cluster. The only crate that talks to a Kubernetes API.
//!
//! Three things to know:
//!
//! - [`Access`]: kubectl's flags, from which kubeconfigs, contexts and credentials are resolved;
//! - [`Session`]: a connection; its methods block, and each request has a deadline;
//! - [`Updates`]: the changes of objects, from watches that are opened again when they end.
//!
//! ```no_run
//! use std::sync::LazyLock;
//!
//! use kube_access::{Access, Interruption, Session};
//!
//! static SIGNALS: LazyLock<Interruption> = LazyLock::new(|| Interruption::new(|_| {}));
//!
//! let session = Session::open(&Access::default(), &SIGNALS)?;
//! println!("{} runs {}", session.server(), session.version()?.text);
//! # Ok::<(), kube_access::ClusterError>(())
//! ```
//!
//! What is read are the objects of `kube-objects`, the same as from files.
//!
//! Without the feature `client` no [`Session`] can be opened: only its types are left, for programs that read files.

mod access;
mod clock;
#[cfg_attr(not(feature = "client"), path = "without_client.rs")]
mod cluster;
mod error;
mod objects;
#[cfg(feature = "client")]
pub mod process;
#[cfg(feature = "client")]
mod random;
mod rights;
mod service;
mod status;

pub use access::{Access, ContextSelection, KubeconfigNames, check_namespace};
pub use clock::ServerClock;
#[cfg(feature = "client")]
pub use cluster::{
    AlsoWatch, LogOptions, Manner, Stored, Target, Update, Updates, WatchEvent, WatchedObject,
    WatchedObjects, fuzzed,
};
pub use cluster::{Interruption, ReadOnce, Session};
pub use error::{ClusterError, TimeLimit};
pub use objects::{ClusterObjects, LogSource, OfJobs, ReadProgress, ServerVersion, Versions};
#[cfg(feature = "client")]
pub use random::random;
pub use rights::{AccessReview, Right};
pub use service::Service;
pub use status::{Status, StatusCauseMessage, StatusDetailsMessage};
