import { useQuery } from '@tanstack/react-query'
import { meQuery } from '#features/accounts/me.ts'
import { agentEnvironment, PYTHON, TYPESCRIPT } from '#lib/snippets.ts'
import { EnvironmentTabs, SnippetTabs } from '#ui/snippet.tsx'

export interface AgentSetupProps {
  /** Id used in the snippets. */
  agentId: string
  /** Whether it replaces the empty list. @default false */
  isFirst?: boolean
}

/** Instructions for sending traces to an agent. */
export function AgentSetup({ agentId, isFirst = false }: AgentSetupProps) {
  const isOpen = useQuery(meQuery.current()).data?.kind === 'local'
  const facts = { origin: location.origin, apiKey: isOpen ? 'none-needed' : '<your key>', agentId }
  const content = (
    <>
      {isFirst && (
        <header>
          <h2 className="text-title">No agents yet</h2>
          <p className="text-form text-fg-muted">
            An agent is a program with several environments. Each environment has its own project. Set two variables,
            and the first trace creates the agent.
          </p>
        </header>
      )}
      <section className="flex flex-col gap-2">
        <h3 className="text-base">1. Environment</h3>
        <EnvironmentTabs snippets={agentEnvironment(facts)} />
        <p className="text-row text-fg-muted">
          <code className="font-mono">LANGSMITH_AGENT_ENVIRONMENT</code> is local, development, staging or production.
          Clients need both variables. If a project is set too, they log a warning and send nothing.
        </p>
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="text-base">2. Program</h3>
        <SnippetTabs
          snippets={[
            { label: 'Python', text: PYTHON },
            { label: 'TypeScript', text: TYPESCRIPT },
          ]}
        />
        <p className="text-row text-fg-muted">
          Needs langsmith 0.15 from PyPI or langsmith 0.12 from npm. Older clients ignore both variables.
        </p>
      </section>
    </>
  )
  return isFirst ? (
    <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-8">{content}</div>
  ) : (
    <div className="flex flex-col gap-4">{content}</div>
  )
}
