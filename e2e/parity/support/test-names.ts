/** Every test that a source declares: the text given to `it`, with `%s` where a table fills it in. */
export function testNames(source: string): string[] {
  return Array.from(source.matchAll(DECLARATION), ([, , text]) => text!.replaceAll(/\\(.)/g, '$1'))
}

const ON_ONE_LINE = String.raw`\.each\(.*\)`
/** A table that is written over several lines closes its list at the start of a line. */
const OVER_LINES = String.raw`\.each\(\[\n[\s\S]*?\n *\]\)`
const TEXT = String.raw`(['"\`])((?:\\.|(?!\1).)*)\1`

/** `it('…'` and `it.each(…)('…'`. What may be skipped proves nothing, so `it.skipIf` and its like are not among them. */
const DECLARATION = new RegExp(String.raw`^ *it(?:${ON_ONE_LINE}|${OVER_LINES})?\(\s*${TEXT}`, 'gm')
