import { z } from 'zod'
import { MAX_EVALUATOR_KEYS } from '../../evaluators/definitions.ts'
import { FeedbackKey } from '../../feedback/feedback.ts'
import { Uuid } from '../../wire/ids.ts'
import { identifierText, repairedText } from '../../wire/text.ts'
import { isStorableJson } from './run-rules.ts'

export const DECISION_PROVIDERS = ['typesafe', 'typesafe_compatible', 'openai_decisions'] as const

const Words = repairedText(2000)
const Label = repairedText(200).min(1, 'is empty')

const Question = z
  .looseObject({
    instructions: repairedText(4000),
    /** `noul`: yes or no, as 1 or 0. `choice`: one of the options. `score`: one of the levels, scored by position. */
    type: z.enum(['noul', 'choice', 'score']),
    /** What the answers mean; both or neither. */
    yes: Words.nullish(),
    no: Words.nullish(),
    /** Names, or names with descriptions. */
    options: z.union([z.array(Label).min(2).max(50), z.record(Label, Words.nullable())]).nullish(),
    /** Names, the lowest first. */
    levels: z.array(Label).min(2).max(10).nullish(),
  })
  .superRefine(({ type, yes, no, options, levels }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if ((yes == null) !== (no == null)) refuse('yes', 'and "no" are given together, or neither')
    if (type === 'choice' && options == null) refuse('options', 'is required for a choice')
    const count = Array.isArray(options) ? options.length : Object.keys(options ?? {}).length
    if (options != null && (count < 2 || count > 50)) refuse('options', 'needs 2 to 50 names on this server')
    if (type === 'score' && levels == null) refuse('levels', 'is required for a score')
  })
export type DecisionQuestion = z.output<typeof Question>

/** A judge that answers several questions about each run, each under its own feedback key. */
const DecisionModelCreateShape = z
  .looseObject({
    display_name: repairedText(200).trim().min(1, 'is empty'),
    /** Pairs of role and template. */
    prompt: z.array(z.array(z.unknown()).length(2)).min(1).max(50),
    /** By feedback key, in the order to ask them. */
    questions: z
      .record(FeedbackKey, Question)
      .refine((questions) => Object.keys(questions).length >= 1, { error: 'has no question' })
      .refine((questions) => Object.keys(questions).length <= MAX_EVALUATOR_KEYS, {
        error: `has more than ${MAX_EVALUATOR_KEYS} questions`,
      }),
    /** @default the only provider of the workspace */
    provider: z.enum(DECISION_PROVIDERS).nullish(),
    model: identifierText(300).nullish(),
    base_url: z.string().max(2000).nullish(),
    session_id: Uuid.nullish(),
    dataset_id: Uuid.nullish(),
    filter: z.string().max(100_000).nullish(),
    group_by: z.literal('thread_id').nullish(),
    sampling_rate: z.number().min(0).max(1).default(1),
    template_format: z.enum(['mustache', 'f-string']).nullish(),
    variable_mapping: z.record(identifierText(200), z.string().max(1000)).nullish(),
  })
  .refine(isStorableJson, { error: 'holds NUL or half a surrogate pair' })
type DecisionModelCreateFields = z.output<typeof DecisionModelCreateShape>
/** Named, so that types of routes stay short. */
export interface DecisionModelCreate extends DecisionModelCreateFields {}
export const DecisionModelCreate: z.ZodType<DecisionModelCreate> = DecisionModelCreateShape
