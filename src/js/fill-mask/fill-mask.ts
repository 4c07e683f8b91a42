// Strategies for several masks, scoring of texts, and answers per layer. Imported by the first call.
import { signalOf } from "../abort.js";
import type { PretrainedConfig } from "../classes/config.js";
import type { EngineModel } from "../engine/engine.js";
import { WebertError } from "../errors.js";
import type {
  FillMaskOptions,
  FillMaskResult,
  FillMaskStep,
  FillStrategy,
  LensLayer,
  LensOptions,
  ScoreOptions,
  TextScore,
} from "../tasks.js";
import { Random } from "../tensor/random.js";
import type { Tokenizer } from "../tokenizer/tokenizer.js";
import { kindOf, shown } from "../values.js";

/** Options of fill-mask that each strategy reads, besides the callback. */
const READS: Record<Exclude<FillStrategy, "independent">, (keyof FillMaskOptions)[]> = {
  "left-to-right": [],
  "confidence-first": [],
  "mask-predict": ["num_steps"],
  gibbs: ["num_steps", "temperature", "top_k", "seed"],
};
const CHOICES: (keyof FillMaskOptions)[] = ["num_steps", "temperature", "top_k", "seed", "targets", "layer"];

/**
 * How many one-mask variants of a text are computed per call. All their scores over the vocabulary are in memory at
 * once.
 */
const VARIANTS = 32;

/** The smallest positive float32. Smaller probabilities arrive as 0. */
const LEAST = 2 ** -149;

const refuse = (what: string) => new WebertError("bad_input", `fill-mask: ${what}`);

/** The tokens of a text. */
interface Encoded {
  ids: number[];
  /** 1 for tokens added by the tokenizer. */
  special: number[];
  /** Start and end of each token, in UTF-16 code units. */
  offsets: [number, number][];
}

function encode(tokenizer: Tokenizer, text: unknown): Encoded {
  if (typeof text !== "string") throw refuse(`text: expected a string, got ${kindOf(text)}`);
  const { input_ids, special_tokens_mask, offset_mapping } = tokenizer(text, {
    truncation: false,
    return_special_tokens_mask: true,
    return_offsets_mapping: true,
    return_tensor: false,
  });
  return { ids: input_ids, special: special_tokens_mask!, offsets: offset_mapping as [number, number][] };
}

/** Returns the positions of the masks. */
const masksOf = (ids: readonly number[], mask: number) => [...ids.keys()].filter((place) => ids[place] === mask);

/** A token chosen for a mask. */
interface ChosenToken {
  place: number;
  token: number;
  token_str: string;
  /** Its probability over the whole vocabulary when it was chosen. */
  score: number;
}

/** A text whose masks are being filled. */
class Filling {
  /** Positions of the masks in the original text. */
  readonly masks: number[];
  readonly chosen = new Map<number, ChosenToken>();
  readonly #ids: number[];
  readonly #encoded: Encoded;
  readonly #mask: number;
  #steps = 0;

