import { readReference } from '#lib/palette.ts'

/** The public link of a dataset, as typed. */
export interface DatasetLinkText {
  readonly token: string
  /** Origin of the server that has the dataset. */
  readonly origin: string
  /** Whether it is this server. */
  readonly isOwn: boolean
}

const PATH = /^\/public\/([0-9a-f-]{36})\/d(?:[/?#]|$)/i

/**
 * Reads the token, path or full address of a public dataset page.
 *
 * @param origin  this page's, e.g. `http://localhost:3000`
 * @returns undefined for other text
 */
export function readDatasetLink(text: string, origin: string): DatasetLinkText | undefined {
  const typed = text.trim()
  const reference = readReference(typed, origin)
  if (reference?.kind === 'id' && !/^https?:/i.test(typed)) return { token: reference.id, origin, isOwn: true }
  const url = URL.canParse(typed, origin) ? new URL(typed, origin) : undefined
  const token = url && PATH.exec(url.pathname)?.[1]?.toLowerCase()
  if (url === undefined || token === undefined || !/^https?:$/.test(url.protocol)) return undefined
  return { token, origin: url.origin, isOwn: url.origin === origin }
}
