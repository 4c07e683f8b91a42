/** The bytes of a file, as a caller has them, or where they are. */
export type FileBytes = Blob | ArrayBuffer | Uint8Array | Response | URL;

/**
 * Where a model comes from: `"owner/name"` on the Hub; a URL, or a path that begins with `/`, `./`
 * or `../`, of its folder (in Node also a folder on disk); or its files themselves: a FileList, an array of Files, or an object
 * name → bytes or URL; or a function that gives one of these.
 */
export type Source =
  | string
  | URL
  | { files: ArrayLike<File> | Record<string, FileBytes> }
  | (() => Source | Promise<Source>);
