import { literal } from '../../../storage/analytics/sql.ts'
import { column, type Scalar, TYPES } from './scalars.ts'

/** Fields of a run that stand in its row. */
export const RUN_COLUMNS: Readonly<Record<string, Scalar>> = {
  id: column('id', 'uuid', 'never'),
  trace_id: column('trace_id', 'uuid', 'never'),
  parent_run_id: column('parent_run_id', 'uuid', 'null'),
  session_id: column('session_id', 'uuid', 'never'),
  reference_example_id: column('reference_example_id', 'uuid', 'null'),
  thread_id: column('thread_id', 'text', 'empty'),
  name: column('name', 'text', 'never'),
  run_type: column('run_type', 'text', 'never'),
  status: column('status', 'text', 'never'),
  is_root: { ...column('is_root', 'flag', 'never'), value: literal('(parent_run_id is null)') },
  // 1 on roots, and nothing else means anything.
  execution_order: {
    ...column('execution_order', 'number', 'never'),
    value: literal('toFloat64(if(parent_run_id is null, 1, 2))'),
  },
  start_time: column('start_time', 'time', 'never'),
  end_time: column('end_time', 'time', 'null'),
  first_token_time: column('first_token_time', 'time', 'null'),
  latency: {
    value: literal("dateDiff('microsecond', start_time, end_time) / 1e6"),
    isAbsent: literal('end_time is null'),
    type: TYPES.number,
  },
  error: column('error', 'text', 'empty'),
  model: column('model', 'text', 'empty'),
  provider: column('provider', 'text', 'empty'),
}
