import { TEMPLATE_MEMBER } from '@touchstone/contract'
import { parseExactJson, printJson } from '@touchstone/formats/exact-json'
import { sendSignedWebhook } from '../../../outbound/signed-webhook.ts'
import type { Notice } from '../notice.ts'
import { SEND_MS, type Sender } from './kind.ts'
import { toResult, toResultOf } from './result.ts'

/** Sends a signed request with the body of the channel. */
export const sendWebhook: Sender<'webhook'> = (
  { outbound, clock },
  { config, signingSecret },
  { id, notice, signal },
) => {
  let body: string
  try {
    body = writeWebhookBody(notice, config.body ?? undefined)
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error
    return Promise.resolve({ outcome: 'failed', status: null, text: null, error: error.message })
  }
  return toResultOf(
    () =>
      sendSignedWebhook(
        outbound,
        {
          url: config.url,
          headers: config.headers ?? {},
          secret: signingSecret ?? '',
          id,
          body,
          signal,
          timeoutMs: SEND_MS,
        },
        clock(),
      ),
    (answer) => toResult(answer, clock()),
  )
}

/**
 * The body of a webhook: JSON of the notice, or the channel's own body, with the members of the notice's `body` added.
 *
 * @param template  text of a JSON object
 */
export function writeWebhookBody(notice: Notice, template?: string): string {
  const said = describeNotice(notice)
  if (template === undefined) return printJson(said)
  const given = parseExactJson(template) as Record<string, unknown>
  const { [TEMPLATE_MEMBER]: hasVariables, ...own } = given
  const filled = hasVariables === true ? (new Filling(said).fill(own) as object) : given
  return printJson({ ...filled, ...notice.body })
}

function describeNotice(notice: Notice): Record<string, unknown> {
  const { causeKind, causeId, incident, severity, isResolved, title, text, facts, links, at, body } = notice
  return {
    type: `${causeKind}.${isResolved ? 'resolved' : 'triggered'}`,
    timestamp: at,
    cause_kind: causeKind,
    cause_id: causeId,
    incident,
    severity,
    is_resolved: isResolved,
    title,
    text,
    facts,
    links,
    ...body,
  }
}

/** Characters of the values that a template may repeat. */
const MAX_BODY = 1_000_000

/** The body of the channel repeats so many values that it would not be sent. */
export class BodyTooLarge extends Error {
  constructor() {
    super(`With its variables the body has more than ${MAX_BODY} characters. Use fewer variables.`)
  }
}

const VARIABLE = /\{\{\s*([\w.-]{1,100})\s*\}\}/g
const ONE_VARIABLE = /^\{\{\s*([\w.-]{1,100})\s*\}\}$/

/**
 * Replaces variables in the texts of a JSON value. A text that is one variable becomes its value, a number for example; a
 * variable that the notice does not have stays as it is.
 */
class Filling {
  readonly #printed = new Map<string, string>()
  #free = MAX_BODY

  constructor(readonly values: Readonly<Record<string, unknown>>) {}

  /** @throws BodyTooLarge */
  fill(value: unknown): unknown {
    if (typeof value === 'string') return this.#fillText(value)
    if (Array.isArray(value)) return value.map((item) => this.fill(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.fill(member)]))
  }

  #fillText(text: string): unknown {
    const only = ONE_VARIABLE.exec(text)?.[1]
    if (only !== undefined) {
      if (this.#print(only) === undefined) return text
      return this.values[only]
    }
    return text.replaceAll(VARIABLE, (whole, name: string) => this.#print(name) ?? whole)
  }

  /** The value as text, which counts against the size of the body; undefined for a variable that the notice does not have. */
  #print(name: string): string | undefined {
    if (!Object.hasOwn(this.values, name)) return undefined
    const value = this.values[name]
    const known = this.#printed.get(name) ?? (typeof value === 'string' ? value : printJson(value))
    this.#printed.set(name, known)
    this.#free -= known.length
    if (this.#free < 0) throw new BodyTooLarge()
    return known
  }
}
