import { toRole } from '@touchstone/formats/messages'
import {
  MAX_RENDERED,
  type Rendered,
  type RenderedFormat,
  type RenderProblem,
  renderTemplate,
  TemplateSteps,
} from '@touchstone/formats/templates'
import type { ModelMessage } from '../../models/calls.ts'

/** A list of messages that a variable gives. */
export interface MessagesPlaceholder {
  readonly role: 'placeholder'
  readonly variable: string
  /** Whether no value means no messages. */
  readonly optional: boolean
}

type Values = Readonly<Record<string, unknown>>
type Template = ModelMessage | MessagesPlaceholder

/**
 * Fills in the texts and image URLs of messages, and the lists of messages. Arguments of tool calls, reasoning and raw
 * parts stay as they are. Messages of a list are converted from LangChain's form and not checked further.
 *
 * @param steps  shared by the calls of a request. @default those of this call
 */
export function renderMessages(
  messages: readonly Template[],
  format: RenderedFormat,
  values: Values,
  steps: TemplateSteps = TemplateSteps.ofCall(),
): Rendered<readonly unknown[]> {
  const rendered: unknown[] = []
  let free = MAX_RENDERED
  const fill = (text: string): string => {
    const result = renderTemplate(text, format, values, free, steps)
    if ('problem' in result) throw new Unrendered(result.problem)
    free -= result.ok.length
    return result.ok
  }
  try {
    for (const message of messages) {
      if (message.role !== 'placeholder') rendered.push(fillMessage(message, fill))
      else for (const given of readMessages(message, values, MAX_MESSAGES - rendered.length)) rendered.push(given)
    }
    return { ok: rendered }
  } catch (error) {
    if (error instanceof Unrendered) return { problem: error.problem }
    throw error
  }
}

/** Messages of one call. */
const MAX_MESSAGES = 5000

class Unrendered extends Error {
  constructor(readonly problem: RenderProblem) {
    super(problem.message)
  }
}

function fillMessage(message: ModelMessage, fill: (text: string) => string): ModelMessage {
  const { content } = message
  if (content == null) return message
  if (typeof content === 'string') return { ...message, content: fill(content) }
  const parts = content.map((part) => {
    if (part.type === 'text') return { ...part, text: fill(part.text) }
    if (part.type !== 'image_url' || part.image_url.url.startsWith('data:')) return part
    return { ...part, image_url: { ...part.image_url, url: fill(part.image_url.url) } }
  })
  return { ...message, content: parts }
}

function readMessages({ variable, optional }: MessagesPlaceholder, values: Values, free: number): readonly unknown[] {
  const value = Object.hasOwn(values, variable) ? values[variable] : undefined
  if (value == null) {
    if (optional) return []
    const message = `The list of messages "${variable}" has no value.`
    throw new Unrendered({ code: 'missing_variable', message, variable })
  }
  const count = Array.isArray(value) ? value.length : 0
  if (count > free) {
    const message = `The value of "${variable}" has ${count} messages; a call has at most ${MAX_MESSAGES}.`
    throw new Unrendered({ code: 'invalid_template', message, variable })
  }
  const messages = Array.isArray(value) ? value.map((one) => toMessage(one)) : undefined
  if (messages?.every((message) => message !== undefined)) return messages
  const message = `The value of "${variable}" is no list of messages such as {"role": "user", "content": "Hello"}.`
  throw new Unrendered({ code: 'invalid_template', message, variable })
}

/** Forms that may contain each other, as in `['human', 'Hello']` inside of `data`. */
const MAX_NESTED = 4

/** From `{ role, content }`, LangChain's `{ type, content }`, `{ type, data }` or `['human', 'Hello']`. */
function toMessage(value: unknown, nested = 0): unknown {
  if (nested > MAX_NESTED) return undefined
  if (Array.isArray(value))
    return value.length === 2 ? toMessage({ role: value[0], content: value[1] }, nested + 1) : undefined
  if (typeof value !== 'object' || value === null) return undefined
  const { type, data, ...rest } = value as { role?: unknown; type?: unknown; data?: unknown }
  if (rest.role === undefined && typeof data === 'object' && data !== null)
    return toMessage({ type, ...data }, nested + 1)
  const role = rest.role ?? type
  return typeof role === 'string' ? { ...rest, role: toRole(role) } : undefined
}
