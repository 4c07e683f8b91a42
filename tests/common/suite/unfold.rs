//! Neighbours of tokens, with tokens missing in between and masked tokens; and rows set to 0.

use super::*;

/// Returns a batch whose sequences have gaps and a masked token, with its columns and sequences.
pub(super) fn gaps() -> (Batch, Vec<u32>, Vec<Sequence>) {
    let columns = vec![0, 1, 2, 4, 5, 9, 0, 1, 2, 3, 0];
    let sequences = [0..6, 6..10, 10..11].map(|rows| Sequence { keys: rows.clone(), rows });
    let mut sequences = sequences.to_vec();
    sequences[1].keys.start += 1;
    let zeros = vec![0; columns.len()];
    let batch = Batch {
        ids: zeros.clone(),
        types: zeros.clone(),
        positions: zeros,
        masked: vec![0, 1, 0],
        columns: columns.clone(),
        sequences: sequences.clone(),
    };
    (batch, columns, sequences)
}

/// Returns the largest error of neighbours.
pub(crate) fn unfold<B: Backend>(b: &mut B) -> f64 {
    let mut random = Random(29);
    let mut worst = 0.0;
    for (cols, taps) in [(8, 3), (5, 1), (7, 5), (33, 3)] {
        let (host, columns, sequences) = gaps();
        let batch = b.upload(host).unwrap();
        let (x, exact) = rows(b, &mut random, columns.len(), cols, (0.5, 2.0));
        for masked in [false, true] {
            let mut want = Vec::new();
            for sequence in &sequences {
                let tokens = if masked { &sequence.rows } else { &sequence.keys }.clone();
                for row in sequence.rows.clone() {
                    for n in 0..cols * taps {
                        let place = i64::from(columns[row]) + (n % taps) as i64 - (taps / 2) as i64;
                        let from = tokens.clone().find(|&from| i64::from(columns[from]) == place);
                        want.push(from.map_or(0.0, |from| exact[from * cols + n / taps]));
                    }
                }
            }
            let mut y = B::Rows::default();
            b.unfold(&x, &batch, taps, masked, &mut y);
            worst = f64::max(worst, greatest(&read(b, &y), &want, |_| 1.0));
        }
    }
    worst
}

/// Returns the largest error of rows of a table and of rows after some were set to 0.
pub(crate) fn some_rows<B: Backend>(b: &mut B) -> [f64; 2] {
    let mut random = Random(31);
    let values = random.take(7 * 10);
    let (table, exact) = matrix(b, &values, 10, Precision::F32);
    let rows = [6, 0, 3, 3, 1];
    let mut want: Table =
        rows.iter().flat_map(|&row| exact[10 * row as usize..][..10].to_vec()).collect();
    let mut y = B::Rows::default();
    b.lookup(&table, &rows, &mut y);
    let looked_up = greatest(&read(b, &y), &want, |_| 1.0);
    b.clear_rows(&mut y, &[4, 1]);
    want[10..20].fill(0.0);
    want[40..].fill(0.0);
    [looked_up, greatest(&read(b, &y), &want, |_| 1.0)]
}
