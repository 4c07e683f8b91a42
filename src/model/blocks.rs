//! How many texts go through the model at once.

/// Rows of one forward pass on a CPU, about: with 512 rows of a base model the activations stay in
/// the second-level cache, and a call can be ended between two passes.
const CPU_ROWS: usize = 512;
/// Rows that fill a large GPU.
#[cfg(feature = "gpu")]
const GPU_ROWS: usize = 4096;
/// Multiplications of a pass: a second or some of a small GPU, after which a call can be ended.
#[cfg(feature = "gpu")]
const GPU_PRODUCTS: u64 = 100_000_000_000;
/// The most numbers that a pass makes of its tokens: 64 MiB.
const RESULTS: usize = 1 << 24;

/// What computes a pass, as far as its size goes.
#[derive(Clone, Copy)]
pub(super) enum Processor {
    /// A CPU, or a program on it that plays a GPU.
    Cpu,
    /// A GPU, of which each token asks for so many multiplications.
    #[cfg(feature = "gpu")]
    Gpu { products: u64 },
}

impl Processor {
    /// The rows of a pass, about.
    pub(super) fn rows(self) -> usize {
        match self {
            Self::Cpu => CPU_ROWS,
            #[cfg(feature = "gpu")]
            Self::Gpu { products } => {
                let rows = GPU_PRODUCTS / products.max(1);
                (rows.min(GPU_ROWS as u64) as usize).max(CPU_ROWS)
            }
        }
    }
}

/// Neighbours for a pass each, of at most `most` rows. `size` gives an item's rows and the numbers
/// made of them; one that is too large has a pass of its own.
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
    fn a_pass_has_as_many_rows_as_its_processor_likes() {
        assert_eq!(Processor::Cpu.rows(), 512);
        #[cfg(feature = "gpu")]
        for (products, rows) in [(1, 4096), (10_616_832, 4096), (84_934_656, 1177), (1 << 40, 512)]
        {
            assert_eq!(Processor::Gpu { products }.rows(), rows);
        }
    }

    #[test]
    fn blocks_hold_each_item_once_in_order() {
        let sizes = [(500, 0), (300, 0), (212, 0), (1, RESULTS), (1, 1), (9999, 0), (1, 1)];
        let blocks = blocks(512, &sizes, |&size| size);
        assert_eq!(blocks.map(<[_]>::len).collect::<Vec<_>>(), [1, 2, 1, 1, 1, 1]);
    }
}
