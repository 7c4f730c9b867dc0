//! Where work is put: on a task of its own, or, if it waits for the disk, on a thread that may.

use tokio::task::{JoinError, JoinHandle};

/// Work that goes on by itself.
pub(crate) fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    #[cfg(feature = "simulation")]
    let work = crate::simulated::on_this_host(work);
    tokio::spawn(work)
}

/// Work that may wait for the disk. A simulated disk is waited for by nobody, so that each run of a seed is like the other.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, JoinError> {
    #[cfg(feature = "simulation")]
    if crate::simulated::host().is_some() {
        return Ok(work());
    }
    tokio::task::spawn_blocking(work).await
}
