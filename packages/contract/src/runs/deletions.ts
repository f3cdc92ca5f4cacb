import { z } from 'zod'
import * as routes from '../routes.ts'
import { Uuid } from '../wire/ids.ts'
import { describeRoutes } from '../wire/route.ts'

const ofTraces = z.object({ session_id: Uuid, trace_ids: z.array(Uuid).min(1).max(1000) })

/** JSON rounds larger integers before they are read, to the id of another user. */
const ExactNumber = z.number().refine((value) => Math.abs(value) <= Number.MAX_SAFE_INTEGER, {
  error: 'is an integer that JSON rounds; send it as text',
})

const Scalar = z.union([z.string(), ExactNumber, z.boolean()])

/**
 * Either traces of a project, or every trace in which a run has all of the metadata given: the value of each key, or one
 * of its values where a list is given. The text of an integer that JSON would round also means the number.
 */
export const RunDeletion = z
  .object({
    session_id: Uuid.nullish(),
    trace_ids: z.array(Uuid).max(1000).nullish(),
    metadata: z.record(z.string(), z.union([Scalar, z.array(Scalar).min(1)])).nullish(),
    /** Counts what would be deleted, and deletes nothing. An extension of ours. @default false */
    dry_run: z.boolean().nullish(),
  })
  .refine(
    ({ session_id, trace_ids, metadata }) =>
      metadata ? Object.keys(metadata).length > 0 && !trace_ids?.length : Boolean(session_id && trace_ids?.length),
    { message: 'Give session_id with trace_ids, or metadata with at least one pair.' },
  )
export type RunDeletion = z.output<typeof RunDeletion>

/** What a deletion covers: whole traces, with all of their runs. */
export const DeletionCount = z.object({
  runs: z.int(),
  traces: z.int(),
  projects: z.int(),
  feedback: z.int(),
  /** Of the runs; null without runs. */
  first_start_time: z.string().nullable(),
  last_start_time: z.string().nullable(),
})
export type DeletionCount = z.infer<typeof DeletionCount>

export const DeletedRuns = z.object({
  message: z.string(),
  deleted_runs: z.int(),
  /** Id of the record of the rows removed from each store; null when no row was removed. */
  deletion_id: z.string().nullable(),
  /** Of `dry_run`. */
  found: DeletionCount.optional(),
})

const accepted = { status: 202, answer: DeletedRuns } as const

export const runDeletionRoutes = describeRoutes(routes.runDeletions, 'runs', {
  delete: {
    ...accepted,
    summary: 'Delete traces, by id or by metadata in all projects, with feedback and attachments; or count them',
    body: RunDeletion,
  },
  deleteTraces: {
    ...accepted,
    summary: 'Delete traces of a project with feedback and attachments',
    body: ofTraces,
  },
})
