// The entries of edge functions, which are one file each: the package and `webert/compat`.

export * from "./compat.js";
export * from "./index.js";
