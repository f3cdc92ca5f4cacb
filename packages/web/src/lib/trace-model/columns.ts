/** Reads a row of a float column. `NaN` means "not known", also for a row that does not exist. */
export function floatAt(column: Float64Array, row: number): number {
  return column[row] ?? Number.NaN
}

/** Reads a row of an integer column. `-1` means "none", also for a row that does not exist. */
export function intAt(column: Int32Array | Uint32Array | Uint16Array | Uint8Array, row: number): number {
  return column[row] ?? -1
}

export function bigintAt(column: BigInt64Array, row: number): bigint {
  return column[row] ?? 0n
}

/** Many strings in one, so that a worker posts one string instead of 50,000. */
export interface Strings {
  text: string
  /** End of each string in `text`. */
  ends: Uint32Array
}

/** A column of few distinct words. */
export interface Words {
  words: string[]
  /** Index into `words`, per row. */
  codes: Uint32Array
}

export function packStrings(values: readonly string[]): Strings {
  const ends = new Uint32Array(values.length)
  let end = 0
  for (let i = 0; i < values.length; i++) {
    end += values[i]!.length
    ends[i] = end
  }
  return { text: values.join(''), ends }
}

export function stringAt(strings: Strings, index: number): string {
  return strings.text.slice(index === 0 ? 0 : strings.ends[index - 1], strings.ends[index])
}

/** Index of the first string equal to `value`, or -1. */
export function findString(strings: Strings, value: string): number {
  if (value === '') return -1
  for (let at = strings.text.indexOf(value); at !== -1; at = strings.text.indexOf(value, at + 1)) {
    const index = firstEndAfter(strings.ends, at)
    const start = index === 0 ? 0 : intAt(strings.ends, index - 1)
    if (start === at && strings.ends[index] === at + value.length) return index
  }
  return -1
}

export function packWords(values: readonly string[]): Words {
  const codeOf = new Map<string, number>()
  const codes = new Uint32Array(values.length)
  for (let i = 0; i < values.length; i++) {
    let code = codeOf.get(values[i]!)
    if (code === undefined) {
      code = codeOf.size
      codeOf.set(values[i]!, code)
    }
    codes[i] = code
  }
  return { words: [...codeOf.keys()], codes }
}

export function wordAt(words: Words, index: number): string {
  return words.words[intAt(words.codes, index)]!
}

function firstEndAfter(ends: Uint32Array, at: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (intAt(ends, middle) > at) high = middle
    else low = middle + 1
  }
  return low
}
