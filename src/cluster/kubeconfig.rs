//! Reads kubeconfigs.

use std::path::{MAIN_SEPARATOR, Path, absolute};

use kube::config::Kubeconfig;

use super::credential_files::read_file;
use super::error::ClusterError;
use super::unreachable;

/// The named parts of a kubeconfig.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KubeconfigNames {
    pub contexts: Vec<String>,
    pub clusters: Vec<String>,
    pub users: Vec<String>,
}

impl KubeconfigNames {
    pub(super) fn of(kubeconfig: &Kubeconfig) -> Self {
        let contexts = kubeconfig.contexts.iter();
        let clusters = kubeconfig.clusters.iter();
        let users = kubeconfig.auth_infos.iter();
        KubeconfigNames {
            contexts: contexts.map(|named| named.name.clone()).collect(),
            clusters: clusters.map(|named| named.name.clone()).collect(),
            users: users.map(|named| named.name.clone()).collect(),
        }
    }
}

/// Reads a kubeconfig. As in kubectl, the files that it names are relative to its folder.
pub(super) fn read(path: &Path) -> Result<Kubeconfig, ClusterError> {
    parsed(path).map_err(|why| ClusterError::Kubeconfig {
        path: path.to_owned(),
        why,
    })
}

fn parsed(path: &Path) -> Result<Kubeconfig, String> {
    let bytes = read_file(path).map_err(|error| error.to_string())?;
    let text = text(bytes).ok_or("neither UTF-8 nor UTF-16")?;
    let parsed = Kubeconfig::from_yaml(&text);
    let mut kubeconfig = parsed.map_err(|error| unreachable::kubeconfig(&error))?;
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
