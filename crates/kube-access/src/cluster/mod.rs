//! A connection to a Kubernetes API server.
//!
//! [`Session::open`] connects with kubectl's flags; [`Session::survey`] reads CronJobs with their Jobs and events:
//! concurrently, page by page, as protobuf, and with a timeout. The result is the same [`kube_model`] that files are
//! read into. [`Session::create`] and [`Session::patch`] change the cluster.

mod access;
mod address;
mod api_request;
mod change;
mod client;
mod config_map;
mod connection;
mod contexts;
mod credential_files;
mod deadline;
#[doc(hidden)]
pub mod fuzzed;
mod identity;
mod interruption;
mod kubeconfig;
mod kuberc;
mod lease;
mod list;
mod login;
mod logs;
mod names;
mod plugin;
mod pods;
mod proxy;
mod resource;
mod rights;
mod service;
mod session;
mod status;
mod survey;
mod tls;
mod transport;
mod unreachable;
mod updates;
mod user_name;
mod warning;
mod watch;
mod whole;
mod wire;

use crate::error;

pub use access::ReadOnce;
pub use change::{Manner, Stored, Target};
pub use interruption::Interruption;
pub use logs::LogOptions;
pub use session::Session;
pub use updates::{AlsoWatch, Updates};
pub use watch::{Update, WatchEvent, WatchedObject, WatchedObjects};
