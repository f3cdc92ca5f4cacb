import { listVariables, parseValuePath } from '@touchstone/formats/templates'
import { z } from 'zod'
import { FeedbackKey } from '../feedback/feedback.ts'
import { ModelParameters } from '../models/calls.ts'
import { Uuid } from '../wire/ids.ts'
import { identifierText, repairedText } from '../wire/text.ts'

/** A judge: a model with a prompt; or a JavaScript function that the server runs in a sandbox. */
export const EVALUATOR_KINDS = ['llm_judge', 'javascript'] as const
export const EvaluatorKind = z.enum(EVALUATOR_KINDS)
export type EvaluatorKind = z.infer<typeof EvaluatorKind>

/** Characters of a JavaScript source. */
export const MAX_EVALUATOR_SOURCE = 200_000
/** Most versions of an evaluator. */
export const MAX_EVALUATOR_VERSIONS = 1000
/** Characters of all messages of a judge. */
export const MAX_JUDGE_PROMPT = 500_000
/** Most feedback keys of one evaluator. */
export const MAX_EVALUATOR_KEYS = 10
/** Milliseconds that a JavaScript evaluator may run for one row. */
export const MAX_EVALUATOR_TIMEOUT_MS = 5000
export const DEFAULT_EVALUATOR_TIMEOUT_MS = 1000

/** What a judge answers under one key. */
export const JudgeFeedback = z
  .object({
    key: FeedbackKey,
    type: z.enum(['number', 'boolean', 'category']),
    /** Bounds of a number. @default 0 */
    min: z.number().nullish(),
    /** @default 1 */
    max: z.number().nullish(),
    /** What a category is called, and the score that it stands for. */
    categories: z
      .array(z.object({ label: repairedText(200).min(1, 'is empty'), value: z.number() }))
      .min(2)
      .max(50)
      .nullish(),
    /** Tells the model what to judge; part of the output schema. */
    description: repairedText(5000).nullish(),
  })
  .superRefine((given, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    const { type, categories } = given
    if (type === 'category' && categories == null) refuse('categories', 'is required for a category')
    if (type !== 'category' && categories != null) refuse('categories', `is not for a ${type}`)
    if (new Set(categories?.map(({ label }) => label)).size < (categories?.length ?? 0)) {
      refuse('categories', 'has a label twice')
    }
    if (type === 'number' && (given.min ?? 0) >= (given.max ?? 1)) refuse('max', 'is not greater than min')
    if (type !== 'number' && (given.min != null || given.max != null)) refuse('min', `and max are not for a ${type}`)
  })
export type JudgeFeedback = z.output<typeof JudgeFeedback>

/**
 * The variable of a judge's messages that is a random text of each call. Lines of it around judged values cannot be written by
 * these values, which do not know it. A mapping of this name has priority.
 */
export const JUDGE_BOUNDARY = 'boundary'

/**
 * Values that a mapping reads from. `steps` are the runs of the trace and `turns` those of the thread, oldest first, of rules
 * on traces and on threads; elsewhere they have no value.
 */
export const EVALUATOR_SOURCES = ['inputs', 'outputs', 'reference_outputs', 'steps', 'turns'] as const

const MappingPath = identifierText(1000).refine(
  (path) => EVALUATOR_SOURCES.some((source) => source === parseValuePath(path)?.[0]),
  'is no path such as outputs, inputs.question, inputs.messages[0].content or inputs["a key"]',
)

export const JudgeMessage = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  /** A template. */
  content: repairedText(MAX_JUDGE_PROMPT),
})
export type JudgeMessage = z.output<typeof JudgeMessage>

const hasUniqueKeys = (keys: readonly string[]) => new Set(keys).size === keys.length

export const LlmJudgeDefinition = z.object({
  kind: z.literal('llm_judge'),
  /** A model provider of the workspace. */
  provider_id: Uuid,
  model: identifierText(300).min(1, 'is empty'),
  parameters: ModelParameters.nullish(),
  messages: z.array(JudgeMessage).min(1).max(50),
  /** @default mustache */
  template_format: z.enum(['mustache', 'f-string']).default('mustache'),
  /**
   * Variable of the messages → path of its value. `EVALUATOR_SOURCES` need none: they are variables themselves, and so is
   * `boundary`, a random text of each call. A value that is not a string becomes JSON text.
   */
  mapping: z
    .record(identifierText(200).min(1), MappingPath)
    .refine((mapping) => Object.keys(mapping).length <= 100, { error: 'has more than 100 variables' })
    .default({}),
  feedback: z
    .array(JudgeFeedback)
    .min(1)
    .max(MAX_EVALUATOR_KEYS)
    .refine((feedback) => hasUniqueKeys(feedback.map(({ key }) => key)), { error: 'has a key twice' }),
  /** Whether the model explains each score first; the explanation is the comment of the feedback. @default true */
  reasoning: z.boolean().default(true),
})
export type LlmJudgeDefinition = z.output<typeof LlmJudgeDefinition>

/**
 * `source` defines `function evaluate({ inputs, outputs, reference_outputs, run, steps, turns })`. It returns, or promises, a number, a
 * boolean, `{ key, score, value, comment }` or a list of those. It has no access to network, files, timers or modules.
 */
export const JavascriptDefinition = z.object({
  kind: z.literal('javascript'),
  source: repairedText(MAX_EVALUATOR_SOURCE).min(1, 'is empty'),
  /** Keys that it may answer; the first is that of a number or boolean. @default any; without a name: the evaluator's */
  keys: z.array(FeedbackKey).max(MAX_EVALUATOR_KEYS).refine(hasUniqueKeys, { error: 'has a key twice' }).default([]),
  timeout_ms: z.int().min(10).max(MAX_EVALUATOR_TIMEOUT_MS).default(DEFAULT_EVALUATOR_TIMEOUT_MS),
})
export type JavascriptDefinition = z.output<typeof JavascriptDefinition>

/** How an evaluator judges one row. */
export const EvaluatorDefinition = z
  .discriminatedUnion('kind', [LlmJudgeDefinition, JavascriptDefinition])
  .superRefine((definition, context) => {
    if (definition.kind !== 'llm_judge') return
    const missing = listUnmappedVariables(definition)
    if (missing.length > 0) {
      const message = `has no path for the variable ${missing.map((name) => `"${name}"`).join(', ')}`
      context.addIssue({ code: 'custom', path: ['mapping'], message })
    }
    const characters = definition.messages.reduce((sum, { content }) => sum + content.length, 0)
    if (characters > MAX_JUDGE_PROMPT) {
      const message = `have more than ${MAX_JUDGE_PROMPT} characters together`
      context.addIssue({ code: 'custom', path: ['messages'], message })
    }
  })
export type EvaluatorDefinition = z.output<typeof EvaluatorDefinition>

/** Variables of a judge's messages that neither the mapping nor a value of the row fills. */
export function listUnmappedVariables({
  messages,
  template_format,
  mapping,
}: Pick<LlmJudgeDefinition, 'messages' | 'template_format' | 'mapping'>): string[] {
  const known = new Set<string>([...Object.keys(mapping), ...EVALUATOR_SOURCES, JUDGE_BOUNDARY])
  const used = new Set(messages.flatMap(({ content }) => listVariables(content, template_format)))
  return [...used].filter((name) => !known.has(name))
}
