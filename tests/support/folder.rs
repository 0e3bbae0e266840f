//! A folder of files that a test makes.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

/// The folder, which is deleted when this is dropped, and its path. That has slashes on Windows, too, because command lines
/// are split as a shell does.
pub(crate) struct Folder(TempDir, String);

impl Folder {
    /// Creates a folder with files, given by their paths and contents.
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix_in(name, env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.unwrap();
        let path = folder.path().to_str().unwrap();
        let path = path.replace(std::path::MAIN_SEPARATOR, "/");
        let folder = Folder(folder, path);
        for (file, text) in files {
            folder.write(file, text);
        }
        folder
    }

    pub(crate) fn write(&self, file: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a file that can be executed.
    #[cfg(unix)]
    pub(crate) fn program(&self, file: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;

        let path = self.write(file, text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.join(file)).unwrap()
    }

    pub(crate) fn path(&self) -> &str {
        &self.1
    }

    pub(crate) fn join(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    pub(crate) fn file(&self, file: &str) -> String {
        format!("{}/{file}", self.path())
    }

    /// An output without the path of the folder.
    pub(crate) fn shortened(&self, output: &str) -> String {
        output.replace(&format!("{}/", self.path()), "")
    }
}
