import { Mistake } from "./explain.js";

/**
 * Calls `load(files, name)` with the files of a folder that is dropped on `zone` or chosen in `input`, `fail(error)` where there are
 * none to be read.
 */
export function ownModel(zone, input, load, fail) {
  const take = (files, name) => {
    const lack = lacking(files.map((file) => file.webkitRelativePath.replace(/^[^/]*\//, "") || file.name));
    if (lack) fail(new Mistake(null, lack));
    else load(files, name);
  };
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = ""; // so that the same folder can be chosen again
    if (files.length) take(files, files[0].webkitRelativePath.split("/")[0] || OTHER);
  });
  // A file that is dropped elsewhere on the page would be opened in the page's place.
  for (const type of ["dragenter", "dragover", "drop"]) {
    document.addEventListener(type, (event) => {
      if (!event.dataTransfer.types.includes("Files")) return; // text can be dragged into fields
      event.preventDefault();
      const over = zone.contains(event.target);
      event.dataTransfer.dropEffect = over ? "copy" : "none";
      zone.classList.toggle("over", over && type !== "drop");
    });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", async (event) => {
    // Entries have to be taken before the first await: the list is emptied after the event.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    try {
      const files = (await Promise.all(entries.map(filesOf))).flat();
      if (!files.length) throw new Mistake(null, "There are no files in what was dropped.");
      take(files, entries[0].isDirectory ? entries[0].name : OTHER);
    } catch (error) {
      fail(error);
    }
  });
}

/** The name of files that came without their folder. */
const OTHER = "your files";

/** Why files of these names are no model that the page can load; undefined where they may be one. */
export function lacking(names) {
  const wanted = "A model's folder has config.json, model.safetensors, and tokenizer.json or vocab.txt.";
  const has = (...any) => any.some((name) => names.includes(name));
  if (!has("config.json"))
    return `There is no config.json in ${names.length === 1 ? names[0] : "this folder"}. ${wanted}`;
  if (!names.some((name) => /\.safetensors(\.index\.json)?$/.test(name))) {
    const other = names.find((name) => /\.(bin|onnx|h5|pt|msgpack|gguf)$/.test(name));
    return `There are no weights that the page can read in this folder${other ? `: ${other} is of another format` : ""}. ${wanted}`;
  }
  if (!has("tokenizer.json", "vocab.txt")) return `There is no vocabulary in this folder. ${wanted}`;
  return undefined;
}

/** The files of a dropped folder, or the dropped file itself; not those of folders further down. */
async function filesOf(entry) {
  const file = (of) => new Promise((resolve, reject) => of.file(resolve, reject));
  if (entry.isFile) return [await file(entry)];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    // Browsers give at most 100 entries at a time.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) break;
    found.push(...some.filter((inner) => inner.isFile));
  }
  return Promise.all(found.map(file));
}
