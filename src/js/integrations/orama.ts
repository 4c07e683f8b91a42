// webert/orama: a plugin of Orama that computes the vectors of documents and of searches.
import type { Pipeline } from "../api/pipeline.js";
import { WebertError } from "../errors.js";
import { Encoder } from "./vectors.js";

export interface OramaOptions {
  /** Fields of a document whose texts its vector is made of, e.g. ["title", "text"]. */
  fields: readonly string[];
  /**
   * Field of the schema that keeps the vector, e.g. `embedding: "vector[384]"`.
   * @default "embedding"
   */
  property?: string;
}

type Fields = Record<string, unknown>;

/** A search, as a plugin may change it. */
interface SearchParams {
  mode?: string;
  term?: string;
  vector?: { property: string; value: number[] | Float32Array };
}

/** The plugin: OramaPluginSync, with hooks that return promises. */
export interface OramaPlugin {
  name: string;
  /**
   * Adds the vectors to documents, all together, and returns them. Orama 3.1 calls no hook for several documents, so
   * without this call each document is computed alone.
   */
  embed<D extends object>(documents: D[]): Promise<D[]>;
  beforeInsert(orama: unknown, id: string, document: Fields): Promise<void>;
  beforeInsertMultiple(orama: unknown, documents: Fields[]): Promise<void>;
  beforeSearch(orama: unknown, params: any, language?: string): Promise<void>;
}

/**
 * Returns the plugin. Documents without a vector get one when they are inserted; `embed` is faster for many. Searches
 * with the mode "vector" or "hybrid" get the vector of their term.
 * @example
 * ```ts
 * const plugin = webertPlugin(await pipeline("feature-extraction"), { fields: ["text"] });
 * const db = create({ schema: { text: "string", embedding: "vector[384]" }, plugins: [plugin] });
 * await insertMultiple(db, await plugin.embed(documents));
 * await search(db, { term: "musical instrument", mode: "hybrid" });
 * ```
 */
export function webertPlugin(pipe: Pipeline<"feature-extraction">, options: OramaOptions): OramaPlugin {
  const encoder = new Encoder(pipe);
  const { fields, property = "embedding" } = options ?? {};
  if (!Array.isArray(fields) || !fields.length)
    throw new WebertError("bad_input", "fields: expected the names of fields with texts");
  const textOf = (document: Fields) =>
    fields
      .map((field) => document[field])
      .filter((value) => typeof value === "string" && value)
      .join("\n");
  const embed = async (documents: Fields[]) => {
    const open = documents.filter((document) => document[property] === undefined && textOf(document));
    const { rows } = await encoder.dense(open.map(textOf), { task: "document", normalize: true });
    for (const [n, row] of rows.entries()) open[n]![property] = Array.from(row);
  };
  return {
    name: "webert",
    async embed(documents) {
      await embed(documents as Fields[]);
      return documents;
    },
    // Orama waits only for hooks that are declared async.
    beforeInsert: async (_, __, document) => embed([document]),
    beforeInsertMultiple: async (_, documents) => embed(documents),
    async beforeSearch(_, params: SearchParams) {
      if ((params.mode !== "vector" && params.mode !== "hybrid") || params.vector || !params.term) return;
      const { rows } = await encoder.dense([params.term], { task: "query", normalize: true });
      params.vector = { property, value: Array.from(rows[0]!) };
    },
  };
}
