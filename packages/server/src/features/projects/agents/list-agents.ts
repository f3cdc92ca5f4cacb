import type { Agent, AgentListQuery } from '@touchstone/contract'
import type { Deps } from '../../../deps.ts'
import { decodeCursor, encodeCursor } from '../../../http/cursor.ts'
import { sql, uuid, uuids } from '../../../storage/analytics/sql.ts'
import type { AgentRow } from '../../../storage/relational/tables/projects.ts'
import { columns, text } from '../../../storage/rows.ts'
import { type EnvironmentRow, presentAgent, selectAgents, selectEnvironments, selectProjectAgents } from './agents.ts'

type ListDeps = Pick<Deps, 'relational' | 'analytics'>

/** The sort value and the id as tie-breaker. */
type Position = readonly [value: string, uuid: string]

/**
 * A page of agents. A workspace has few of them, so all matching agents are sorted in memory.
 *
 * @throws ApiError INVALID_REQUEST for a cursor of another server
 */
export async function listAgents(
  deps: ListDeps,
  tenantId: string,
  query: AgentListQuery,
): Promise<{ items: Agent[]; next_cursor: string | null }> {
  const { db } = deps.relational
  const rows = await (query.session_id
    ? selectProjectAgents(db, tenantId, query.session_id)
    : selectAgents(db, tenantId))
  const matching = rows.filter((row) => matches(row, query))
  const getPosition = await loadPositions(deps, tenantId, matching, query)
  const direction = query.sort_order === 'asc' ? 1 : -1
  const order = (one: Position, other: Position) => direction * comparePositions(one, other)
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, toPosition)
  const rest = matching
    .filter((row) => after === undefined || order(getPosition(row), after) > 0)
    .sort((one, other) => order(getPosition(one), getPosition(other)))
  const page = rest.slice(0, query.page_size)
  const last = page.at(-1)
  const environments = await selectEnvironments(
    db,
    page.map(({ id }) => id),
  )
  return {
    items: page.map((row) => presentAgent(row, environments)),
    next_cursor: last && rest.length > page.length ? encodeCursor(getPosition(last)) : null,
  }
}

function matches(row: AgentRow, { id, name, search, source_type }: AgentListQuery): boolean {
  if (id !== undefined && !id.includes(row.agent_id)) return false
  if (source_type !== undefined && row.source_type !== source_type) return false
  const words = [search, name].filter((text) => text !== undefined).map(normalizeName)
  return words.every((word) => normalizeName(row.name).includes(word) || normalizeName(row.agent_id).includes(word))
}

const normalizeName = (text: string) => text.toLowerCase().replaceAll(/[\s-]/g, '')

async function loadPositions(
  deps: ListDeps,
  tenantId: string,
  rows: readonly AgentRow[],
  { sort_by }: AgentListQuery,
): Promise<(row: AgentRow) => Position> {
  if (sort_by === 'name') return (row) => [row.name, row.id]
  if (sort_by === 'created_at') return (row) => [row.created_at, row.id]
  const environments = await selectEnvironments(
    deps.relational.db,
    rows.map(({ id }) => id),
  )
  const lastStarts = await selectLastStarts(deps, tenantId, environments)
  return (row) => [lastStarts.get(row.id) ?? '', row.id]
}

/** Start of the latest trace by agent; agents without traces are absent. */
async function selectLastStarts(
  { analytics }: ListDeps,
  tenantId: string,
  environments: readonly EnvironmentRow[],
): Promise<Map<string, string>> {
  const agents = new Map<string | null, string>(
    environments.map(({ session_id, agent_uuid }) => [session_id, agent_uuid]),
  )
  const projectIds = environments.flatMap(({ session_id }) => session_id ?? [])
  if (projectIds.length === 0) return new Map()
  const rows = await analytics.query(
    sql`
    select session_id, max(start_time) as last
    from project_roots
    where tenant_id = ${uuid(tenantId)} and session_id in ${uuids(projectIds)}
    group by session_id`,
    columns({ session_id: text, last: text }),
  )
  const latest = new Map<string, string>()
  for (const { session_id, last } of rows) {
    const agent = agents.get(session_id)
    if (agent !== undefined && last > (latest.get(agent) ?? '')) latest.set(agent, last)
  }
  return latest
}

function comparePositions([value, id]: Position, [otherValue, otherId]: Position): number {
  if (value !== otherValue) return value < otherValue ? -1 : 1
  return id < otherId ? -1 : Number(id > otherId)
}

function toPosition(values: readonly unknown[]): Position | undefined {
  const [value, id] = values
  return values.length === 2 && typeof value === 'string' && typeof id === 'string' ? [value, id] : undefined
}
