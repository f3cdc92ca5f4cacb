import { randomBytes } from 'node:crypto'
import type {
  EvaluatorProblem,
  EvaluatorScore,
  JudgeFeedback,
  LlmJudgeDefinition,
  ModelCall,
  ModelMessage,
} from '@touchstone/contract'
import { EVALUATOR_SOURCES, JUDGE_BOUNDARY, toStorable } from '@touchstone/contract'
import { isRecord } from '@touchstone/formats/guards'
import {
  listOptionalVariables,
  listVariables,
  readValuePath,
  renderTemplate,
  TemplateSteps,
} from '@touchstone/formats/templates'
import type { Outcome } from '../../outcome.ts'

/** What an evaluator judges. */
export interface EvaluatorRow {
  readonly inputs: unknown
  readonly outputs: unknown
  readonly reference_outputs: unknown
  /** Facts of the run, for JavaScript; null without a run. */
  readonly run?: Readonly<Record<string, unknown>> | null
  /** Of a trace: its runs, oldest first. */
  readonly steps?: readonly EvaluatorStep[]
  /** Of a thread: the roots of its traces, oldest first. */
  readonly turns?: readonly EvaluatorStep[]
}

/** A run of a judged trace or thread. */
export interface EvaluatorStep {
  readonly name: string
  readonly run_type: string
  /** Null too where the texts of all steps together would be too long; `is_cut` is true then. */
  readonly inputs: unknown
  readonly outputs: unknown
  readonly error: string | null
  readonly is_cut: boolean
}

/** Characters of all rendered messages. */
const MAX_PROMPT = 4_000_000

export const aProblem = (
  code: EvaluatorProblem['code'],
  message: string,
  more: Partial<EvaluatorProblem> = {},
): EvaluatorProblem => ({ code, message, model_problem: null, line: null, ...more })

/** A text that no value can contain, because it is made when they exist. */
function newBoundary({ run: _, ...values }: EvaluatorRow): string {
  for (;;) {
    const boundary = `=====${randomBytes(16).toString('hex')}=====`
    if (!JSON.stringify(values).includes(boundary)) return boundary
  }
}

/**
 * The messages of a judge for one row, with the values in them; or the first variable without a value.
 *
 * @param steps  shared by the rows of a request. @default those of this row
 */
export function renderJudge(
  { messages, template_format: format, mapping }: LlmJudgeDefinition,
  row: EvaluatorRow,
  steps: TemplateSteps = TemplateSteps.ofCall(),
):
  | { readonly messages: readonly ModelMessage[]; readonly values: readonly unknown[] }
  | { readonly problem: EvaluatorProblem } {
  const values: Record<string, unknown> = Object.create(null)
  const rendered: ModelMessage[] = []
  let free = MAX_PROMPT
  for (const { role, content } of messages) {
    for (const name of listVariables(content, format)) {
      if (Object.hasOwn(values, name)) continue
      if (name === JUDGE_BOUNDARY && !Object.hasOwn(mapping, name)) {
        values[name] = newBoundary(row)
        continue
      }
      const found = readVariable(row, Object.hasOwn(mapping, name) ? mapping[name] : undefined, name)
      if ('problem' in found) return found
      values[name] = found.value
    }
    // Names inside of sections may be those of items, so only what is mapped is read, and it may have no value.
    for (const name of listOptionalVariables(content, format)) {
      if (Object.hasOwn(values, name) || !Object.hasOwn(mapping, name)) continue
      const found = readVariable(row, mapping[name], name)
      if (!('problem' in found)) values[name] = found.value
    }
    const result = renderTemplate(content, format, values, free, steps)
    if ('problem' in result) {
      const { code, message } = result.problem
      return {
        problem: aProblem(code === 'missing_variable' ? code : 'template', `In the ${role} message: ${message}`),
      }
    }
    free -= result.ok.length
    rendered.push({ role, content: result.ok })
  }
  return { messages: rendered, values: Object.values(values) }
}

function readVariable(
  row: EvaluatorRow,
  mapped: string | undefined,
  name: string,
): { readonly value: unknown } | { readonly problem: EvaluatorProblem } {
  const path = mapped ?? name
  const { run: _, ...values } = row
  const found = readValuePath(values, path)
  const isWhole = EVALUATOR_SOURCES.some((source) => source === path)
  const isMissing = 'problem' in found || (isWhole && found.value == null)
  if (!isMissing) return found
  const why = 'problem' in found ? found.problem : `the row has no ${path}`
  return { problem: aProblem('missing_variable', `The variable "${name}" has no value at ${path}: ${why}.`) }
}

const OUTPUT_NAME = 'evaluation'

