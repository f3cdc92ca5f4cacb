import { RENDERED_FORMATS } from '@touchstone/formats/templates'
import { z } from 'zod'
import {
  ModelFinishReason,
  ModelMessage,
  ModelOutputSchema,
  ModelParameters,
  ModelProblem,
  ModelTokens,
  ModelTool,
  ModelToolChoice,
  RawModelReply,
  RawModelRequest,
} from '../models/calls.ts'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { JsonRecord } from '../wire/json-record.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { identifierText, repairedText } from '../wire/text.ts'

/** Most variants of a run or a job. */
export const MAX_PLAYGROUND_VARIANTS = 6
/** Most repetitions of a variant, for each example in a job. */
export const MAX_PLAYGROUND_REPEATS = 10
/** The project that receives runs of the playground when none is given. */
export const PLAYGROUND_PROJECT = 'playground'

const VariableName = z.string().min(1).max(200)

/** A message whose texts and image URLs are templates, or the place of a list of messages that a variable gives. */
export const PlaygroundMessage = z.discriminatedUnion('role', [
  ...ModelMessage.options,
  z.object({
    role: z.literal('placeholder'),
    variable: VariableName,
    /** Whether no value means no messages. */
    optional: z.boolean().default(false),
  }),
])
export type PlaygroundMessage = z.infer<typeof PlaygroundMessage>

/** The commit of a prompt from which a variant was made; `owner` is `-` for the own workspace. */
export const PlaygroundPrompt = z.object({
  owner: identifierText(255),
  repo: identifierText(255).min(1),
  commit: identifierText(64).min(1),
})
export type PlaygroundPrompt = z.infer<typeof PlaygroundPrompt>

/** One prompt with a model and its parameters. */
export const PlaygroundVariant = z.object({
  /** Unique in the request; experiments of a job are named after it. */
  name: repairedText(100).trim().min(1, 'is empty'),
  provider_id: Uuid,
  model: identifierText(300).min(1),
  template_format: z.enum(RENDERED_FORMATS).default('none'),
  messages: z.array(PlaygroundMessage).min(1).max(1000),
  tools: z.array(ModelTool).max(500).nullish(),
  tool_choice: ModelToolChoice.nullish(),
  /** The answer is checked against it. */
  output_schema: ModelOutputSchema.nullish(),
  parameters: ModelParameters.nullish(),
  /** Fields that are added to the body unchanged; `null` removes a field that was set. */
  extra_body: JsonRecord.nullish(),
  prompt: PlaygroundPrompt.nullish(),
})
export type PlaygroundVariant = z.output<typeof PlaygroundVariant>

export const PlaygroundVariants = z
  .array(PlaygroundVariant)
  .min(1)
  .max(MAX_PLAYGROUND_VARIANTS)
  .refine((variants) => new Set(variants.map(({ name }) => name)).size === variants.length, {
    error: 'two variants have the same name',
  })

/** Values of variables by name: texts, numbers, lists of messages and any other JSON. */
export const PlaygroundValues = JsonRecord.refine((values) => Object.keys(values).length <= 1000, {
  error: 'has more than 1000 variables',
})

export const PlaygroundRun = z.object({
  variants: PlaygroundVariants,
  variables: PlaygroundValues.default({}),
  repeats: z.int().min(1).max(MAX_PLAYGROUND_REPEATS).default(1),
  /** Name of the project that the runs are recorded in; it is created when it does not exist. */
  project: repairedText(255).trim().min(1, 'is empty').default(PLAYGROUND_PROJECT),
})
export type PlaygroundRun = z.output<typeof PlaygroundRun>

/** Where the answer does not match the schema of the variant. */
export const PlaygroundSchemaProblem = z.object({
  /** JSON pointer such as `/city/0`; empty for the whole answer. */
  path: z.string(),
  message: z.string(),
})
export type PlaygroundSchemaProblem = z.infer<typeof PlaygroundSchemaProblem>

/** The variant by its position in the request, and the repetition; both count from 0. */
const of = { variant: z.int().min(0), repeat: z.int().min(0) }
const assistant = ModelMessage.options[2]
const result = {
  tokens: ModelTokens.nullable(),
  /** US dollars; null when the model has no price or the provider counted no tokens. */
  cost: z.number().nullable(),
  /** Milliseconds of the call. */
  latency_ms: z.number(),
  /** Milliseconds until the first part of the answer; null without one. */
  first_token_ms: z.number().nullable(),
  /** Without the key and other secrets; null when nothing was sent. */
  raw_request: RawModelRequest.nullable(),
  raw_reply: RawModelReply.nullable(),
}

/**
 * An event of `POST /playground/runs`, one JSON text per `data:` line. For each variant and repetition: `started`, the
 * parts of the answer, then exactly one `finished` or `failed`. Events of several calls alternate.
 */
export const PlaygroundEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), ...of, run_id: z.string(), trace_id: z.string() }),
  z.object({ type: z.literal('text'), ...of, text: z.string() }),
  z.object({ type: z.literal('reasoning'), ...of, text: z.string() }),
  z.object({
    type: z.literal('tool_call'),
    ...of,
    /** Position among the tool calls of the answer; the parts of one call share it. */
    index: z.int(),
    id: z.string().optional(),
    name: z.string().optional(),
    /** The next characters of the arguments. */
    arguments: z.string().optional(),
  }),
  z.object({
    type: z.literal('finished'),
    ...of,
    message: assistant,
    ...result,
    finish_reason: ModelFinishReason,
    /** The provider's own word. */
    provider_finish_reason: z.string(),
    /** The model that answered, as the provider names it. */
    model: z.string().nullable(),
    /** Parameters that the wire format has no name for. */
    unsent_parameters: z.array(z.string()),
    /** Null when the answer matches, or without a schema. */
    schema_problem: PlaygroundSchemaProblem.nullable(),
  }),
  z.object({
    type: z.literal('failed'),
    ...of,
    problem: ModelProblem,
    /** Of the codes `missing_variable` and `invalid_template`: the variable. */
    variable: z.string().nullable(),
    /** The part of the answer that arrived; null without one. */
    message: assistant.nullable(),
    ...result,
  }),
])
export type PlaygroundEvent = z.infer<typeof PlaygroundEvent>

const tag = 'playground'
const extension = true

export const playgroundRoutes = describeRoutes(routes.playground, tag, {
  run: {
    extension,
    summary: 'Call models with prompts and stream the answers as server-sent events; a disconnect cancels the calls',
    body: PlaygroundRun,
    maxBodyBytes: BODY_LIMITS.record,
  },
})
