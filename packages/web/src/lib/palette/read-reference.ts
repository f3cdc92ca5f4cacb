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
