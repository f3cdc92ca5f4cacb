import { ApiError, Run } from '@touchstone/contract'

/** What an export holds unless it is told otherwise: what stays true of a run when it is read elsewhere. */
const DEFAULT = [
  'id',
  'trace_id',
  'parent_run_id',
  'session_id',
  'name',
  'run_type',
  'status',
  'start_time',
  'end_time',
  'first_token_time',
  'error',
  'inputs',
  'outputs',
  'extra',
  'tags',
  'reference_example_id',
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_cost',
  'completion_cost',
  'total_cost',
  'feedback_stats',
  'dotted_order',
] as const satisfies readonly (keyof Run)[]

export function fieldsOf(select: readonly string[] | null): readonly (keyof Run)[] {
  return select === null ? DEFAULT : ([...new Set(select)] as (keyof Run)[])
}

/** @throws ApiError INVALID_REQUEST naming the first field that runs do not have */
export function checkFields(select: readonly string[] | null): void {
  const unknown = select?.find((field) => !Object.hasOwn(Run.shape, field))
  if (unknown !== undefined) throw new ApiError('INVALID_REQUEST', `Runs have no field ${JSON.stringify(unknown)}.`)
}
