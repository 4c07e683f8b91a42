// The crates that tests, clippy and the documentation cover.

/** Arguments of cargo: the features of the binaries that have all. */
export const FEATURES = ["--features", "webert/tokenizers,webert/families,webert/train"];

/** Arguments of cargo: the published crates. */
export const PACKAGES = ["-p", "webert", "-p", "webert-kernels"];
