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
) =>
  toResultOf(
    () =>
      sendSignedWebhook(
        outbound,
        {
          url: config.url,
          headers: config.headers ?? {},
          secret: signingSecret ?? '',
          id,
          body: writeWebhookBody(notice, config.body ?? undefined),
          signal,
          timeoutMs: SEND_MS,
        },
        clock(),
      ),
    (answer) => toResult(answer, clock()),
  )

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
  const filled = hasVariables === true ? (fillVariables(own, said) as object) : given
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

const VARIABLE = /\{\{\s*([\w.-]{1,100})\s*\}\}/g
const ONE_VARIABLE = /^\{\{\s*([\w.-]{1,100})\s*\}\}$/

/**
 * Replaces variables in the texts of a JSON value. A text that is one variable becomes its value, a number for example; a
 * variable that the notice does not have stays as it is.
 */
function fillVariables(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') return fillText(value, values)
  if (Array.isArray(value)) return value.map((item) => fillVariables(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillVariables(member, values)]))
}

function fillText(text: string, values: Readonly<Record<string, unknown>>): unknown {
  const only = ONE_VARIABLE.exec(text)?.[1]
  if (only !== undefined) return Object.hasOwn(values, only) ? values[only] : text
  return text.replaceAll(VARIABLE, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) return whole
    const value = values[name]
    return typeof value === 'string' ? value : printJson(value)
  })
}
