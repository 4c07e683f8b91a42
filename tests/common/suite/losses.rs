//! The losses and their gradients.

use super::finite_differences::{gradient_error, put, ranges};
use super::*;
use webert::backend::train::{CrossEntropy, IGNORED, Train};

/// Value of the loss before. The new loss is added to it.
const BEFORE: f32 = 2.0;

/// Returns the errors of a loss and of its gradient, which `run` writes over the logits.
fn errors<B: Train>(
    b: &mut B,
    logits: &[f32],
    cols: usize,
    scale: f32,
    run: impl FnOnce(&mut B, &mut B::Rows, &mut B::Rows),
    oracle: impl Fn(&[f64]) -> f64,
) -> [f64; 2] {
    let (mut rows, exact) = put(b, logits, cols);
    let (mut loss, _) = put(b, &[BEFORE], 1);
    run(b, &mut rows, &mut loss);
    let want = f64::from(BEFORE) + oracle(&exact);
    let error = greatest(&read(b, &loss), &[want], |_| want.abs());
    let scaled = |x: &[f64]| f64::from(scale) * oracle(x);
    [error, gradient_error(&read(b, &rows), &exact, scaled)]
}

fn log_sum_exp(x: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = x.clone().fold(f64::NEG_INFINITY, f64::max);
    greatest + x.map(|x| (x - greatest).exp()).sum::<f64>().ln()
}

/// Returns the largest errors of cross-entropy and its gradient.
pub(crate) fn cross_entropy<B: Train>(b: &mut B) -> [f64; 2] {
    let mut random = Random(20);
    let mut worst = [0.0; 2];
    for (count, classes) in [(1, 1), (1, 2), (5, 3), (7, 130), (3, 1021), (33, 9)] {
        let logits: Vec<_> = random.take(count * classes).iter().map(|x| 6.0 * x).collect();
        let weights: Vec<_> = random.take(classes).iter().map(|x| x.abs() + 0.1).collect();
        for (class_weights, label_smoothing, ignored) in [
            (None, 0.0, None),
            (None, 0.1, Some(0)),
            (Some(&weights[..]), 0.0, Some(2)),
            (Some(&weights), 0.3, None),
        ] {
            let mut targets: Vec<_> = (0..count).map(|n| (n * 5 % classes) as i32).collect();
            if let Some(target) = ignored.and_then(|n: usize| targets.get_mut(n)) {
                *target = IGNORED;
            }
            let how = CrossEntropy { class_weights, label_smoothing, scale: 0.25 };
            let oracle = |x: &[f64]| weighted_cross_entropy(x, classes, &targets, &how);
            let run = |b: &mut B, x: &mut B::Rows, loss: &mut B::Rows| {
                b.cross_entropy(x, &targets, how, loss);
            };
            let errors = errors(b, &logits, classes, how.scale, run, oracle);
            worst = [0, 1].map(|n| f64::max(worst[n], errors[n]));
        }
    }
    worst
}

/// Follows the documentation of PyTorch's `CrossEntropyLoss`, with class weights, smoothing and the
/// weighted mean.
fn weighted_cross_entropy(
    x: &[f64],
    classes: usize,
    targets: &[i32],
    how: &CrossEntropy<'_>,
) -> f64 {
    let weight = |class: usize| how.class_weights.map_or(1.0, |of| f64::from(of[class]));
    let smoothing = f64::from(how.label_smoothing);
    let (mut sum, mut total) = (0.0, 0.0);
    for (row, &target) in x.chunks(classes).zip(targets).filter(|(_, target)| **target != IGNORED) {
        let log_sum = log_sum_exp(row.iter().copied());
        let loss = |class: usize| weight(class) * (log_sum - row[class]);
        let all = (0..classes).map(loss).sum::<f64>() / classes as f64;
        sum += (1.0 - smoothing) * loss(target as usize) + smoothing * all;
        total += weight(target as usize);
    }
    if total == 0.0 { 0.0 } else { sum / total }
}

