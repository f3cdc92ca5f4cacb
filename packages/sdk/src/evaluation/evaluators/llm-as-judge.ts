import type { KVMap } from '../../schemas.ts'
import { traceable } from '../../tracing/traceable/traceable.ts'
import type { EvaluationResult, EvaluatorArgs } from '../types.ts'
import { askProvider, type ProviderOptions, usageOf } from './provider.ts'
import { CORRECTNESS_RUBRIC } from './rubrics.ts'
import { type KeyedEvaluator, keyed, textOf } from './selection.ts'

export interface JudgeMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/**
 * What the judge may answer: yes or no (scored 1 and 0), a number within bounds, or one of several labels with their
 * scores (the label is kept as the feedback's value).
 */
export type JudgeScale =
  | { type: 'boolean' }
  | { type: 'number'; min: number; max: number }
  | { type: 'labels'; labels: Readonly<Record<string, number>> }

export interface LlmAsJudgeOptions extends ProviderOptions {
  /** @default "correctness" */
  key?: string | undefined
  /**
   * The rubric: a text with `{inputs}`, `{outputs}` and `{reference_outputs}`, or a function that writes the messages.
   *
   * @default CORRECTNESS_RUBRIC
   */
  prompt?: string | ((args: EvaluatorArgs) => JudgeMessage[]) | undefined
  /** Said before the rubric. */
  system?: string | undefined
  /** @default `{ type: 'boolean' }` */
  scale?: JudgeScale | undefined
  /** Has the judge reason before it scores; kept as the comment. @default true */
  reasoning?: boolean | undefined
  /** Left to the provider unless given: some models refuse it. */
  temperature?: number | undefined
}

/**
 * An evaluator that asks a model. The answer is bound to a JSON schema, so a judge cannot ramble past it; an answer that
 * does not fit is asked for once more. The call is recorded below the evaluator's run with the whole rubric and its usage.
 */
export function llmAsJudge(options: LlmAsJudgeOptions): KeyedEvaluator<Promise<EvaluationResult>> {
  const { key = 'correctness', prompt = CORRECTNESS_RUBRIC, scale = { type: 'boolean' } } = options
  const ask = tracedModel(options, scale)
  return keyed(key, async (args) => {
    const rubric =
      typeof prompt === 'function' ? prompt(args) : [{ role: 'user' as const, content: fill(prompt, args) }]
    const messages = options.system ? [{ role: 'system' as const, content: options.system }, ...rubric] : rubric
    const { verdict } = await ask({ messages }).catch((error: unknown) => {
      if (error instanceof UnusableAnswer) return ask({ messages })
      throw error
    })
    const { reasoning } = verdict
    return { key, ...scored(verdict, scale), ...(typeof reasoning === 'string' && { comment: reasoning }) }
  })
}

/** In one pass: what stands inside the inputs is never taken for a place to fill. */
function fill(prompt: string, { inputs, outputs, referenceOutputs }: EvaluatorArgs): string {
  const values: Record<string, unknown> = { inputs, outputs, reference_outputs: referenceOutputs }
  return prompt.replace(/\{(inputs|outputs|reference_outputs)\}/g, (_, name: string) => {
    const value = values[name]
    return value === undefined ? '(none)' : textOf(onlyText(value))
  })
}

function onlyText(value: unknown): unknown {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : []
  return members.length === 1 && typeof members[0] === 'string' ? members[0] : value
}

/** The model answered, and not in the form that was asked for. */
class UnusableAnswer extends Error {
  override name = 'UnusableAnswer'
}

function tracedModel(options: LlmAsJudgeOptions, scale: JudgeScale) {
  const json_schema = { name: 'verdict', strict: true, schema: schemaOf(scale, options.reasoning ?? true) }
  return traceable(
    async ({ messages }: { messages: JudgeMessage[] }) => {
      const answer = await askProvider(
        '/chat/completions',
        {
          messages,
          response_format: { type: 'json_schema', json_schema },
          ...(options.temperature !== undefined && { temperature: options.temperature }),
        },
        options,
      )
      const usage_metadata = usageOf(answer)
      const message = messageOf(answer)
      return { message, verdict: verdictOf(message, scale), ...(usage_metadata && { usage_metadata }) }
    },
    {
      name: options.model,
      run_type: 'llm',
      metadata: {
        ls_provider: options.provider ?? 'openai',
        ls_model_name: options.model,
        ls_model_type: 'chat',
        ...(options.temperature !== undefined && { ls_temperature: options.temperature }),
        ls_invocation_params: { response_format: { type: 'json_schema', json_schema } },
      },
    },
  )
}

function schemaOf(scale: JudgeScale, hasReasoning: boolean): KVMap {
  // Reasoning first: models write in the order of the schema, and a reason found after the grade only defends it.
  const properties = { ...(hasReasoning && { reasoning: { type: 'string' } }), score: scoreSchema(scale) }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

function scoreSchema(scale: JudgeScale): KVMap {
  if (scale.type === 'labels') return { type: 'string', enum: Object.keys(scale.labels) }
  if (scale.type === 'boolean') return { type: 'boolean' }
  // Bounds are said in words too: not every server's grammar enforces them.
  const { min, max } = scale
  return { type: 'number', minimum: min, maximum: max, description: `from ${min} to ${max}` }
}

interface ChatMessage {
  role?: string
  content?: string | null
  refusal?: string | null
}

function messageOf(answer: unknown): ChatMessage {
  const { choices } = answer as { choices?: { message?: ChatMessage }[] }
  const message = choices?.[0]?.message
  if (!message) throw new UnusableAnswer('The model gave no message.')
  if (message.refusal) throw new Error(`The model refused to judge: ${message.refusal}`)
  return message
}

interface Verdict {
  score: boolean | number | string
  reasoning?: unknown
}

function verdictOf({ content }: ChatMessage, scale: JudgeScale): Verdict {
  const unusable = new UnusableAnswer(`The model's verdict is not in the form asked for: ${content?.slice(0, 500)}`)
  let verdict: Partial<Verdict> | null
  try {
    // Servers that only imitate structured output like to fence it.
    verdict = JSON.parse((content ?? '').replace(/^\s*```(?:json)?|```\s*$/g, ''))
  } catch {
    throw unusable
  }
  const score = verdict?.score
  if (!isOnScale(score, scale)) throw unusable
  return { ...verdict, score }
}

function isOnScale(score: unknown, scale: JudgeScale): score is Verdict['score'] {
  if (scale.type === 'boolean') return typeof score === 'boolean'
  if (scale.type === 'labels') return typeof score === 'string' && Object.hasOwn(scale.labels, score)
  return typeof score === 'number' && score >= scale.min && score <= scale.max
}

function scored({ score }: Verdict, scale: JudgeScale): Pick<EvaluationResult, 'score' | 'value'> {
  if (scale.type === 'labels') return { score: scale.labels[String(score)]!, value: String(score) }
  return { score: Number(score) }
}
