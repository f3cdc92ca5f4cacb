import type { Migration } from '../migrate.ts'

/** Without a price, the cost of a run is the one that its client, provider or emitter reported. */
export const REPORTED_COST = 'if(price_model_id is null, total_cost, null)'

const TRACE_COLUMNS = `tenant_id, trace_id, start_time, id, session_id, parent_run_id, dotted_order, name, run_type, status,
        end_time, first_token_time, error_preview, model, tags,
        prompt_tokens, completion_tokens, total_tokens, prompt_token_details, completion_token_details,
        prompt_cost, completion_cost, total_cost, prompt_cost_details, completion_cost_details,
        inputs_bytes, outputs_bytes, version, is_deleted, reported_cost`

const USAGE_COLUMNS = `tenant_id, session_id, start_time, id, trace_id, parent_run_id, is_llm,
        prompt_tokens, completion_tokens, total_tokens, prompt_cost, completion_cost, total_cost, version, is_deleted,
        reported_cost`

/** Columns of the narrow tables that \`runs\` does not have. */
const DERIVED: Readonly<Record<string, string>> = {
  error_preview: 'error_line as error_preview',
  inputs_bytes: 'length(inputs) as inputs_bytes',
  outputs_bytes: 'length(outputs) as outputs_bytes',
  is_llm: "run_type = 'llm' as is_llm",
  reported_cost: `${REPORTED_COST} as reported_cost`,
}

const select = (columns: string) => `select ${columns.replaceAll(/\w+/g, (name) => DERIVED[name] ?? name)} from runs`
const HAS_USAGE = 'prompt_tokens completion_tokens total_tokens prompt_cost completion_cost total_cost'
  .split(' ')
  .map((column) => `${column} is not null`)
  .join(' or ')
const HAS_REPORTED_COST = 'price_model_id is null and total_cost is not null'

/**
 * The reported part of each cost, where costs are summed: sums say how much of them was reported. Rows with such a cost are
 * written again; of two rows with one version the later one counts. `runs` has the price itself. It is read without `final`,
 * so that payloads are read only near such rows: an older version of a run loses in these tables too.
 */
export const reportedCosts: Migration = {
  version: 39,
  name: 'reported costs',
  statements: [
    'alter table trace_runs add column if not exists reported_cost Nullable(Decimal(38, 18))',
    'alter table project_usage add column if not exists reported_cost Nullable(Decimal(38, 18))',
    `alter table trace_runs_follow modify query ${select(TRACE_COLUMNS)}`,
    `alter table project_usage_follow modify query ${select(USAGE_COLUMNS)} where ${HAS_USAGE}`,
    `insert into trace_runs (${TRACE_COLUMNS}) ${select(TRACE_COLUMNS)} prewhere ${HAS_REPORTED_COST}`,
    `insert into project_usage (${USAGE_COLUMNS}) ${select(USAGE_COLUMNS)} prewhere ${HAS_REPORTED_COST}`,
  ],
}
