import { Link } from '@tanstack/react-router'
import type { Agent } from '@touchstone/sdk'
import { Ellipsis, Pencil, Terminal, Trash2 } from 'lucide-react'
import { formatAbsoluteTime, formatRelativeTime } from '#lib/format.ts'
import { IconButton } from '#ui/button.tsx'
import { CardRow, CardTable } from '#ui/card-table.tsx'
import { Menu, MenuItem } from '#ui/menu.tsx'
import { Skeleton } from '#ui/states.tsx'
import type { AgentDialogState } from './agent-dialogs.tsx'
import { type AgentCell, agentCells, ENVIRONMENTS } from './agents.ts'

export interface AgentTableProps {
  tenant: string
  agents: readonly Agent[]
  /** Start time of the last trace by project; undefined while loading. */
  lastTraces: ReadonlyMap<string, string | null> | undefined
  /** Whether the last traces could not be loaded. */
  hasFailed: boolean
  /** Opens a dialog; undefined without write access. */
  onLayer: ((layer: AgentDialogState) => void) | undefined
}

/** One row per agent and one cell per environment, with the time of its last trace. */
export function AgentTable({ tenant, agents, lastTraces, hasFailed, onLayer }: AgentTableProps) {
  return (
    <CardTable
      label="Agents"
      columns={['Agent', ...ENVIRONMENTS.map(({ label }) => label), 'Created']}
      hasActions
      isSticky
    >
      {agents.map((agent) => (
        <CardRow key={agent.agent_uuid}>
          <th
            scope="row"
            className="max-w-72 px-3 py-1.5 font-normal max-sm:w-[calc(100%-52px)] max-sm:max-w-none max-sm:p-0"
          >
            <div dir="auto" className="truncate text-base font-medium">
              {agent.name}
            </div>
            {agent.name !== agent.id && <div className="truncate font-mono text-meta text-fg-muted">{agent.id}</div>}
          </th>
          {agentCells(agent, lastTraces).map((cell) => (
            <td
              key={cell.label}
              className="whitespace-nowrap px-3 max-sm:order-last max-sm:basis-[calc(50%-6px)] max-sm:p-0"
            >
              <div className="text-meta text-fg-subtle sm:hidden">{cell.label}</div>
              <Environment tenant={tenant} agent={agent} cell={cell} hasFailed={hasFailed} />
            </td>
          ))}
          <td className="whitespace-nowrap px-3 text-fg-muted max-sm:hidden" title={agent.created_at}>
            {formatAbsoluteTime(agent.created_at).replace(/ \d\d:.*$/, '')}
          </td>
          <td className="px-3 text-right max-sm:ml-auto max-sm:p-0">
            {onLayer && <Actions agent={agent} onLayer={onLayer} />}
          </td>
        </CardRow>
      ))}
    </CardTable>
  )
}

interface EnvironmentProps {
  tenant: string
  agent: Agent
  cell: AgentCell
  hasFailed: boolean
}

function Environment({ tenant, agent, cell, hasFailed }: EnvironmentProps) {
  if (cell.kind === 'absent') {
    return (
      <span className="text-fg-subtle" title="The project was deleted. The next trace creates a new one.">
        No project
      </span>
    )
  }
  const { label, projectId, lastTrace } = cell
  return (
    <Link
      to="/o/$tenant/projects/p/$projectId"
      params={{ tenant, projectId }}
      aria-label={`${label} of ${agent.name}`}
      title={lastTrace ?? undefined}
      className="inline-flex min-h-6 items-center hover:underline coarse:min-h-10"
    >
      {lastTrace ? (
        formatRelativeTime(lastTrace).replace(/\.\d{3}$/, '')
      ) : lastTrace === null ? (
        <span className="text-fg-muted">No traces</span>
      ) : hasFailed ? (
        'Open'
      ) : (
        <Skeleton className="w-16" />
      )}
    </Link>
  )
}

function Actions({ agent, onLayer }: { agent: Agent; onLayer: (layer: AgentDialogState) => void }) {
  return (
    <Menu align="end" trigger={<IconButton icon={Ellipsis} label={`Actions of ${agent.name}`} />}>
      <MenuItem icon={<Terminal size={13} />} onSelect={() => onLayer({ kind: 'setup', agent })}>
        Send traces…
      </MenuItem>
      <MenuItem icon={<Pencil size={13} />} onSelect={() => onLayer({ kind: 'rename', agent })}>
        Rename…
      </MenuItem>
      <MenuItem icon={<Trash2 size={13} />} danger onSelect={() => onLayer({ kind: 'delete', agent })}>
        Delete…
      </MenuItem>
    </Menu>
  )
}