/// Returns the largest errors of cross-entropy over groups of rows, and of its gradient.
pub(crate) fn cross_entropy_of_groups<B: Train>(b: &mut B) -> [f64; 2] {
    let mut random = Random(21);
    let mut worst = [0.0; 2];
    let cases = [
        (1, &[0, 1][..], &[0][..]),
        (1, &[0, 5], &[4]),
        (2, &[0, 3, 3, 4, 5, 9], &[2, 0, 0, 0, IGNORED, 3]),
        (2, &[0, 130, 130, 300], &[IGNORED, 129, IGNORED, 5]),
        (3, &[0, 7, 7, 40], &[1, 2, 3, IGNORED, 30, 32]),
        (1, &[0, 4, 4, 8, 8, 12], &[3, 0, 1]),
    ];
    for (cols, ends, targets) in cases {
        let groups = ranges(ends);
        let rows = groups.last().map_or(0, |rows| rows.end) + 1; // one row is in no group
        let logits: Vec<_> = random.take(rows * cols).iter().map(|x| 5.0 * x).collect();
        let oracle = |x: &[f64]| {
            let of_column = |column: usize| {
                let each = groups.iter().enumerate().filter_map(|(group, rows)| {
                    let target = usize::try_from(targets[group * cols + column]).ok()?;
                    let score = |row: usize| x[row * cols + column];
                    Some(log_sum_exp(rows.clone().map(score)) - score(rows.start + target))
                });
                let losses: Table = each.collect();
                losses.iter().sum::<f64>() / losses.len().max(1) as f64
            };
            (0..cols).map(of_column).sum::<f64>() / cols as f64
        };
        let run = |b: &mut B, x: &mut B::Rows, loss: &mut B::Rows| {
            b.cross_entropy_of_groups(x, &groups, targets, 0.5, loss);
        };
        let errors = errors(b, &logits, cols, 0.5, run, oracle);
        worst = [0, 1].map(|n| f64::max(worst[n], errors[n]));
    }
    worst
}

/// Returns the largest errors of binary cross-entropy and its gradient.
pub(crate) fn binary_cross_entropy<B: Train>(b: &mut B) -> [f64; 2] {
    let each = |x: f64, target: f64| {
        let log_sigmoid = |x: f64| -log_sum_exp([0.0, -x].into_iter());
        -(target * log_sigmoid(x) + (1.0 - target) * log_sigmoid(-x))
    };
    elementwise(b, each, |b, x, targets, scale, loss| {
        b.binary_cross_entropy(x, targets, scale, loss);
    })
}

/// Returns the largest errors of the mean square and its gradient.
pub(crate) fn mean_square<B: Train>(b: &mut B) -> [f64; 2] {
    elementwise(
        b,
        |x, target| (x - target).powi(2),
        |b, x, targets, scale, loss| {
            b.mean_square(x, targets, scale, loss);
        },
    )
}

fn elementwise<B: Train>(
    b: &mut B,
    each: impl Fn(f64, f64) -> f64,
    run: impl Fn(&mut B, &mut B::Rows, &[f32], f32, &mut B::Rows),
) -> [f64; 2] {
    let mut random = Random(22);
    let mut worst = [0.0; 2];
    for (count, cols) in [(1, 1), (1, 3), (7, 5), (130, 9)] {
        let logits: Vec<_> = random.take(count * cols).iter().map(|x| 30.0 * x).collect();
        let targets: Vec<_> = random.take(count * cols).iter().map(|x| x.abs()).collect();
        let oracle = |x: &[f64]| {
            let losses = x.iter().zip(&targets).map(|(&x, &target)| each(x, target.into()));
            losses.sum::<f64>() / x.len() as f64
        };
        let run = |b: &mut B, x: &mut B::Rows, loss: &mut B::Rows| run(b, x, &targets, 0.5, loss);
        let errors = errors(b, &logits, cols, 0.5, run, oracle);
        worst = [0, 1].map(|n| f64::max(worst[n], errors[n]));
    }
    worst
}

/// Checks loss and gradient if every target is ignored, for rows and for groups. Both must be 0.
pub(crate) fn nothing_counts<B: Train>(b: &mut B) {
    let how = CrossEntropy { class_weights: None, label_smoothing: 0.1, scale: 1.0 };
    let (mut loss, _) = put(b, &[BEFORE], 1);
    let (mut logits, _) = put(b, &Random(23).take(12), 3);
    b.cross_entropy(&mut logits, &[IGNORED; 4], how, &mut loss);
    let (mut others, _) = put(b, &Random(24).take(12), 3);
    b.cross_entropy_of_groups(&mut others, &[0..1, 1..4], &[IGNORED; 6], 1.0, &mut loss);
    let got = pollster::block_on(b.read(&[&loss, &logits, &others])).unwrap();
    assert_eq!(got, [vec![BEFORE], vec![0.0; 12], vec![0.0; 12]]);
}
