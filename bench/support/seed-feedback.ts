import { openChdb } from '../../packages/server/src/storage/analytics/chdb.ts'
import { literal } from '../../packages/server/src/storage/analytics/sql.ts'

/** Adds two feedback records to every fifth root run of the store: a score and a label. */
export async function seedFeedback(directory: string): Promise<void> {
  const analytics = await openChdb(directory)
  try {
    await analytics.command(
      literal(`
      insert into run_feedback
        (tenant_id, run_id, key, id, session_id, trace_id, start_time, score, value, label, feedback_source, source_type,
         created_at, modified_at, version)
      select tenant_id, id, key, generateUUIDv4(), session_id, trace_id, start_time,
        if(key = 'correctness', sipHash64(id) % 101 / 100, null), if(key = 'tone', '"polite"', ''),
        if(key = 'tone', 'polite', ''), '{"type":"api"}', 'api', start_time, start_time, 1
      from runs final array join ['correctness', 'tone'] as key
      where parent_run_id is null and sipHash64(id) % 5 = 0`),
    )
  } finally {
    await analytics.close()
  }
}
