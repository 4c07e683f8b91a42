//! Work on several outputs at a time: they are cut into items, which threads claim one by one.

use super::{SpinLock, pool};
use crate::ThreadWorkspace;

/// Calls `body` for every item, on as many threads as there are `workspaces`, each with its own. An item holds
/// what one call writes, such as a chunk of each output; which thread takes it must not change the numbers.
pub(crate) fn parallel_items<T, I: Iterator<Item = T> + Send>(
    workspaces: &mut [ThreadWorkspace],
    items: I,
    body: &(dyn Fn(&mut ThreadWorkspace, T) + Sync),
) {
    let items = SpinLock::new(items);
    let workspaces: Vec<_> = workspaces.iter_mut().map(SpinLock::new).collect();
    pool::run(workspaces.len(), &|thread| {
        workspaces[thread].with(|workspace| {
            while let Some(item) = items.with(Iterator::next) {
                body(workspace, item);
            }
        });
    });
}
