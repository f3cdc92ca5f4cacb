import { ERROR_LINE } from '../error-expressions.ts'
import type { Migration } from '../migrate.ts'

const COLUMNS = `tenant_id, trace_id, start_time, id, session_id, parent_run_id, dotted_order, name, run_type, status,
        end_time, first_token_time, error_preview, model, tags,
        prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details,
        prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details,
        inputs_bytes, outputs_bytes, version, is_deleted`

const SELECTED = COLUMNS.replace('error_preview', 'error_line as error_preview')
  .replace('inputs_bytes', 'length(inputs) as inputs_bytes')
  .replace('outputs_bytes', 'length(outputs) as outputs_bytes')

/**
 * The message of each error in one line, without its stack trace, in lists and in run trees. Rows of run trees that have
 * the beginning of a stack trace are written again: of two rows with one version the later one counts.
 */
export const errorLines: Migration = {
  version: 9,
  name: 'error lines',
  statements: [
    `alter table runs add column if not exists error_line String default ${ERROR_LINE} codec(ZSTD(1))`,
    `alter table trace_runs_follow modify query select ${SELECTED} from runs`,
    `insert into trace_runs (${COLUMNS})
      select ${SELECTED} from runs prewhere error != '' where error_line != substringUTF8(error, 1, 300)`,
    'alter table runs materialize column error_line',
  ],
}
