//! Reads kubeconfigs.

use std::collections::{HashMap, HashSet};
use std::path::{MAIN_SEPARATOR, Path, absolute};

use kube::config::{AuthInfo, Cluster, Context, Kubeconfig};

use super::credential_files::read_file;
use super::error::ClusterError;
use super::unreachable;
use crate::access::KubeconfigNames;

/// All kubeconfigs of a call, merged: the first of several parts with the same name counts.
#[derive(Debug)]
pub(super) struct MergedKubeconfig {
    /// The names of the files in messages.
    pub(super) source_name: String,
    pub(super) current_context: Option<String>,
    pub(super) contexts: HashMap<String, Context>,
    pub(super) clusters: HashMap<String, Cluster>,
    pub(super) users: HashMap<String, AuthInfo>,
    /// In the order of the files.
    pub(super) names: KubeconfigNames,
}

impl MergedKubeconfig {
    pub(super) fn new(kubeconfig: Kubeconfig, source_name: String) -> Self {
        let contexts = kubeconfig.contexts.into_iter();
        let contexts = contexts.map(|named| (named.name, named.context));
        let clusters = kubeconfig.clusters.into_iter();
        let clusters = clusters.map(|named| (named.name, Some(named.cluster.unwrap_or_default())));
        let users = kubeconfig.auth_infos.into_iter();
        let users = users.map(|named| (named.name, Some(named.auth_info.unwrap_or_default())));
        let mut names = KubeconfigNames::default();
        MergedKubeconfig {
            source_name,
            current_context: kubeconfig.current_context.filter(|name| !name.is_empty()),
            contexts: by_name(contexts, &mut names.contexts),
            clusters: by_name(clusters, &mut names.clusters),
            users: by_name(users, &mut names.users),
            names,
        }
    }
}

/// The parts by their names, and all names in their order.
fn by_name<T>(
    parts: impl Iterator<Item = (String, Option<T>)>,
    names: &mut Vec<String>,
) -> HashMap<String, T> {
    let mut found = HashMap::new();
    for (name, part) in parts {
        names.push(name.clone());
        if let Some(part) = part {
            found.entry(name).or_insert(part);
        }
    }
    found
}

/// Reads a kubeconfig. As in kubectl, the files that it names are relative to its folder.
pub(super) fn read(path: &Path) -> Result<Kubeconfig, ClusterError> {
    let bytes = read_file(path).map_err(|error| error.to_string());
    let parsed = bytes.and_then(|bytes| parsed(path, bytes));
    parsed.map_err(|why| ClusterError::Kubeconfig {
        path: path.to_owned(),
        why,
    })
}

/// The content of the file at this path.
pub(super) fn parsed(path: &Path, bytes: Vec<u8>) -> Result<Kubeconfig, String> {
    let text = text(bytes).ok_or("neither UTF-8 nor UTF-16")?;
    let parsed = Kubeconfig::from_yaml(&text);
    let mut kubeconfig = parsed.map_err(|error| unreachable::kubeconfig(&error))?;
    refuse_duplicates(&kubeconfig)?;
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(&path);
    let resolve = |file: &mut Option<String>| {
        if let Some(file) = file.as_mut().filter(|file| !file.is_empty()) {
            *file = folder.join(&*file).to_string_lossy().into_owned();
        }
    };
    let clusters = kubeconfig.clusters.iter_mut();
    for cluster in clusters.filter_map(|named| named.cluster.as_mut()) {
        resolve(&mut cluster.certificate_authority);
    }
    let users = kubeconfig.auth_infos.iter_mut();
    for user in users.filter_map(|named| named.auth_info.as_mut()) {
        resolve(&mut user.client_certificate);
        resolve(&mut user.client_key);
        resolve(&mut user.token_file);
        // A bare name is searched in PATH.
        if let Some(exec) = user.exec.as_mut()
            && let Some(command) = &exec.command
            && command.contains(['/', MAIN_SEPARATOR])
        {
            resolve(&mut exec.command);
        }
    }
    Ok(kubeconfig)
}

/// An error if a name occurs twice in a file: as in kubectl, it is not clear which one is meant.
fn refuse_duplicates(kubeconfig: &Kubeconfig) -> Result<(), String> {
    let clusters = kubeconfig.clusters.iter().map(|named| &named.name);
    let contexts = kubeconfig.contexts.iter().map(|named| &named.name);
    let users = kubeconfig.auth_infos.iter().map(|named| &named.name);
    let clusters = clusters.map(|name| ("clusters", name));
    let contexts = contexts.map(|name| ("contexts", name));
    let users = users.map(|name| ("users", name));
    let mut known = HashSet::new();
    let mut all = clusters.chain(contexts).chain(users);
    match all.find(|named| !known.insert(*named)) {
        Some((list, name)) => Err(format!("duplicate name {name:?} in {list}")),
        None => Ok(()),
    }
}

/// The text in UTF-8, or in UTF-16 with a byte order mark, as Windows shells write it.
fn text(bytes: Vec<u8>) -> Option<String> {
    let decode: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xFF, 0xFE]) => u16::from_le_bytes,
        Some([0xFE, 0xFF]) => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).ok(),
    };
    let (units, rest) = bytes.as_chunks();
    let units: Vec<u16> = units.iter().skip(1).map(|unit| decode(*unit)).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}
