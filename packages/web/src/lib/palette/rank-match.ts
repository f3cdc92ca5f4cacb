/**
 * How well typed text finds a name, 0 (not at all) to 1: as its beginning, at the beginning of a word, inside, word by word
 * in any order, and last as letters in their order with little between (`sbot` finds `support-bot`).
 */
export function rankMatch(name: string, typed: string): number {
  const [text, sought] = [name.toLowerCase(), typed.trim().toLowerCase()]
  if (sought === '') return 1
  const at = text.indexOf(sought)
  if (at === 0) return 1
  if (at > 0) return /\W|_/.test(text[at - 1]!) ? 0.9 : 0.7
  if (sought.split(/\s+/).every((word) => text.includes(word))) return 0.5
  return isCloseSubsequence(text.slice(0, 200), sought) ? 0.2 : 0
}

/** Most letters that may stand between the first and the last found, per letter sought. */
const SPREAD = 4

function isCloseSubsequence(text: string, sought: string): boolean {
  if (sought.length < 3 || /\s/.test(sought)) return false
  for (let start = text.indexOf(sought[0]!); start >= 0; start = text.indexOf(sought[0]!, start + 1)) {
    let at = start
    for (const letter of sought.slice(1)) {
      at = text.indexOf(letter, at + 1)
      if (at < 0) return false
    }
    if (at - start < sought.length * SPREAD) return true
  }
  return false
}
