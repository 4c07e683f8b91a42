// The losses of a run, as a curve of bounded length.

export interface Point {
  step: number;
  loss: number;
}

/** Points of a curve; a screen cannot show more. */
const MOST = 300;
/** The weight of the past in the smooth curve, per step. */
const PAST = 0.95;

/** The losses of a run, raw and smooth, thinned out when they become many. */
export class Curve {
  // New arrays for each step: a component that is drawn again only for new properties sees them.
  #points: readonly Point[] = [];
  #smooth: readonly Point[] = [];
  #every = 1;
  #mean = 0;
  #weight = 0;

  /** The loss of each step in turn. */
  add(step: number, loss: number): void {
    // The mean of an exponential window that starts empty, corrected like Adam's moments.
    this.#mean = PAST * this.#mean + (1 - PAST) * loss;
    this.#weight = PAST * this.#weight + (1 - PAST);
    if (step % this.#every && step !== 1) return;
    this.#points = [...this.#points, { step, loss }];
    this.#smooth = [...this.#smooth, { step, loss: this.#mean / this.#weight }];
    if (this.#points.length <= MOST) return;
    this.#every *= 2;
    const keep = (_: Point, at: number) => at % 2 === 0;
    this.#points = this.#points.filter(keep);
    this.#smooth = this.#smooth.filter(keep);
  }

  get points(): readonly Point[] {
    return this.#points;
  }

  get smooth(): readonly Point[] {
    return this.#smooth;
  }

  /** The smooth loss of the latest step; undefined before the first step. */
  get last(): number | undefined {
    return this.#weight ? this.#mean / this.#weight : undefined;
  }
}
