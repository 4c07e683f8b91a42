// Reads files of weights only as far as a caller asks, by requests for ranges. Records the files that a load reads.
import type { env } from "../env.js";
import type { Folder, OpenFile } from "../sources/types.js";

/** Names of files of weights. */
const WEIGHTS = /\.(safetensors|bin|onnx|onnx_data)$/;

/** Bytes of the first request of a file of weights. Each later request asks for four times as many. */
const FIRST = 2 ** 17;

/** Sizes in bytes of the files that a load reads, by address; undefined if the server does not report it. */
export type Sizes = Map<string, number | undefined>;

/** Returns a function like `fetch` that answers for a file of weights before its bytes are requested. */
export function probing(fetch: typeof env.fetch, sizes: Sizes): typeof env.fetch {
  return async (url, init) => {
    const isHead = (init?.method ?? "GET") !== "GET";
    if (isHead || new Headers(init?.headers).has("range")) return fetch(url, init);
    const address = String(url);
    return WEIGHTS.test(new URL(address).pathname)
      ? fetchRanges(fetch, address, init, sizes)
      : fetchWhole(fetch, address, init, sizes);
  };
}

async function fetchWhole(fetch: typeof env.fetch, url: string, init: RequestInit | undefined, sizes: Sizes) {
  const answer = await fetch(url, init);
  if (!answer.ok) return answer;
  const bytes = await answer.arrayBuffer();
  if (!isPage(answer)) sizes.set(url, bytes.byteLength);
  return new Response(bytes, { headers: lengthened(answer.headers, bytes.byteLength) });
}

async function fetchRanges(fetch: typeof env.fetch, url: string, init: RequestInit | undefined, sizes: Sizes) {
  const ask = (from: number, to: number) => {
    const headers = new Headers(init?.headers);
    headers.set("range", `bytes=${from}-${to - 1}`);
    return fetch(url, { ...init, headers });
  };
  const first = await ask(0, FIRST);
  const whole = /\/(\d+)$/.exec(first.headers.get("content-range") ?? "")?.[1];
  const size = Number(whole ?? first.headers.get("content-length")) || 0;
  if (!first.ok || isPage(first)) return first;
  sizes.set(url, size || undefined);
  if (first.status !== 206 || !size) return first;
  let at = 0;
  let answer: Response | undefined = first;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(stream) {
        answer ??= await ask(at, Math.min(size, at + Math.max(FIRST, 3 * at)));
        const bytes = new Uint8Array(await answer.arrayBuffer());
        answer = undefined;
        at += bytes.length;
        stream.enqueue(bytes);
        if (at >= size || !bytes.length) stream.close();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: lengthened(first.headers, size) });
}

const isPage = ({ headers }: Response) => /html/i.test(headers.get("content-type") ?? "");

/** Returns the headers of an answer with the length of its decoded bytes. */
function lengthened(headers: Headers, length: number): Headers {
  const own = new Headers(headers);
  for (const name of ["content-encoding", "content-range"]) own.delete(name);
  own.set("content-length", String(length));
  return own;
}

/** Wraps a folder on disk. `sizes` receives each file that is opened. */
export function probedFolder(folder: Folder, sizes: Sizes): Folder {
  const open = async (file: string, signal: AbortSignal): Promise<OpenFile | undefined> => {
    const found = await folder.open(file, signal);
    if (found) sizes.set(folder.address(file), found.size || undefined);
    return found;
  };
  return new Proxy(folder, {
    get: (target, name) => {
      const value = name === "open" ? open : Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
