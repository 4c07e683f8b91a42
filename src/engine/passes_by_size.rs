//! Splits texts into blocks, one per forward pass.

/// Largest number of results of a pass: 64 MiB of f32.
const RESULTS: usize = 1 << 24;

/// Splits items into blocks of neighbours with at most `most` rows each. `size` returns an item's
/// rows and its number of results. An item that is too large gets a block of its own.
pub(super) fn blocks<T>(
    most: usize,
    items: &[T],
    size: impl Fn(&T) -> (usize, usize),
) -> impl Iterator<Item = &[T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut total = (0, 0);
        let fits = rest.iter().take_while(|item| {
            let (rows, results) = size(item);
            total = (total.0 + rows, results.saturating_add(total.1));
            total.0 <= most && total.1 <= RESULTS
        });
        let (block, later) = rest.split_at(fits.count().max(1).min(rest.len()));
        rest = later;
        (!block.is_empty()).then_some(block)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_hold_each_item_once_in_order() {
        let sizes = [(500, 0), (300, 0), (212, 0), (1, RESULTS), (1, 1), (9999, 0), (1, 1)];
        let blocks = blocks(512, &sizes, |&size| size);
        assert_eq!(blocks.map(<[_]>::len).collect::<Vec<_>>(), [1, 2, 1, 1, 1, 1]);
    }
}
