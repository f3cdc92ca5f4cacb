import type { ReactNode } from 'react'
import { Logo } from './logo.tsx'

export interface SignInFrameProps {
  /** The heading of the page and the title of the browser tab. */
  title: string
  /** Explains what to enter, and why. */
  lead?: ReactNode
  children: ReactNode
}

/** Frame of the pages before sign-in: sign-in, setup, invitation. */
export function SignInFrame({ title, lead, children }: SignInFrameProps) {
  return (
    <main className="flex h-full items-start justify-center overflow-auto px-4 py-[10vh]">
      <title>{`${title} · Touchstone`}</title>
      <div className="flex w-full max-w-sm flex-col gap-4">
        <div className="flex items-center gap-3">
          <Logo size={32} />
          <span className="text-heading font-semibold">Touchstone</span>
        </div>
        <h1 className="text-title">{title}</h1>
        {lead !== undefined && <div className="text-form text-fg-muted">{lead}</div>}
        {children}
      </div>
    </main>
  )
}

/** The error of a form. The element is always present, so that screen readers announce changes. */
export function FormProblem({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="min-h-5 text-base text-err">
      {children}
    </p>
  )
}
