import { RUN_FIELDS_DEFAULT, type RunQuery } from '@touchstone/contract'
import { RawJson } from '../../http/raw-json.ts'
import { parseCursor } from './cursor.ts'
import type { LookUpDeps } from './look-up.ts'
import { presentRun } from './present.ts'
import { readViews } from './read-views.ts'
import { whereOf } from './where.ts'

/**
 * A page of runs, newest first unless asked otherwise. A query by trace answers the whole trace at once: clients build
 * the tree from it and break when a parent is missing.
 *
 * @throws ApiError INVALID_REQUEST on a foreign cursor, FilterError on a filter that cannot be read
 */
export async function queryRuns(deps: LookUpDeps, tenantId: string, query: RunQuery): Promise<RawJson> {
  const fields = fieldsOf(query.select ?? RUN_FIELDS_DEFAULT)
  const whole = Boolean(query.trace) && !query.id?.length
  const cursor = query.cursor && !whole ? parseCursor(query.cursor) : undefined
  const page = whole ? { all: query.order ?? 'desc' } : query
  const { views, next } = await readViews(deps, tenantId, whereOf(tenantId, query, cursor), fields, page)
  const texts = views.map((view) => presentRun(view, fields))
  const cursors = JSON.stringify({ next: (!query.skip_pagination && next) || null, prev: null })
  return new RawJson(`{"runs":[${texts.join(',')}],"cursors":${cursors},"search_cursors":null,"parsed_query":null}`)
}

/**
 * The selected fields, and what clients show of a run without selecting it: attachments, and the details of each total.
 * Published clients know the fields and leave them out of what they select.
 */
function fieldsOf(selected: readonly string[]): Set<string> {
  const fields = new Set([...selected, 's3_urls'])
  for (const [total, details] of Object.entries(DETAILS_OF)) if (fields.has(total)) fields.add(details)
  return fields
}

const DETAILS_OF = {
  prompt_tokens: 'prompt_token_details',
  completion_tokens: 'completion_token_details',
  prompt_cost: 'prompt_cost_details',
  completion_cost: 'completion_cost_details',
}
