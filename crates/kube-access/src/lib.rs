//! Reads and changes `CronJob`s in a cluster. The only crate that talks to a Kubernetes API.
//!
//! Three things to know:
//!
//! - [`Access`](cluster::Access): kubectl's flags, from which kubeconfigs, contexts and credentials are resolved;
//! - [`Session`](cluster::Session): a connection; its methods block, and each request has a deadline;
//! - [`Updates`](cluster::Updates): the changes of objects, from watches that are opened again when they end.
//!
//! ```no_run
//! use std::sync::LazyLock;
//!
//! use kube_access::cluster::{Access, Interruption, Session};
//!
//! static SIGNALS: LazyLock<Interruption> = LazyLock::new(|| Interruption::new(|_| {}));
//!
//! let session = Session::open(&Access::default(), &SIGNALS)?;
//! println!("{} runs {}", session.server(), session.version()?.text);
//! # Ok::<(), kube_access::cluster::ClusterError>(())
//! ```
//!
//! What is read are the objects of `kube-objects`, the same as from files.

pub mod cluster;
pub mod process;
mod random;

pub use random::random;
