// Reproducible random numbers: the generator and methods of Python's `random`, with identical results.
import { WebertError } from "../errors.js";
import { shown } from "../values.js";

// MT19937 by Matsumoto and Nishimura (1998), and init_by_array of their 2002 version, which Python uses to seed it.
const WORDS = 624;
const MIDDLE = 397;
const MATRIX = 0x9908b0df;

/** Returns the low 32 bits of a product. */
const times = (a: number, b: number) => Math.imul(a, b) >>> 0;

/**
 * A random generator with a state of its own.
 * @example
 * ```ts
 * const generator = new random.Random(42);
 * generator.random(); // 0.6394267984578837, as in Python
 * ```
 */
export class Random {
  readonly #state = new Uint32Array(WORDS);
  /** Index of the next word of the state; undefined before the generator is seeded. */
  #next: number | undefined;
  /** `gauss` makes two numbers at a time; this is the second one. */
  #spare: number | undefined;

  /** Without a seed, the system seeds the generator. */
  constructor(seed?: number | null) {
    if (seed != null) this.seed(seed);
  }

  /** Seeds the generator with a whole number, or from the system's random numbers. */
  seed(seed?: number | null): void {
    const key = seed == null ? crypto.getRandomValues(new Uint32Array(8)) : wordsOf(seed);
    const state = this.#state;
    state[0] = 19650218;
    for (let i = 1; i < WORDS; i++) state[i] = times(1812433253, mixed(state, i)) + i;
    let at = 1;
    const advance = () => {
      if (++at < WORDS) return;
      state[0] = state[WORDS - 1]!;
      at = 1;
    };
    for (let i = 0; i < Math.max(WORDS, key.length); i++, advance()) {
      const from = i % key.length;
      state[at] = (state[at]! ^ times(1664525, mixed(state, at))) + key[from]! + from;
    }
    for (let i = 1; i < WORDS; i++, advance()) state[at] = (state[at]! ^ times(1566083941, mixed(state, at))) - at;
    state[0] = 0x8000_0000;
    this.#next = WORDS;
    this.#spare = undefined;
  }

  /** Returns a number from 0 up to but excluding 1, with 53 random bits. */
  random(): number {
    const [high, low] = [this.#word() >>> 5, this.#word() >>> 6];
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** Returns a normally distributed number. */
  gauss(mu = 0, sigma = 1): number {
    let value = this.#spare;
    this.#spare = undefined;
    if (value === undefined) {
      const angle = 2 * Math.PI * this.random();
      const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
      value = Math.cos(angle) * radius;
      this.#spare = Math.sin(angle) * radius;
    }
    return mu + value * sigma;
  }

  /** Shuffles an array in place. */
  shuffle(array: unknown[]): void {
    for (let i = array.length - 1; i > 0; i--) {
      const j = this.#below(i + 1);
      [array[i], array[j]] = [array[j], array[i]];
    }
  }

  /** Returns one entry of an array, drawn with a probability proportional to its weight. */
  choices<T>(population: readonly T[], weights: ArrayLike<number>): T {
    if (!population.length || population.length !== weights.length)
      throw new WebertError(
        "bad_input",
        `choices: expected one weight per entry, and at least one, got ${population.length} entries and ${weights.length} weights`,
      );
    const sums: number[] = [];
    for (let i = 0; i < weights.length; i++) sums.push((sums[i - 1] ?? 0) + weights[i]!);
    const total = sums.at(-1)!;
    if (!(total > 0 && total < Infinity))
      throw new WebertError("bad_input", `choices: expected a sum of weights above 0, got ${total}`);
    const drawn = this.random() * total;
    const found = sums.findIndex((sum) => sum > drawn);
    return population[found < 0 ? population.length - 1 : found]!;
  }

  /**
   * Returns a whole number from 0 to `count` - 1. It draws as many bits as `count` has, until the number is below
   * `count`.
   */
  #below(count: number): number {
    const unused = Math.clz32(count);
    let drawn: number;
    do drawn = this.#word() >>> unused;
    while (drawn >= count);
    return drawn;
  }

  /** Returns 32 random bits. */
  #word(): number {
    // The constructor cannot seed it: some runtimes have no random numbers while modules load.
    if (this.#next === undefined) this.seed();
    if (this.#next === WORDS) this.#twist();
    let word = this.#state[this.#next!++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  /** Computes the next words of the state. */
  #twist(): void {
    const state = this.#state;
    for (let i = 0; i < WORDS; i++) {
      const bits = (state[i]! & 0x8000_0000) | (state[(i + 1) % WORDS]! & 0x7fff_ffff);
      state[i] = state[(i + MIDDLE) % WORDS]! ^ (bits >>> 1) ^ (bits & 1 ? MATRIX : 0);
    }
    this.#next = 0;
  }
}

/** Returns the word before `at`, with its high bits mixed into its low bits. */
function mixed(state: Uint32Array, at: number): number {
  const word = state[at - 1]!;
  return word ^ (word >>> 30);
}

/** Returns the absolute value of a whole number as 32-bit words, lowest first. */
function wordsOf(seed: number): number[] {
  if (!Number.isSafeInteger(seed))
    throw new WebertError("bad_input", `seed: expected a whole number below 2^53, got ${shown(seed)}`);
  const value = Math.abs(seed);
  const high = Math.floor(value / 2 ** 32);
  return high ? [value >>> 0, high] : [value];
}

/**
 * The functions of the shared generator, and the class for separate ones. `rand` and `randn` use the shared
 * generator.
 */
interface RandomFunctions extends Pick<Random, "seed" | "random" | "gauss" | "shuffle" | "choices"> {
  readonly Random: typeof Random;
}

/**
 * Random numbers, as in Python's module of this name.
 * @example
 * ```ts
 * random.seed(42);
 * random.random(); // 0.6394267984578837
 * ```
 */
export const random: RandomFunctions = /* @__PURE__ */ (() => {
  const shared = new Random();
  return Object.freeze({
    Random,
    seed: (seed?: number | null) => shared.seed(seed),
    random: () => shared.random(),
    gauss: (mu?: number, sigma?: number) => shared.gauss(mu, sigma),
    shuffle: (array: unknown[]) => shared.shuffle(array),
    choices: <T>(population: readonly T[], weights: ArrayLike<number>) => shared.choices(population, weights),
  });
})();
