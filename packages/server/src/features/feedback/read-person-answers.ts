import type { Deps } from '../../deps.ts'
import { join, sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, nullable, number, type RowOf, text } from '../../storage/rows.ts'
import { NO_RUN } from './feedback-row.ts'

const PERSON_ANSWER = columns({
  /** Id of the run, or `printThreadSubject` of the thread. */
  subject: text,
  key: text,
  /** Id of the person or key; '' for anonymous callers of an open server. */
  author_id: text,
  score: nullable(number),
  label: text,
})

/** What one person answered under one key about one run or thread, in the app. */
export type PersonAnswer = RowOf<typeof PERSON_ANSWER>

interface Thread {
  readonly projectId: string
  readonly threadId: string
}

/** A thread as the subject of an answer. */
export const printThreadSubject = ({ projectId, threadId }: Thread) => `${projectId} ${threadId}`

interface WantedAnswers {
  readonly runIds: readonly string[]
  readonly threads: readonly Thread[]
  readonly keys: readonly string[]
}

/** The latest score or label of each person, by subject and key. Feedback of a comparison is omitted. */
export async function readPersonAnswers(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  { runIds, threads, keys }: WantedAnswers,
): Promise<PersonAnswer[]> {
  const onThread = sql`concat(ifNull(toString(session_id), ''), ' ', feedback_thread_id)`
  const subjects = [
    ...(runIds.length > 0 ? [sql`run_id in ${uuids(runIds)}`] : []),
    ...(threads.length > 0
      ? [
          sql`(run_id = ${uuid(NO_RUN)} and session_id in ${uuids(threads.map(({ projectId }) => projectId))}
            and ${onThread} in ${texts(threads.map(printThreadSubject))})`,
        ]
      : []),
  ]
  if (subjects.length === 0 || keys.length === 0) return []
  return analytics.query(
    sql`
      select subject, key, author_id, argMax(tuple(score), (modified_at, id)).1 as score, argMax(label, (modified_at, id)) as label
      from (
        select if(run_id = ${uuid(NO_RUN)}, ${onThread}, toString(run_id)) as subject, key,
          JSONExtractString(feedback_source, 'user_id') as author_id, score, label, modified_at, id
        from run_feedback final
        where tenant_id = ${uuid(tenantId)} and (${join(subjects, ' or ')}) and key in ${texts(keys)}
          and source_type = 'app' and comparative_experiment_id is null and (score is not null or label != ''))
      group by subject, key, author_id
      order by subject, key, author_id`,
    PERSON_ANSWER,
  )
}
