//! A folder of files that a test makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folder; it is deleted with the test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A folder with files: their paths, and what is in them.
    pub(crate) fn new(name: &str, files: &[(&str, &str)]) -> Self {
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("{name}-{}-{number}", std::process::id());
        let folder = Folder(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name));
        let _ = fs::remove_dir_all(&folder.0);
        fs::create_dir_all(&folder.0).unwrap();
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
        self.0.to_str().unwrap()
    }

    pub(crate) fn join(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    pub(crate) fn file(&self, file: &str) -> String {
        format!("{}/{file}", self.path())
    }

    /// An output without the way to the folder.
    pub(crate) fn shortened(&self, output: &str) -> String {
        output.replace(&format!("{}/", self.path()), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
