import type { Deps } from '../../deps.ts'
import { sql, texts, uuid, uuids } from '../../storage/analytics/sql.ts'
import { columns, nullable, number, type RowOf, text } from '../../storage/rows.ts'

const PERSON_ANSWER = columns({
  run_id: text,
  key: text,
  /** Id of the person or key; '' for anonymous callers of an open server. */
  author_id: text,
  score: nullable(number),
  label: text,
})

/** What one person answered under one key about one run, in the app. */
export type PersonAnswer = RowOf<typeof PERSON_ANSWER>

/** The latest score or label of each person, by run and key. Feedback of a comparison is omitted. */
export function readPersonAnswers(
  { analytics }: Pick<Deps, 'analytics'>,
  tenantId: string,
  wanted: { readonly runIds: readonly string[]; readonly keys: readonly string[] },
): Promise<PersonAnswer[]> {
  return analytics.query(
    sql`
      select run_id, key, author_id, argMax(tuple(score), (modified_at, id)).1 as score, argMax(label, (modified_at, id)) as label
      from (
        select run_id, key, JSONExtractString(feedback_source, 'user_id') as author_id, score, label, modified_at, id
        from run_feedback final
        where tenant_id = ${uuid(tenantId)} and run_id in ${uuids(wanted.runIds)} and key in ${texts(wanted.keys)}
          and source_type = 'app' and comparative_experiment_id is null and (score is not null or label != ''))
      group by run_id, key, author_id
      order by run_id, key, author_id`,
    PERSON_ANSWER,
  )
}
