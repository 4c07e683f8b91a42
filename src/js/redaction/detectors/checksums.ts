// Check digits that several kinds of numbers share.

/** Returns whether the check digit is correct (ISO/IEC 7812-1, annex B). */
export function luhn(digits: string): boolean {
  let sum = 0;
  for (let n = 0; n < digits.length; n++) {
    const digit = Number(digits[digits.length - 1 - n]) * (n % 2 ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/**
 * Returns the code modulo 97 (ISO/IEC 7064). The first four characters are moved to the end, and letters count 10 to
 * 35.
 */
export function remainder97(code: string): number {
  let remainder = 0;
  for (const character of code.slice(4) + code.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder;
}

/** Returns the sum of digits times weights. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, n) => sum + weight * Number(digits[n]), 0);
}

/** Returns whether the last digit is correct (ISO/IEC 7064, MOD 11,10). */
export function mod11to10(digits: string): boolean {
  let product = 10;
  for (const digit of digits.slice(0, -1)) {
    const sum = (Number(digit) + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits.at(-1));
}

const D = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const PERMUTED = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Returns whether the last digit is correct by Verhoeff's scheme, a group of order ten. */
export function verhoeff(digits: string): boolean {
  let check = 0;
  for (let n = 0; n < digits.length; n++) {
    let digit = Number(digits[digits.length - 1 - n]);
    for (let times = 0; times < n % 8; times++) digit = PERMUTED[digit]!;
    check = dihedral(check, D[digit]!);
  }
  return check === 0;
}

/** Returns the product in the dihedral group of order ten. */
function dihedral(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a - b + 5) % 5) : (a - b + 5) % 5;
}

/** Returns whether six digits can be a date of birth: year, month and day at the given places of the number. */
export function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(2000 + (year % 100), month - 1, day));
  return month >= 1 && month <= 12 && day >= 1 && date.getUTCMonth() === month - 1;
}
