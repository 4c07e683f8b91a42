/** Returns a number with four significant digits. */
export const rounded = (value: number): number => Number(value.toPrecision(4));