/** Turns the feedback of a judge into the JSON schema of its answer: an object per key, with the reasoning before the value. */
export function toOutputSchema({
  feedback,
  reasoning,
}: Pick<LlmJudgeDefinition, 'feedback' | 'reasoning'>): Record<string, unknown> {
  const properties = feedback.map((one): [string, unknown] => {
    const members = {
      ...(reasoning && { reasoning: { type: 'string', description: 'Why this value is right, written before it.' } }),
      value: toValueSchema(one),
    }
    const described = one.description ? { description: one.description } : {}
    return [one.key, { ...described, ...anObject(members) }]
  })
  return anObject(Object.fromEntries(properties))
}

/** Strict modes of providers want every member required and no others. */
function anObject(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** Bounds are words: not every provider knows `minimum`. They are checked when the answer is read. */
function toValueSchema({ type, min, max, categories }: JudgeFeedback): Record<string, unknown> {
  if (type === 'boolean') return { type: 'boolean' }
  if (type === 'category') return { type: 'string', enum: (categories ?? []).map(({ label }) => label) }
  return { type: 'number', description: `From ${min ?? 0} to ${max ?? 1}.` }
}

/** The call of a judge for rendered messages. */
export function toJudgeCall(definition: LlmJudgeDefinition, messages: readonly ModelMessage[]): ModelCall {
  const { model, parameters } = definition
  const output_schema = { name: OUTPUT_NAME, schema: toOutputSchema(definition), strict: true }
  return { model, messages: [...messages], parameters: parameters ?? null, output_schema }
}

/** The same call for a provider that refuses schemas: the schema is part of the messages. */
export function withoutSchema(call: ModelCall): ModelCall {
  const schema = JSON.stringify(call.output_schema?.schema)
  const content = `Answer with a JSON object only, which matches this JSON schema: ${schema}`
  return { ...call, output_schema: null, messages: [...call.messages, { role: 'user', content }] }
}

/** Reads the answer of a judge; a problem names the path that does not fit. */
export function readReply(
  { feedback, reasoning }: Pick<LlmJudgeDefinition, 'feedback' | 'reasoning'>,
  reply: string,
): Outcome<EvaluatorScore[]> {
  const answer = parseReply(reply)
  if (answer === undefined) return { problem: `it is no JSON: ${shorten(reply)}` }
  if (!isRecord(answer)) return { problem: `it is ${describe(answer)}, not an object` }
  const scores: EvaluatorScore[] = []
  for (const one of feedback) {
    const score = readScore(one, reasoning, Object.hasOwn(answer, one.key) ? answer[one.key] : undefined)
    if ('problem' in score) return score
    scores.push(score.ok)
  }
  return { ok: scores }
}

function readScore(one: JudgeFeedback, reasoning: boolean, answer: unknown): Outcome<EvaluatorScore> {
  const { key } = one
  if (answer === undefined) return { problem: `"${key}" is missing` }
  if (!isRecord(answer)) return { problem: `"${key}" is ${describe(answer)}, not an object with "value"` }
  const { value, reasoning: reason } = answer
  const refuse = (wanted: string) => ({ problem: `"${key}.value" is ${describe(value)}, not ${wanted}` })
  if (reasoning && typeof reason !== 'string') {
    return { problem: `"${key}.reasoning" is ${describe(reason)}, not a text` }
  }
  const comment = reasoning && typeof reason === 'string' ? toStorable(reason) : null
  if (one.type === 'boolean') {
    return typeof value === 'boolean'
      ? { ok: { key, score: Number(value), value: null, comment } }
      : refuse('a boolean')
  }
  if (one.type === 'category') {
    const found = one.categories?.find(({ label }) => label === value)
    const labels = (one.categories ?? []).map(({ label }) => `"${label}"`).join(', ')
    return found ? { ok: { key, score: found.value, value: found.label, comment } } : refuse(`one of ${labels}`)
  }
  const [min, max] = [one.min ?? 0, one.max ?? 1]
  const isWithin = typeof value === 'number' && value >= min && value <= max
  return isWithin ? { ok: { key, score: value, value: null, comment } } : refuse(`a number from ${min} to ${max}`)
}

/** Models without schemas like to put JSON into a code block. */
function parseReply(reply: string): unknown {
  try {
    return JSON.parse(unwrapBlock(reply.trim()))
  } catch {
    return undefined
  }
}

/** Without a regular expression: the time of one grows faster than the length of a hostile reply. */
function unwrapBlock(reply: string): string {
  const firstLineEnd = reply.indexOf('\n')
  const isBlock = reply.startsWith('```') && reply.endsWith('```') && firstLineEnd > 0
  return isBlock ? reply.slice(firstLineEnd + 1, -'```'.length) : reply
}

/** A value as a message names it. */
export function describe(value: unknown): string {
  if (value === undefined) return 'missing'
  if (Array.isArray(value)) return 'a list'
  return isRecord(value) ? 'an object' : shorten(JSON.stringify(value))
}

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200).toWellFormed()}…` : text)
