//! The host's clock.

/// Returns the seconds since some moment.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn seconds_now() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;

    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// Returns the seconds since some moment.
#[cfg(target_arch = "wasm32")]
pub(super) fn seconds_now() -> f64 {
    super::browser::now() / 1e3
}
