//! Divergence of two softmaxes at a temperature, the loss of distillation.

use super::softmax::exponentials;

/// Returns the mean over the rows of the Kullback-Leibler divergence of softmax(student /
/// temperature) from softmax(teacher / temperature), times the temperature's square (Hinton et al.
/// 2015, <https://arxiv.org/abs/1503.02531>). It is `torch.nn.KLDivLoss(reduction="batchmean")` of
/// DistilBERT's training script.
///
/// Both are `[rows, cols]`. `student` is replaced by the gradient times `scale`, `teacher` by
/// numbers without meaning. Without rows the divergence is 0.
pub fn divergence(
    student: &mut [f32],
    teacher: &mut [f32],
    cols: usize,
    temperature: f32,
    scale: f32,
) -> f64 {
    let rows = student.len() / cols.max(1);
    let factor = f64::from(temperature) / rows.max(1) as f64 * f64::from(scale);
    let mut differences = vec![0.0; cols];
    let mut total = 0.0;
    let pairs = student.chunks_exact_mut(cols.max(1)).zip(teacher.chunks_exact_mut(cols.max(1)));
    for (student, teacher) in pairs {
        let inverse = 1.0 / temperature;
        for ((x, y), difference) in student.iter_mut().zip(&mut *teacher).zip(&mut differences) {
            (*x, *y) = (*x * inverse, *y * inverse);
            *difference = *y - *x;
        }
        let (x_max, x_sum) = exponentials(student);
        let (y_max, y_sum) = exponentials(teacher);
        let products = teacher.iter().zip(&differences);
        let mean: f64 = products.map(|(&y, &difference)| f64::from(y * difference)).sum();
        let log_x = f64::from(x_max) + x_sum.ln();
        let log_y = f64::from(y_max) + y_sum.ln();
        total += mean / y_sum - (log_y - log_x);
        let (of_x, of_y) = ((factor / x_sum) as f32, (factor / y_sum) as f32);
        for (x, y) in student.iter_mut().zip(&*teacher) {
            *x = *x * of_x - *y * of_y;
        }
    }
    f64::from(temperature).powi(2) * total / rows.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::divergence;

    const STUDENT: [f32; 6] = [0.5, -1.0, 2.0, 1.5, 0.25, -0.75];
    const TEACHER: [f32; 6] = [-2.0, 1.0, 0.125, 1.0, 3.0, 1.5];

    fn loss(student: [f32; 6], temperature: f32) -> f64 {
        divergence(&mut { student }, &mut { TEACHER }, 3, temperature, 1.0)
    }

    #[test]
    fn equals_the_definition() {
        let softmax = |row: &[f32], temperature: f64| {
            let parts: Vec<f64> = row.iter().map(|&x| (f64::from(x) / temperature).exp()).collect();
            let sum: f64 = parts.iter().sum();
            parts.into_iter().map(move |part| part / sum).collect::<Vec<_>>()
        };
        for temperature in [1.0, 2.0, 5.0] {
            let mut expected = 0.0;
            for (x, y) in STUDENT.chunks(3).zip(TEACHER.chunks(3)) {
                let (p, q) = (softmax(y, temperature), softmax(x, temperature));
                expected += p.iter().zip(&q).map(|(p, q)| p * (p / q).ln()).sum::<f64>();
            }
            expected *= temperature * temperature / 2.0;
            let found = loss(STUDENT, temperature as f32);
            assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
        }
        assert!(divergence(&mut { TEACHER }, &mut { TEACHER }, 3, 2.0, 1.0).abs() < 1e-6);
        assert_eq!(divergence(&mut [], &mut [], 3, 2.0, 1.0), 0.0);
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for temperature in [1.0, 3.0] {
            let mut gradient = STUDENT;
            divergence(&mut gradient, &mut { TEACHER }, 3, temperature, 0.5);
            for place in 0..6 {
                let at = |step: f32| {
                    let mut moved = STUDENT;
                    moved[place] += step;
                    loss(moved, temperature)
                };
                let step = 2.0_f32.powi(-6);
                let found = 0.5 * (at(step) - at(-step)) / f64::from(2.0 * step);
                let slope = f64::from(gradient[place]);
                assert!((found - slope).abs() < 1e-4, "{found}, {slope}");
            }
        }
    }
}
