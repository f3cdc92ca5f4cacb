import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Run } from '@touchstone/sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { createKey } from '#data/api-keys.ts'
import { meQuery, useMay } from '#data/me.ts'
import { setupKey } from '#data/session.ts'
import { curl, environment, isLocalOrigin, PYTHON, TYPESCRIPT } from '#lib/snippets.ts'
import { Button } from '#ui/button.tsx'
import { Snippet, SnippetTabs } from '#ui/snippet.tsx'
import { toast } from '#ui/toast.tsx'
import { FirstTraceStatus } from './first-trace-status.tsx'

export interface OnboardingProps {
  tenant: string
  /** Name used in the snippets. */
  projectName: string
  /** The first trace, once it has arrived. */
  firstRun: Run | undefined
  /** Opens the list of runs. */
  onSeeAll?: () => void
}

/** Instructions for sending the first trace, with snippets that work as pasted. */
export function Onboarding({ tenant, projectName, firstRun, onSeeAll }: OnboardingProps) {
  const [apiKey, setApiKey] = useState(() => {
    const created = setupKey.read()
    return created?.projectName === projectName ? created.key : undefined
  })
  const isOpen = useQuery(meQuery.current()).data?.kind === 'local'
  const facts = {
    origin: location.origin,
    project: projectName,
    apiKey: apiKey ?? (isOpen ? 'none-needed' : '<your key>'),
  }
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-8">
        <header>
          <h2 className="text-title">Send your first trace</h2>
          <p className="text-form text-fg-muted">
            Point any LangSmith-compatible client here with four environment variables, then run your program.
          </p>
        </header>
        <FirstTraceStatus tenant={tenant} run={firstRun} onSeeAll={onSeeAll} />
        <section className="flex flex-col gap-2">
          <h3 className="text-base">1. Environment</h3>
          <Snippet label="Environment" text={environment(facts)} />
          {isOpen ? (
            <p className="text-row text-fg-muted">
              This server needs no sign-in on this machine. Any key works until you{' '}
              <Link to="/o/$tenant/settings/api-keys" params={{ tenant }} className="text-accent underline">
                create the first key
              </Link>
              .
            </p>
          ) : (
            <KeyFiller projectName={projectName} apiKey={apiKey} onKey={setApiKey} />
          )}
        </section>
        <section className="flex flex-col gap-2">
          <h3 className="text-base">2. Program</h3>
          <SnippetTabs
            snippets={[
              { label: 'Python', text: PYTHON },
              { label: 'TypeScript', text: TYPESCRIPT },
              { label: 'curl', text: curl(facts) },
            ]}
          />
        </section>
        {isLocalOrigin(location.origin) && <LinkNote />}
      </div>
    </div>
  )
}

interface KeyFillerProps {
  projectName: string
  apiKey: string | undefined
  onKey: (key: string) => void
}

function KeyFiller({ projectName, apiKey, onKey }: KeyFillerProps) {
  const queryClient = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const mayWrite = useMay('member')
  async function fillIn() {
    setBusy(true)
    try {
      onKey(
        (await createKey(queryClient, { description: `Onboarding for ${projectName}`, role: 'member' })).created.key,
      )
    } catch (cause) {
      toast.failure('Could not create the key', cause)
    }
    setBusy(false)
  }
  if (apiKey !== undefined) {
    return <p className="text-row text-fg-muted">The key is in the snippet. Copy it now. You won't see it again.</p>
  }
  if (!mayWrite) {
    return <p className="text-row text-fg-muted">Viewers cannot create keys. Ask a member or an admin for one.</p>
  }
  return (
    <div>
      <Button look="primary" disabled={isBusy} onClick={fillIn}>
        <KeyRound size={13} aria-hidden />
        Create key and fill in
      </Button>
    </div>
  )
}

function LinkNote() {
  return (
    <p className="rounded-card border border-border bg-sunken p-3 text-row text-fg-muted">
      For a local address, the SDKs guess the address of this UI in the links they print (Python prints{' '}
      <code className="font-mono">http://localhost</code> without the port, JavaScript prints port 3000). If the guess
      is wrong, pass <code className="font-mono">web_url="{location.origin}"</code> (Python) or{' '}
      <code className="font-mono">webUrl: '{location.origin}'</code> (JavaScript) to the client.
    </p>
  )
}
