import { parseSync } from 'rolldown/utils'

/** A regular expression of a source text. */
export interface Pattern {
  readonly source: string
  readonly flags: string
}

/** The literals of a module; patterns that are made of texts are no literals. */
export function findPatterns(file: string, text: string): Pattern[] {
  const found: Pattern[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if ('regex' in node && typeof node.regex === 'object' && node.regex !== null) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string }
      found.push({ source: pattern, flags })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, text).program)
  return found
}

/** Length of the hostile texts. A pattern of linear time needs less than a millisecond for one. */
const LENGTH = 16_000
/** Processor time that only quadratic growth needs: 10^8 steps. */
const MAX_MS = 100
const TRIES = 3

/**
 * Runs a pattern on long texts that are hostile to patterns like it: one part of the pattern over and over, after its beginning or
 * none, with an end that does not match or none.
 *
 * @returns the hostile text for which it needs quadratic time, shortened; undefined when there is none
 */
export function findHostileText({ source, flags }: Pattern): string | undefined {
  if (!/[*+]|\{\d+,/.test(source)) return undefined
  const regex = new RegExp(source, flags.replace('g', ''))
  const parts = listParts(source)
  const beginnings = ['', ...parts.filter(({ length }) => length > 2).slice(0, 6)]
  for (const part of parts) {
    for (const beginning of beginnings) {
      for (const end of ['', '\u0000']) {
        const text = beginning + part.repeat(Math.ceil(LENGTH / part.length)) + end
        if (isSlow(regex, text))
          return `${JSON.stringify(beginning)} + ${JSON.stringify(part)} × n + ${JSON.stringify(end)}`
      }
    }
  }
  return undefined
}

function isSlow(regex: RegExp, text: string): boolean {
  for (let at = 0; at < TRIES; at++) {
    const before = process.cpuUsage()
    regex.lastIndex = 0
    regex.exec(text)
    const { user, system } = process.cpuUsage(before)
    if (user + system < MAX_MS * 1000) return false
  }
  return true
}

const COMMON = [
  ' ',
  'a',
  '0',
  'A',
  '\n',
  '"',
  '\\',
  '.',
  '-',
  ';',
  ':',
  ',',
  '_',
  '{',
  '[',
  '(',
  '<',
  "'",
  '=',
  '/',
  '%',
  '&',
  '@',
]
const PAIRS = ['a.', 'a ', ' a', '0.', '\\"', '":', '{{', '\n ', 'a\n', '<a>']

/** Texts that a pattern matches in part. */
function listParts(source: string): string[] {
  const words = source.replaceAll(/\\p\{\w+\}|\\[sdwSDWbB]/g, ' ').split(/[\\^$.*+?()[\]{}|]+/)
  const whole = source
    .replaceAll(/\(\?[:=!<]+/g, '')
    .replaceAll(/\\([^sdwSDWbBpPu])/g, '$1')
    .replaceAll(/\\[sS]/g, ' ')
    .replaceAll(/\\d/g, '0')
    .replaceAll(/\\w/g, 'a')
    .replaceAll(/\[\^?([^\]]?)[^\]]*\]/g, '$1')
    .replaceAll(/[*+?()^$|]/g, '')
  const beginnings =
    whole.length < 60
      ? [whole, ...Array.from({ length: Math.floor(whole.length / 3) }, (_, at) => whole.slice(0, 3 * at))]
      : []
  const all = [...COMMON, ...PAIRS, ...words.filter(({ length }) => length < 30), ...beginnings]
  return [...new Set(all)].filter((part) => part !== '')
}
