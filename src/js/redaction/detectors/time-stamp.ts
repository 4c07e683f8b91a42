/** A date or its end, and a time of day to the second right after it. */
const STAMP = /\d(?:[T :]|, ?)(?!00:00:00)(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?!\d)/;

/**
 * Returns whether the date at this place is part of a time stamp to the second, as programs write it in logs. Midnight
 * counts as a plain date: programs write a birthday like this.
 */
export const isTimeStamp = (text: string, start: number, end: number) => STAMP.test(text.slice(start, end + 10));
