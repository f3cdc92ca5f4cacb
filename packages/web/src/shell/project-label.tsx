import { useQuery } from '@tanstack/react-query'
import { Bot } from 'lucide-react'
import { findAgentProjectLabel } from '#features/projects/agents/agents.ts'
import { agentQuery } from '#features/projects/agents/queries.ts'
import { useStore } from '#lib/store.ts'
import { idlePage } from '#ui/first-page.ts'
import { CrumbName } from './crumb.tsx'

/** The name of a project. For the project of an agent: the agent and the environment. */
export function ProjectLabel({ projectId, name }: { projectId: string; name: string }) {
  // Most projects are of no agent, so the first page does not wait for it.
  const agent = useQuery({ ...agentQuery.ofProject(projectId), enabled: useStore(idlePage) }).data
  const label = agent ? findAgentProjectLabel(agent, projectId) : undefined
  if (label === undefined) return <CrumbName name={name} />
  return (
    <span title={`Project ${name}`}>
      <Bot size={14} role="img" aria-label="Agent" className="mr-1 inline align-[-2px] text-fg-subtle" />
      {label}
    </span>
  )
}
