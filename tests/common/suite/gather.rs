//! Rows by number.

use super::*;

/// Gathers rows, and reads several results at once. Both must be exact.
pub(crate) fn gather<B: Backend>(b: &mut B) {
    let mut random = Random(6);
    for cols in [3, 10, 28, 384] {
        let (x, all) = rows(b, &mut random, 130, cols, (0.0, 1.0));
        let numbers = [129, 0, 7, 7, 64];
        let (mut some, mut none) = (B::Rows::default(), B::Rows::default());
        b.gather(&x, &numbers, &mut some);
        b.gather(&x, &[], &mut none);
        let got = pollster::block_on(b.read(&[&some, &none, &x, &some])).unwrap();
        let want: Table = numbers
            .iter()
            .flat_map(|&n| all[n as usize * cols..(n as usize + 1) * cols].iter().copied())
            .collect();
        assert_eq!(wide(&got[0]), want, "{cols} columns");
        assert_eq!(got[1], Vec::<f32>::new());
        assert_eq!(wide(&got[2]), all);
        assert_eq!(got[3], got[0]);
    }
}
