import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronRight, KeyRound } from 'lucide-react'
import { useState } from 'react'
import { createKey } from '#features/accounts/api-keys/queries.ts'
import { meQuery, useMay } from '#features/accounts/me.ts'
import { setupKey } from '#lib/api/session.ts'
import { cx } from '#lib/browser.ts'
import type { LabeledSnippet } from '#lib/snippets.ts'
import { Button } from '#ui/button.tsx'
import { EnvironmentTabs } from '#ui/snippet.tsx'
import { toast } from '#ui/toast.tsx'

/**
 * The API key to show in snippets: the one that was just created, or a placeholder.
 *
 * @param projectName  the project that the key was created for at set-up
 */
export function useSnippetKey(projectName: string | undefined) {
  const [created, setCreated] = useState(() => {
    const key = setupKey.read()
    return key !== undefined && key.projectName === projectName ? key.key : undefined
  })
  const isOpen = useQuery(meQuery.current()).data?.kind === 'local'
  return { created, setCreated, isOpen, text: created ?? (isOpen ? 'none-needed' : '<your key>') }
}

interface EnvironmentStepProps {
  tenant: string
  /** Commands that set the environment, by system; none for a program that reads no variables. */
  snippets: readonly LabeledSnippet[]
  apiKey: ReturnType<typeof useSnippetKey>
  /** Description of a key that is created here. */
  keyDescription: string
}

/** The environment of a program, with a button that creates a key and fills it in. */
export function EnvironmentStep({ tenant, snippets, apiKey, keyDescription }: EnvironmentStepProps) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-base">1. {snippets.length > 0 ? 'Environment' : 'Key'}</h3>
      {snippets.length > 0 && <EnvironmentTabs snippets={snippets} />}
      {apiKey.isOpen ? (
        <p className="text-row text-fg-muted">
          This server needs no sign-in on this machine. Any key works until you{' '}
          <Link to="/o/$tenant/settings/api-keys" params={{ tenant }} className="text-accent underline">
            create the first key
          </Link>
          .
        </p>
      ) : (
        <KeyFiller description={keyDescription} apiKey={apiKey.created} onKey={apiKey.setCreated} />
      )}
    </section>
  )
}

interface KeyFillerProps {
  description: string
  apiKey: string | undefined
  onKey: (key: string) => void
}

function KeyFiller({ description, apiKey, onKey }: KeyFillerProps) {
  const queryClient = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const mayWrite = useMay('member')
  async function fillIn() {
    setBusy(true)
    try {
      onKey((await createKey(queryClient, { description, role: 'member' })).created.key)
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

/** Help for local addresses, for which SDKs guess the links that they print. */
export function LinkNote() {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="text-row text-fg-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex items-center gap-1 hover:text-fg coarse:min-h-10"
      >
        <ChevronRight size={13} aria-hidden className={cx(isOpen && 'rotate-90')} />
        If links that your program prints do not open
      </button>
      {isOpen && (
        <p className="pl-[17px] pt-1">
          For a local address, the SDKs guess the address of this UI in links: Python prints{' '}
          <code className="font-mono">http://localhost</code> without the port, JavaScript prints port 3000. If the
          guess is wrong, pass <code className="font-mono">web_url="{location.origin}"</code> (Python) or{' '}
          <code className="font-mono">webUrl: '{location.origin}'</code> (JavaScript) to the client.
        </p>
      )}
    </div>
  )
}
