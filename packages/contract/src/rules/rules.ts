import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage, strictPage } from '../wire/page.ts'
import { describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { RuleBackfill, RuleBackfillCreate, RuleBackfillUpdate } from './backfills.ts'
import { RuleCounts, RuleDecision, RuleExplanation, RuleFunnel, RuleState, RuleWindow } from './decisions.ts'
import { RuleDefinition } from './definition.ts'
import { RuleSpend } from './spend.ts'
import { RuleDryRun, RuleForecast, RuleTry, RuleTryResult } from './trials.ts'

/** Most rules of a workspace. */
export const MAX_RULES = 200
/** Most versions of one rule. */
export const MAX_RULE_VERSIONS = 1000

/** Why a rule does not act until a user changes something. */
export const RULE_BLOCKS = [
  'provider_missing',
  'provider_key_refused',
  'model_unknown',
  /** A spend limit needs prices. */
  'model_unpriced',
  'spending_limit',
  'evaluator_missing',
  'target_missing',
  'mapping_invalid',
  'filter_invalid',
  'too_many_failures',
] as const
export const RuleBlockReason = z.enum(RULE_BLOCKS)
export type RuleBlockReason = z.infer<typeof RuleBlockReason>

export const Rule = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Unique in the workspace. */
  name: z.string(),
  description: z.string(),
  is_enabled: z.boolean(),
  /** Number of the newest version; versions count from 1. */
  version: z.int(),
  /** Of the newest version. */
  definition: RuleDefinition,
  /** Null while the rule acts. What waits is done when the block ends. */
  blocked: z
    .object({
      reason: RuleBlockReason,
      /** What failed and how to mend it. */
      message: z.string(),
      since: z.string(),
    })
    .nullable(),
  /** When the rule last looked for runs; null before the first time. */
  looked_at: z.string().nullable(),
  created_at: z.string(),
  /** Of the newest version, or of the change of its name or state. */
  modified_at: z.string(),
  /** Name of the user or key that created it; null on an open server. */
  created_by: z.string().nullable(),
})
export type Rule = z.infer<typeof Rule>

/** A version never changes. */
export const RuleVersion = z.object({
  rule_id: z.string(),
  version: z.int(),
  definition: RuleDefinition,
  created_at: z.string(),
  created_by: z.string().nullable(),
})
export type RuleVersion = z.infer<typeof RuleVersion>

const fields = {
  name: repairedText(200).trim().min(1, 'is empty'),
  description: repairedText(5000),
}

const ActingDefinition = RuleDefinition.refine(({ actions }) => actions.length > 0, {
  path: ['actions'],
  error: 'Give an action.',
})

export const RuleCreate = z.object({
  name: fields.name,
  description: fields.description.nullish(),
  /** @default true */
  is_enabled: z.boolean().nullish(),
  definition: ActingDefinition,
})
export type RuleCreate = z.output<typeof RuleCreate>

/** Absent and null mean unchanged. */
export const RuleUpdate = z.object({
  name: fields.name.nullish(),
  description: fields.description.nullish(),
  /** True also ends a block: the rule tries again. */
  is_enabled: z.boolean().nullish(),
  /** Makes a new version. Runs that an earlier version looked at are not looked at again. */
  definition: ActingDefinition.nullish(),
  /** The newest version that the change is based on; another newest version is refused with 409. */
  expected_version: z.int().min(1).nullish(),
})
export type RuleUpdate = z.output<typeof RuleUpdate>

const tag = 'rules'
const extension = true
const params = z.object({ rule_id: Uuid })

export const ruleRoutes = describeRoutes(routes.rules, tag, {
  list: {
    extension,
    summary: 'Rules of the workspace, by name',
    query: z.object({
      /** Rules that look at this project. */
      project_id: Uuid.optional(),
      /** Rules on experiments of this dataset. */
      dataset_id: Uuid.optional(),
      /** Part of the name or the description. */
      search: z.string().max(1000).optional(),
      ...strictPage,
    }),
    answer: z.object({ rules: z.array(Rule), total: z.int() }),
  },
  create: {
    extension,
    summary: 'Create a rule; 409 for a name that is taken. It looks at runs that arrive from now on',
    body: RuleCreate,
    status: 201,
    answer: Rule,
  },
  read: { extension, summary: 'One rule', params, answer: Rule },
  update: {
    extension,
    summary: 'Change a rule, pause it, or let it act again',
    params,
    body: RuleUpdate,
    answer: Rule,
  },
  delete: {
    extension,
    summary: 'Delete a rule with its decisions; what it did stays',
    params,
    status: 204,
  },
  listVersions: {
    extension,
    summary: 'Versions of a rule, newest first',
    params,
    query: z.object(historyPage),
    answer: z.object({ versions: z.array(RuleVersion), total: z.int() }),
  },
  listDecisions: {
    extension,
    summary: 'What a rule decided, newest first; decisions are kept for 90 days',
    params,
    query: z.object({
      state: RuleState.optional(),
      limit: strictPage.limit,
      /** Of the page before. */
      cursor: z.string().max(200).optional(),
    }),
    answer: z.object({ decisions: z.array(RuleDecision), next_cursor: z.string().nullable() }),
  },
  funnel: {
    extension,
    summary: 'Runs that a rule saw, matched, sampled and acted on',
    params,
    query: z.object({ window: RuleWindow.default('24h') }),
    answer: RuleFunnel,
  },
  counts: {
    extension,
    summary: 'Decisions of each rule of the workspace within a window',
    query: z.object({ window: RuleWindow.default('24h') }),
    answer: z.object({ rules: z.array(RuleCounts.extend({ rule_id: z.string() })) }),
  },
  dryRun: {
    extension,
    summary: 'What a definition would do with the runs of a window, and what it would cost; nothing is stored',
    body: RuleDryRun,
    answer: RuleForecast,
  },
  try: {
    extension,
    summary: 'Run the evaluators of a definition on some runs; scores are returned and not stored',
    body: RuleTry,
    answer: RuleTryResult,
  },
  redo: {
    extension,
    summary: 'Act on matching runs, also again, with the newest version of a rule',
    params,
    body: z.object({ run_ids: z.array(Uuid).min(1).max(100) }),
    answer: z.object({
      /** Runs that wait for it now; those that do not match, or are not in the sample, are left out. */
      redone: z.int(),
    }),
  },
  spend: { extension, summary: 'What the evaluators of a rule have spent', params, answer: RuleSpend },
  listBackfills: {
    extension,
    summary: 'Backfills of a rule, newest first',
    params,
    query: z.object(historyPage),
    answer: z.object({ backfills: z.array(RuleBackfill), total: z.int() }),
  },
  createBackfill: {
    extension,
    summary: 'Let a rule act on runs of the past; 409 when too many backfills of it are open',
    params,
    body: RuleBackfillCreate,
    status: 201,
    answer: RuleBackfill,
  },
  updateBackfill: {
    extension,
    summary: 'Pause, resume or cancel a backfill; 409 when it has ended',
    params: params.extend({ backfill_id: Uuid }),
    body: RuleBackfillUpdate,
    answer: RuleBackfill,
  },
  explain: {
    extension,
    summary: 'What each rule decided about a run, and by which condition',
    params: z.object({ run_id: Uuid }),
    answer: z.object({ rules: z.array(RuleExplanation) }),
  },
})
