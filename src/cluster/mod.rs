//! The only room that talks to a Kubernetes API.
//!
//! [`Access`] is what kubectl's flags say; [`Session::open`] makes a connection of it, and
//! [`Session::survey`] reads CronJobs with their Jobs and events: side by side, page by page, over
//! protobuf, and each answer within a deadline. What comes out is the same [`crate::model`] that
//! files are read into. [`Session::create`] and [`Session::patch`] change the cluster, once.

mod access;
mod address;
mod ask;
mod change;
mod clock;
mod envelope;
mod error;
mod follow;
mod group;
mod identity;
mod interruption;
mod list;
mod login;
mod names;
mod plugin;
mod pods;
mod proxy;
mod resource;
mod rights;
mod session;
mod slim;
mod status;
mod survey;
mod transport;
mod unreachable;
mod warning;
mod watch;
mod whole;
mod wire;

pub(crate) use access::Access;
pub(crate) use change::{Manner, Stored, Target};
pub(crate) use clock::ServerClock;
pub(crate) use error::ClusterError;
pub(crate) use follow::{Beside, FollowedJob, Following, News, Writer};
pub(crate) use interruption::Interruption;
pub(crate) use pods::OfJobs;
pub(crate) use resource::{Resource, check_namespace};
pub(crate) use rights::Right;
pub(crate) use session::Session;
pub(crate) use survey::{ClusterObjects, ClusterQuery, Pods, ReadProgress, Versions};
pub(crate) use watch::{Came, Changes, WatchEvent, WatchedObject, WatchedObjects};
