import { useQueryClient } from '@tanstack/react-query'
import { createFileRoute } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import * as z from 'zod/mini'
import { writeKey } from '#data/api-key.ts'
import { workspaceQuery } from '#data/workspace.ts'
import { describeFailure } from '#lib/describe-failure.ts'
import { Logo } from '#shell/logo.tsx'
import { Button } from '#ui/button.tsx'

export const Route = createFileRoute('/login')({
  validateSearch: z.object({ next: z.catch(z.optional(z.string()), undefined) }),
  component: LoginPage,
})

/** Sign in with an API key, which this browser then sends. `next` brings back where one was. */
function LoginPage() {
  const { next } = Route.useSearch()
  const queryClient = useQueryClient()
  const router = Route.useNavigate()
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function signIn(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    writeKey(key.trim())
    try {
      queryClient.clear()
      await queryClient.fetchQuery({ ...workspaceQuery.current(), retry: false })
      await router({ href: isOwnPath(next) ? next : '/', replace: true })
    } catch (cause) {
      writeKey(undefined)
      const failure = describeFailure(cause)
      setProblem(failure.status === 401 ? 'This key is not valid, or has been revoked.' : failure.message)
      setBusy(false)
    }
  }

  return (
    <main className="flex h-full items-start justify-center overflow-auto px-4 pt-[16vh]">
      <title>Sign in · Touchstone</title>
      <form onSubmit={signIn} className="flex w-full max-w-sm flex-col gap-4">
        <div className="flex items-center gap-3">
          <Logo size={32} />
          <h1 className="text-title">Touchstone</h1>
        </div>
        <p className="text-form text-fg-muted">This server asks for an API key. It stays in this browser.</p>
        <label className="flex flex-col gap-1 text-row text-fg-muted">
          API key
          <input
            type="password"
            autoComplete="current-password"
            required
            // biome-ignore lint/a11y/noAutofocus: the page has one purpose and one field
            autoFocus
            value={key}
            onChange={(event) => setKey(event.target.value)}
            aria-invalid={problem !== undefined}
            aria-describedby="login-problem"
            className="h-9 rounded-control border border-border-strong bg-surface px-3 font-mono text-form text-fg"
          />
        </label>
        <p id="login-problem" role="alert" className="min-h-5 text-base text-err">
          {problem}
        </p>
        <Button type="submit" look="primary" disabled={isBusy || key.trim() === ''} className="h-9">
          {isBusy ? 'Checking…' : 'Sign in'}
        </Button>
        <p className="text-row text-fg-muted">
          No key yet? Stop the server, run <code className="font-mono">npm start -- --create-key NAME</code> beside it,
          and start it again.
        </p>
      </form>
    </main>
  )
}

/** A `next` that leads elsewhere is ignored: a link must not send a fresh sign-in to another site. */
function isOwnPath(next: string | undefined): next is string {
  return next !== undefined && /^\/(?![/\\])/.test(next)
}
