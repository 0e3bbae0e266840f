//! The only module that talks to a Kubernetes API server.
//!
//! [`Access`] has kubectl's flags; [`Session::open`] connects with them, and
//! [`Session::survey`] reads CronJobs with their Jobs and events: concurrently, page by page, as
//! protobuf, and with a timeout. The result is the same [`kube_model`] that files are read
//! into. [`Session::create`] and [`Session::patch`] change the cluster.

mod access;
mod address;
mod api_request;
mod change;
mod client;
mod clock;
mod config_map;
mod connection;
mod contexts;
mod credential_files;
mod deadline;
mod error;
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

pub use access::{Access, ReadOnce};
pub use change::{Manner, Stored, Target};
pub use clock::ServerClock;
pub use contexts::ContextSelection;
pub use error::ClusterError;
pub use interruption::Interruption;
pub use logs::{LogOptions, LogSource};
pub use pods::OfJobs;
pub use resource::check_namespace;
pub use rights::Right;
pub use service::Service;
pub use session::Session;
pub use survey::{ClusterObjects, ReadProgress, Versions};
pub use updates::{AlsoWatch, Updates};
pub use watch::{Update, WatchEvent, WatchedObject, WatchedObjects};
pub use wire::{StatusCauseMessage, StatusDetailsMessage};
