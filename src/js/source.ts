/** The bytes of a file, or its URL. */
export type FileBytes = Blob | ArrayBuffer | Uint8Array | Response | URL;

/**
 * Where a model comes from. One of:
 * - `"owner/name"`, a model on the Hub;
 * - the URL of its folder, or a path that begins with `/`, `./` or `../` (in Node also a folder on disk);
 * - its files: a FileList, an array of Files, or an object from names to bytes or URLs;
 * - the name under which `trainer.save({ name })` kept it (in Node the path of a file);
 * - a model in one file, as `saved.export` returns it;
 * - a function that returns one of these.
 */
export type Source = FolderSource | { name: string } | { file: Blob } | (() => Source | Promise<Source>);

/** A source that is a folder. */
export type FolderSource = string | URL | { files: ArrayLike<File> | Record<string, FileBytes> };
