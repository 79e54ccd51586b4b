/** Every character that Unicode may ever have, for the texts of property tests: what fast-check has for it takes seconds to prepare. */
import fc from "fast-check";

const between = (min: number, max: number): fc.Arbitrary<string> =>
  fc.integer({ min, max }).map((code) => String.fromCodePoint(code));

/** Halves of characters are left out. */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  between(0, 0x7f),
  between(0x80, 0xd7ff),
  between(0xe000, 0xffff),
  between(0x1_0000, 0x10_ffff),
);
