import { cut, type Notice, toHeadline } from '../notice.ts'
import { SEND_MS, type Sender } from './kind.ts'
import { type SendResult, toResult, toResultOf } from './result.ts'

const SLACK_API = 'https://slack.com/api'

/** What Slack answers when the channel of an incoming webhook or a bot is gone. */
const GONE = /^(?:channel_is_archived|is_archived)$/
/** Errors of the API that pass. */
const PASSING =
  /^(?:ratelimited|rate_limited|internal_error|fatal_error|service_unavailable|request_timeout|accesslimited)$/

/** Posts to the URL of an incoming webhook. */
export const sendToSlack: Sender<'slack'> = ({ outbound, clock }, { config }, { notice, signal }) =>
  toResultOf(
    () =>
      outbound.send({
        method: 'POST',
        url: config.url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(writeSlackMessage(notice)),
        sameHost: true,
        timeoutMs: SEND_MS,
        signal,
      }),
    (answer) => explain(toResult(answer, clock()), answer.text.trim()),
  )

/** Posts with the token of a bot. Slack answers 200 for its errors too. */
export const sendAsSlackBot: Sender<'slack_bot'> = ({ outbound, clock }, { config }, { notice, signal }) =>
  toResultOf(
    () =>
      outbound.send({
        method: 'POST',
        url: `${(config.endpoint ?? SLACK_API).replace(/(?<!\/)\/+$/, '')}/chat.postMessage`,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        secretHeaders: { authorization: `Bearer ${config.token}` },
        body: JSON.stringify({
          channel: config.channel,
          ...writeSlackMessage(notice),
          unfurl_links: false,
          unfurl_media: false,
        }),
        sameHost: true,
        timeoutMs: SEND_MS,
        signal,
      }),
    (answer) => {
      const result = toResult(answer, clock())
      const problem = result.outcome === 'delivered' ? readProblem(answer.text) : undefined
      if (problem === undefined) return result
      const outcome = PASSING.test(problem) ? 'retry' : 'failed'
      return explain({ ...result, outcome, error: `Slack answered: ${cut(problem, 200)}.` }, problem)
    },
  )

/** The error of an answer of Slack's API; undefined when it was taken. */
function readProblem(text: string): string | undefined {
  try {
    const { ok, error } = JSON.parse(text) as { readonly ok?: unknown; readonly error?: unknown }
    if (ok === true) return undefined
    return typeof error === 'string' ? error : 'no_reason'
  } catch {
    return 'no JSON. Is the endpoint the one of an API like Slack’s?'
  }
}

function explain(result: SendResult, said: string): SendResult {
  return GONE.test(said) ? { ...result, outcome: 'gone', error: 'The channel is archived in Slack.' } : result
}

/** Characters of a text in a block, as Slack counts them: after `&`, `<` and `>` are written as entities. */
const BLOCK_CHARACTERS = 3000
const FALLBACK_CHARACTERS = 1000

/**
 * A message of blocks, and the text of its notification. Texts may come from traces: without escapes they could mention
 * everybody (`<!channel>`) or hide a link, and `verbatim` keeps Slack from finding links and names in them.
 */
export function writeSlackMessage(notice: Notice): object {
  const headline = toHeadline(notice)
  const facts = notice.facts.map(({ label, value }) => `${label}: ${value}`).join('\n')
  const links = notice.links.map(({ label, url }) => `<${toSlackUrl(url)}|${escapeSlack(label, 200)}>`)
  const texts = [
    `*${escapeSlack(headline, BLOCK_CHARACTERS - 2)}*`,
    escapeSlack(notice.text, BLOCK_CHARACTERS),
    escapeSlack(facts, BLOCK_CHARACTERS),
    joinWithin(links, '  ·  ', BLOCK_CHARACTERS),
  ]
  return {
    text: escapeSlack(headline, FALLBACK_CHARACTERS),
    blocks: texts
      .filter((text) => text !== '')
      .map((text) => ({ type: 'section', text: { type: 'mrkdwn', text, verbatim: true } })),
  }
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** The escaped text, cut between characters to at most so many. */
function escapeSlack(text: string, most: number): string {
  const escaped = Array.from(text, (character) => ENTITIES[character] ?? character)
  let length = 0
  const end = escaped.findIndex((part) => {
    length += part.length
    return length > most
  })
  if (end < 0) return escaped.join('')
  const kept = escaped.slice(0, end)
  while (kept.join('').length > most - 1) kept.pop()
  return `${kept.join('')}…`
}

/** The signs that end a link. */
const toSlackUrl = (url: string) =>
  url.replaceAll(/[<>|]/g, (sign) => encodeURIComponent(sign)).replaceAll('&', '&amp;')

function joinWithin(parts: readonly string[], separator: string, most: number): string {
  let joined = ''
  for (const part of parts) {
    const next = joined === '' ? part : joined + separator + part
    if (next.length > most) break
    joined = next
  }
  return joined
}
