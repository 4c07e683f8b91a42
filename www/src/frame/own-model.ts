// A visitor's model: the files of a chosen or dropped folder.
import { Mistake } from "../explain.ts";
import { t } from "../language.ts";

/** The name for files without a folder. */
const other = () => t`your files`;

export interface Folder {
  files: File[];
  name: string;
}

/** Why files with these names are not a model that the page can load; undefined if they may be one. */
export function lacking(names: readonly string[]): string | undefined {
  const wanted = t`A model's folder has config.json, model.safetensors or pytorch_model.bin, and tokenizer.json or vocab.txt.`;
  const has = (...any: string[]) => any.some((name) => names.includes(name));
  if (!has("config.json"))
    return t`There is no config.json in ${names.length === 1 ? names[0] : t`this folder`}. ${wanted}`;
  if (!names.some((name) => /(\.safetensors|^pytorch_model\.bin)(\.index\.json)?$/.test(name))) {
    const other = names.find((name) => /\.(bin|onnx|h5|pt|msgpack|gguf)$/.test(name));
    return t`There are no weights that the page can read in this folder${other ? t`: ${other} is of another format` : ""}. ${wanted}`;
  }
  if (!has("tokenizer.json", "vocab.txt")) return t`There is no vocabulary in this folder. ${wanted}`;
  return undefined;
}

/** The folder of these files. Throws a Mistake if they are not a model. */
function folderOf(files: File[], name: string): Folder {
  if (files.length === 0) throw new Mistake(t`The drop contains no files.`);
  const lack = lacking(files.map((file) => file.webkitRelativePath.replace(/^[^/]*\//, "") || file.name));
  if (lack) throw new Mistake(lack);
  return { files, name };
}

/** The files chosen in an input for folders. */
export function chosenFolder(input: HTMLInputElement): Folder {
  const files = [...(input.files ?? [])];
  input.value = ""; // so that the same folder can be chosen again
  return folderOf(files, files[0]?.webkitRelativePath.split("/")[0] || other());
}

/** The dropped files. Call it during the event; the list is empty afterwards. */
export async function droppedFolder(transfer: DataTransfer): Promise<Folder> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = (await Promise.all(entries.map(filesOf))).flat();
  return folderOf(files, entries[0]?.isDirectory ? entries[0].name : other());
}

/** The files of a dropped folder, or the dropped file itself. Subfolders are left out. */
async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  const file = (of: FileSystemEntry) =>
    new Promise<File>((resolve, reject) => (of as FileSystemFileEntry).file(resolve, reject));
  if (entry.isFile) return [await file(entry)];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: FileSystemEntry[] = [];
  for (;;) {
    // Browsers return at most 100 entries at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    found.push(...some.filter((inner) => inner.isFile));
  }
  return Promise.all(found.map(file));
}

/** A browser opens a file that is dropped outside a drop target. Drop targets have the attribute `data-drop`. */
export function keepDropped(): void {
  for (const type of ["dragenter", "dragover", "drop"] as const) {
    document.addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return; // text can be dragged into fields
      event.preventDefault();
      const over = event.target instanceof Element && event.target.closest("[data-drop]");
      event.dataTransfer.dropEffect = over ? "copy" : "none";
    });
  }
}
