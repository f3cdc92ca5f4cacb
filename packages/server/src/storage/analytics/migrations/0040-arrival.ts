import type { Migration } from '../migrate.ts'

const TRACE_COLUMNS = `tenant_id, trace_id, start_time, id, session_id, parent_run_id, dotted_order, name, run_type, status,
        end_time, first_token_time, error_line as error_preview, model, tags,
        prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details,
        prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details,
        length(inputs) as inputs_bytes, length(outputs) as outputs_bytes, version, is_deleted,
        if(price_model_id is null, total_cost, null) as reported_cost, arrival`

/**
 * The version of the first row of a run. It orders siblings that start and end together, which the version of the newest row
 * does not: it grows with every change, of a tag or of a price. Of rows that were stored before, the newest version is known.
 */
export const arrival: Migration = {
  version: 40,
  name: 'arrival',
  statements: [
    'alter table runs add column if not exists arrival UInt64 default version codec(T64)',
    'alter table trace_runs add column if not exists arrival UInt64 default version',
    `alter table trace_runs_follow modify query select ${TRACE_COLUMNS} from runs`,
  ],
}
