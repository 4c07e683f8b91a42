// Writes the index of a checkpoint in several files as a module of a tenth of its size: layers have the same tensors, about fifty each.

/**
 * Returns `{ weight_map }` as JavaScript. Its default export is an equal object, with other order of the names and with `sizes`, the
 * bytes of each file, as `metadata.file_sizes`.
 */
export function weightMapModule({ weight_map }, sizes) {
  const layers = new Set();
  const files = {};
  for (const [name, file] of Object.entries(weight_map)) {
    const [, layer] = /\.layer\.(\d+)\./.exec(name) ?? [];
    if (layer !== undefined) layers.add(Number(layer));
    files[file] ??= new Set();
    files[file].add(layer === undefined ? name : name.replace(`.layer.${layer}.`, ".layer.#."));
  }
  const names = Object.entries(files).map(([file, names]) => [file, [...names].join(" ")]);
  const source = `const weight_map = {};
for (const [file, names] of ${JSON.stringify(names)})
  for (const name of names.split(" "))
    for (let n = 0; n < (name.includes("#") ? ${layers.size} : 1); n++) weight_map[name.replace("#", n)] = file;
export default { metadata: { file_sizes: ${JSON.stringify(sizes)} }, weight_map };`;
  const { weight_map: made } = new Function(source.replace("export default", "return"))();
  const sorted = (map) => JSON.stringify(Object.entries(map).sort());
  if (sorted(made) !== sorted(weight_map)) throw new Error("the layers of an index differ");
  return source;
}
