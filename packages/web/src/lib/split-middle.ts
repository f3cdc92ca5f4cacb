/** Longer names are cut in the middle, because names of one family differ at their end. */
const WHOLE_UP_TO = 32
const TAIL = 12

/**
 * Splits a long name, so that its start can be cut while its end stays in view.
 *
 * @returns undefined for names that are shown whole
 */
export function splitMiddle(name: string): { head: string; tail: string } | undefined {
  const letters = [...name]
  if (letters.length <= WHOLE_UP_TO) return undefined
  return { head: letters.slice(0, -TAIL).join(''), tail: letters.slice(-TAIL).join('') }
}
