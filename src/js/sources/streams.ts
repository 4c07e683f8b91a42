// Reads and joins the chunks of a stream.
import { WebertError } from "../errors.js";

/** Yields a stream's chunks. Safari does not support `for await` over a stream. */
export async function* chunks(stream: ReadableStream<Uint8Array>, address: string): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    throw new WebertError("network", `reading ${address} broke off: ${(cause as Error).message}`, { cause });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Returns all parts in one array. */
export async function join(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const list: Uint8Array[] = [];
  for await (const part of parts) list.push(part);
  return joined(list);
}

/** Returns all parts in one array. */
export function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
