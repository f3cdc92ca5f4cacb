import type { Migration } from '../migrate.ts'
import { REPORTED_COST } from './0039-reported-costs.ts'

/** Fees beside tokens, such as searches, are in a cost that was reported. In one that was computed from a price they are missing. */
export const UNPRICED_FEES = 'if(has_fees and price_model_id is not null, toUInt64(1), null)'

const ADDED = `${REPORTED_COST} as reported_cost, ${UNPRICED_FEES} as unpriced_fees`

const TRACE_COLUMNS = `tenant_id, trace_id, start_time, id, session_id, parent_run_id, dotted_order, name, run_type, status,
        end_time, first_token_time, error_line as error_preview, model, tags,
        prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details,
        prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details,
        length(inputs) as inputs_bytes, length(outputs) as outputs_bytes, version, is_deleted, ${ADDED}, arrival`

const USAGE_COLUMNS = `tenant_id, session_id, start_time, id, trace_id, parent_run_id, run_type = 'llm' as is_llm,
        prompt_tokens, completion_tokens, total_tokens, prompt_cost, completion_cost, total_cost, version, is_deleted, ${ADDED}`

const HAS_USAGE = 'prompt_tokens completion_tokens total_tokens prompt_cost completion_cost total_cost'
  .split(' ')
  .map((column) => `${column} is not null`)
  .join(' or ')

/**
 * Model calls whose cost is without their fees, so that each sum of costs says how many it contains. Of runs that were stored
 * before, this is not known until they are written again.
 */
export const unpricedFees: Migration = {
  version: 43,
  name: 'unpriced fees',
  statements: [
    'alter table runs add column if not exists has_fees UInt8 default 0',
    'alter table trace_runs add column if not exists unpriced_fees Nullable(UInt64)',
    'alter table project_usage add column if not exists unpriced_fees Nullable(UInt64)',
    `alter table trace_runs_follow modify query select ${TRACE_COLUMNS} from runs`,
    `alter table project_usage_follow modify query select ${USAGE_COLUMNS} from runs where ${HAS_USAGE}`,
  ],
}
