// A hue for each label, in the order of the columns.

/** Hues that can be told apart next to each other, in degrees. */
const HUES = [168, 28, 262, 340, 205, 85, 300, 48, 232, 5, 140, 318];

/** The custom property with which style.css colours the elements of a label. */
export const labelStyle = (place: number): Record<string, string> => ({ "--hue": String(HUES[place % HUES.length]) });
