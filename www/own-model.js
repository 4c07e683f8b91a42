/** Calls `load(files, name)` with the files of a folder that is dropped on `zone` or chosen in `input`. */
export function ownModel(zone, input, load) {
  input.addEventListener("change", () => {
    const files = [...input.files];
    if (files.length) load(files, files[0].webkitRelativePath.split("/")[0] || "your files");
  });
  for (const type of ["dragenter", "dragover"]) {
    zone.addEventListener(type, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    // Entries have to be taken before the first await: the list is emptied after the event.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const files = (await Promise.all(entries.map(filesOf))).flat();
    if (files.length) load(files, entries[0].name);
  });
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
