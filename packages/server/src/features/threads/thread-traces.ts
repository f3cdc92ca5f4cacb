import { RUN_TYPES, type RunSelect, THREAD_TRACE_SELECTS, type ThreadTraceSelect } from '@touchstone/contract'
import { RawJson } from '../../http/serve.ts'
import { parseCursor, presentField, type RunView, type RunViewDeps, readRunViews } from '../runs/index.ts'
import { printNextCursor, SELECT_FIELDS } from '../runs/selection/index.ts'
import { readTurnNumbers, whereTurns } from './turns.ts'

export interface ThreadTracesQuery {
  readonly project_id: string
  readonly filter?: string | undefined
  readonly trace_filter?: string | undefined
  readonly tree_filter?: string | undefined
  readonly selects: readonly string[]
  readonly page_size: number
  readonly cursor?: string | undefined
}

/** A page of the traces of a thread, in the order of the conversation. */
export async function listThreadTraces(
  deps: RunViewDeps,
  tenantId: string,
  threadId: string,
  query: ThreadTracesQuery,
): Promise<RawJson> {
  const cursor = query.cursor ? parseCursor(query.cursor) : undefined
  const turns = {
    projectId: query.project_id,
    threadIds: [threadId],
    filter: query.filter,
    alsoFilter: query.trace_filter,
    treeFilter: query.tree_filter,
  }
  const where = whereTurns(tenantId, turns, cursor)
  const selects = [...new Set(['TRACE_ID', ...query.selects])].filter(isKnown)
  const fields = new Set(selects.map((select) => SELECT_FIELDS[toRunSelect(select)].from))
  const page = { order: 'asc', limit: query.page_size } as const
  const { views, next } = await readRunViews(deps, tenantId, where, fields, page)
  const ids = views.map(({ row }) => row.trace_id)
  const turnNumbers = selects.includes('TURN_NUMBER')
    ? await readTurnNumbers(deps, tenantId, query.project_id, threadId, ids)
    : undefined
  const items = views.map((view) => presentTurn(view, selects, turnNumbers?.get(view.row.trace_id)))
  return new RawJson(`{${printNextCursor(next)}"items":[${items.join(',')}]}`)
}

function presentTurn(view: RunView, selects: readonly ThreadTraceSelect[], turn: number | undefined): string {
  const parts = selects.map((select) => {
    if (select === 'OP') return `"op":${toOp(view)}`
    if (select === 'TURN_NUMBER') return `"turn_number":${turn ?? null}`
    const { from, print } = SELECT_FIELDS[toRunSelect(select)]
    return `"${select.toLowerCase()}":${print(presentField(view, from), view, '')}`
  })
  return `{${parts.join(',')}}`
}

/** The run field that a turn field corresponds to. */
function toRunSelect(select: ThreadTraceSelect): RunSelect {
  if (select === 'OP') return 'RUN_TYPE'
  if (select === 'TURN_NUMBER') return 'TRACE_ID'
  return select === 'LATENCY' ? 'LATENCY_SECONDS' : select
}

/** The index of the run type in the contract's list. */
function toOp({ row }: RunView): number {
  return (RUN_TYPES as readonly string[]).indexOf(row.run_type)
}

const KNOWN = new Set<string>(THREAD_TRACE_SELECTS)
const isKnown = (select: string): select is ThreadTraceSelect => KNOWN.has(select)
