//! Divides work on several outputs into items, which threads claim one by one.

use super::{SpinLock, item, pool, region};
use crate::ThreadWorkspace;

/// Calls `body` for every item, on one thread per workspace. An item holds the memory that one call
/// writes, e.g. a chunk of each output. The result must not depend on which thread takes an item.
pub(crate) fn parallel_items<T, I: Iterator<Item = T> + Send>(
    workspaces: &mut [ThreadWorkspace],
    items: I,
    body: &(dyn Fn(&mut ThreadWorkspace, T) + Sync),
) {
    let items = SpinLock::new(items);
    let workspaces: Vec<_> = workspaces.iter_mut().map(SpinLock::new).collect();
    let work = |thread: usize| {
        workspaces[thread].with(|workspace| {
            while let Some(of) = items.with(Iterator::next) {
                item(|| body(workspace, of));
            }
        });
    };
    region(workspaces.len(), false, || pool::run(workspaces.len(), &work));
}
