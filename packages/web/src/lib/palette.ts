import type { Recent } from './preferences.ts'

/** The target of a pasted text. */
export type Reference = { kind: 'id'; id: string } | { kind: 'path'; href: string }

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const BARE_HEX = /^[0-9a-f]{32}$/i

/**
 * Reads a pasted id, link or share link. A link to this origin keeps its path and search; a link that another host
 * printed (the SDKs guess the UI's address) is read as the path it carries.
 *
 * @param origin  this page's, e.g. `http://localhost:3000`
 * @returns `undefined` for other text
 */
export function readReference(text: string, origin: string): Reference | undefined {
  const trimmed = text.trim()
  if (/^https?:\/\//i.test(trimmed)) return readLink(trimmed, origin)
  if (/^\/(o|public|go)\//.test(trimmed)) return { kind: 'path', href: trimmed }
  if (BARE_HEX.test(trimmed)) return { kind: 'id', id: dashed(trimmed) }
  const id = UUID.exec(trimmed)
  // `run 3f2a…` and quoted ids are ids; a sentence that happens to contain one is not.
  return id && trimmed.length - id[0].length <= 8 ? { kind: 'id', id: id[0].toLowerCase() } : undefined
}

function readLink(text: string, origin: string): Reference | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.origin === origin || /^\/(o|public|go)\//.test(url.pathname)) {
    return { kind: 'path', href: url.pathname + url.search }
  }
  const id = UUID.exec(url.pathname)
  return id ? { kind: 'id', id: id[0].toLowerCase() } : undefined
}

function dashed(hex: string): string {
  return hex.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

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

const MAX_RECENTS = 5

/**
 * The recent pages of a workspace for the palette, the last opened first, without the page that is open.
 *
 * @param pathname  of the open page
 */
export function listOtherRecents(recents: readonly Recent[], tenant: string, pathname: string): Recent[] {
  const isOther = ({ href }: Recent) => href.startsWith(`/o/${tenant}/`) && href.split('?')[0] !== pathname
  return recents.filter(isOther).slice(0, MAX_RECENTS)
}
