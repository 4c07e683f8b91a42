//! Creating, filling and adding matrices in training.

use super::finite_differences::put;
use super::*;
use webert::backend::train::Train;

/// Checks `zeros`, `put`, `add` and `clear`. All must be exact.
pub(crate) fn train_rows<B: Train>(b: &mut B) {
    for (rows, cols) in [(1, 1), (1, 7), (5, 3), (130, 100)] {
        let (one, two) = (Random(28).take(rows * cols), Random(29).take(rows * cols));
        let ((x, _), (mut y, _)) = (put(b, &one, cols), put(b, &two, cols));
        let mut zeros = b.zeros(rows, cols).unwrap();
        b.add(&x, &mut y);
        b.add(&y, &mut zeros);
        let sum: Vec<_> = one.iter().zip(&two).map(|(a, b)| a + b).collect();
        let got = pollster::block_on(b.read(&[&x, &y, &zeros])).unwrap();
        assert_eq!(got, [one, sum.clone(), sum]);
        b.clear(&mut y);
        assert_eq!(read(b, &y), vec![0.0; rows * cols]);
        // with another shape
        b.put(&[1.0, 2.0], 2, &mut y).unwrap();
        assert_eq!(read(b, &y), [1.0, 2.0]);
    }
}
