import { type ModelCall, ModelMessage, type ModelProblem, type PlaygroundVariant } from '@touchstone/contract'
import { renderMessages } from '@touchstone/contract/prompt-manifest'
import type { TemplateSteps } from '@touchstone/formats/templates'
import { z } from 'zod'
import { findUncountedField } from '../../models/price-call.ts'
import { aProblem } from '../../models/problems.ts'
import { countBytes, type Sized } from '../../models/render-budget.ts'
import { openPreparer } from '../datasets/schemas/index.ts'

export type RenderedCall =
  | { readonly call: ModelCall }
  | { readonly problem: ModelProblem; readonly variable: string | null }

const Messages = z.array(ModelMessage).min(1, 'there is none').max(5000)

/**
 * The call of a variant with the values of its variables, or the template that cannot be rendered.
 *
 * @param steps  shared by the calls of a request. @default those of this call
 */
export function renderCall(
  variant: PlaygroundVariant,
  values: Readonly<Record<string, unknown>>,
  steps?: TemplateSteps,
): RenderedCall {
  const { messages, template_format, tools, tool_choice, output_schema, parameters, extra_body, model } = variant
  const uncounted = findUncountedField(variant)
  if (uncounted !== undefined) {
    const message = `extra_body may not have "${uncounted}": costs and monthly limits count the model of the variant and one response. Remove it.`
    return { problem: aProblem('invalid_request', message, { offending_parameter: uncounted }), variable: null }
  }
  const rendered = renderMessages(messages, template_format, values, steps)
  if ('problem' in rendered) {
    const { code, message, variable } = rendered.problem
    return { problem: aProblem(code, message), variable }
  }
  const parsed = Messages.safeParse(rendered.ok)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const place = issue === undefined || issue.path.length === 0 ? 'The messages' : `messages.${issue.path.join('.')}`
    return { problem: aProblem('invalid_template', `${place}: ${issue?.message ?? 'invalid'}.`), variable: null }
  }
  return { call: { model, messages: parsed.data, tools, tool_choice, output_schema, parameters, extra_body } }
}

/** Bytes of the messages of one call, as they are sent. */
const MAX_CALL_BYTES = 32 * 1024 * 1024

/** The call with its size, or the problem that it is too large. */
export function limitSize(rendered: RenderedCall, maxBytes: number = MAX_CALL_BYTES): Sized<RenderedCall> {
  if ('problem' in rendered) return { made: rendered, bytes: 0 }
  const { messages, tools, output_schema, extra_body } = rendered.call
  const bytes = countBytes([messages, tools, output_schema, extra_body])
  if (bytes <= maxBytes) return { made: rendered, bytes }
  const message = `The messages have ${bytes} bytes with the values of this row; a call has at most ${maxBytes}. Use fewer or shorter values.`
  return { made: { problem: aProblem('too_large', message), variable: null }, bytes: 0 }
}

/** Where an answer does not match its schema; null when it does. */
export function checkAnswer(schema: Readonly<Record<string, unknown>>, content: unknown) {
  const text = toText(content)
  try {
    JSON.parse(text)
  } catch (error) {
    return { path: '', message: text === '' ? 'The answer is empty.' : `no JSON: ${(error as Error).message}` }
  }
  try {
    const check = openPreparer({ inputs_schema: null, outputs_schema: JSON.stringify(schema), transformations: null })
    const [violation] = check({ inputs: '{}', outputs: text }, undefined).violations
    return violation === undefined
      ? null
      : { path: violation.path.replace(/^\/outputs/, ''), message: violation.message }
  } catch (error) {
    return { path: '', message: `could not be checked: ${(error as Error).message}` }
  }
}

function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : '')).join('')
}
