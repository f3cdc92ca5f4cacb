/**
 * Ranks how well typed text matches a name, from 0 (no match) to 1: a prefix, the start of a word, a substring, all words in
 * any order, or the letters in order with small gaps (`sbot` matches `support-bot`).
 */
export function rankMatch(name: string, typed: string): number {
  const [text, sought] = [name.toLowerCase(), typed.trim().toLowerCase()]
  if (sought === '') return 1
  const at = text.indexOf(sought)
  if (at === 0) return 1
  if (at > 0) return /\W|_/.test(text.charAt(at - 1)) ? 0.9 : 0.7
  if (sought.split(/\s+/).every((word) => text.includes(word))) return 0.5
  return isCloseSubsequence(text.slice(0, 200), sought) ? 0.2 : 0
}

/** Maximum distance between the first and the last match, per searched letter. */
const MAX_SPREAD = 4

function isCloseSubsequence(text: string, sought: string): boolean {
  if (sought.length < 3 || /\s/.test(sought)) return false
  for (let start = text.indexOf(sought.charAt(0)); start >= 0; start = text.indexOf(sought.charAt(0), start + 1)) {
    let at = start
    for (const letter of sought.slice(1)) {
      at = text.indexOf(letter, at + 1)
      if (at < 0) return false
    }
    if (at - start < sought.length * MAX_SPREAD) return true
  }
  return false
}
