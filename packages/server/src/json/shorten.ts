const LENGTH = 240

/** Cuts at 240 characters, never inside a surrogate pair, white space folded. */
export function shorten(text: string, length: number = LENGTH): string {
  const head = text.slice(0, length * 2)
  // Most text has nothing to fold, and folding all of it was a fifth of the work on a run.
  const line = (NEEDS_FOLDING.test(head) ? head.replace(/\s+/g, ' ') : head).trim()
  if (line.length <= length && head.length === text.length) return line.toWellFormed()
  return `${line.slice(0, length - 1).toWellFormed()}…`
}

const NEEDS_FOLDING = /[\t\n\v\f\r]| {2}/
