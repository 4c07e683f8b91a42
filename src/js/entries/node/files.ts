// Where the package's files are on disk.

// Not written as new URL(…, import.meta.url): servers' bundlers (Next's) would take that for an asset of the page. They leave
// this address as it was before they bundled, from where the files can be read.
const code: string = import.meta.url;

/** The URL of a file of the package by its path from dist/. */
export const packageFile = (path: string): URL => new URL(path, code);
