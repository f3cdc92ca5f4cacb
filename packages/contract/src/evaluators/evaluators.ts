import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { historyPage, strictPage } from '../wire/page.ts'
import { BODY_LIMITS, describeRoutes } from '../wire/route.ts'
import { repairedText } from '../wire/text.ts'
import { EvaluatorDefinition, EvaluatorKind, MAX_EVALUATOR_VERSIONS } from './definitions.ts'
import { EvaluatorAgreement, EvaluatorAgreementRequest, EvaluatorPreview, EvaluatorPreviewAnswer } from './results.ts'

/*
 * Evaluators that this server runs: versioned, with a definition that it understands. `/platform/evaluators` shows them to
 * public clients, among records of evaluators that the server does not run.
 */

/** Most evaluators of a workspace. */
export const MAX_SAVED_EVALUATORS = 1000

export const SavedEvaluator = z.object({
  id: z.string(),
  tenant_id: z.string(),
  /** Unique in the workspace. */
  name: z.string(),
  description: z.string(),
  kind: EvaluatorKind,
  /** Number of the newest version; versions count from 1. */
  version: z.int(),
  /** Feedback keys of the newest version; empty for JavaScript that names none. */
  keys: z.array(z.string()),
  created_at: z.string(),
  /** Of the newest version, or of the change of its name. */
  modified_at: z.string(),
  /** Name of the person or key that created it; null on an open server. */
  created_by: z.string().nullable(),
})
export type SavedEvaluator = z.infer<typeof SavedEvaluator>

/** A version never changes. */
export const SavedEvaluatorVersion = z.object({
  evaluator_id: z.string(),
  version: z.int(),
  definition: EvaluatorDefinition,
  /** What changed. */
  note: z.string(),
  created_at: z.string(),
  created_by: z.string().nullable(),
})
export type SavedEvaluatorVersion = z.infer<typeof SavedEvaluatorVersion>

const fields = {
  name: repairedText(200).trim().min(1, 'is empty'),
  description: repairedText(5000),
  note: repairedText(2000),
}

export const SavedEvaluatorCreate = z.object({
  name: fields.name,
  description: fields.description.nullish(),
  definition: EvaluatorDefinition,
  /** Of the first version. */
  note: fields.note.nullish(),
})
export type SavedEvaluatorCreate = z.output<typeof SavedEvaluatorCreate>

/** Absent and null mean unchanged. */
export const SavedEvaluatorUpdate = z.object({
  name: fields.name.nullish(),
  description: fields.description.nullish(),
  /** What the change is based on, field by field: 409 when a field has another value by now; its problems name these fields. */
  expected: z.object({ name: z.string(), description: z.string() }).partial().nullish(),
})
export type SavedEvaluatorUpdate = z.output<typeof SavedEvaluatorUpdate>

export const SavedEvaluatorVersionCreate = z.object({
  /** Of the same kind as the versions before. */
  definition: EvaluatorDefinition,
  /** The newest version that the change is based on; another newest version is answered with 409. */
  expected_version: z.int().min(1),
  note: fields.note.nullish(),
})
export type SavedEvaluatorVersionCreate = z.output<typeof SavedEvaluatorVersionCreate>

const tag = 'evaluators'
const extension = true
const params = z.object({ evaluator_id: Uuid })
const maxBodyBytes = BODY_LIMITS.record

export const savedEvaluatorRoutes = describeRoutes(routes.savedEvaluators, tag, {
  list: {
    extension,
    summary: 'Evaluators that the server runs, by name',
    query: z.object({
      kind: EvaluatorKind.optional(),
      /** Part of the name or the description. */
      search: z.string().max(1000).optional(),
      ...strictPage,
    }),
    answer: z.object({ evaluators: z.array(SavedEvaluator), total: z.int() }),
  },
  create: {
    extension,
    summary: 'Save an evaluator with its first version; 409 for a name that is taken',
    body: SavedEvaluatorCreate,
    maxBodyBytes,
    status: 201,
    answer: SavedEvaluator,
  },
  preview: {
    extension,
    summary: 'Run a definition over up to five rows; nothing is stored',
    body: EvaluatorPreview,
    maxBodyBytes,
    answer: EvaluatorPreviewAnswer,
  },
  read: { extension, summary: 'One evaluator', params, answer: SavedEvaluator },
  update: {
    extension,
    summary: 'Change name and description; the definition changes with a new version',
    params,
    body: SavedEvaluatorUpdate,
    answer: SavedEvaluator,
  },
  delete: {
    extension,
    summary: 'Delete an evaluator with its versions; feedback that it gave stays',
    params,
    status: 204,
  },
  listVersions: {
    extension,
    summary: 'Versions of an evaluator, newest first',
    params,
    query: z.object(historyPage),
    answer: z.object({ versions: z.array(SavedEvaluatorVersion), total: z.int() }),
  },
  createVersion: {
    extension,
    summary: 'Add a version; 409 when expected_version is not the newest',
    params,
    body: SavedEvaluatorVersionCreate,
    maxBodyBytes,
    status: 201,
    answer: SavedEvaluatorVersion,
  },
  readVersion: {
    extension,
    summary: 'One version',
    params: z.object({
      evaluator_id: Uuid,
      version: z.coerce.number().pipe(z.int().min(1).max(MAX_EVALUATOR_VERSIONS)),
    }),
    answer: SavedEvaluatorVersion,
  },
  agreement: {
    extension,
    summary: 'Compare an evaluator with scores of people on the runs of an experiment; nothing is stored',
    params,
    body: EvaluatorAgreementRequest,
    answer: EvaluatorAgreement,
  },
})
