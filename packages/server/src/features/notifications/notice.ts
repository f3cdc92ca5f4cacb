import { isStorable, type NoticeCause, type NoticeSeverity, toStorable } from '@touchstone/contract'
import { printJson } from '@touchstone/formats/exact-json'

/** What a channel tells people. Texts may come from traces: each kind of channel escapes them. */
export interface Notice {
  /** What caused it. */
  readonly causeKind: NoticeCause
  /** UUID of the alert, rule or budget. */
  readonly causeId: string
  /** The same channel and key are one delivery, however often the notice is sent. At most 255 characters. */
  readonly key: string
  /** The same for trigger and recovery of one incident. At most 255 characters. */
  readonly incident: string
  readonly severity: NoticeSeverity
  /** Whether it is a recovery. */
  readonly isResolved: boolean
  /** Plain text. */
  readonly title: string
  /** Plain text. */
  readonly text: string
  readonly facts: readonly { readonly label: string; readonly value: string }[]
  readonly links: readonly { readonly label: string; readonly url: string }[]
  /** Members of the body of webhooks; they replace members of the same name of the channel's own body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly at: string
}

const MAX_ID = 255
const MAX = { title: 500, text: 10_000, facts: 50, label: 200, value: 1000, links: 20, url: 2000, body: 1_000_000 }

/**
 * The notice within the limits of what is stored. Longer texts are cut with `…`; a larger body of webhooks is left out with
 * `truncated: true`.
 *
 * @throws Error for a key or incident that is too long
 */
export function boundNotice(notice: Notice): Notice {
  for (const id of [notice.key, notice.incident]) {
    if (id.length > MAX_ID || !isStorable(id))
      throw new Error('The key of a notice has more than 255 characters, or NUL.')
  }
  const hasLargeBody = printJson(notice.body).length > MAX.body
  return {
    ...notice,
    title: toOneLine(cut(notice.title, MAX.title)),
    text: cut(notice.text, MAX.text),
    facts: notice.facts
      .slice(0, MAX.facts)
      .map(({ label, value }) => ({ label: cut(label, MAX.label), value: cut(value, MAX.value) })),
    links: notice.links
      .filter(({ url }) => url.length <= MAX.url && /^https?:/.test(url))
      .slice(0, MAX.links)
      .map(({ label, url }) => ({ label: cut(label, MAX.label), url })),
    ...(hasLargeBody && { body: { truncated: true } }),
  }
}

/** The title with its severity, on one line. */
export function toHeadline({ isResolved, severity, title }: Notice): string {
  if (isResolved) return `Resolved: ${title}`
  return severity === 'info' ? title : `${severity === 'critical' ? 'Critical' : 'Warning'}: ${title}`
}

/** At most this many characters, without half an emoji at the end. */
export function cut(text: string, most: number): string {
  return toStorable(text.length > most ? `${text.slice(0, most - 1)}…` : text)
}

const toOneLine = (text: string) => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
