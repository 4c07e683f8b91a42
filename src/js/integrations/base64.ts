/** Returns numbers as base64 of little-endian float32, as OpenAI's clients decode them. */
export function base64(row: Float32Array): string {
  const view = new DataView(new ArrayBuffer(row.length * 4));
  for (const [n, value] of row.entries()) view.setFloat32(4 * n, value, true);
  const bytes = new Uint8Array(view.buffer);
  let binary = "";
  // Arguments of a call are limited.
  for (let at = 0; at < bytes.length; at += 0x2000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  return btoa(binary);
}
