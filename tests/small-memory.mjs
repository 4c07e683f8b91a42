// WebAssembly whose memory ends early: a growth beyond a number of 64-KiB pages fails, as on a device without more memory. Also runs in pages.

/** A binary whose own memory grows to at most `most` pages, and its initial pages. A binary with imported memory is unchanged. */
export function withMost(bytes, most) {
  const number = (at) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return [value, at];
    }
  };
  const written = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...written(value >>> 7)]);
  const MEMORY = 5;
  for (let at = 8; at < bytes.length; ) {
    const [size, start] = number(at + 1);
    if (bytes[at] === MEMORY) {
      // one memory: whether it has a maximum, its initial pages, the maximum
      const [initial] = number(start + 2);
      const memory = [1, 1, ...written(initial), ...written(most)];
      const section = [MEMORY, ...written(memory.length), ...memory];
      const patched = new Uint8Array(at + section.length + bytes.length - start - size);
      patched.set(bytes.subarray(0, at));
      patched.set(section, at);
      patched.set(bytes.subarray(start + size), at + section.length);
      return { patched, initial };
    }
    at = start + size;
  }
  return { patched: bytes };
}

/**
 * From now on, WebAssembly instances in this thread have at most `limit.most` pages, if it is set at their creation and
 * `limit.affects(bytes)` is true. `limit.instances` lists these instances since it was emptied: their memory, their initial pages, and
 * `fail`, after which each call into them traps. `limit.others` lists the unaffected instances.
 */
export function limitMemory() {
  const limit = { most: undefined, affects: () => true, instances: [], others: [] };
  const { instantiate, Memory } = WebAssembly;
  WebAssembly.Memory = function (descriptor) {
    const { most } = limit;
    return new Memory(descriptor.shared && most ? { ...descriptor, maximum: most } : descriptor);
  };
  WebAssembly.instantiate = async (bytes, imports) => {
    if (!ArrayBuffer.isView(bytes)) return instantiate(bytes, imports);
    const isLimited = limit.most !== undefined && limit.affects(bytes);
    const { patched, initial } = withMost(bytes, isLimited ? limit.most : 65536);
    const { module, instance } = await instantiate(patched, imports);
    let failed = false;
    const guarded = (name, exported) =>
      typeof exported !== "function" || name.startsWith("__wb") // also called by garbage collection
        ? exported
        : (...args) => {
            if (failed) throw new WebAssembly.RuntimeError("the test has ended this instance");
            return exported(...args);
          };
    const memory = instance.exports.memory ?? Object.values(imports).find(({ memory }) => memory)?.memory;
    const made = limit.affects(bytes) ? limit.instances : limit.others;
    made.push({ memory, initial, fail: () => (failed = true) });
    const exports = Object.fromEntries(
      Object.entries(instance.exports).map(([name, one]) => [name, guarded(name, one)]),
    );
    return { module, instance: { exports } };
  };
  return limit;
}
