//! The points and weights of the integral along a path.

use std::f64::consts::PI;

/// Number of Newton steps that reach f64 precision from the starting values below.
const STEPS: usize = 16;

/// Returns the nodes and weights of the Gauss-Legendre rule with `n` nodes for the integral from 0
/// to 1, in ascending order. The rule is exact for polynomials of degree 2n - 1. The values are
/// `numpy.polynomial.legendre.leggauss`, moved from -1…1 to 0…1.
///
/// Source: Press et al., Numerical Recipes, 4.6 (`gauleg`).
pub(super) fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    let node = |i: usize| {
        let mut x = -(PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        for _ in 0..STEPS {
            let (value, slope) = legendre(n, x);
            x -= value / slope;
        }
        let (_, slope) = legendre(n, x);
        let weight = 2.0 / ((1.0 - x * x) * slope * slope);
        ((1.0 + x) / 2.0, weight / 2.0)
    };
    (0..n).map(node).collect()
}

/// Returns the Legendre polynomial of degree n ≥ 1 at x and its derivative. x must not be -1 or 1.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::gauss_legendre;

    #[test]
    fn polynomials_up_to_its_degree_are_integrated_exactly() {
        for n in [1, 2, 3, 7, 32, 200, 1000] {
            let rule = gauss_legendre(n);
            assert!(rule.windows(2).all(|pair| pair[0].0 < pair[1].0), "{n}");
            for degree in [0, 1, 2 * n - 1] {
                let sum: f64 = rule.iter().map(|(x, weight)| weight * x.powi(degree as i32)).sum();
                assert!((sum * (degree + 1) as f64 - 1.0).abs() < 1e-11, "{n}, {degree}: {sum}");
            }
        }
        // numpy.polynomial.legendre.leggauss(3), moved to 0…1
        let [(x, weight), ..] = gauss_legendre(3)[..] else { return };
        assert!((x - 0.112_701_665_379_258_3).abs() < 1e-15);
        assert!((weight - 0.277_777_777_777_777_8).abs() < 1e-15);
    }
}