  constructor(
    readonly engine: EngineModel,
    readonly tokenizer: Tokenizer,
    readonly text: string,
    readonly input: number,
    readonly options: FillMaskOptions,
  ) {
    this.#encoded = encode(tokenizer, text);
    this.#mask = maskOf(tokenizer);
    this.#ids = [...this.#encoded.ids];
    this.masks = masksOf(this.#ids, this.#mask);
    if (!this.masks.length) throw refuse(`there is no ${tokenizer.mask_token} in "${text.slice(0, 60)}"`);
  }

  /** Returns the best `top_k` tokens for each remaining mask, ordered by position. Takes one forward pass. */
  async predict(top_k = 1): Promise<ChosenToken[][]> {
    const places = masksOf(this.#ids, this.#mask);
    const signal = signalOf(this.options);
    const [answer] = await this.engine.run("fill-mask", [{ ids: this.#ids }], { top_k }, signal);
    const lists = (places.length === 1 ? [answer] : answer) as FillMaskResult[][];
    return lists.map((list, n) =>
      list.map(({ token, token_str, score }) => ({ place: places[n]!, token, token_str, score })),
    );
  }

  /** Puts masks back at these positions. */
  remask(places: readonly number[]): void {
    for (const place of places) this.#ids[place] = this.#mask;
  }

  /** Fills positions, and reports this as a step. */
  async fill(chosen: readonly ChosenToken[], num_steps: number): Promise<void> {
    for (const one of chosen) {
      this.#ids[one.place] = one.token;
      this.chosen.set(one.place, one);
    }
    const step: FillMaskStep = {
      input: this.input,
      step: ++this.#steps,
      num_steps,
      filled: chosen.map(({ place, token, token_str, score }) => ({
        mask: this.masks.indexOf(place),
        token,
        token_str,
        score,
      })),
      sequence: this.sequence(),
    };
    await this.options.callback?.(step);
  }

  /** Returns the current text with the remaining masks. */
  sequence(): string {
    const own = this.#ids.filter((_, place) => !this.#encoded.special[place]);
    return this.tokenizer.decode(own);
  }

  results(): FillMaskResult[] | FillMaskResult[][] {
    const sequence = this.tokenizer.decode(this.#ids, { skip_special_tokens: true });
    const lists = this.masks.map((mask) => {
      const { score, token, token_str } = this.chosen.get(mask)!;
      return [{ score, token, token_str, sequence }];
    });
    return lists.length === 1 ? lists[0]! : lists;
  }
}

function maskOf(tokenizer: Tokenizer): number {
  const [mask] = tokenizer.mask_token == null ? [] : [tokenizer.convert_tokens_to_ids(tokenizer.mask_token)];
  if (mask === undefined) throw new WebertError("unsupported", "fill-mask: the tokenizer has no mask token");
  return mask;
}

/** Returns `num_steps`, which must be a whole number of at least 1. */
function stepsOf({ num_steps = 10 }: FillMaskOptions): number {
  if (Number.isSafeInteger(num_steps) && num_steps > 0) return num_steps;
  throw refuse(`num_steps: expected a whole number of at least 1, got ${shown(num_steps)}`);
}

/** Fills one mask after another; each sees the earlier ones filled. */
async function leftToRight(filling: Filling): Promise<void> {
  for (const _ of filling.masks) await filling.fill([(await filling.predict())[0]![0]!], filling.masks.length);
}

/** Always fills the mask whose best token has the highest probability; ties go to the first mask. */
async function confidenceFirst(filling: Filling): Promise<void> {
  for (const _ of filling.masks) {
    const best = (await filling.predict()).map(([one]) => one!);
    await filling.fill([best.reduce((a, b) => (b.score > a.score ? b : a))], filling.masks.length);
  }
}

/**
 * Fills all masks at once. Then repeatedly refills the least certain ones, fewer each time (Ghazvininejad et al.
 * 2019).
 */
async function maskPredict(filling: Filling): Promise<void> {
  const [steps, count] = [stepsOf(filling.options), filling.masks.length];
  for (let step = 0; step < steps; step++) {
    // The number of masks falls linearly, as in the paper.
    const again = Math.max(1, Math.floor((count * (steps - step)) / steps));
    const unsure = [...filling.chosen.values()].sort((a, b) => a.score - b.score || a.place - b.place);
    filling.remask(unsure.slice(0, again).map(({ place }) => place));
    await filling.fill(
      (await filling.predict()).map(([one]) => one!),
      steps,
    );
  }
}

/**
 * Redraws each mask from its distribution given all other tokens. Each sweep visits the masks in a new order (Wang
 * and Cho 2019).
 */
async function gibbs(filling: Filling): Promise<void> {
  const { temperature = 1, top_k = 100, seed } = filling.options;
  if (!(Number.isFinite(temperature) && temperature > 0))
    throw refuse(`temperature: expected a number above 0, got ${shown(temperature)}`);
  if (!(top_k >= 1)) throw refuse(`top_k: expected at least 1 when tokens are drawn, got ${shown(top_k)}`);
  const [sweeps, generator] = [stepsOf(filling.options), new Random(seed)];
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const order = [...filling.masks];
    generator.shuffle(order);
    for (const place of order) {
      filling.remask([place]);
      const candidates = (await filling.predict(top_k)).find(([one]) => one!.place === place)!;
      // Scale the best score to 1 first: at a low temperature all weights could otherwise underflow to 0.
      const weights = candidates.map(({ score }) => (score / candidates[0]!.score) ** (1 / temperature));
      await filling.fill([generator.choices(candidates, weights)], sweeps * filling.masks.length);
    }
  }
}

const STRATEGIES = {
  "left-to-right": leftToRight,
  "confidence-first": confidenceFirst,
  "mask-predict": maskPredict,
  gibbs,
};

/** Fills the masks of texts by a strategy. */
export async function fill(
  engine: EngineModel,
  tokenizer: Tokenizer,
  texts: readonly unknown[],
  options: FillMaskOptions,
): Promise<unknown[]> {
  const strategy = options.strategy as keyof typeof STRATEGIES;
  if (!Object.hasOwn(STRATEGIES, strategy)) {
    const names = ["independent", ...Object.keys(STRATEGIES)].join(", ");
    throw refuse(
      `strategy: expected one of ${names}, got ${typeof strategy === "string" ? `"${strategy}"` : shown(strategy)}`,
    );
  }
  const useless = CHOICES.find((name) => options[name] != null && !READS[strategy].includes(name));
  if (useless) throw refuse(`strategy "${strategy}": unsupported option "${useless}"`);
  const results = [];
  for (const [input, text] of texts.entries()) {
    const filling = new Filling(engine, tokenizer, text as string, input, options);
    await STRATEGIES[strategy](filling);
    results.push(filling.results());
  }
  return results;
}

/** Returns the pseudo-log-likelihood of a text (Salazar et al. 2020). */
export async function score(
  engine: EngineModel,
  tokenizer: Tokenizer,
  text: unknown,
  options: ScoreOptions,
): Promise<TextScore> {
  const { ids, special, offsets } = encode(tokenizer, text);
  const mask = maskOf(tokenizer);
  if (ids.includes(mask)) throw refuse(`score: expected a text without ${tokenizer.mask_token}`);
  const places = [...ids.keys()].filter((place) => !special[place]);
  if (!places.length) throw refuse("score: expected a text with at least one token");
  const tokens: TextScore["tokens"] = [];
  for (let from = 0; from < places.length; from += VARIANTS) {
    const some = places.slice(from, from + VARIANTS);
    const variants = some.map((place) => ({
      ids: ids.map((id, at) => (at === place ? mask : id)),
      targets: [ids[place]!],
    }));
    const answers = (await engine.run("fill-mask", variants, {}, signalOf(options))) as FillMaskResult[][];
    for (const [n, place] of some.entries()) {
      const [start, end] = offsets[place]!;
      const token_str = tokenizer.convert_ids_to_tokens(ids[place]!)!;
      tokens.push({
        token: ids[place]!,
        token_str,
        score: Math.log(Math.max(answers[n]![0]!.score, LEAST)),
        start,
        end,
      });
    }
  }
  const sum = tokens.reduce((sum, { score }) => sum + score, 0);
  return { score: sum, pseudo_perplexity: Math.exp(-sum / tokens.length), tokens };
}

/** Returns the answers of the masked-LM head over the state of each layer. */
export async function lens(
  engine: EngineModel,
  config: PretrainedConfig,
  text: unknown,
  options: LensOptions,
): Promise<LensLayer[]> {
  if (typeof text !== "string") throw refuse(`text: expected a string, got ${kindOf(text)}`);
  const last = Number(config.num_hidden_layers ?? config.n_layers);
  const { top_k = 5 } = options;
  const layers: LensLayer[] = [];
  for (let layer = 0; layer <= last; layer++) {
    const [answer] = await engine.run("fill-mask", [text], { top_k, layer }, signalOf(options));
    const isOne = !Array.isArray((answer as unknown[])[0]);
    layers.push({ layer, masks: (isOne ? [answer] : answer) as FillMaskResult[][] });
  }
  return layers;
}
