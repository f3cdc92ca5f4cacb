import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { isLocalOrigin, type LabeledSnippet } from '#lib/snippets.ts'
import { Snippet, SnippetTabs } from '#ui/snippet.tsx'
import { EnvironmentStep, LinkNote, useSnippetKey } from './environment-step.tsx'
import { FirstTraceStatus } from './first-trace-status.tsx'
import { QuickstartPicker } from './quickstart-picker.tsx'
import { ENVIRONMENTS, findQuickstart } from './quickstarts/quickstarts.ts'

export interface OnboardingProps {
  tenant: string
  /** Name used in the snippets. */
  projectName: string
  /** The first trace, once it has arrived. */
  firstRun: Run | undefined
  /** Opens the list of runs. */
  onSeeAll?: () => void
}

/** Instructions for sending the first trace, with snippets that work as pasted. The URL has the chosen quickstart. */
export function Onboarding({ tenant, projectName, firstRun, onSeeAll }: OnboardingProps) {
  const apiKey = useSnippetKey(projectName)
  const navigate = useNavigate()
  const quickstart = findQuickstart(useSearch({ strict: false }).quickstart)
  const { id, environment, about, programs } = quickstart
  const facts = { origin: location.origin, project: projectName, apiKey: apiKey.text }
  const choose = (chosen: string) =>
    void navigate({ to: '.', search: (kept) => ({ ...kept, quickstart: chosen }), replace: true })
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-8">
        <header>
          <h2 className="text-title">Send your first trace</h2>
          <p className="text-form text-fg-muted">Choose what your program uses, set its environment, and run it.</p>
        </header>
        <FirstTraceStatus tenant={tenant} run={firstRun} onSeeAll={onSeeAll} />
        <QuickstartPicker value={quickstart} onChange={choose} />
        <EnvironmentStep
          tenant={tenant}
          snippets={environment === undefined ? [] : ENVIRONMENTS[environment](facts)}
          apiKey={apiKey}
          keyDescription={`Onboarding for ${projectName}`}
        />
        <section className="flex flex-col gap-2">
          <h3 className="text-base">2. Program</h3>
          {about && <p className="text-form text-fg-muted">{about}</p>}
          <Programs key={id} programs={programs(facts)} />
        </section>
        {environment === 'langsmith' && isLocalOrigin(location.origin) && <LinkNote />}
      </div>
    </div>
  )
}

function Programs({ programs }: { programs: readonly LabeledSnippet[] }) {
  const [first] = programs
  return programs.length === 1 && first ? <Snippet {...first} /> : <SnippetTabs snippets={programs} />
}
