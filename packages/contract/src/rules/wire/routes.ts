import { z } from 'zod'
import { EvaluatorScore } from '../../evaluators/results.ts'
import { ModelMessage, ModelTokens } from '../../models/calls.ts'
import * as routes from '../../routes.ts'
import { Uuid } from '../../wire/ids.ts'
import { JsonRecord } from '../../wire/json-record.ts'
import { clamped, QueryFlag, queryList } from '../../wire/page.ts'
import { describeRoutes } from '../../wire/route.ts'
import { DecisionModelCreate } from './decision-models.ts'
import { RunRuleLog, RunRuleLogQuery } from './logs.ts'
import { RunRule, RunRuleCreate, RunRuleUpdate, StructuredEvaluator } from './run-rules.ts'

const listed = {
  id: queryList(Uuid),
  dataset_id: Uuid.optional(),
  evaluator_id: Uuid.optional(),
  name_contains: z.string().max(1000).optional(),
  /** This server has no tags of projects and datasets, so a tag selects nothing. */
  tag_value_id: queryList(z.string().max(1000)),
  include_backfill_progress: QueryFlag.default(false),
}

export const RunRuleListQuery = z.object({
  ...listed,
  session_id: Uuid.optional(),
  type: z.enum(['session', 'dataset']).optional(),
})
export type RunRuleListQuery = z.output<typeof RunRuleListQuery>

/** A judge of a rule, and values to try it on. */
export const RunRuleValidate = z.looseObject({
  evaluators: z
    .array(z.looseObject({ structured: StructuredEvaluator }))
    .min(1)
    .max(10),
  group_by: z.string().max(50).nullish(),
  session_id: Uuid.nullish(),
  test_inputs: JsonRecord.nullish(),
  test_outputs: JsonRecord.nullish(),
  test_reference_outputs: JsonRecord.nullish(),
  /** With `group_by: "thread_id"` and `session_id`: the thread whose turns are judged. */
  test_thread_id: z.string().max(1000).nullish(),
})
export type RunRuleValidate = z.output<typeof RunRuleValidate>

const params = z.object({ rule_id: Uuid })
const tag = 'rules'

export const runRuleRoutes = describeRoutes(routes.runRules, tag, {
  list: { summary: 'Rules in the form of the public clients', query: RunRuleListQuery, answer: z.array(RunRule) },
  create: {
    summary: 'Create a rule; evaluators inside of it become evaluators of the workspace. 422 names what is missing',
    body: RunRuleCreate,
    answer: RunRule,
  },
  createDecisionModel: {
    summary: 'Create a rule whose judge answers several questions, each under its feedback key',
    body: DecisionModelCreate,
    answer: RunRule,
  },
  validate: {
    summary: 'Run the first judge of a rule on given values; nothing is stored',
    body: RunRuleValidate,
    answer: z.object({
      results: z.array(EvaluatorScore),
      rendered_prompt: z.array(ModelMessage).nullable(),
      usage: ModelTokens.nullable(),
      cost_usd: z.number().nullable(),
      /** Why there is no result. */
      problem: z.string().nullable(),
    }),
  },
  triggerMany: {
    summary: 'Let rules try again now; a block of theirs ends',
    body: z.object({ rule_ids: z.array(Uuid).min(1).max(100) }),
    answer: z.object({ triggered: z.array(z.string()) }),
  },
  read: { extension: true, summary: 'One rule', params, answer: RunRule },
  update: { summary: 'Change a rule', params, body: RunRuleUpdate, answer: RunRule },
  delete: {
    summary: 'Delete a rule with its decisions; what it did stays',
    params,
    answer: z.object({ message: z.string() }),
  },
  logs: { summary: 'What a rule decided, newest first', params, query: RunRuleLogQuery, answer: z.array(RunRuleLog) },
  lastApplied: {
    summary: 'The newest decision of a rule; 404 before the first',
    params,
    query: z.object({ backfill: QueryFlag.default(false) }),
    answer: RunRuleLog,
  },
  trigger: { summary: 'Let a rule try again now; a block ends', params, answer: RunRule },
})

export const runRuleV2Routes = describeRoutes(routes.runRulesV2, tag, {
  list: {
    summary: 'Rules by pages; enumerations in capitals, and the project as project_id',
    query: z.object({
      ...listed,
      project_id: Uuid.optional(),
      type: z.enum(['PROJECT', 'DATASET']).optional(),
      page_size: clamped(1, 100, 20),
      cursor: z.string().max(200).optional(),
    }),
    answer: z.object({ items: z.array(z.record(z.string(), z.unknown())), next_cursor: z.string().nullable() }),
  },
})
