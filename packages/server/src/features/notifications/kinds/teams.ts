import { type Notice, toHeadline } from '../notice.ts'
import { SEND_MS, type Sender } from './kind.ts'
import { toResult, toResultOf } from './result.ts'

/** Posts an adaptive card to the URL of a workflow. */
export const sendToTeams: Sender<'teams'> = ({ outbound, clock }, { config }, { notice, signal }) =>
  toResultOf(
    () =>
      outbound.send({
        method: 'POST',
        url: config.url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(writeTeamsMessage(notice)),
        sameHost: true,
        timeoutMs: SEND_MS,
        signal,
      }),
    (answer) => toResult(answer, clock()),
  )

/** Teams refuses messages of more than 28 kB; the rest of a card takes less than 8 kB. */
const TEXT_BYTES = 12_000
const FACT_BYTES = 6_000
const MOST_LINKS = 6

/**
 * An adaptive card. Its texts are runs of rich text, which Teams does not read as Markdown: they may come from traces.
 */
export function writeTeamsMessage(notice: Notice): object {
  const facts = notice.facts.map(({ label, value }) => `${label}: ${value}`).join('\n')
  const style = notice.isResolved ? 'good' : notice.severity === 'critical' ? 'attention' : 'default'
  const runs = [
    { text: toHeadline(notice), weight: 'bolder', size: 'medium', color: style },
    { text: cutBytes(notice.text, TEXT_BYTES) },
    { text: cutBytes(facts, FACT_BYTES), isSubtle: true },
  ]
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: runs
      .filter(({ text }) => text !== '')
      .map((run) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] })),
    actions: notice.links.slice(0, MOST_LINKS).map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
  }
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  }
}

/** The beginning of a text that has at most so many bytes as JSON in UTF-8. */
function cutBytes(text: string, most: number): string {
  let bytes = 0
  let kept = ''
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2
    if (bytes > most) return `${kept}…`
    kept += character
  }
  return kept
}
