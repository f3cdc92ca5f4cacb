import { parseTime, parseUuid, timeOfEpochMs } from '@touchstone/contract'
import { columnTime } from '../storage/analytics/sql.ts'
import { asRecord } from './cargo.ts'
import { membersOf } from './raw-json.ts'
import { BadRun } from './run-write.ts'

/** A row of the table `feedback`; JSON columns hold the text that came, '' when absent. */
export type StoredFeedback = Readonly<Record<string, unknown>> & { readonly run_id: string | null }

/**
 * Reads a feedback object that travelled with runs. Its ids are those inside the object, never the part's name.
 *
 * @throws BadRun with a sentence that names the field
 * @see contract/tracing.md §7.1
 */
export function normalizeFeedback(
  text: string,
  context: {
    readonly tenantId: string
    readonly nowMs: number
    readonly newId: () => string
    readonly version: number
  },
): StoredFeedback {
  const value = asRecord(parse(text))
  if (value === undefined) throw new BadRun('feedback is not a JSON object')
  if (typeof value.key !== 'string' || value.key === '' || value.key.length > 180) {
    throw new BadRun('feedback.key is not a string of 1 to 180 characters')
  }
  const members = membersOf(text)
  const json = (field: string) => (value[field] === undefined || value[field] === null ? '' : members.get(field)!)
  const id = (field: string) => optionalUuid(value[field], field)
  const now = columnTime(timeOfEpochMs(context.nowMs))
  const time = (field: string) => {
    const parsed = parseTime(value[field])
    return parsed === undefined ? undefined : columnTime(parsed)
  }
  return {
    tenant_id: context.tenantId,
    run_id: id('run_id'),
    id: id('id') ?? context.newId(),
    session_id: id('session_id'),
    trace_id: id('trace_id'),
    start_time: time('start_time') ?? null,
    key: value.key.toWellFormed(),
    score: scoreOf(value.score),
    value: json('value'),
    comment: typeof value.comment === 'string' ? value.comment.toWellFormed() : null,
    correction: json('correction'),
    feedback_source: json('feedback_source') || '{"type":"api"}',
    feedback_config: json('feedback_config') || json('feedbackConfig'),
    comparative_experiment_id: id('comparative_experiment_id'),
    feedback_group_id: id('feedback_group_id'),
    error: value.error === true ? 1 : 0,
    extra: json('extra'),
    created_at: time('created_at') ?? now,
    modified_at: time('modified_at') ?? now,
    version: context.version,
    is_deleted: 0,
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new BadRun(`feedback is not valid JSON: ${(error as SyntaxError).message.slice(0, 200)}`)
  }
}

function optionalUuid(value: unknown, field: string): string | null {
  if (value === undefined || value === null) return null
  const id = parseUuid(value)
  if (id === undefined) throw new BadRun(`feedback.${field} is not a valid uuid`)
  return id
}

function scoreOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined || value === null) return null
  if (typeof value === 'number') return value
  throw new BadRun('feedback.score is neither a number nor a boolean')
}
