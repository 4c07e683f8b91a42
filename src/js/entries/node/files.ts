// Locations of the package's files on disk.

// Not written as new URL(…, import.meta.url): bundlers of servers (e.g. Next's) would treat that as an asset of the
// page. They keep this URL as it was before bundling, and the files can be read from there.
const code: string = import.meta.url;

/** Returns the URL of a file of the package. `path` is relative to dist/. */
export const packageFile = (path: string): URL => new URL(path, code);
