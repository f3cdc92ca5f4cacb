/** Colors that a terminal text may have, drawn in the colors of the page. */
export type TerminalColor = 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white'

export interface TerminalRun {
  text: string
  color?: TerminalColor
  isBold?: boolean
}

const COLORS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const

/**
 * What a program sends to a terminal besides its text: control sequences (colors, moves of the cursor), titles and links,
 * which end with a bell or `ESC \`, and short escapes. What is not complete stays text.
 */
const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)([0-?]{0,99})[ -/]{0,9}([@-~])|\x1b\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]|\x1b[=>78DEHMNOZc]/g

/** Whether a text has control sequences of a terminal. */
export function isTerminalText(text: string): boolean {
  return text.search(SEQUENCE) >= 0
}

/** A text without the control sequences of a terminal. */
export function stripTerminalCodes(text: string): string {
  return text.replaceAll(SEQUENCE, '')
}

/** Cuts the output of a program into runs of one look. Backgrounds and other looks than colors and bold are left out. */
export function readTerminalText(text: string): TerminalRun[] {
  const runs: TerminalRun[] = []
  let look: Omit<TerminalRun, 'text'> = {}
  let at = 0
  const add = (end: number) => end > at && runs.push({ text: text.slice(at, end), ...look })
  for (const found of text.matchAll(SEQUENCE)) {
    add(found.index)
    at = found.index + found[0].length
    if (found[2] === 'm') look = applyCodes(look, (found[1] ?? '').split(/[;:]/).map(Number))
  }
  add(text.length)
  return runs
}

function applyCodes(before: Omit<TerminalRun, 'text'>, codes: readonly number[]): Omit<TerminalRun, 'text'> {
  let { color, isBold } = before
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 0) [color, isBold] = [undefined, undefined]
    else if (code === 1) isBold = true
    else if (code === 22) isBold = undefined
    else if (code === 39) color = undefined
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) color = COLORS[code % 10]
    else if (code === 38 || code === 48) {
      const isIndex = codes[at + 1] === 5
      const chosen = isIndex ? toIndexedColor(codes[at + 2] ?? 0) : toNearestColor(codes.slice(at + 2, at + 5))
      if (code === 38) color = chosen
      at += isIndex ? 2 : 4
    }
  }
  return { ...(color && { color }), ...(isBold && { isBold }) }
}

/** One of the 256 colors: 16 named ones, a cube of 6 × 6 × 6, and grays. */
function toIndexedColor(index: number): TerminalColor | undefined {
  if (index < 16) return COLORS[index % 8]
  if (index > 231) return undefined
  const cube = index - 16
  return toNearestColor([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part * 51))
}

/** The named color of the same hue; undefined for grays, which are drawn as text. */
function toNearestColor(channels: readonly number[]): TerminalColor | undefined {
  const [red = 0, green = 0, blue = 0] = channels
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  if (most - least < 40) return undefined
  const middle = (most + least) / 2
  return COLORS[(red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0)]
}
